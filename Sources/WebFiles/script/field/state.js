// The line that says at every time what waits, and why.
import { el, icon } from './dom.js';
import { isRefused } from './item.js';
import { count, has, moment, t } from './words.js';

/** @typedef {import('./app.js').App} App */
/** @typedef {import('./view.js').Mutation} Mutation */

/** What is said about a change in the queue: a key of words, and its tone. @param {Mutation} row */
export const stateOf = (row) => {
  if (row.decision && isRefused(row)) return { key: 'state.decided', tone: 'blue' };
  switch (row.status) {
    case 'uploading': return { key: 'state.sending', tone: 'blue' };
    case 'synced': return { key: 'state.sent', tone: 'green' };
    case 'conflict': return { key: 'state.conflict', tone: 'red' };
    case 'failed': return { key: row.result || row.answer?.code ? 'state.rejected' : 'state.gave-up', tone: 'red' };
    case 'resolved': return { key: 'state.resolved', tone: 'grey' };
    default: return { key: row.answer?.blocked_by ? 'state.blocked' : 'state.waiting', tone: 'yellow' };
  }
};

/**
 * Why a change was not accepted, in words.
 * @param {{code?: string, detail?: string} | undefined} answer
 * @param {string} [op] of the change: a full plan is something else than too many photos
 */
export const reason = (answer, op) => {
  const key = [`error.${op}.${answer?.code}`, `error.${answer?.code}`].find(has);
  return key ? t(key) : answer?.detail ?? answer?.code ?? '';
};

/** False for a record that the server has refused to make: sums leave it out, as the server's do. @param {any} row */
export const isCounted = ({ waits, version }) => version > 0 || !waits || !isRefused(waits);

/** How far the change of a row of a list is, if one waits. @param {any} row @returns {any} */
export const mark = ({ waits }) => {
  if (!waits) return undefined;
  const { key, tone } = stateOf(waits);
  return tone === 'red' ? el('span', { class: 'bad' }, icon('warning', 16), ' ', t(key)) : el('span', { class: 'waits' }, icon('clock', 16), t('row.waits'));
};

/** @param {App} app */
export const counts = (app) => {
  const open = app.store.open;
  const changes = open.filter((row) => isRefused(row) && !row.decision && !row.asks_retry).length;
  const decide = changes + [...app.store.files.values()].filter(({ status }) => status === 'failed').length;
  const photos = [...app.store.files.values()].filter(({ status }) => status === 'pending' || status === 'uploading').length;
  const notes = app.store.notes.filter(({ status }) => status === 'pending').length;
  return { decide, waiting: open.length - changes + notes, photos };
};

/** @param {App} app @returns {Node[]} */
export const stateLine = (app) => {
  const { store, sync, updates } = app;
  const { decide, waiting, photos } = counts(app);
  const lines = [];
  if (updates.isWaiting) {
    lines.push(el('p', { class: 'line blue' }, el('span', {}, t('update.ready')),
      // Never with a form open: what is written there goes on first.
      document.querySelector('#main form[data-draft]') ? el('span', {}, t('update.later')) : el('button', { class: 'button small', type: 'button', on: { click: updates.take } }, t('update.restart'))));
  }
  const out = sync.problem === 'signed-out' || app.account.isOut;
  if (out) lines.push(el('p', { class: 'line yellow' }, icon('warning', 16), el('span', {}, t('out.text')), el('a', { href: '/app/sign-in' }, t('out.again'))));
  else if (sync.problem === 'offline') lines.push(el('p', { class: 'line grey' }, icon('warning', 16), el('span', {}, t('offline.text'))));
  else if (sync.problem) lines.push(el('p', { class: 'line yellow' }, icon('warning', 16), el('span', {}, has(`error.${sync.problem}`) ? t(`error.${sync.problem}`) : sync.refusal ? t('state.refused', sync.refusal) : t('error.busy'))));
  const parts = [
    waiting && count('outbox.waiting', waiting), photos && count('outbox.photos', photos), decide && count('outbox.decide', decide),
  ].filter(Boolean);
  if (parts.length) lines.push(el('p', { class: `line ${decide ? 'red' : 'quiet'}` }, el('a', { href: '/app/outbox' }, parts.join(' · '))));
  else if (!lines.length) lines.push(el('p', { class: 'line quiet' }, sync.isBusy && !store.meta.pulled_at ? t('state.first') : store.meta.pulled_at ? t('state.all-sent', moment(store.meta.pulled_at)) : ''));
  return lines;
};

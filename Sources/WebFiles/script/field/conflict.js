// A decision: what was written here, what the office has, and what both began with. Nothing is chosen beforehand.
import { el } from './dom.js';
import { called, labelOf, shown, typeOf } from './model.js';
import { says } from './outbox.js';
import { reason } from './state.js';
import { moment, t } from './words.js';

/** @typedef {import('./app.js').App} App */

/** @param {App} app @param {string[]} parts */
export const conflictScreen = async (app, [no = '']) => {
  const row = app.store.queue.find((one) => one.no === Number(no));
  const back = '/app/outbox';
  if (!row || row.status !== 'conflict' && row.status !== 'failed') {
    return { title: t('tab.outbox'), back, node: el('div', { class: 'empty' }, el('p', {}, t('decide.done'))) };
  }
  const behind = app.store.queue.filter((one) => one.type === row.type && one.id === row.id && one.no > row.no && one.status === 'pending');
  const decide = async (/** @type {any} */ change) => {
    // Meanwhile somebody may have decided elsewhere: the screen says so then.
    if (!await app.store.write({ mutations: [[row, change]] })) { app.draw(); return; }
    app.store.dispatchEvent(new Event('saved'));
    app.say(t('decide.saved'));
    app.go(back, true);
  };
  const button = (/** @type {string} */ words, /** @type {any} */ change, style = '') => el('button', { class: `button wide ${style}`, type: 'button', on: { click: () => decide(change) } }, words);
  const server = row.answer?.server;
  const isConflict = row.status === 'conflict';
  const code = row.answer?.code;
  // A record that was never made has no version either.
  const isDeleted = code === 'record_deleted' || isConflict && row.op !== 'create' && row.answer?.version === null;
  const why = reason(row.answer, row.op);
  const retry = button(t('failed.retry'), { status: 'pending', attempts: 0, asks_retry: !!row.result, decision: undefined }, 'primary');
  const title = server ? called(app, row.type, server) : row.title ?? '';
  const node = el('div', { class: 'stack' },
    el('p', { class: 'lead' }, el('strong', {}, says(app, row)), ' ', el('span', { class: 'quiet' }, moment(row.client_time))),
    row.decision && el('p', { class: 'bar info' }, t('state.decided')),
    row.answer?.refusal && el('p', { class: 'bar bad' }, t('decide.refused'), ' ', reason({ code: row.answer.refusal, detail: row.answer.detail }, row.op)));
  const isSplit = isConflict && server && !isDeleted;
  if (isSplit && row.op === 'patch' && code === 'stale') node.append(choices(app, row, server, decide));
  else if (isSplit && ['transition', 'delete'].includes(row.op)) {
    const label = typeOf(app, row.type)?.workflow?.states?.find((/** @type {any} */ one) => one.name === server?.status)?.label ?? server?.status ?? '';
    node.append(el('p', {}, t('state-conflict.text', label, why)),
      el('div', { class: 'steps' }, button(t('take.server'), { decision: 'server' }), (row.answer?.allowed ?? [row.transition]).includes(row.transition) && button(t('take.again'), { decision: 'mine' })));
  } else {
    // The reason may be gone: the office can restore a deleted record.
    node.append(el('p', {}, isDeleted ? t('deleted.text') : t('failed.text', why)), values(app, row),
      el('div', { class: 'steps' }, retry, button(t(isDeleted ? 'deleted.discard' : 'failed.discard'), { decision: isConflict ? 'server' : 'discard' }, 'danger')));
  }
  if (behind.length) node.append(el('section', { class: 'card' }, el('h2', {}, t('decide.behind')), el('ul', { class: 'rows' }, behind.map((one) => el('li', {}, says(app, one), ' ', el('span', { class: 'quiet' }, moment(one.client_time)))))));
  return { title: title || t('decide.title'), node, back, isForm: true };
};

/** What a change wanted to write. @param {App} app @param {import('./view.js').Mutation} row */
const values = (app, row) => row.fields ? el('dl', { class: 'card' }, Object.entries(row.fields).map(([name, value]) => el('div', {}, el('dt', {}, labelOf(app, row.type, name)), el('dd', {}, shown(app, row.type, name, value))))) : '';

/** A choice for each field. @param {App} app @param {import('./view.js').Mutation} row @param {any} server @param {(change: any) => Promise<void>} decide */
const choices = (app, row, server, decide) => {
  const fields = row.fields ?? {};
  const told = new Map((row.answer?.told ?? []).map((/** @type {any} */ one) => [one.name, one]));
  const conflicting = (row.answer?.fields ?? Object.keys(fields)).filter((/** @type {string} */ name) => name in fields);
  const rest = Object.keys(fields).filter((name) => !conflicting.includes(name));
  const who = [...told.values()].find((one) => one.by);
  const problem = el('p', { class: 'bar bad', role: 'alert', hidden: true }, t('decide.all'));
  return el('form', { class: 'form', on: { submit: async (/** @type {Event} */ event) => {
    event.preventDefault();
    const form = /** @type {HTMLFormElement} */ (event.target);
    const chosen = conflicting.map((/** @type {string} */ name) => [name, /** @type {RadioNodeList} */ (form.elements.namedItem(`take-${name}`))?.value]);
    if (chosen.some(([, take]) => !take)) { problem.hidden = false; problem.scrollIntoView({ block: 'center' }); return; }
    const mine = chosen.filter(([, take]) => take === 'mine').map(([name]) => name);
    if (mine.length === conflicting.length) { await decide({ decision: 'mine' }); return; }
    const kept = [...mine, ...rest];
    const pick = (/** @type {any} */ from) => Object.fromEntries(kept.map((name) => [name, from?.[name] ?? null]));
    await decide(mine.length === 0 && rest.length === 0 ? { decision: 'server' } : mine.length === 0 ? { decision: 'merge' }
      : { decision: 'chosen', chosen: { fields: pick(fields), before: pick(server), base_version: row.answer.version ?? server?.version } });
  } } },
  el('p', {}, who ? t('conflict.by', who.by, moment(who.at)) : t('conflict.text')),
  conflicting.map((/** @type {string} */ name) => {
    const one = told.get(name);
    const option = (/** @type {string} */ take, /** @type {any} */ value, /** @type {any} */ extra) => el('label', { class: 'radio choice tall' }, el('input', { type: 'radio', name: `take-${name}`, value: take }),
      el('span', {}, el('span', { class: 'quiet' }, t(`take.${take}.label`), extra && ` · ${extra}`), el('br'), el('strong', {}, shown(app, row.type, name, value))));
    return el('fieldset', { class: 'field' }, el('legend', {}, labelOf(app, row.type, name)),
      option('mine', fields[name], moment(row.client_time)), option('server', one ? one.server : server?.[name], one?.by && `${one.by}, ${moment(one.at)}`),
      el('p', { class: 'hint' }, t('conflict.before', shown(app, row.type, name, row.before?.[name] ?? one?.base))));
  }), rest.length > 0 && el('p', { class: 'quiet' }, t('conflict.rest', rest.map((name) => labelOf(app, row.type, name)).join(', '))),
  problem, el('div', { class: 'buttons' }, el('button', { class: 'button primary wide', type: 'submit' }, t('decide.save'))));
};

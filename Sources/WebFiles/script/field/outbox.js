// The outbox: everything that is not on the server yet, in words, with what can be done about it.
import { el } from './dom.js';
import { after } from './item.js';
import { typeOf } from './model.js';
import { counts, reason, stateOf } from './state.js';
import { moment, t } from './words.js';

/** @typedef {import('./app.js').App} App */

/** A change in words. @param {App} app @param {import('./view.js').Mutation} row */
export const says = (app, row) => {
  const type = typeOf(app, row.type);
  const step = type?.workflow?.transitions?.find((/** @type {any} */ one) => one.name === row.transition);
  return row.op === 'transition' ? step?.label ?? row.transition ?? '' : row.op === 'create' ? `${t('op.create')}: ${type?.label ?? ''}` : t(`op.${row.op}`);
};

/** The file of a change's photo, if its bytes wait. @param {App} app @param {import('./view.js').Mutation} row */
const photoOf = (app, row) => row.op === 'attach' ? app.store.files.get(row.file.id) : undefined;

/** @param {App} app */
export const outboxScreen = (app) => {
  const { store, sync } = app;
  const rows = store.queue.filter((row) => row.status !== 'synced' && row.status !== 'resolved' || ['pending', 'uploading', 'failed'].includes(photoOf(app, row)?.status));
  const sent = store.queue.filter((row) => !rows.includes(row)).slice(-10).reverse();
  const notes = store.notes.filter(({ status }) => status !== 'synced');
  const { decide } = counts(app);
  const line = (/** @type {import('./view.js').Mutation} */ row) => {
    const file = photoOf(app, row);
    const isSent = row.status === 'synced' && file && ['pending', 'uploading', 'failed'].includes(file.status);
    const { key, tone } = isSent ? { key: file.status === 'failed' ? 'photo.refused' : 'photo.waits', tone: file.status === 'failed' ? 'red' : 'yellow' } : stateOf(row);
    const decides = row.status === 'conflict' || row.status === 'failed';
    return el('li', {},
      el('a', { href: decides ? `/app/outbox/${row.no}` : `/app/r/${row.type}/${row.id}` },
        el('span', { class: 'row-head' }, el('strong', {}, says(app, row)), el('span', { class: `pill ${tone}` }, t(key, row.answer?.blocked_by ? t('change.no', row.answer.blocked_by) : ''))),
        el('span', { class: 'row-text' }, row.title ?? ''),
        el('span', { class: 'facts' }, el('span', {}, moment(row.client_time)), row.answer && decides && el('span', { class: 'bad' }, reason(row.answer, row.op)), isSent && file.status === 'failed' && el('span', { class: 'bad' }, reason(file)))),
      isSent && file.status === 'failed' && el('div', { class: 'choices' },
        el('button', { class: 'button small', type: 'button', on: { click: () => store.write({ files: [[file, after(file, 'retry')]] }).then(() => sync.run()) } }, t('retry')),
        el('button', { class: 'button small danger', type: 'button', on: { click: () => store.write({ files: [[file, after(file, 'discard')]] }).then(() => sync.run()) } }, t('failed.discard'))));
  };
  return {
    title: t('tab.outbox'),
    node: el('div', { class: 'stack' },
      el('button', { class: 'button wide', type: 'button', id: 'send', disabled: sync.isBusy, on: { click: () => { sync.run(); } } }, t(sync.isBusy ? 'outbox.sending' : 'outbox.send')),
      decide > 0 && el('p', { class: 'bar warning' }, t('outbox.explain')),
      rows.length + notes.length === 0 ? el('div', { class: 'empty' }, el('p', {}, t('outbox.empty'))) : el('section', { class: 'card' }, el('h2', {}, t('outbox.waits'), ' ', el('span', { class: 'quiet' }, rows.length + notes.length)),
        el('ul', { class: 'rows', id: 'queue' }, rows.map(line), notes.map((note) => el('li', {}, el('a', { href: `/app/r/${note.type}/${note.record}` },
          el('span', { class: 'row-head' }, el('strong', {}, t('comment')), el('span', { class: `pill ${note.status === 'failed' ? 'red' : 'yellow'}` }, t(note.status === 'failed' ? 'comment.refused' : 'state.waiting'))), el('span', { class: 'row-text' }, note.body)),
        note.status === 'failed' && el('button', { class: 'button small', type: 'button', on: { click: () => store.write({ notes: [[note, { status: 'pending' }]] }).then(() => sync.run()) } }, t('retry')))))),
      sent.length > 0 && el('section', { class: 'card' }, el('h2', {}, t('outbox.last')), el('ul', { class: 'rows' }, sent.map(line)))),
  };
};

// Today: what is late, mine, under way and near; and the day's meals and the sun, for those who have them.
import { el } from './dom.js';
import { installOffer } from './install.js';
import { mealsCard } from './macros.js';
import { called, isOverdue, may, person, pill, typeOf } from './model.js';
import { sunCard } from './solar.js';
import { mark } from './state.js';
import { date, t, today } from './words.js';

/** @typedef {import('./app.js').App} App */

/** A work order in a list. @param {App} app @param {any} row @param {string} day */
export const orderRow = (app, row, day) => {
  const machine = app.store.row('maintenance.machine', row.machine_id);
  return el('li', {}, el('a', { href: `/app/r/maintenance.entry/${row.id}` },
    el('span', { class: 'row-head' }, el('strong', {}, called(app, 'maintenance.entry', row)), ' ', machine?.code ?? row.machine_code ?? '', pill(app, 'maintenance.entry', row.status)),
    el('span', { class: 'row-text' }, row.description),
    el('span', { class: 'facts' },
      row.due_on && el('span', { class: isOverdue(row, day) ? 'bad' : undefined }, t(isOverdue(row, day) ? 'due.was' : 'due', date(row.due_on))),
      row.priority === 1 && el('span', { class: 'bad' }, t('urgent')),
      row.assigned_to && el('span', {}, person(app, row.assigned_to)),
      mark(row))));
};

const MOST = 20;

/** @param {App} app @param {string} title @param {any[]} rows @param {string} day @param {string} [quiet] */
const section = (app, title, rows, day, quiet) => (rows.length || quiet) && el('section', { class: 'card' },
  el('h2', {}, title, ' ', el('span', { class: 'quiet' }, rows.length)),
  rows.length ? el('ul', { class: 'rows' }, rows.slice(0, MOST).map((row) => orderRow(app, row, day))) : el('p', { class: 'quiet' }, quiet),
  // Each machine shows all of its own.
  rows.length > MOST && el('p', { class: 'quiet' }, t('today.more', rows.length - MOST), ' ', el('a', { href: '/app/machines' }, t('tab.machines'))));

/** @param {App} app */
export const todayScreen = async (app) => {
  const day = today(app.store.now());
  const me = app.account.user;
  const node = el('div', { class: 'stack' });
  const drafts = (await app.store.drafts()).filter((draft) => draft.path && Object.values(draft.values ?? {}).some((value) => value && value !== 'false'));
  for (const draft of drafts) {
    node.append(el('p', { class: 'bar info' }, t('draft.text'), ' ', el('a', { href: draft.path }, t('draft.go')), ' ',
      el('button', { class: 'button small', type: 'button', on: { click: async () => { await app.store.keep(draft.form, null); app.draw(); } } }, t('draft.drop'))));
  }
  if (typeOf(app, 'maintenance.entry')) {
    const open = app.store.rows('maintenance.entry').filter((row) => row.status_category !== 'done');
    const order = (/** @type {string} */ a, /** @type {string} */ b) => a < b ? -1 : a > b ? 1 : 0;
    const byDue = (/** @type {any} */ a, /** @type {any} */ b) => order(a.due_on ?? '9', b.due_on ?? '9') || a.priority - b.priority || order(a.reported_on ?? '', b.reported_on ?? '');
    const sorted = open.sort(byDue);
    /** @type {Set<any>} */
    const seen = new Set();
    const part = (/** @type {(row: any) => boolean} */ test) => sorted.filter((row) => !seen.has(row) && test(row) && seen.add(row));
    const overdue = part((row) => isOverdue(row, day));
    const mine = part((row) => row.assigned_to === me || row.started_by === me && row.status_category === 'active');
    const active = part((row) => row.status_category === 'active');
    const near = part(() => true);
    node.append(...[
      section(app, t('today.overdue'), overdue, day), section(app, t('today.mine'), mine, day, t('today.nothing-mine')),
      section(app, t('today.progress'), active, day), section(app, t('today.near'), near, day),
    ].filter((one) => one instanceof Node));
    if (!open.length && app.store.meta.pulled_at) {
      node.append(el('div', { class: 'empty' }, el('p', {}, t('today.empty')), may(app, 'maintenance.entry').mayCreate && el('p', {}, el('a', { class: 'button primary', href: '/app/report' }, t('report.title')))));
    }
  }
  const cards = [sunCard(app), mealsCard(app, day), await installOffer(app.draw)].filter((card) => card !== null);
  node.append(...cards);
  if (!node.childNodes.length) node.append(el('div', { class: 'empty' }, el('p', {}, t(app.store.meta.pulled_at ? 'today.nothing' : 'state.first'))));
  return { title: t('tab.today'), node };
};

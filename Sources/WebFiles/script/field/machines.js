// Machines: found by a few letters, each with its open work.
import { el } from './dom.js';
import { isRefused } from './item.js';
import { may, pill, steps, typeOf } from './model.js';
import { stepButtons } from './record.js';
import { orderRow } from './today.js';
import { count, date, moment, number, t, today } from './words.js';

/** @typedef {import('./app.js').App} App */

const MACHINE = 'maintenance.machine';
const MOST = 30;
/** Codes in the order of their numbers: RM-2 before RM-10. */
export const byCode = (() => {
  const { compare } = new Intl.Collator(undefined, { numeric: true });
  return (/** @type {any} */ a, /** @type {any} */ b) => compare(a.code, b.code);
})();

/** @param {App} app */
export const machinesScreen = (app) => {
  const list = el('ul', { class: 'rows big', id: 'machines' });
  const none = el('p', { class: 'quiet', role: 'status' });
  const search = el('input', { type: 'search', id: 'find', name: 'find', autocomplete: 'off', placeholder: t('machines.find'), 'aria-label': t('machines.find') });
  /** @type {Map<string, number>} */
  let open = new Map();
  /** @type {{row: any, text: string}[]} */
  let machines = [];
  const draw = () => {
    const words = search.value.toLowerCase().split(/\s+/).filter(Boolean);
    const found = machines.filter(({ text }) => words.every((/** @type {string} */ word) => text.includes(word)));
    list.replaceChildren(...found.slice(0, MOST).map(({ row }) => el('li', {}, el('a', { href: `/app/m/${app.account.company.slug}/${row.id}` },
      el('span', { class: 'row-head' }, el('strong', {}, row.code), row.status !== 'active' && pill(app, MACHINE, row.status)),
      el('span', { class: 'row-text' }, row.name), el('span', { class: 'facts' }, open.get(row.id) ? count('machines.open', open.get(row.id) ?? 0) : t('machines.none-open'))))));
    none.textContent = found.length > MOST ? t('list.more', found.length - MOST) : found.length ? '' : t(machines.length ? 'machines.not-found' : 'machines.empty', search.value);
    none.hidden = found.length > 0 && found.length <= MOST;
  };
  const read = () => {
    open = new Map();
    for (const row of app.store.rows('maintenance.entry')) if (row.status_category !== 'done') open.set(row.machine_id, (open.get(row.machine_id) ?? 0) + 1);
    machines = app.store.rows(MACHINE).sort(byCode)
      .map((row) => ({ row, text: `${row.code} ${row.name}`.toLowerCase() }));
    draw();
  };
  search.addEventListener('input', draw);
  read();
  return { title: typeOf(app, MACHINE)?.plural ?? t('tab.machines'), node: el('div', { class: 'stack' }, el('div', { role: 'search' }, search), el('div', { class: 'card' }, list, none)), update: read };
};

/** A machine, also as its QR code names it. @param {App} app @param {string[]} parts */
export const machineScreen = async (app, [company = '', id = '']) => {
  const back = '/app/machines';
  if (company !== app.account.company.slug) {
    return { title: t('missing.title'), back, node: el('div', { class: 'empty' }, el('p', {}, t('machine.elsewhere', app.account.company.name)), el('p', {}, el('a', { class: 'button', href: '/app/more' }, t('more.people')))) };
  }
  const row = app.store.row(MACHINE, id);
  const day = today(app.store.now());
  if (!row) {
    return { title: t('missing.title'), back, node: el('div', { class: 'empty' }, el('p', {}, t(app.store.meta.pulled_at ? 'missing.text' : 'state.first'))) };
  }
  const orders = app.store.rows('maintenance.entry').filter((one) => one.machine_id === id);
  const open = orders.filter((one) => one.status_category !== 'done').sort((a, b) => a.priority - b.priority);
  const meters = app.store.rows('maintenance.meter').filter((one) => one.machine_id === id);
  const plans = app.store.rows('maintenance.pm_plan').filter((one) => one.machine_id === id && one.status === 'active');
  const mayRead = may(app, 'maintenance.meter_reading').mayCreate;
  const readings = app.store.queue.filter((one) => one.type === 'maintenance.meter_reading' && one.op === 'create' && one.status !== 'resolved' && !isRefused(one));
  return {
    title: row.code, back,
    node: el('div', { class: 'stack' },
      el('p', { class: 'lead' }, row.name, ' ', pill(app, MACHINE, row.status)),
      may(app, 'maintenance.entry').mayCreate && el('a', { class: 'button primary wide', href: `/app/report?machine=${id}` }, t('report.title')),
      el('section', { class: 'card' }, el('h2', {}, t('machine.open'), ' ', el('span', { class: 'quiet' }, open.length)),
        open.length ? el('ul', { class: 'rows' }, open.map((one) => orderRow(app, one, day))) : el('p', { class: 'quiet' }, t('machines.none-open'))),
      meters.length > 0 && el('section', { class: 'card' }, el('h2', {}, typeOf(app, 'maintenance.meter')?.plural), el('ul', { class: 'rows' }, meters.map((meter) => {
        const waiting = readings.filter((one) => one.fields?.meter_id === meter.id).at(-1);
        const last = waiting && (!meter.last_taken_at || waiting.client_time > meter.last_taken_at) ? waiting.fields?.value : meter.last_value;
        return el('li', { class: 'split' }, el('span', {}, el('strong', {}, meter.name), el('br'), el('span', { class: 'quiet' }, last === undefined ? t('meter.none') : `${number(last)} ${meter.unit}`, meter.last_taken_at && !waiting && ` · ${moment(meter.last_taken_at)}`)),
          mayRead && el('a', { class: 'button', href: `/app/reading/${meter.id}`, 'aria-label': `${t('meter.read')}: ${meter.name}` }, t('meter.read')));
      }))),
      plans.length > 0 && el('section', { class: 'card' }, el('h2', {}, typeOf(app, 'maintenance.pm_plan')?.plural), el('ul', { class: 'rows' },
        plans.map((plan) => el('li', {}, el('strong', {}, plan.title), plan.next_due_on && el('span', { class: 'facts' }, el('span', {}, t('due', date(plan.next_due_on)))))))),
      stepButtons(app, MACHINE, row, steps(app, MACHINE, row))),
  };
};

// Meals by a few keys: rings of the day, presets, and a keypad; all without a network.
import { el } from './dom.js';
import { saveChanges } from './form.js';
import { keypad } from './keypad.js';
import { may, typeOf } from './model.js';
import { isCounted, mark } from './state.js';
import { moment, number, t } from './words.js';

/** @typedef {import('./app.js').App} App */

const ENTRY = 'macros.entry';
const NUTRIENTS = /** @type {const} */ ([['protein_g', 'p'], ['carbs_g', 'c'], ['fat_g', 'f']]);

/** The person's day and time zone: it may begin after midnight. @param {App} app @param {Date} now */
const dayOf = (app, now) => {
  const profile = app.store.rows('macros.profile')[0];
  const [hours = 0, minutes = 0] = String(profile?.day_starts_at ?? '00:00').split(':').map(Number);
  const begun = new Date(now.getTime() - (hours * 60 + minutes) * 60_000);
  const zone = profile?.timezone ?? app.store.meta.zone;
  return new Intl.DateTimeFormat('sv', zone ? { timeZone: zone } : {}).format(begun);
};

/** The goal of a day: the newest of the weekday's type, else the newest default one. @param {App} app @param {string} day */
export const goalOn = (app, day) => {
  const weekday = (new Date(`${day}T00:00:00Z`).getUTCDay() + 6) % 7 + 1;
  const kind = app.store.rows('macros.carb_cycle').find((row) => row.weekday === weekday)?.day_type;
  const goals = app.store.rows('macros.goal').filter((row) => row.effective_from <= day).sort((a, b) => b.effective_from.localeCompare(a.effective_from));
  return goals.find((row) => row.day_type === kind) ?? goals.find((row) => row.day_type === 'default');
};

/** @param {App} app @param {string} day */
const sums = (app, day) => {
  const rows = app.store.rows(ENTRY).filter((row) => row.local_date === day);
  return { rows, sum: Object.fromEntries(NUTRIENTS.map(([name]) => [name, rows.filter(isCounted).reduce((sum, row) => sum + Number(row[name] ?? 0), 0)])) };
};

const ring = (/** @type {number} */ percent, /** @type {string} */ letter) => {
  const make = (/** @type {string} */ name, /** @type {Record<string, any>} */ attributes) => {
    const node = document.createElementNS('http://www.w3.org/2000/svg', name);
    for (const [key, value] of Object.entries(attributes)) node.setAttribute(key, String(value));
    return node;
  };
  const svg = make('svg', { class: 'ring', viewBox: '0 0 40 40', width: 48, height: 48, 'aria-hidden': 'true' });
  const length = 2 * Math.PI * 16;
  const circle = { cx: 20, cy: 20, r: 16 };
  svg.append(make('circle', { ...circle, class: 'track' }), make('circle', { ...circle, class: `ring-${letter}`, 'stroke-dasharray': `${Math.min(100, percent) / 100 * length} ${length}`, transform: 'rotate(-90 20 20)' }));
  return svg;
};

/** The day against its goal. @param {App} app @param {string} day */
const rings = (app, day) => {
  const { sum } = sums(app, day);
  const goal = goalOn(app, day);
  return el('ul', { class: 'rings' }, NUTRIENTS.map(([name, letter]) => {
    const eaten = sum[name] ?? 0;
    const aim = Number(goal?.[name] ?? 0);
    const percent = aim > 0 ? Math.round(eaten / aim * 100) : 0;
    return el('li', {}, aim > 0 && ring(percent, letter), el('span', {}, el('strong', {}, t(`macros.${letter}`)), el('br'), t('macros.grams', number(eaten, 1)),
      aim > 0 && ` · ${t(percent > 100 ? 'macros.over' : 'macros.percent', number(aim, 1), percent)}`));
  }));
};

/** @param {App} app @param {string} today */
export const mealsCard = (app, today) => {
  if (!typeOf(app, ENTRY) || !may(app, ENTRY).mayCreate) return null;
  const day = dayOf(app, app.store.now());
  const isUsed = app.store.rows(ENTRY).length > 0 || app.store.rows('macros.goal').length > 0 || !typeOf(app, 'maintenance.entry');
  return isUsed && today ? el('section', { class: 'card' }, el('h2', {}, t('macros.title')), rings(app, day), el('a', { class: 'button wide', href: '/app/macros' }, t('macros.log'))) : null;
};

/** @param {App} app */
export const macrosScreen = (app) => {
  const type = typeOf(app, ENTRY);
  if (!type) return { title: t('macros.title'), back: '/app/', node: el('div', { class: 'empty' }, el('p', {}, t('missing.text'))) };
  const top = el('section', { class: 'card', 'aria-live': 'polite' });
  const list = el('section', { class: 'card' });
  const problem = el('p', { class: 'bar bad', role: 'alert', hidden: true });
  const done = el('p', { class: 'bar good', role: 'status', hidden: true });
  const pad = keypad(NUTRIENTS.map(([name, letter]) => ({ name, label: t(`macros.${letter}`) })));
  const log = async (/** @type {Record<string, any>} */ fields, /** @type {string} */ title) => {
    const now = app.store.now();
    await saveChanges(app, [{ op: 'create', type: ENTRY, id: crypto.randomUUID(), title, fields: { ...fields, eaten_at: now.toISOString(), local_date: dayOf(app, now) } }]);
    problem.hidden = true;
    done.hidden = false;
    done.textContent = `${t('saved')}: ${title}`;
  };
  const words = (/** @type {any} */ row) => NUTRIENTS.filter(([name]) => Number(row[name]) > 0).map(([name, letter]) => `${t(`macros.${letter}`)} ${number(row[name], 1)}`).join(', ');
  const draw = () => {
    const day = dayOf(app, app.store.now());
    const { rows } = sums(app, day);
    top.replaceChildren(el('h2', {}, t('tab.today')), rings(app, day));
    list.hidden = !rows.length;
    list.replaceChildren(el('h2', {}, type.plural), el('ul', { class: 'rows' }, rows.sort((a, b) => b.eaten_at.localeCompare(a.eaten_at)).map((row) => el('li', { class: 'split' },
      el('span', {}, row.note ?? words(row), el('br'), el('span', { class: 'quiet' }, moment(row.eaten_at)), ' ', mark(row)),
      may(app, ENTRY).mayDelete(row) && el('button', { class: 'button small', type: 'button', 'aria-label': `${t('delete')}: ${words(row)}`, on: { click: () => saveChanges(app, [{ op: 'delete', type: ENTRY, id: row.id, title: words(row) }]) } }, t('delete'))))));
  };
  draw();
  const presets = app.store.rows('macros.preset').sort((a, b) => a.position - b.position);
  return {
    title: t('macros.title'), back: '/app/', update: draw,
    node: el('div', { class: 'stack' }, top, done, presets.length > 0 && el('div', { class: 'plain' }, presets.map((preset) => el('button', { class: 'button', type: 'button', on: { click: () => log({ ...Object.fromEntries(NUTRIENTS.map(([name]) => [name, Number(preset[name] ?? 0)])), preset_id: preset.id, note: preset.name }, preset.name) } }, preset.name))),
      problem, pad.node, el('button', { class: 'button primary wide', type: 'button', id: 'log', on: { click: async () => {
        const values = pad.values();
        const amounts = Object.values(values);
        if (amounts.some((value) => value === null || value < 0) || !amounts.some((value) => value !== null && value > 0)) {
          problem.textContent = t('macros.nothing');
          problem.hidden = false;
          return;
        }
        await log(values, words(values));
        pad.clear();
      } } }, t('macros.log')), list),
  };
};

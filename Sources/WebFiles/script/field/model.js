// What things are called: types, columns, values, people and states.
import { el, icon } from './dom.js';
import { rights } from './rules.js';
import { date, moment, number, t } from './words.js';

/** @typedef {import('./app.js').App} App */

const NOBODY = { id: '', permissions: [] };

/** @param {App} app @param {string} name */
export const typeOf = (app, name) => app.store.types.get(name);

/** What the person may do with a type. @param {App} app @param {string} name */
export const may = (app, name) => rights(app.store.meta.me ?? NOBODY, typeOf(app, name) ?? { name, columns: [] });

/** @param {App} app @param {string | null | undefined} id */
export const person = (app, id) => id ? (app.store.meta.members ?? []).find((/** @type {any} */ one) => one.id === id)?.name ?? (id === app.account.user ? app.account.name : t('somebody')) : '';

/** What a record is called: its number once the server has given one, else its title. @param {App} app @param {string} name @param {any} row */
export const called = (app, name, row) => {
  if (!row) return '';
  const type = typeOf(app, name);
  const title = String(row[type?.title] ?? type?.label ?? '');
  return row.number ?? (title.length > 60 ? `${title.slice(0, 60)}…` : title);
};

/** @param {App} app @param {string} name @param {string} column */
export const columnOf = (app, name, column) => (typeOf(app, name)?.columns ?? []).find((/** @type {any} */ one) => one.name === column);

/** @param {App} app @param {string} name @param {string} column */
export const labelOf = (app, name, column) => columnOf(app, name, column)?.label ?? column.replaceAll('_', ' ');

/** A value as people write it. @param {App} app @param {string} name @param {string} column @param {any} value @returns {string} */
export const shown = (app, name, column, value) => {
  if (value === null || value === undefined || value === '') return t('nothing');
  const about = columnOf(app, name, column);
  const choice = about?.choices?.find((/** @type {any} */ one) => String(one.value) === String(value));
  if (choice) return choice.label;
  if (about?.to === 'core.membership') return person(app, value);
  if (about?.to) return called(app, about.to, app.store.row(about.to, value)) || t('something');
  switch (about?.kind) {
    case 'date': return date(value);
    case 'instant': return moment(value);
    case 'time': return String(value).slice(0, 5);
    case 'boolean': return t(value ? 'yes' : 'no');
    case 'decimal': case 'integer': case 'real': return number(value, about.scale ?? 2);
    default: return typeof value === 'object' ? JSON.stringify(value) : String(value);
  }
};

/** The state of a record as icon, word and colour. @param {App} app @param {string} name @param {string} status */
export const pill = (app, name, status) => {
  const state = typeOf(app, name)?.workflow?.states?.find((/** @type {any} */ one) => one.name === status);
  if (!state) return null;
  const shape = state.category === 'done' ? 'done' : state.category === 'active' ? 'active' : 'open';
  return el('span', { class: `pill ${state.color ?? 'grey'}` }, icon(shape, 16), state.label);
};

const RANK = { open: 0, active: 1, done: 2 };

/** The transitions that a record offers, the one that leads on first. @param {App} app @param {string} name @param {any} record */
export const steps = (app, name, record) => {
  const states = typeOf(app, name)?.workflow?.states ?? [];
  const rank = (/** @type {string} */ state) => RANK[/** @type {keyof typeof RANK} */ (states.find((/** @type {any} */ one) => one.name === state)?.category ?? 'open')];
  const offered = may(app, name).transitions(record);
  const next = offered.filter((step) => rank(step.to) > rank(record.status)).sort((a, b) => rank(b.to) - rank(a.to))
    .find((step) => !typeOf(app, name).workflow.states.find((/** @type {any} */ one) => one.name === step.to)?.final);
  return { next, others: offered.filter((step) => step !== next) };
};

/** True if a transition asks for something that the record does not have. @param {any} step @param {any} record */
export const asks = (step, record) => !!step.comment || (step.fields ?? []).some((/** @type {string} */ name) => (record[name] ?? null) === null);

/** True if a work order is late. @param {any} row @param {string} day */
export const isOverdue = (row, day) => row.status_category !== 'done' && !!row.due_on && row.due_on < day;

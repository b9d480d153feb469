// Hours of work, and readings of meters.
import { el } from './dom.js';
import { form, saveChanges } from './form.js';
import { called, columnOf, labelOf, may } from './model.js';
import { hoursOf } from './record.js';
import { number, t, timeOfDay, today } from './words.js';

/** @typedef {import('./app.js').App} App */

const HOURS = 'maintenance.time_entry';
const READING = 'maintenance.meter_reading';

/** @param {App} app @param {string[]} parts */
export const hoursScreen = async (app, [id = '']) => {
  const back = `/app/r/maintenance.entry/${id}`;
  const entry = app.store.row('maintenance.entry', id);
  if (!entry || !may(app, HOURS).mayCreate) return { title: t('missing.title'), back, node: el('div', { class: 'empty' }, el('p', {}, t('missing.text'))) };
  const now = app.store.now();
  const name = `hours ${id}`;
  const hours = (/** @type {any} */ values) => values.work_date && values.start_time && values.end_time ? hoursOf({ ...values, has_lunch: values.has_lunch === 'true' || values.has_lunch === true }) : 0;
  return {
    title: t('hours.title', called(app, 'maintenance.entry', entry)), back, isForm: true,
    node: await form(app, {
      name, button: t('save'),
      fields: [
        { name: 'work_date', label: labelOf(app, HOURS, 'work_date'), kind: 'date', required: true, value: today(now) },
        { name: 'start_time', label: labelOf(app, HOURS, 'start_time'), kind: 'time', required: true },
        { name: 'end_time', label: labelOf(app, HOURS, 'end_time'), kind: 'time', required: true, value: timeOfDay(now), hint: t('hours.next-day') },
        { name: 'has_lunch', label: t('hours.lunch'), kind: 'check' },
        { name: 'user_name', label: t('hours.guest'), kind: 'text', optional: true, hint: t('hours.guest.hint') },
      ],
      live: (values, line) => { line.textContent = values.work_date && values.start_time && values.end_time ? t('hours.sum', number(hours(values))) : ''; },
      check: (values) => hours(values) <= 0 ? [{ name: 'end_time', text: t('hours.none') }] : hours(values) > 16 ? [{ name: 'end_time', text: t('hours.many') }] : [],
      save: async ({ user_name: guest, ...values }) => {
        const who = guest ? { user_name: guest } : { user_id: app.account.user, user_name: app.account.name };
        await saveChanges(app, [{ op: 'create', type: HOURS, id: crypto.randomUUID(), title: called(app, 'maintenance.entry', entry), fields: { entry_id: id, ...values, ...who } }], { draft: name });
        app.say(t('saved'));
        app.go(back, true);
      },
    }),
  };
};

/** @param {App} app @param {string[]} parts */
export const readingScreen = async (app, [id = '']) => {
  const meter = app.store.row('maintenance.meter', id);
  const back = meter ? `/app/m/${app.account.company.slug}/${meter.machine_id}` : '/app/machines';
  if (!meter || !may(app, READING).mayCreate) return { title: t('missing.title'), back, node: el('div', { class: 'empty' }, el('p', {}, t('missing.text'))) };
  const name = `reading ${id}`;
  let isWarned = false;
  return {
    title: meter.name, back, isForm: true,
    node: await form(app, {
      name, button: t('save'),
      fields: [
        { name: 'value', label: `${labelOf(app, READING, 'value')}, ${meter.unit}`, kind: 'number', required: true, scale: columnOf(app, READING, 'value')?.scale, hint: meter.last_value === undefined ? undefined : t('meter.last', number(meter.last_value), meter.unit) },
        { name: 'is_reset', label: t('meter.reset'), kind: 'check' },
      ],
      check: ({ value, is_reset: isReset }) => {
        if (value < 0) return [{ name: 'value', text: t('form.number', labelOf(app, READING, 'value')) }];
        // A smaller number is a new counter, or a slip of the finger: the person says which.
        if (meter.last_value === undefined || value >= Number(meter.last_value) || isReset || isWarned) return [];
        isWarned = true;
        return [{ name: 'value', text: t('meter.smaller') }];
      },
      save: async ({ value, is_reset }) => {
        const fields = { meter_id: id, value, taken_at: app.store.now().toISOString(), ...(is_reset ? { is_reset } : {}) };
        await saveChanges(app, [{ op: 'create', type: READING, id: crypto.randomUUID(), title: `${meter.name} ${number(value)}`, fields }], { draft: name });
        app.say(t('saved'));
        app.go(back, true);
      },
    }),
  };
};

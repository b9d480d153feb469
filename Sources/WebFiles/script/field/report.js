// Reporting a problem: which machine, what is wrong, which kind of work; a photo, and whether it is urgent.
import { el } from './dom.js';
import { form, saveWithPhotos } from './form.js';
import { byCode } from './machines.js';
import { columnOf, labelOf, may } from './model.js';
import { count, t, today } from './words.js';

/** @typedef {import('./app.js').App} App */

const ENTRY = 'maintenance.entry';

/** @param {App} app @param {string[]} parts @param {URL} url */
export const reportScreen = async (app, parts, url) => {
  const title = t('report.title');
  if (!may(app, ENTRY).mayCreate) return { title, back: '/app/', node: el('div', { class: 'empty' }, el('p', {}, t(app.store.meta.me ? 'error.forbidden' : 'state.first'))) };
  const machine = url.searchParams.get('machine') ?? '';
  const machines = app.store.rows('maintenance.machine').filter((row) => row.status !== 'retired').sort(byCode);
  if (!machines.length) return { title, back: '/app/', node: el('div', { class: 'empty' }, el('p', {}, t('machines.empty'))) };
  const categories = (/** @type {string} */ id) => app.store.rows('maintenance.category').filter((row) => !row.machine_id || row.machine_id === id).sort((a, b) => a.name.localeCompare(b.name));
  const last = app.store.meta.last_category;
  const options = (/** @type {string} */ id) => categories(id).map((row) => ({ value: row.id, label: row.name }));
  const urgent = columnOf(app, ENTRY, 'priority')?.choices?.find((/** @type {any} */ one) => one.value === 1)?.label ?? t('urgent');
  const name = machine ? `report ${machine}` : 'report';
  const offered = options((await app.store.draft(name))?.values?.machine_id ?? machine);
  const node = await form(app, {
    name, photos: true, button: t('report.save'),
    fields: [
      { name: 'machine_id', label: labelOf(app, ENTRY, 'machine_id'), kind: 'select', required: true, value: machine, options: machines.map((row) => ({ value: row.id, label: `${row.code} ${row.name}` })) },
      { name: 'description', label: t('report.what'), kind: 'lines', required: true },
      { name: 'category_id', label: labelOf(app, ENTRY, 'category_id'), kind: 'select', required: true, value: offered.some(({ value }) => value === last) ? last : '', options: offered },
      { name: 'urgent', label: urgent, kind: 'check' },
    ],
    save: async ({ machine_id, description, category_id, urgent }, photos) => {
      const id = crypto.randomUUID();
      const fields = { machine_id, category_id, description, reported_on: today(app.store.now()), ...(urgent ? { priority: 1 } : {}) };
      const title = description.slice(0, 80);
      const lost = await saveWithPhotos(app, { op: 'create', type: ENTRY, id, fields, title }, photos, name);
      await app.store.write({ meta: { last_category: category_id } }).catch(() => undefined);
      app.say(lost ? t('full.photo') : photos.length ? count('saved.photos', photos.length) : t('saved'));
      app.go(`/app/r/${ENTRY}/${id}`, true);
    },
  });
  // A machine has categories of its own beside those of the company.
  const [select, category] = [node.elements.namedItem('machine_id'), node.elements.namedItem('category_id')];
  select.addEventListener('change', () => {
    const chosen = category.value;
    category.replaceChildren(el('option', { value: '' }, t('choose')), ...options(select.value).map((one) => el('option', { value: one.value }, one.label)));
    category.value = options(select.value).some(({ value }) => value === chosen) ? chosen : '';
  });
  return { title, node, isForm: true, back: machine ? `/app/m/${app.account.company.slug}/${machine}` : '/app/' };
};

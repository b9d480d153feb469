// The sun: the newest readings, recorded, recorded and pushed, or entered by hand.
import { el } from './dom.js';
import { saveChanges } from './form.js';
import { keypad } from './keypad.js';
import { columnOf, may, pill, typeOf } from './model.js';
import { check, json } from './net.js';
import { isCounted, mark } from './state.js';
import { count, isFiner, moment, number, t } from './words.js';

/** @typedef {import('./app.js').App} App */

const RECORDING = 'solar.recording';

/** @param {App} app */
export const sunCard = (app) => {
  const sites = typeOf(app, 'solar.site') ? app.store.rows('solar.site') : [];
  if (!sites.length) return null;
  const newest = app.store.rows(RECORDING).filter(isCounted).sort((a, b) => b.taken_at.localeCompare(a.taken_at))[0];
  return el('section', { class: 'card' }, el('h2', {}, t('solar.title')), newest && el('p', {}, el('strong', { class: 'figure' }, number(newest.value, 3)), ` ${newest.unit} `, el('span', { class: 'quiet' }, moment(newest.taken_at))),
    el('a', { class: 'button wide', href: '/app/solar' }, t('solar.record')));
};

/** @param {App} app @param {any} site @param {any} fields */
const record = async (app, site, fields) => {
  const id = crypto.randomUUID();
  await saveChanges(app, [{ op: 'create', type: RECORDING, id, title: `${site.name}: ${number(fields.value, 3)} ${fields.unit}`, fields: { site_id: site.id, ...fields } }]);
  app.say(t('saved'));
  app.draw();
};

/** The newest reading, with its age; without a network, what was read last. @param {App} app @param {any} site */
const now = (app, site) => {
  const place = el('div', { 'aria-live': 'polite' });
  const draw = (/** @type {any} */ reading, /** @type {boolean} */ isOld) => {
    const taken = reading?.timestamp ? Date.parse(reading.timestamp) : NaN;
    if (Number.isNaN(taken)) { place.replaceChildren(el('p', { class: 'quiet' }, t(isOld ? 'solar.offline' : 'solar.none'))); return; }
    const minutes = Math.max(0, Math.floor((app.store.now().getTime() - taken) / 60_000));
    const isStale = reading.stale === true || minutes > 15;
    const value = Number(reading.inverter_reading);
    const fields = { quantity: 'power', unit: 'kW', value, taken_at: reading.timestamp };
    const mayRecord = may(app, RECORDING).mayCreate && reading.inverter_reading !== null && value >= 0;
    place.replaceChildren(
      el('p', { class: 'figures' }, el('span', {}, el('strong', { class: 'figure' }, number(reading.inverter_reading, 3)), ' kW'), el('span', {}, el('strong', { class: 'figure' }, number(reading.meter_reading, 3)), ' kWh')),
      el('p', {}, el('span', { class: `pill ${isStale ? 'red' : 'green'}` }, t(isStale ? 'solar.stale' : 'solar.fresh')), ' ', el('span', { class: 'quiet' }, count('solar.age', minutes), isOld && ` · ${t('offline.short')}`)),
      mayRecord && el('div', { class: 'steps' }, el('button', { class: 'button primary wide', type: 'button', on: { click: () => record(app, site, { type: 'auto', ...fields }) } }, t('solar.auto')),
        el('button', { class: 'button wide', type: 'button', on: { click: () => record(app, site, { type: 'auto_push', ...fields }) } }, t('solar.auto_push'))));
  };
  const kept = app.store.meta[`sun ${site.id}`];
  draw(kept, true);
  app.call(`/current_readings?site=${site.id}`).then(check).then(json).then(async (reading) => { draw(reading, false); await app.store.database.run(['meta'], 'readwrite', (transaction) => { transaction.objectStore('meta').put(reading, `sun ${site.id}`); }); app.store.meta[`sun ${site.id}`] = reading; }).catch((error) => { if (!kept) draw(undefined, error.kind !== 'refused'); });
  return place;
};

/** @param {App} app @param {string[]} parts @param {URL} url */
export const solarScreen = (app, parts, url) => {
  const sites = app.store.rows('solar.site');
  const site = sites.find(({ id }) => id === url.searchParams.get('site')) ?? sites[0];
  if (!site) return { title: t('solar.title'), back: '/app/', node: el('div', { class: 'empty' }, el('p', {}, t('solar.no-site'))) };
  const recordings = () => app.store.rows(RECORDING).filter((row) => row.site_id === site.id).sort((a, b) => b.taken_at.localeCompare(a.taken_at)).slice(0, 20);
  const list = el('section', { class: 'card' });
  const draw = () => {
    const rows = recordings();
    list.hidden = !rows.length;
    list.replaceChildren(el('h2', {}, typeOf(app, RECORDING)?.plural ?? ''), el('ul', { class: 'rows' }, rows.map((row) => el('li', { class: 'split' },
      el('span', {}, el('strong', {}, `${number(row.value, 3)} ${row.unit}`), el('br'), el('span', { class: 'quiet' }, moment(row.taken_at)), ' ', mark(row)), pill(app, RECORDING, row.status)))));
  };
  draw();
  const problem = el('p', { class: 'bar bad', role: 'alert', hidden: true });
  const pad = keypad([{ name: 'value', label: t('solar.value') }]);
  const choose = (/** @type {string} */ value, /** @type {string} */ label, /** @type {boolean} */ isFirst) => el('label', { class: 'radio choice' }, el('input', { type: 'radio', name: 'quantity', value, set: { checked: isFirst } }), label);
  const kinds = el('fieldset', { class: 'field' }, el('legend', {}, t('solar.quantity')), el('div', { class: 'choices' }, choose('power', 'kW', true), choose('energy', 'kWh', false)));
  return {
    title: t('solar.title'), back: '/app/', update: draw,
    node: el('div', { class: 'stack' }, sites.length > 1 && el('div', { class: 'plain' }, sites.map((one) => el('a', { class: 'button', href: `/app/solar?site=${one.id}`, 'aria-current': one === site ? 'true' : undefined }, one.name))),
      el('section', { class: 'card' }, el('h2', {}, site.name), now(app, site)),
      may(app, RECORDING).mayCreate && el('section', { class: 'card' }, el('h2', {}, t('solar.hand')), problem, kinds, pad.node, el('button', { class: 'button primary wide', type: 'button', id: 'hand', on: { click: async () => {
        const value = pad.values().value;
        const input = /** @type {HTMLInputElement} */ (document.getElementById('k-value'));
        const scale = columnOf(app, RECORDING, 'value')?.scale;
        if (value !== null && value !== undefined && isFiner(value, scale)) { problem.textContent = t('form.decimals', t('solar.value'), scale); problem.hidden = false; return; }
        if (!input.value.trim() || value === null || value === undefined || value < 0) { problem.textContent = t('form.number', t('solar.value')); problem.hidden = false; return; }
        const isEnergy = kinds.querySelector('input:checked')?.value === 'energy';
        await record(app, site, { type: 'manual', quantity: isEnergy ? 'energy' : 'power', unit: isEnergy ? 'kWh' : 'kW', value, taken_at: app.store.now().toISOString() });
      } } }, t('save'))), list),
  };
};

// Forms that keep what is written: each change goes to a draft, which is removed in the transaction that saves.
import { el, field, icon, picture } from './dom.js';
import { isFull } from './idb.js';
import { attachment, shrink } from './photos.js';
import { has, isFiner, read, t } from './words.js';

/** @typedef {import('./app.js').App} App */
/** @typedef {{id: string, bytes: ArrayBuffer, thumb: ArrayBuffer}} Photo */

/**
 * @typedef {object} Field
 * @property {string} name
 * @property {string} label
 * @property {'text' | 'lines' | 'number' | 'select' | 'radio' | 'check' | 'date' | 'time'} kind
 * @property {{value: string, label: string}[]} [options]
 * @property {any} [value]
 * @property {boolean} [required]
 * @property {string} [hint]
 * @property {number} [min] the least characters of a text
 * @property {number} [scale] the most decimals of a number
 * @property {boolean} [optional] says so beside the label
 */

/** @param {Field} about @param {string} value */
const control = (about, value) => {
  switch (about.kind) {
    case 'lines': return el('textarea', { name: about.name, rows: 3, maxlength: 4000, set: { value } });
    case 'select': {
      const options = about.options ?? [];
      // What was chosen once stays chosen, also if it is offered no longer: the server judges it.
      const isOffered = !value || options.some((one) => one.value === value);
      const select = el('select', { name: about.name }, !about.value && options.every((one) => one.value) && el('option', { value: '' }, t('choose')),
        options.map((one) => el('option', { value: one.value }, one.label)), !isOffered && el('option', { value }, t('something')));
      select.value = value;
      return select;
    }
    case 'check': return el('input', { type: 'checkbox', name: about.name, set: { checked: value === 'true' } });
    case 'number': return el('input', { name: about.name, inputmode: 'decimal', autocomplete: 'off', class: 'short', set: { value } });
    case 'date': case 'time': return el('input', { type: about.kind, name: about.name, class: 'short', set: { value } });
    default: return el('input', { name: about.name, maxlength: 200, autocomplete: 'off', set: { value } });
  }
};

/** @param {Field} about @param {string} value */
const part = (about, value) => {
  const id = `f-${about.name}`;
  if (about.kind === 'radio') {
    return el('fieldset', { class: 'field', id: `${id}-field` }, el('legend', {}, about.label),
      el('div', { class: 'choices' }, (about.options ?? []).map((one, index) => el('label', { class: 'radio choice' },
        el('input', { type: 'radio', name: about.name, value: one.value, id: index ? undefined : id, set: { checked: one.value === value } }), one.label))));
  }
  if (about.kind === 'check') return el('div', { class: 'field', id: `${id}-field` }, el('label', { class: 'radio', for: id }, Object.assign(control(about, value), { id }), about.label));
  return field(id, about.label, control(about, value), { hint: about.hint, optional: about.optional ? t('optional') : undefined });
};

/**
 * Makes a form.
 * @param {App} app
 * @param {{name: string, fields: Field[], button: string, photos?: boolean, live?: (values: Record<string, string>, node: HTMLElement) => void,
 *   check?: (values: Record<string, any>) => {name: string, text: string}[], save: (values: Record<string, any>, photos: Photo[]) => Promise<void>}} about
 */
export const form = async (app, about) => {
  const draft = await app.store.draft(about.name);
  /** @type {Photo[]} */
  const photos = draft?.photos ?? [];
  const given = (/** @type {Field} */ one) => String(draft?.values?.[one.name] ?? one.value ?? '');
  const summary = el('div', { class: 'summary', id: 'summary', tabindex: -1, hidden: true });
  const strip = el('div', { class: 'strip' });
  const live = el('p', { class: 'live-line', role: 'status' });
  const submit = el('button', { class: 'button primary wide', type: 'submit' }, about.button);
  const input = el('input', { type: 'file', accept: 'image/*', capture: 'environment', id: 'photo', class: 'unseen' });
  const node = el('form', { class: 'form', novalidate: true, 'data-draft': about.name }, summary, about.fields.map((one) => part(one, given(one))), live,
    about.photos && el('div', { class: 'take' }, strip, el('label', { class: 'button wide', for: 'photo' }, icon('photo'), t('photo.add')), input), el('div', { class: 'buttons' }, submit));

  const texts = () => {
    /** @type {Record<string, string>} */
    const values = {};
    for (const one of about.fields) {
      const element = node.elements.namedItem(one.name);
      values[one.name] = one.kind === 'check' ? String(element.checked) : element?.value ?? '';
    }
    return values;
  };
  let timer = 0;
  // What is saved is no draft any more, whatever happens to the form afterwards.
  let isSaved = false;
  const path = location.pathname + location.search;
  const keep = async () => { clearTimeout(timer); timer = 0; if (!isSaved) await app.store.keep(about.name, { values: texts(), photos, at: Date.now(), path }).catch(() => undefined); };
  const drawPhotos = () => strip.replaceChildren(...photos.map((photo) => el('div', { class: 'thumb' }, picture(photo.thumb, t('photo.taken')),
    el('button', { class: 'button small', type: 'button', on: { click: () => { photos.splice(photos.indexOf(photo), 1); drawPhotos(); keep(); } } }, t('photo.remove')))));
  node.addEventListener('input', () => { clearTimeout(timer); timer = setTimeout(keep, 250); about.live?.(texts(), live); });
  input.addEventListener('change', async () => {
    const file = input.files?.[0];
    if (!file) return;
    try { photos.push({ id: crypto.randomUUID(), ...await shrink(file) }); } catch { complain([{ name: 'photo', text: t('photo.unreadable') }]); }
    input.value = '';
    drawPhotos();
    await keep();
  });
  const complain = (/** @type {{name: string, text: string}[]} */ faults) => {
    for (const old of node.querySelectorAll('.field.wrong')) { old.classList.remove('wrong'); old.querySelector('.error')?.remove(); }
    summary.replaceChildren(el('p', {}, el('strong', {}, faults.length === 1 ? t('form.wrong#one') : t('form.wrong#other', faults.length))), el('ul', {}, faults.map((fault) => el('li', {},
      node.querySelector(`#f-${fault.name}`) ? el('a', { href: `#f-${fault.name}`, target: '_self', on: { click: (/** @type {Event} */ event) => { event.preventDefault(); node.querySelector(`#f-${fault.name}`)?.focus(); } } }, fault.text) : fault.text))));
    for (const fault of faults) {
      const wrong = node.querySelector(`#f-${fault.name}-field`);
      wrong?.classList.add('wrong');
      wrong?.insertBefore(el('p', { class: 'error', id: `f-${fault.name}-error` }, fault.text), wrong.querySelector('input, select, textarea, .choices'));
      wrong?.querySelector('input, select, textarea')?.setAttribute('aria-invalid', 'true');
    }
    summary.hidden = false;
    summary.focus();
  };
  node.addEventListener('submit', async (/** @type {Event} */ event) => {
    event.preventDefault();
    if (submit.disabled) return;
    const raw = texts();
    /** @type {Record<string, any>} */
    const values = {};
    const faults = [];
    for (const one of about.fields) {
      const text = (raw[one.name] ?? '').trim();
      if (!text && one.required || one.min && text.length < one.min) faults.push({ name: one.name, text: t(one.min ? 'form.short' : 'form.missing', one.label, one.min) });
      else if (one.kind === 'number' && text && read(text) === null) faults.push({ name: one.name, text: t('form.number', one.label) });
      else if (one.kind === 'number' && text && isFiner(read(text) ?? 0, one.scale)) faults.push({ name: one.name, text: t(one.scale ? 'form.decimals' : 'form.whole', one.label, one.scale) });
      values[one.name] = one.kind === 'check' ? text === 'true' : !text ? null : one.kind === 'number' ? read(text) : text;
    }
    if (!faults.length) faults.push(...about.check?.(values) ?? []);
    if (faults.length) { complain(faults); return; }
    submit.disabled = true;
    isSaved = true;
    try {
      await about.save(values, photos);
    } catch (error) {
      submit.disabled = false;
      isSaved = false;
      await keep();
      complain([{ name: '', text: isFull(error) ? t('full.text') : has('save.failed') ? t('save.failed') : String(error) }]);
      app.store.log(`not saved: ${error}`);
    }
  });
  drawPhotos();
  about.live?.(Object.fromEntries(about.fields.map((one) => [one.name, given(one)])), live);
  // A phone may end the app without a word.
  node.addEventListener('focusout', () => { if (timer) keep(); });
  return node;
};

/**
 * Stores changes. If the phone is full, photos that were sent make space.
 * @param {App} app
 * @param {Partial<import('./view.js').Mutation>[]} changes
 * @param {any} [more]
 */
export const saveChanges = async (app, changes, more) => {
  try { return await app.store.save(changes, more); } catch (error) {
    if (!isFull(error)) throw error;
    await app.store.makeSpace();
    return app.store.save(changes, more);
  }
};

/**
 * Stores a change with the photos of its record, and ends the draft, in one transaction; if that does not fit on the
 * phone, the change alone and then what fits.
 * @param {App} app @param {any} change @param {Photo[]} photos @param {string} draft
 * @returns {Promise<number>} how many photos did not fit
 */
export const saveWithPhotos = async (app, change, photos, draft) => {
  const { type, id, title } = change;
  const attached = photos.map((photo) => ({ ...photo, change: attachment(type, id, photo.bytes, app.store.now()) }));
  const map = (/** @type {'bytes' | 'thumb'} */ name) => new Map(attached.map((one) => [one.change.file.id, one[name]]));
  try {
    await app.store.save([change, ...attached.map((one) => ({ ...one.change, title }))], { draft, bytes: map('bytes'), thumbs: map('thumb') });
    return 0;
  } catch (error) {
    if (!isFull(error)) throw error;
    await saveChanges(app, [change], { draft });
    return savePhotos(app, type, id, title, photos);
  }
};

/**
 * Stores photos of a record, each with its change.
 * @param {App} app @param {string} type @param {string} id @param {string} title @param {{bytes: ArrayBuffer, thumb: ArrayBuffer}[]} photos
 * @returns {Promise<number>} how many did not fit on the phone
 */
export const savePhotos = async (app, type, id, title, photos) => {
  let lost = 0;
  for (const { bytes, thumb } of photos) {
    const change = attachment(type, id, bytes, app.store.now());
    try {
      await saveChanges(app, [{ ...change, title }], { bytes: new Map([[change.file.id, bytes]]), thumbs: new Map([[change.file.id, thumb]]) });
    } catch (error) {
      if (!isFull(error)) throw error;
      lost += 1;
      app.store.log('a photo did not fit');
    }
  }
  return lost;
};

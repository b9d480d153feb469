// Numbers by large keys, for one hand; the fields can be written in by a keyboard too.
import { el } from './dom.js';
import { currentLanguage, read, t } from './words.js';

/**
 * @param {{name: string, label: string, value?: string}[]} fields
 * @param {() => void} [changed]
 */
export const keypad = (fields, changed = () => undefined) => {
  const point = currentLanguage() === 'sv' ? ',' : '.';
  const inputs = fields.map((one) => el('input', { id: `k-${one.name}`, name: one.name, inputmode: 'none', autocomplete: 'off', maxlength: 9, set: { value: one.value ?? '' }, on: { input: changed } }));
  let current = inputs[0];
  const mark = () => { for (const input of inputs) input.classList.toggle('current', input === current); };
  for (const input of inputs) input.addEventListener('focus', () => { current = input; mark(); });
  const press = (/** @type {string} */ key) => {
    if (key === '⌫') current.value = current.value.slice(0, -1);
    else if (key === '→') { current = inputs[(inputs.indexOf(current) + 1) % inputs.length]; mark(); }
    else if (key === point) { if (!current.value.includes(point)) current.value = `${current.value || '0'}${point}`; }
    else if (current.value.length < 8) current.value += key;
    changed();
  };
  const names = /** @type {Record<string, string>} */ ({ '⌫': t('key.back'), '→': t('key.next'), [point]: t('key.point') });
  const keys = ['1', '2', '3', '4', '5', '6', '7', '8', '9', point, '0', '⌫'];
  if (inputs.length > 1) keys.push('→');
  mark();
  const values = () => Object.fromEntries(inputs.map((input) => [input.name, input.value.trim() ? read(input.value) : 0]));
  return {
    node: el('div', { class: 'keypad' },
      el('div', { class: 'key-fields' }, fields.map((one, index) => el('div', { class: 'field' }, el('label', { for: `k-${one.name}` }, one.label), inputs[index]))),
      el('div', { class: 'keys-grid' }, keys.map((key) => el('button', { type: 'button', class: key === '→' ? 'key next' : 'key', 'aria-label': names[key], on: { click: () => press(key) } }, key === '→' ? t('key.next') : key)))),
    /** The numbers by name; null for one that is none. @returns {Record<string, number | null>} */
    values,
    clear: () => { for (const input of inputs) input.value = ''; current = inputs[0]; mark(); changed(); },
  };
};

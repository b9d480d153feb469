// Elements made by functions. Text is always text: nothing here reads markup.

/** @typedef {Node | string | number | false | null | undefined} Child */

/**
 * Makes an element: `el('a', {href: '/app/', class: 'button', on: {click}}, 'Today')`.
 * @param {string} tag
 * @param {Record<string, any>} [attributes] `on` has listeners, `set` has properties
 * @param {...(Child | Child[])} children
 * @returns {any}
 */
export const el = (tag, attributes = {}, ...children) => {
  const node = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) {
    if (value === undefined || value === null || value === false) continue;
    if (name === 'on') for (const [event, listener] of Object.entries(value)) node.addEventListener(event, listener);
    else if (name === 'set') Object.assign(node, value);
    else node.setAttribute(name, value === true ? '' : String(value));
  }
  node.append(...children.flat().filter((child) => child !== undefined && child !== null && child !== false).map((child) => child instanceof Node ? child : String(child)));
  return node;
};

const SHAPES = {
  today: 'M3 3h10v10H3zM3 6h10M6 1v3M10 1v3',
  machines: 'M3 13V6l4 3V6l6 4v3z',
  report: 'M8 3v10M3 8h10',
  outbox: 'M3 9v4h10V9M8 10V2M5 5l3-3 3 3',
  more: 'M2 4h12M2 8h12M2 12h12',
  back: 'M10 3L5 8l5 5',
  photo: 'M2 5h3l1-2h4l1 2h3v8H2z M10 9a2 2 0 1 1-4 0 2 2 0 0 1 4 0',
  clock: 'M14 8A6 6 0 1 1 2 8a6 6 0 0 1 12 0M8 4v4l3 2',
  open: 'M14 8A6 6 0 1 1 2 8a6 6 0 0 1 12 0',
  active: 'M14 8A6 6 0 1 1 2 8a6 6 0 0 1 12 0M8 5v6',
  done: 'M14 8A6 6 0 1 1 2 8a6 6 0 0 1 12 0M5 8l2 2 4-4',
  warning: 'M8 2l6 11H2zM8 6v3M8 11v.5',
};

/** @param {keyof typeof SHAPES} name @param {number} [size] */
export const icon = (name, size = 20) => {
  const svg = document.createElementNS('http://www.w3.org/2000/svg', 'svg');
  for (const [key, value] of Object.entries({ viewBox: '0 0 16 16', width: size, height: size, class: 'icon', 'aria-hidden': 'true' })) svg.setAttribute(key, String(value));
  const path = document.createElementNS('http://www.w3.org/2000/svg', 'path');
  path.setAttribute('d', SHAPES[name]);
  svg.append(path);
  return svg;
};

/** A picture of bytes on the phone. Its address is freed when it has been read. @param {ArrayBuffer} bytes @param {string} alt */
export const picture = (bytes, alt) => {
  const address = URL.createObjectURL(new Blob([bytes], { type: 'image/jpeg' }));
  return el('img', { src: address, alt, on: { load: () => URL.revokeObjectURL(address) } });
};

/** A field with its label above it. @param {string} id @param {string} label @param {any} control @param {{hint?: string, optional?: string}} [more] */
export const field = (id, label, control, { hint, optional } = {}) => {
  control.id = id;
  if (hint) control.setAttribute('aria-describedby', `${id}-hint`);
  return el('div', { class: 'field', id: `${id}-field` },
    el('label', { for: id }, label, optional && el('span', { class: 'optional' }, ` ${optional}`)),
    hint && el('p', { class: 'hint', id: `${id}-hint` }, hint), control);
};

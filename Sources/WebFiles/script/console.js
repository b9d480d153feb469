// Comforts of pages; everything works without them.

// What is wrong with a form is read aloud and shown first.
document.getElementById('summary')?.focus();

// What a form does: on a record that has changed since, it is another act. The keys of a page begin with the same UUID.
const act = (/** @type {HTMLFormElement} */ form, /** @type {HTMLInputElement} */ key) => [
  form.getAttribute('action'), form.querySelector('input[name="version"]')?.getAttribute('value'), key.value.slice(36),
].join(' ');

// A form that is under way is not sent again by a second click. The server would notice, but people would wonder.
document.addEventListener('submit', (event) => {
  const form = event.target;
  if (!(form instanceof HTMLFormElement) || form.method !== 'post') return;
  if (form.dataset.sent) { event.preventDefault(); return; }
  form.dataset.sent = 'true';
  const key = form.querySelector('input[name="key"]');
  if (key instanceof HTMLInputElement) history.replaceState({ keys: { ...history.state?.keys, [act(form, key)]: key.value } }, '');
  // Back to the page from the browser's memory: the form can be sent again, with the same key.
  addEventListener('pageshow', () => { delete form.dataset.sent; }, { once: true });
});

// A page that is loaded again from behind, with what a person wrote in it, keeps the keys with which its forms were sent: sent
// as it is, a form does nothing twice. Most browsers have such a page in memory, and not all.
const navigation = performance.getEntriesByType('navigation')[0];
if (navigation instanceof PerformanceNavigationTiming && navigation.type === 'back_forward') {
  for (const key of document.querySelectorAll('form input[name="key"]')) {
    if (key instanceof HTMLInputElement && key.form) key.value = history.state?.keys?.[act(key.form, key)] ?? key.value;
  }
}

// A picture that is larger than the record takes is made smaller before it is sent, by the module of the field app.
document.addEventListener('change', async (event) => {
  const field = event.target;
  if (!(field instanceof HTMLInputElement) || !field.dataset.shrink) return;
  const file = field.files?.[0];
  const most = Number(field.dataset.most);
  if (!file?.type.startsWith('image/') || file.size <= most) return;
  const send = field.form?.querySelector('button');
  if (send) send.disabled = true;
  try {
    const { bytes } = await (await import(field.dataset.shrink)).shrink(file, most);
    const chosen = new DataTransfer();
    chosen.items.add(new File([bytes], file.name.replace(/\.[^.]*$/, '.jpg'), { type: 'image/jpeg' }));
    // Meanwhile another file may have been chosen.
    if (field.files?.[0] === file) field.files = chosen.files;
  } catch {
    // The server says what is wrong with the file.
  } finally {
    if (send) send.disabled = false;
  }
});

// A new company begins in the time zone of the browser.
const zone = document.getElementById('timezone');
if (zone instanceof HTMLInputElement && zone.value === '') {
  zone.value = Intl.DateTimeFormat().resolvedOptions().timeZone ?? '';
}

// The code of a mail is behind the # of its address, which no server sees.
const code = document.querySelector('input[data-mailed]');
if (code instanceof HTMLInputElement && location.hash.length > 1) {
  code.value = decodeURIComponent(location.hash.slice(1));
  history.replaceState(null, '', location.pathname + location.search);
}

// A field with many possible values suggests those that match what is written.
for (const field of document.querySelectorAll('input[data-options]')) {
  if (!(field instanceof HTMLInputElement)) continue;
  const { options = '', column = '' } = field.dataset;
  let [timer, asked] = [0, ''];
  const suggest = async () => {
    const text = field.value.trim();
    // A value that was chosen from the list is complete.
    if (text === asked || [...field.list?.options ?? []].some((option) => option.value === text)) return;
    asked = text;
    try {
      const answer = await fetch(`${options}?${new URLSearchParams({ column, search: text })}`, { redirect: 'error' });
      if (!answer.ok || field.value.trim() !== text) return;
      const names = /** @type {{ names: string[] }} */ (await answer.json()).names;
      field.list?.replaceChildren(...names.map((name) => Object.assign(document.createElement('option'), { value: name })));
    } catch { asked = ''; }
  };
  field.addEventListener('input', () => { clearTimeout(timer); timer = setTimeout(suggest, 200); });
}

// Keys (the person's own page lists them): / searches, g goes to a section, x marks, n makes a new record, e edits, c comments, j and k go through the rows of a list.
const isTyping = (/** @type {EventTarget | null} */ target) =>
  target instanceof HTMLElement && (target.isContentEditable || /^(INPUT|SELECT|TEXTAREA)$/.test(target.tagName));
let isGoing = false;
document.addEventListener('keydown', (event) => {
  if (event.key === 'Enter' && (event.ctrlKey || event.metaKey) && event.target instanceof HTMLElement) {
    const form = event.target.closest('form');
    if (form?.method === 'post') form.requestSubmit();
    return;
  }
  if (isTyping(event.target) || event.ctrlKey || event.altKey || event.metaKey) return;
  const go = (/** @type {string} */ selector) => {
    const link = document.querySelector(selector);
    if (link instanceof HTMLElement) { event.preventDefault(); link.click(); }
  };
  const focus = (/** @type {string} */ selector) => {
    const field = document.querySelector(selector);
    if (field instanceof HTMLElement) { event.preventDefault(); field.focus(); }
  };
  if (isGoing) {
    isGoing = false;
    const sections = [...document.querySelectorAll('#menu li a')];
    const place = event.key === 't' ? sections[0]
      : sections.find((link) => (link.textContent ?? '').toLowerCase().startsWith(event.key.toLowerCase()));
    if (place instanceof HTMLElement) { event.preventDefault(); place.click(); }
    return;
  }
  switch (event.key) {
    case 'g': isGoing = true; break;
    case 'x': {
      const mark = document.activeElement?.closest('tr')?.querySelector('input[type="checkbox"]');
      if (mark instanceof HTMLInputElement) mark.checked = !mark.checked;
      break;
    }
    case '/': focus('#search'); break;
    case 'c': focus('#comment'); break;
    case 'n': go('main .head a[href$="/new"]'); break;
    case 'e': go('main .head a[href$="/edit"]'); break;
    case 'j': case 'k': {
      const rows = [...document.querySelectorAll('main .list tbody th a, main .rows > li > a')];
      const place = rows.indexOf(/** @type {HTMLElement} */ (document.activeElement));
      const next = rows[event.key === 'j' ? place + 1 : Math.max(0, place - 1)];
      if (next instanceof HTMLElement) { event.preventDefault(); next.focus(); }
      break;
    }
  }
});

// A page that shows what others change meanwhile. Without scripts it is as it was when it was opened.

const main = document.getElementById('main');
const bar = document.getElementById('live');
const button = bar?.querySelector('button');

// The only markup that scripts make: pages of this server.
const factory = /** @type {any} */ (globalThis).trustedTypes;
const policy = factory?.createPolicy('fettle', { createHTML: (/** @type {string} */ text) => text });

// A server without a stream of hints says after how many seconds the page is asked for again.
const seconds = Number(bar?.dataset.seconds ?? 0);
let clock = 0;
let isPaused = false;
let isStale = false;
let isBusy = false;
/** @type {EventSource | undefined} */
let events;

// Nothing is replaced under the hands of somebody who writes, has chosen something, or sends a form.
const isChanged = (/** @type {Element} */ field) => {
  if (field instanceof HTMLSelectElement) {
    const options = [...field.options];
    return options.some((option) => option.defaultSelected)
      ? options.some((option) => option.selected !== option.defaultSelected) : field.selectedIndex > 0;
  }
  if (field instanceof HTMLTextAreaElement) return field.value !== field.defaultValue;
  if (!(field instanceof HTMLInputElement) || field.type === 'hidden' || field.name === 'id') return false;
  if (field.type === 'checkbox' || field.type === 'radio') return field.checked !== field.defaultChecked;
  return field.type === 'file' ? (field.files?.length ?? 0) > 0 : field.value !== field.defaultValue;
};
const isWriting = () => {
  const focus = document.activeElement;
  if (focus && main?.contains(focus) && focus.matches('input:not([type="checkbox"]), select, textarea')) return true;
  return main?.querySelector('form[data-sent]') != null
    || [...(main?.querySelectorAll('input, select, textarea') ?? [])].some(isChanged);
};

// What an element is called, by which it is found in the page of now.
const likeness = (/** @type {Element} */ one) => [
  one.tagName, one.id, one.getAttribute('href'), one.getAttribute('name'), one.getAttribute('value'),
  one.closest('form')?.getAttribute('action'), one.matches('button, summary') ? one.textContent?.trim() : '',
].join('\n');

const renew = async () => {
  if (!main || isBusy || isPaused || document.hidden || isWriting()) { isStale = true; return; }
  isBusy = true;
  isStale = false;
  try {
    const answer = await fetch(location.href, { headers: { accept: 'text/html' }, redirect: 'error' });
    if (!answer.ok) return;
    const text = await answer.text();
    const page = new DOMParser().parseFromString(policy ? policy.createHTML(text) : text, 'text/html');
    const next = page.getElementById('main');
    if (!next || isPaused || isWriting()) { isStale = true; return; }
    const focus = document.activeElement;
    const isInside = focus !== null && focus !== main && main.contains(focus);
    const name = isInside ? likeness(focus) : '';
    const before = isInside ? [...main.querySelectorAll(focus.tagName)].filter((one) => likeness(one) === name).indexOf(focus) : 0;
    const marked = [...main.querySelectorAll('input[name="id"]:checked')].map((box) => box instanceof HTMLInputElement ? box.value : '');
    const open = [...main.querySelectorAll('details')].map((part) => part.open);
    main.replaceChildren(...[...next.childNodes].map((node) => document.adoptNode(node)));
    for (const box of main.querySelectorAll('input[name="id"]')) {
      if (box instanceof HTMLInputElement) box.checked = marked.includes(box.value);
    }
    const parts = [...main.querySelectorAll('details')];
    if (parts.length === open.length) parts.forEach((part, index) => { part.open = open[index] ?? false; });
    if (isInside) {
      const alike = [...main.querySelectorAll(focus.tagName)].filter((one) => likeness(one) === name);
      const target = alike[before] ?? alike[0] ?? main;
      if (target instanceof HTMLElement) target.focus({ preventScroll: true });
    }
  } catch {
    isStale = true;
  } finally {
    isBusy = false;
  }
};

// The first hint says that the stream is open; the others may come many at a time.
const listen = () => {
  if (seconds > 0) { clock = window.setInterval(renew, seconds * 1000); return; }
  let isFirst = true;
  let timer = 0;
  events = new EventSource('/v1/sync/events');
  events.addEventListener('hint', () => {
    if (isFirst) { isFirst = false; return; }
    clearTimeout(timer);
    timer = setTimeout(renew, 300);
  });
};

const rest = () => { clearInterval(clock); clock = 0; events?.close(); events = undefined; };

if (main && bar && button) {
  bar.hidden = false;
  button.addEventListener('click', () => {
    isPaused = !isPaused;
    button.textContent = (isPaused ? button.dataset.go : button.dataset.pause) ?? '';
    if (isPaused) rest(); else { listen(); renew(); }
  });
  // A page that nobody sees asks for nothing.
  document.addEventListener('visibilitychange', () => {
    if (document.hidden) rest(); else if (!isPaused && !events && !clock) { listen(); renew(); }
  });
  main.addEventListener('focusout', () => { if (isStale) setTimeout(renew, 300); });
  addEventListener('pagehide', rest);
  listen();
}

// A page that shows what others change meanwhile. Without scripts it is as it was when it was opened.

const main = document.getElementById('main');
const bar = document.getElementById('live');
const button = bar?.querySelector('button');

// The only markup that scripts make: pages of this server.
const factory = /** @type {any} */ (globalThis).trustedTypes;
const policy = factory?.createPolicy('fettle', { createHTML: (/** @type {string} */ text) => text });

let isPaused = false;
let isStale = false;
let isBusy = false;
/** @type {EventSource | undefined} */
let events;

// Nothing is replaced under the hands of somebody who writes.
const isWriting = () => {
  const field = document.activeElement;
  if (field instanceof HTMLElement && main?.contains(field) && /^(INPUT|SELECT|TEXTAREA)$/.test(field.tagName)) {
    return !(field instanceof HTMLInputElement && field.type === 'checkbox');
  }
  return [...(main?.querySelectorAll('textarea, input:not([type]), input[type="text"]') ?? [])].some((field) =>
    (field instanceof HTMLTextAreaElement || field instanceof HTMLInputElement) && field.value !== field.defaultValue);
};

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
    const place = focus instanceof HTMLElement && main.contains(focus)
      ? focus.id ? `#${CSS.escape(focus.id)}`
        : focus instanceof HTMLAnchorElement ? `a[href="${CSS.escape(focus.getAttribute('href') ?? '')}"]`
        : focus instanceof HTMLInputElement ? `input[value="${CSS.escape(focus.value)}"]` : '' : '';
    const marked = [...main.querySelectorAll('input[name="id"]:checked')].map((box) => box instanceof HTMLInputElement ? box.value : '');
    const open = [...main.querySelectorAll('details')].map((part) => part.open);
    main.replaceChildren(...[...next.childNodes].map((node) => document.adoptNode(node)));
    for (const box of main.querySelectorAll('input[name="id"]')) {
      if (box instanceof HTMLInputElement) box.checked = marked.includes(box.value);
    }
    const parts = [...main.querySelectorAll('details')];
    if (parts.length === open.length) parts.forEach((part, index) => { part.open = open[index] ?? false; });
    if (place) { const target = main.querySelector(place); if (target instanceof HTMLElement) target.focus({ preventScroll: true }); }
  } catch {
    isStale = true;
  } finally {
    isBusy = false;
  }
};

// The first hint says that the stream is open; the others may come many at a time.
const listen = () => {
  let isFirst = true;
  let timer = 0;
  events = new EventSource('/v1/sync/events');
  events.addEventListener('hint', () => {
    if (isFirst) { isFirst = false; return; }
    clearTimeout(timer);
    timer = setTimeout(renew, 300);
  });
};

const rest = () => { events?.close(); events = undefined; };

if (main && bar && button) {
  bar.hidden = false;
  button.addEventListener('click', () => {
    isPaused = !isPaused;
    button.textContent = (isPaused ? button.dataset.go : button.dataset.pause) ?? '';
    if (isPaused) rest(); else { listen(); renew(); }
  });
  // A page that nobody sees asks for nothing.
  document.addEventListener('visibilitychange', () => {
    if (document.hidden) rest(); else if (!isPaused && !events) { listen(); renew(); }
  });
  main.addEventListener('focusout', () => { if (isStale) setTimeout(renew, 300); });
  addEventListener('pagehide', rest);
  listen();
}

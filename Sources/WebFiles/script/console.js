// Comforts of pages; everything works without them.

// What is wrong with a form is read aloud and shown first.
document.getElementById('summary')?.focus();

// A form that is under way is not sent again by a second click. The server would notice, but people would wonder.
document.addEventListener('submit', (event) => {
  const form = event.target;
  if (!(form instanceof HTMLFormElement) || form.method !== 'post') return;
  if (form.dataset.sent) { event.preventDefault(); return; }
  form.dataset.sent = 'true';
  // Back to the page from the browser's memory: the form can be sent again, with the same key.
  addEventListener('pageshow', () => { delete form.dataset.sent; }, { once: true });
});

// A new company begins in the time zone of the browser.
const zone = document.getElementById('time_zone');
if (zone instanceof HTMLInputElement && zone.value === '') {
  zone.value = Intl.DateTimeFormat().resolvedOptions().timeZone ?? '';
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

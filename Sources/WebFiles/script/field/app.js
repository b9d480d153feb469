// The frame of the app: who is using it, which screen is shown, when to synchronise, and updates that wait their turn.
import { accounts, call, enterBy, remember, setSetting, setting } from './account.js';
import { wakeLater } from './background.js';
import { el, icon } from './dom.js';
import { listen } from './hints.js';
import { worthInstalling } from './install.js';
import { screenOf } from './screens.js';
import { Store } from './store.js';
import { Sync } from './sync.js';
import { signInScreen } from './signin.js';
import { waitsForRelease } from './press.js';
import { currentLanguage, has, setZone, speak, t } from './words.js';
import { stateLine } from './state.js';
import { watchUpdates } from './update.js';

/**
 * @typedef {object} App what screens work with
 * @property {Store} store
 * @property {Sync} sync
 * @property {import('./account.js').Account} account
 * @property {(path: string, isReplacing?: boolean) => void} go
 * @property {(text: string) => void} say shows a message that stays until the next screen
 * @property {() => void} draw draws the screen again
 * @property {(path: string, options?: any) => Promise<Response>} call
 * @property {(account: import('./account.js').Account | null, path?: string, meanwhile?: () => Promise<void>) => Promise<void>} use
 * @property {ReturnType<typeof watchUpdates>} updates
 */

/** @type {App | undefined} */
let app;
/** The screen that is shown, and how it follows changes. @type {{title: string, node: Node, update?: () => any, isForm?: boolean, back?: string} | undefined} */
let screen;
let message = '';
let stop = () => { /* nothing runs yet */ };
let drawing = 0;

const main = /** @type {HTMLElement} */ (document.getElementById('main'));
const head = /** @type {HTMLElement} */ (document.getElementById('head'));
const status = /** @type {HTMLElement} */ (document.getElementById('status'));
const nav = /** @type {HTMLElement} */ (document.getElementById('nav'));

const go = (/** @type {string} */ path, isReplacing = false) => {
  if (isReplacing) history.replaceState(null, '', path); else history.pushState(null, '', path);
  show();
};

/** Shows the screen of the address. */
const show = async () => {
  const turn = ++drawing;
  const next = app ? await screenOf(app, new URL(location.href)) : await signInScreen(use);
  if (turn !== drawing) return;
  screen = next;
  document.title = `${next.title} · Fettle`;
  const said = message;
  message = '';
  head.replaceChildren(...[next.back && el('a', { href: next.back, class: 'back', 'aria-label': t('back') }, icon('back')), el('h1', { tabindex: '-1' }, next.title)].filter(Boolean));
  main.replaceChildren(...[said && el('p', { class: 'bar good', role: 'status', id: 'said' }, said), next.node].filter(Boolean));
  scrollTo(0, 0);
  /** @type {HTMLElement | null} */ (head.querySelector('h1'))?.focus({ preventScroll: true });
  frame();
};

/** Follows changes of the store without taking a form, or what a finger is on, away from under somebody's hands. */
const follow = async () => {
  frame();
  if (!screen || screen.isForm || !app || waitsForRelease(follow)) return;
  if (screen.update) { screen.update(); return; }
  const turn = ++drawing;
  const focus = document.activeElement;
  const place = focus?.id ? `#${CSS.escape(focus.id)}` : focus instanceof HTMLAnchorElement ? `a[href="${CSS.escape(focus.getAttribute('href') ?? '')}"]` : '';
  const next = await screenOf(app, new URL(location.href));
  if (turn !== drawing || waitsForRelease(follow)) return;
  const said = document.getElementById('said');
  const heading = head.querySelector('h1');
  if (heading && heading.textContent !== next.title) heading.textContent = next.title;
  document.title = `${next.title} · Fettle`;
  screen = next;
  main.replaceChildren(...[said, next.node].filter((node) => node !== null));
  const target = place ? main.querySelector(place) : null;
  if (target instanceof HTMLElement) target.focus({ preventScroll: true });
};

const TABS = /** @type {const} */ ([['today', '/app/'], ['machines', '/app/machines'], ['report', '/app/report'], ['outbox', '/app/outbox'], ['more', '/app/more']]);

/**
 * Replaces the nodes that differ: a link that is replaced while a finger is on it is not followed.
 * @param {HTMLElement} parent
 * @param {Node[]} nodes
 */
const renew = (parent, nodes) => {
  const old = [...parent.childNodes];
  if (old.length !== nodes.length) { parent.replaceChildren(...nodes); return; }
  old.forEach((node, index) => { if (!node.isEqualNode(nodes[index] ?? null)) node.replaceWith(nodes[index] ?? ''); });
};

/** Draws what surrounds the screen: state line and tabs. */
const frame = () => {
  nav.hidden = !app;
  renew(status, app ? stateLine(app) : []);
  if (!app) return;
  const waiting = app.store.open.length + app.store.notes.filter((note) => note.status !== 'synced').length;
  const shop = app.store.types.has('maintenance.entry');
  renew(nav, TABS.filter(([name]) => shop || name !== 'machines' && name !== 'report').map(([name, path]) => el('a', {
    href: path, class: name === 'report' ? 'tab main-tab' : 'tab', 'aria-current': location.pathname === path ? 'page' : undefined,
  }, icon(name, 24), el('span', {}, t(`tab.${name}`), name === 'outbox' && waiting > 0 && el('span', { class: 'badge' }, waiting)))));
};

/**
 * Begins to work for an account; null leads to the sign-in.
 * @param {import('./account.js').Account | null} account
 * @param {string} [path]
 * @param {() => Promise<void>} [meanwhile] what is done between the work for the account before and this one
 */
const use = async (account, path, meanwhile) => {
  stop();
  app = undefined;
  await meanwhile?.();
  if (account) {
    const store = await new Store(account).load();
    const sync = new Sync(store);
    app = {
      store, sync, account, go, draw: show, use, updates, say: (text) => { message = text; },
      call: (address, options) => call(account.key, address, options),
    };
    // Nothing is drawn later because of what the next launch needs.
    remember({ ...account, used: Date.now() });
    setSetting('current', account.key);
    setZone(store.meta.zone);
    const language = await setting('language') || store.meta.lang || currentLanguage();
    if (language !== currentLanguage()) await speak(language);
    stop = work(app);
  }
  if (path) history.replaceState(null, '', path);
  await show();
};

/** Synchronises at every occasion: a save, the launch, a return, a network, a hint, and a timer. @param {App} app */
const work = ({ store, sync }) => {
  let timer = 0;
  let isStopped = false;
  // A page that nobody sees asks for nothing; it asks when it is seen again.
  const later = () => { clearTimeout(timer); timer = setTimeout(() => { if (document.visibilityState === 'visible') now(); else later(); }, sync.pause); };
  const now = async () => {
    clearTimeout(timer);
    try { if (!await sync.run() && sync.problem === 'offline' && store.waits) wakeLater(); } finally { if (!isStopped) later(); }
    setZone(store.meta.zone);
    // A form keeps its words, and what somebody has typed.
    if (store.meta.lang && store.meta.lang !== currentLanguage() && !(await setting('language'))) { await speak(store.meta.lang); if (screen?.isForm) frame(); else show(); }
  };
  const wake = () => { if (document.visibilityState === 'visible') now(); };
  const saved = () => { navigator.storage?.persist?.().catch(() => false); worthInstalling(); now(); };
  const rest = new AbortController();
  const { signal } = rest;
  store.addEventListener('change', follow, { signal });
  store.addEventListener('saved', saved, { signal });
  store.addEventListener('gone', async () => use((await accounts()).find(({ key }) => key !== store.account.key) ?? null, '/app/'), { signal });
  sync.addEventListener('state', () => { if (location.pathname === '/app/outbox') follow(); else frame(); }, { signal });
  addEventListener('online', now, { signal });
  document.addEventListener('visibilitychange', wake, { signal });
  listen(sync, now, signal);
  now();
  return () => { isStopped = true; clearTimeout(timer); rest.abort(); store.close(); };
};

document.addEventListener('click', (event) => {
  const link = event.target instanceof Element ? event.target.closest('a') : null;
  if (!link || event.defaultPrevented || event.ctrlKey || event.metaKey || event.shiftKey || event.button !== 0) return;
  const url = new URL(link.href, location.href);
  if (url.origin !== location.origin || !url.pathname.startsWith('/app/') || link.target) return;
  event.preventDefault();
  go(url.pathname + url.search);
});
addEventListener('popstate', show);
addEventListener('unhandledrejection', (event) => { app?.store.log(`error: ${event.reason}`); });

const updates = watchUpdates(() => frame());

const begin = async () => {
  await speak(await setting('language') || currentLanguage());
  if (await updates.takeWaiting()) return;
  const known = await accounts();
  const current = await setting('current');
  const query = new URL(location.href).searchParams;
  if (query.has('second_factor') || query.has('sign_in_error')) { await use(null); return; }
  const back = query.get('account');
  if (back) {
    const { account } = await enterBy(back).catch(() => ({ account: null }));
    await use(account, '/app/');
    return;
  }
  const company = /^\/app\/m\/([^/]+)\//.exec(location.pathname)?.[1];
  // A machine's code names its company: the person's account there is used, whichever was used last.
  const here = company ? known.filter((one) => one.company.slug === company) : known;
  if (company && !here.length) {
    // Without an account of the company on this phone, the code leads to the console.
    location.replace(`/c/${company}/maintenance/machine/${location.pathname.split('/')[4] ?? ''}`);
    return;
  }
  await use(here.find(({ key }) => key === current) ?? here[0] ?? null);
};
begin().catch(async () => {
  // Another copy of the browser can hold the files, or the disk does not work. Nothing is lost by that.
  if (!has('error.broken')) await speak(currentLanguage());
  head.replaceChildren(el('h1', { tabindex: '-1' }, t('storage.title')));
  main.replaceChildren(el('p', { class: 'bar bad', role: 'alert' }, t('error.broken')), el('p', {}, el('button', { class: 'button wide', type: 'button', on: { click: () => location.reload() } }, t('retry'))));
});

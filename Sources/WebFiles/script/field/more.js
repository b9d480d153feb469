// More: the people of this phone, storage, installing, language, and the log.
import { accounts, forgetAccount, setSetting, setting, signOut } from './account.js';
import { el } from './dom.js';
import { installCard } from './install.js';
import { typeOf } from './model.js';
import { counts } from './state.js';
import { count, moment, number, speak, t } from './words.js';

/** @typedef {import('./app.js').App} App */

/** @param {App} app */
export const moreScreen = async (app) => {
  const people = await accounts();
  const others = people.filter(({ key }) => key !== app.account.key);
  const chosen = await setting('language') ?? '';
  const space = await navigator.storage?.estimate?.().catch(() => undefined);
  const isKept = await navigator.storage?.persisted?.().catch(() => false);
  const language = el('select', { id: 'language', on: { change: async () => {
    await setSetting('language', language.value);
    await speak(language.value || app.store.meta.lang || 'en');
    await app.store.write({ meta: { described: 0 } });
    app.sync.run();
    app.draw();
  } } }, el('option', { value: '' }, t('language.own')), el('option', { value: 'en', lang: 'en' }, 'English'), el('option', { value: 'sv', lang: 'sv' }, 'Svenska'));
  language.value = chosen;
  return {
    title: t('tab.more'), isForm: true,
    node: el('div', { class: 'stack' },
      el('section', { class: 'card' }, el('h2', {}, t('more.you')), el('p', {}, el('strong', {}, app.account.name), el('br'), el('span', { class: 'quiet' }, `${app.account.email} · ${app.account.company.name}`)),
        el('p', {}, el('a', { class: 'button wide', href: `/c/${app.account.company.slug}`, target: '_self' }, t('more.console'))),
        el('p', {}, el('a', { class: 'button wide', href: '/app/out' }, t('out.title')))),
      el('section', { class: 'card' }, el('h2', {}, t('more.people')), others.length > 0 && el('ul', { class: 'rows big' }, others.map((one) => el('li', {}, el('button', { class: 'button wide', type: 'button', on: { click: () => app.use(one, '/app/') } }, `${one.name} · ${one.company.name}`)))),
        el('p', {}, el('a', { class: 'button wide', href: '/app/sign-in' }, t('more.add')))),
      (typeOf(app, 'macros.entry') || typeOf(app, 'solar.recording')) && el('section', { class: 'card' }, el('h2', {}, t('more.apps')),
        typeOf(app, 'macros.entry') && el('p', {}, el('a', { class: 'button wide', href: '/app/macros' }, t('macros.title'))), typeOf(app, 'solar.recording') && el('p', {}, el('a', { class: 'button wide', href: '/app/solar' }, t('solar.title')))),
      installCard(),
      el('section', { class: 'card' }, el('div', { class: 'field' }, el('label', { for: 'language' }, t('language')), language)),
      el('section', { class: 'card' }, el('h2', {}, t('storage.title')), el('p', {}, t('storage.text', number((space?.usage ?? 0) / 1_048_576, 1), count('outbox.photos', app.store.files.size))), el('p', { class: 'quiet' }, t(isKept ? 'storage.kept' : 'storage.not-kept')),
        el('p', {}, el('a', { class: 'button wide', href: '/app/log' }, t('log.title'))))),
  };
};

/** @param {App} app */
export const logScreen = async (app) => ({
  title: t('log.title'), back: '/app/more', isForm: true,
  node: el('div', { class: 'stack' }, el('p', { class: 'quiet' }, t('log.text', app.store.meta.device)), el('ol', { class: 'log' }, (await app.store.lines()).reverse().map((line) => el('li', {}, el('time', {}, moment(line.at)), ' ', line.text)))),
});

/** Signing out: with changes that wait, the person sends them, takes a file, or stays. @param {App} app */
export const outScreen = async (app) => {
  const { decide, waiting, photos } = counts(app);
  const left = decide + waiting + photos;
  const leave = async () => {
    const { store, account: { key } } = app;
    await signOut(key);
    const next = (await accounts()).find((one) => one.key !== key);
    // The account is in the list until nothing of it is on the phone, so that it is offered again after an end half way.
    await app.use(next ?? null, '/app/', async () => {
      try { await store.destroy(); await forgetAccount(key); } catch { app.say(t('out.rest')); }
    });
  };
  const file = async () => {
    const photos = await Promise.all([...app.store.files.values()].filter(({ status }) => status !== 'synced').map(async ({ thumb, ...one }) => {
      const bytes = new Uint8Array(await app.store.bytes(one.id) ?? new ArrayBuffer(0));
      let text = '';
      for (let start = 0; start < bytes.length; start += 32_768) text += String.fromCharCode(...bytes.subarray(start, start + 32_768));
      return { ...one, bytes: btoa(text) };
    }));
    const text = JSON.stringify({ person: app.account.email, company: app.account.company.slug, changes: app.store.open, comments: app.store.notes.filter(({ status }) => status !== 'synced'), photos }, null, 1);
    const address = URL.createObjectURL(new Blob([text], { type: 'application/json' }));
    el('a', { href: address, download: `fettle-${new Date().toISOString().slice(0, 10)}.json` }).click();
    setTimeout(() => URL.revokeObjectURL(address), 10_000);
    end.hidden = false;
  };
  const end = el('button', { class: 'button wide danger', type: 'button', hidden: left > 0, on: { click: leave } }, t(left ? 'out.leave' : 'out.title'));
  return {
    title: t('out.title'), back: '/app/more',
    // What waits may be sent by another occasion than the button.
    update: () => { const now = counts(app); if (now.decide + now.waiting + now.photos !== left) app.draw(); },
    node: el('div', { class: 'stack' }, left > 0 ? [el('p', { class: 'bar warning' }, count('out.waits', left)), el('button', { class: 'button primary wide', type: 'button', on: { click: async () => { await app.sync.run(); app.draw(); } } }, t('outbox.send')),
      el('button', { class: 'button wide', type: 'button', on: { click: file } }, t('out.file')), el('a', { class: 'button wide', href: '/app/' }, t('out.stay'))] : el('p', {}, t('out.sure')), end),
  };
};

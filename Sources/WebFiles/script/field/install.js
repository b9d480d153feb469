// Installing the app: it then opens without a network, and no phone deletes what it keeps.
import { setSetting, setting } from './account.js';
import { el } from './dom.js';
import { t } from './words.js';

/** The browser's offer to install the app. @type {any} */
let offer;
addEventListener('beforeinstallprompt', (event) => { event.preventDefault(); offer = event; });

/** Notes that something worth keeping was saved, so that Today offers to install the app, until that is declined. */
export const worthInstalling = async () => { if (!await setting('install')) await setSetting('install', 'offered'); };

/** @param {(() => any) | undefined} [decline] what follows if the person declines; without it, nobody is asked @returns {HTMLElement | null} */
export const installCard = (decline) => {
  if (matchMedia('(display-mode: standalone)').matches) return null;
  const isApple = /iPhone|iPad/.test(navigator.userAgent);
  return el('section', { class: 'card' }, el('h2', {}, t('install.title')), el('p', {}, t(isApple ? 'install.apple' : 'install.text')),
    offer && el('p', {}, el('button', { class: 'button wide', type: 'button', on: { click: () => offer.prompt() } }, t('install.go'))),
    decline && el('p', {}, el('button', { class: 'button wide', type: 'button', on: { click: async () => { await setSetting('install', 'declined'); decline(); } } }, t('install.later'))));
};

/** The offer of Today: once something was saved, and until the person declines. @param {() => any} decline */
export const installOffer = async (decline) => await setting('install') === 'offered' ? installCard(decline) : null;

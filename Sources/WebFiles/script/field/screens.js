// Which screen an address shows.
import { actScreen, commentScreen, editScreen } from './act.js';
import { conflictScreen } from './conflict.js';
import { el } from './dom.js';
import { hoursScreen, readingScreen } from './hours.js';
import { macrosScreen } from './macros.js';
import { machineScreen, machinesScreen } from './machines.js';
import { logScreen, moreScreen, outScreen } from './more.js';
import { outboxScreen } from './outbox.js';
import { recordScreen } from './record.js';
import { reportScreen } from './report.js';
import { signInScreen } from './signin.js';
import { solarScreen } from './solar.js';
import { todayScreen } from './today.js';
import { t } from './words.js';

/** @typedef {import('./app.js').App} App */

/** @typedef {object} Screen
 * @property {string} title
 * @property {Node} node
 * @property {string} [back] where the arrow leads
 * @property {boolean} [isForm] true if changes must not draw it again
 * @property {() => any} [update] follows changes by itself
 */

/** @type {Record<string, (app: App, parts: string[], url: URL) => Promise<Screen> | Screen>} */
const SCREENS = {
  '': todayScreen, machines: machinesScreen, m: machineScreen, report: reportScreen, r: recordScreen, do: actScreen, edit: editScreen,
  comment: commentScreen, hours: hoursScreen, reading: readingScreen, outbox: (app, parts, url) => parts.length ? conflictScreen(app, parts) : outboxScreen(app, parts, url),
  more: moreScreen, log: logScreen, out: outScreen, macros: macrosScreen, solar: solarScreen,
  'sign-in': (app) => signInScreen(app.use, app),
};

/** @param {App} app @param {URL} url @returns {Promise<Screen>} */
export const screenOf = async (app, url) => {
  const [name = '', ...parts] = url.pathname.slice('/app/'.length).split('/').map(decodeURIComponent);
  const screen = await SCREENS[name]?.(app, parts.filter(Boolean), url);
  return screen ?? {
    title: t('missing.title'), back: '/app/',
    node: el('div', { class: 'empty' }, el('p', {}, t('missing.text')), el('p', {}, el('a', { href: '/app/', class: 'button' }, t('tab.today')))),
  };
};

// The words of the app in the language of the person, and numbers and dates as they write them.

/** @type {Record<string, string>} */
let texts = {};
let language = navigator.language.startsWith('sv') ? 'sv' : 'en';
let zone = '';

/** English as in Europe: days before months. */
const locale = () => language === 'sv' ? 'sv' : 'en-GB';

export const currentLanguage = () => language;

/** Reads the words of a language, which the worker keeps. @param {string} name */
export const speak = async (name) => {
  const answer = await fetch(new URL(`words.${name}.json`, import.meta.url));
  texts = await answer.json();
  language = name;
  document.documentElement.lang = name;
};

/** @param {string | undefined} name of the company's time zone */
export const setZone = (name) => { zone = name ?? ''; };

/** Returns the text of a key; each `%@` stands for the next value. @param {string} key @param {...any} values */
export const t = (key, ...values) => {
  let place = 0;
  return (texts[key] ?? key).replaceAll('%@', () => String(values[place++] ?? ''));
};

/** True if the key has words. @param {string} key */
export const has = (key) => key in texts;

/** Returns the text for a number of things. @param {string} key @param {number} count @param {...any} values */
export const count = (key, count, ...values) => t(`${key}#${count === 1 ? 'one' : 'other'}`, number(count), ...values);

/** @param {any} value @param {number} [digits] */
export const number = (value, digits = 2) => value === null || value === undefined || value === '' ? ''
  : new Intl.NumberFormat(locale(), { maximumFractionDigits: digits }).format(Number(value));

const point = () => language === 'sv' ? ',' : '.';

/**
 * Reads a number that a person wrote, `5,5`, `5.5` or `1,234.50`; null for anything else. As `NumberText.read` of the
 * console, it refuses the sign that is not the decimal sign of the language before exactly three digits.
 * @param {string} text
 */
export const read = (text) => {
  const digits = text.replaceAll(/[\s\u00a0\u202f]/g, '').replace('\u2212', '-');
  const group = /^-?[1-9]\d{0,2}([.,])\d{3}(?:\1\d{3})*(?:(?!\1)[.,]\d+)?$/.exec(digits)?.[1] ?? '';
  const isAlone = /^-?\d+[.,]\d+$/.test(digits);
  if (group && isAlone && group !== point()) return null;
  const plain = (group && !isAlone ? digits.replaceAll(group, '') : digits).replace(',', '.');
  return /^-?\d+(\.\d+)?$/.test(plain) ? Number(plain) : null;
};

/** A number for a field of a form, as it is read again. @param {any} value */
export const written = (value) => String(value ?? '').replace('.', point());

/** True if a number has more decimals than its column keeps. @param {number} value @param {number | undefined} scale */
export const isFiner = (value, scale) => scale !== undefined && Number(value.toFixed(scale)) !== value;

const inZone = () => zone ? { timeZone: zone } : {};

/** A day such as `2026-01-05`. @param {string | null | undefined} day */
export const date = (day) => day ? new Intl.DateTimeFormat(locale(), { day: 'numeric', month: 'short', ...(day.slice(0, 4) === today().slice(0, 4) ? {} : { year: 'numeric' }), timeZone: 'UTC' }).format(new Date(`${day}T00:00:00Z`)) : '';

/** An instant, in the company's time zone. @param {string | number | null | undefined} instant */
export const moment = (instant) => instant ? new Intl.DateTimeFormat(locale(), { day: 'numeric', month: 'short', hour: '2-digit', minute: '2-digit', hourCycle: 'h23', ...inZone() }).format(new Date(instant)) : '';

/** The day in the company's time zone, as the server writes it. @param {Date} [now] */
export const today = (now = new Date()) => new Intl.DateTimeFormat('sv', inZone()).format(now);

/** Milliseconds by which the clocks of the company are ahead of UTC. @param {number} time */
const ahead = (time) => {
  const format = new Intl.DateTimeFormat('en', { year: 'numeric', month: 'numeric', day: 'numeric', hour: 'numeric', minute: 'numeric', second: 'numeric', hourCycle: 'h23', ...inZone() });
  const { year = 0, month = 1, day, hour, minute, second } = Object.fromEntries(format.formatToParts(time).map((part) => [part.type, Number(part.value)]));
  return Date.UTC(year, month - 1, day, hour, minute, second) - time;
};

/**
 * The instant at which the clocks of the company show a time of a day, or of a day after it. As in PostgreSQL, it is the later
 * one if they show it twice, and an hour later if they skip it.
 * @param {string} day @param {string} time @param {number} [after] days
 */
export const instant = (day, time, after = 0) => {
  const shown = Date.parse(`${day}T${time}Z`) + after * 86_400_000;
  if (Number.isNaN(shown)) return NaN;
  const found = [-86_400_000, 86_400_000].map((near) => shown - ahead(shown + near));
  const right = found.filter((one) => one + ahead(one) === shown);
  return Math.max(...right.length ? right : found);
};

/** The time of day in the company's time zone, `14:05`. @param {Date} [now] */
export const timeOfDay = (now = new Date()) => new Intl.DateTimeFormat('sv', { hour: '2-digit', minute: '2-digit', hourCycle: 'h23', ...inZone() }).format(now);

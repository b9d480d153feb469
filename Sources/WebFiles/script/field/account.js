// The people of this phone. Each has a database of their own; the access token stays in memory, and the refresh token in
// a cookie that scripts cannot read.
import { Database, result } from './idb.js';
import { check, json, NetError, send, skew } from './net.js';

/**
 * @typedef {object} Account
 * @property {string} key the server's name of person and company, 16 hexadecimal digits
 * @property {string} user
 * @property {string} name
 * @property {string} email
 * @property {{slug: string, name: string}} company
 * @property {boolean} [isOut] true after the session ended, until the next sign-in
 * @property {number} used
 */

const phone = new Database('fettle', 1, (database) => {
  if (!database.objectStoreNames.contains('account')) database.createObjectStore('account', { keyPath: 'key' });
  if (!database.objectStoreNames.contains('setting')) database.createObjectStore('setting');
}, { account: () => true, setting: () => true });

/** The accounts, the one used last first. @returns {Promise<Account[]>} */
export const accounts = async () => {
  const list = await phone.run(['account'], 'readonly', (transaction) => result(transaction.objectStore('account').getAll()));
  return list.sort((/** @type {Account} */ a, /** @type {Account} */ b) => b.used - a.used);
};

/** @param {Account} account */
export const remember = (account) => phone.run(['account'], 'readwrite', (transaction) => { transaction.objectStore('account').put(account); });

/** Changes an account, unless the person has signed out meanwhile. @param {Account} account */
export const renew = (account) => phone.run(['account'], 'readwrite', async (transaction) => {
  const list = transaction.objectStore('account');
  if (await result(list.get(account.key))) list.put(account);
});

/** @param {string} key */
export const forgetAccount = (key) => phone.run(['account'], 'readwrite', (transaction) => { transaction.objectStore('account').delete(key); });

/** @param {string} name @returns {Promise<any>} */
export const setting = (name) => phone.run(['setting'], 'readonly', (transaction) => result(transaction.objectStore('setting').get(name)));

/** @param {string} name @param {any} value */
export const setSetting = (name, value) => phone.run(['setting'], 'readwrite', (transaction) => { transaction.objectStore('setting').put(value, name); });

/** Access tokens by account. @type {Map<string, {token: string, until: number}>} */
const tokens = new Map();

/** @param {any} body */
const note = (body) => {
  tokens.set(body.account, { token: body.access_token, until: Date.now() + (body.expires_in - 60) * 1_000 });
  return body;
};

const deviceName = () => /Android|iPhone|iPad|Windows|Mac|Linux/.exec(navigator.userAgent)?.[0] ?? 'Browser';

/**
 * Takes a step of the sign-in.
 * @param {string} path `sign-in` or `second-factor`
 * @param {any} fields
 * @returns {Promise<any>} the session, or `{step: 'second_factor', step_token}`
 */
export const signIn = async (path, fields) => {
  const body = { ...fields, refresh: 'cookie', device_name: `${deviceName()} · Fettle` };
  const answer = await check(await send(`/v1/auth/${path}`, { json: body }));
  const session = await json(answer);
  return session.access_token ? await enter(note(session)) : session;
};

/** Keeps the account of a new session on the phone. `isKnown` says that it was there already. @param {any} session */
const enter = async (session) => {
  const me = await json(await check(await send('/v1/me', { token: session.access_token })));
  const isKnown = (await accounts()).some(({ key }) => key === session.account);
  const account = { key: session.account, user: me.id, name: me.name ?? '', email: me.email ?? '', company: session.company, used: Date.now() };
  await remember(account);
  return { account, isKnown };
};

/** Comes back from an identity provider, whose cookie is there already. @param {string} key */
export const enterBy = async (key) => {
  const answer = await check(await send('/v1/auth/refresh', { json: { account: key } }));
  return enter(note(await json(answer)));
};

/** One refresh at a time in this tab; two tabs get the same tokens. @type {Map<string, Promise<string>>} */
const refreshing = new Map();

/** @param {string} key */
const refresh = (key) => {
  // A refresh with a cookie that another tab has used up would look like a stolen one.
  const running = refreshing.get(key) ?? navigator.locks.request(`fettle refresh ${key}`, async () => {
    const answer = await send('/v1/auth/refresh', { json: { account: key } });
    if (answer.status === 401) { tokens.delete(key); throw new NetError('signed-out'); }
    return note(await json(await check(answer))).access_token;
  }).finally(() => refreshing.delete(key));
  refreshing.set(key, running);
  return running;
};

/**
 * Sends a request in the name of an account. An expired token is renewed once.
 * @param {string} key
 * @param {string} path
 * @param {Parameters<typeof send>[1]} [options]
 * @param {(milliseconds: number) => void} [onSkew] is told how far the server's clock is ahead
 * @returns {Promise<Response>} an answer of the server that is no 401
 */
export const call = async (key, path, options = {}, onSkew = () => undefined) => {
  const known = tokens.get(key);
  const token = known && known.until > Date.now() ? known.token : await refresh(key);
  let answer = await send(path, { ...options, token });
  if (answer.status === 401) answer = await send(path, { ...options, token: await refresh(key) });
  if (answer.status === 401) throw new NetError('signed-out');
  const offset = skew(answer);
  if (offset !== undefined) onSkew(offset);
  return answer;
};

/** Ends the session of an account, if the server can be reached. @param {string} key */
export const signOut = async (key) => {
  await call(key, '/v1/auth/sign-out', { method: 'POST' }).catch(() => undefined);
  tokens.delete(key);
};

/** Enters another company of the person, as an account of its own. @param {string} key @param {string} company */
export const enterCompany = async (key, company) => {
  const answer = await check(await call(key, '/v1/me/company', { json: { company, refresh: 'cookie' } }));
  return enter(note(await json(answer)));
};

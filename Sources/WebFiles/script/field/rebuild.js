// Puts the phone in order when it does not fit the server: after a restore of its database, after a copied profile, and
// when own records were deleted or left.
import { json, check } from './net.js';
import { result } from './idb.js';
import { LIMITS } from './item.js';
import { forget, isKept } from './page.js';

/** @typedef {import('./store.js').Store} Store */
/** @typedef {import('./sync.js').Sync} Sync */
/** @typedef {import('./view.js').Mutation} Mutation */

/** Begins every scope again: what is not sent again is dropped at the end. @param {Store} store @param {any} [meta] */
export const restartAll = async (store, meta = {}) => {
  const generation = (store.meta.generation ?? 0) + 1;
  await store.write({ meta: { cursor: undefined, generation, stale: { '*': generation }, ...meta } });
};

/** Sends changes again that a restored database has forgotten, under their numbers. @param {Sync} sync */
export const rebuild = async (sync) => {
  const { store } = sync;
  // A change that a person gave up is not sent again, nor one whose fields they have chosen.
  const isGivenUp = (/** @type {Mutation} */ { status, decision }) => decision ? ['server', 'discard', 'chosen'].includes(decision) : status === 'resolved';
  const judged = store.queue.filter((row) => row.result && row.device === store.meta.device && !isGivenUp(row));
  /** @type {Set<number>} */
  const known = new Set();
  for (let start = 0; start < judged.length; start += LIMITS.known) {
    const nos = judged.slice(start, start + LIMITS.known).map(({ no }) => no);
    const answer = await sync.call('/v1/sync/known', { json: { device_id: store.meta.device, nos } });
    if (answer.status !== 404) for (const no of (await json(await check(answer))).nos) known.add(no);
  }
  const forgotten = judged.filter(({ no }) => !known.has(no));
  const nos = new Set(forgotten.map(({ no }) => no));
  await store.write({
    mutations: forgotten.map((row) => [row, (now) => isGivenUp(now) ? undefined : { status: 'pending', attempts: 0, result: undefined, answer: undefined, checkpoint: 0, decision: undefined }]),
    files: [...store.files.values()].filter((file) => nos.has(file.no)).map((file) => [file, { status: 'pending', attempts: 0 }]),
  });
  await restartAll(store, { epoch: undefined, pulled: 0, acked: 0, asks_files: true, registration: undefined });
};

/** Asks after a restore which photos the server lacks. Call after a complete pull. @param {Sync} sync */
export const restoreFiles = async (sync) => {
  const { store } = sync;
  if (!store.meta.asks_files) return;
  for (const file of store.files.values()) {
    if (file.status !== 'synced') continue;
    const answer = await sync.call(`/v1/uploads/${file.id}`, { method: 'HEAD', headers: { 'tus-resumable': '1.0.0' } });
    const isWhole = answer.ok && answer.headers.get('upload-offset') === answer.headers.get('upload-length');
    if (answer.ok && !isWhole) await store.write({ files: [[file, { status: 'pending', attempts: 0 }]] });
  }
  await store.write({ meta: { asks_files: false } });
};

/** Notes that another copy of this profile used a number, so that this change was not applied. @param {Store} store @param {number} no */
export const noteClone = async (store, no) => {
  const row = store.queue.find((one) => one.no === no);
  // Nor were later ones of its record, which are never sent before it. Under the old id they would be refused.
  const unapplied = store.queue.filter((one) => row && one.no >= no && one.device === row.device && one.type === row.type && one.id === row.id
    && one.status === 'pending' && !one.result);
  await store.write({
    mutations: unapplied.map((one) => [one, { doc: undefined }]),
    meta: store.meta.next_device ? {} : { next_device: crypto.randomUUID() },
  });
};

/** Becomes a new device, to which the changes move that were certainly not applied, under new numbers. @param {Store} store */
export const finishClone = async (store) => {
  const moved = store.queue.filter((row) => row.status === 'pending' && row.device === store.meta.device);
  await renumber(store, moved, { device: store.meta.next_device, next_device: undefined, registration: undefined, acked: 0 });
  await restartAll(store);
};

/**
 * Gives this device the changes that were refused under the id of an old one, and that a person wants to send again. Later
 * changes of their records get new numbers too, so that the numbers keep the order in which the changes were made.
 * @param {Store} store
 */
export const adopt = async (store) => {
  const { device } = store.meta;
  const strays = store.queue.filter((row) => row.status === 'pending' && row.device !== device);
  if (!strays.length) return;
  const follows = (/** @type {Mutation} */ row) => row.status === 'pending' && !row.doc
    && strays.some((one) => one.type === row.type && one.id === row.id && one.no < row.no);
  await renumber(store, store.queue.filter((row) => strays.includes(row) || follows(row)), { device });
};

/**
 * Gives changes to a device, under new numbers. A refusal under the old number is given up on the server, where nobody will
 * send the change again.
 * @param {Store} store
 * @param {Mutation[]} rows
 * @param {Record<string, any>} meta the device, and what else is to be written
 */
const renumber = async (store, rows, meta) => {
  const { device } = meta;
  await store.database.run(['meta', 'mutation', 'file'], 'readwrite', async (transaction) => {
    // Another tab may have taken a number meanwhile.
    const settings = transaction.objectStore('meta');
    let next = await result(settings.get('next_no')) ?? 1;
    const mutations = transaction.objectStore('mutation');
    for (const row of rows) {
      if (row.result) mutations.put({ ...row, status: 'failed', decision: 'discard', asks_retry: false, doc: undefined });
      else mutations.delete(row.no);
      mutations.put({ ...row, no: next, device, doc: undefined, result: undefined, answer: undefined, asks_retry: false });
      const file = row.file && store.files.get(row.file.id);
      if (file) transaction.objectStore('file').put({ ...file, no: next, device });
      next += 1;
    }
    for (const [key, value] of Object.entries({ ...meta, next_no: next })) settings.put(value, key);
  });
  await store.load();
};

/**
 * Drops own records that were deleted or are no longer the member's. Who may read only their own gets a sum of these, and
 * nothing of those that are not.
 * @param {Sync} sync
 * @param {{type: string, count: number, checksum: string}} sum the number of own records of a type, and the exclusive or of
 *   the last 16 digits of their ids
 * @returns {Promise<boolean>} true if some are missing, which only a pull from the beginning can bring
 */
export const reconcile = async (sync, { type, count, checksum }) => {
  const { store } = sync;
  if (!isKept(type)) return false;
  const keys = await store.database.run(['record'], 'readonly', (transaction) => result(transaction.objectStore('record').index('scope').getAllKeys(`${type}!own`)));
  const there = keys.map((key) => /** @type {string[]} */ (key)[1] ?? '');
  const digits = there.reduce((sum, id) => sum ^ BigInt(`0x${id.replaceAll('-', '').slice(-16)}`), 0n).toString(16).padStart(16, '0');
  if (there.length === count && digits === checksum) return false;
  /** @type {Set<string>} */
  const own = new Set();
  for (let after = '', hasMore = true; hasMore;) {
    const page = await json(await check(await sync.call(`/v1/sync/ids?type=${encodeURIComponent(type)}${after}`)));
    for (const id of page.ids) own.add(id);
    hasMore = page.has_more;
    after = `&after=${page.ids.at(-1)}`;
  }
  const gone = there.filter((id) => !own.has(id));
  if (gone.length) {
    const heads = new Map(store.heads.get(type));
    const changed = await store.database.run(['record', 'heads', 'mutation'], 'readwrite', async (transaction) => {
      const told = [];
      for (const id of gone) {
        transaction.objectStore('record').delete([type, id]);
        heads.delete(id);
        told.push(...await forget(store, transaction, type, id));
      }
      transaction.objectStore('heads').put([...heads.values()], type);
      return told;
    });
    store.renew(changed);
    store.heads.set(type, heads);
    store.changed();
  }
  return there.length < count;
};

// Stores an answer of the server: judgements and a page of changes in one transaction, with the cursor.
import { result } from './idb.js';
import { after, EVENTS, isFinal } from './item.js';
import { rewrite } from './store.js';
import { head } from './view.js';

/** @typedef {import('./store.js').Store} Store */
/** @typedef {import('./view.js').Mutation} Mutation */

/** The apps that this build shows; records of others are not kept. */
export const APPS = ['maintenance', 'macros', 'solar'];
export const isKept = (/** @type {string} */ type) => APPS.includes(type.split('.')[0] ?? '');

/**
 * Returns a change after the server's judgement of it.
 * @param {Mutation} row
 * @param {any} answer
 * @param {number} checkpoint the position in the feed that includes the effect
 * @returns {Mutation}
 */
export const judged = (row, answer, checkpoint) => {
  // The app was started again before the answer of a repetition came.
  if (row.status === 'pending') row = { ...row, ...after(row, 'upload') };
  const event = EVENTS[answer.result];
  if (row.status !== 'uploading' || !event) return row;
  row = { ...row, ...after(row, event) };
  if (!isFinal(answer.result)) return { ...row, answer: { code: answer.code, detail: answer.detail, blocked_by: answer.blocked_by } };
  return {
    ...row, result: answer.result, checkpoint, answered_at: Date.now(), decision: undefined,
    answer: row.status === 'synced' ? { version: answer.version } : answer,
  };
};

/**
 * Stores judgements, and a page that was asked for with a cursor. A page that comes too late is ignored.
 * @param {Store} store
 * @param {import('./store.js').Edit<Mutation>[]} edits the judgements
 * @param {any} page
 * @param {string | undefined} asked
 * @param {Record<string, any>} meta further values to store
 */
export const apply = async (store, edits, page, asked, meta = {}) => {
  const names = ['meta', 'record', 'heads', 'mutation', 'file'];
  /** @type {Map<string, Map<string, any>>} */
  const heads = new Map();
  /** @type {Mutation[]} */
  const changed = [];
  const isNews = page && page.changes.length + (page.removed_scopes?.length ?? 0) + (page.restarted_scopes?.length ?? 0) > 0;
  const written = await store.database.run(names, 'readwrite', async (transaction) => {
    const records = transaction.objectStore('record');
    changed.push(...(await rewrite(transaction.objectStore('mutation'), edits)).stored);
    const put = (/** @type {Record<string, any>} */ values) => {
      for (const [key, value] of Object.entries(values)) transaction.objectStore('meta').put(value, key);
      Object.assign(meta, values);
    };
    put(meta);
    if (!page || await result(transaction.objectStore('meta').get('cursor')) !== asked) return false;
    const rows = async (/** @type {string} */ type) => {
      const known = heads.get(type);
      if (known) return known;
      const list = await result(transaction.objectStore('heads').get(type)) ?? [];
      const map = new Map(list.map((/** @type {any} */ row) => [row.id, row]));
      heads.set(type, map);
      return map;
    };
    const remove = async (/** @type {string} */ type, /** @type {string} */ id) => {
      records.delete([type, id]);
      (await rows(type)).delete(id);
    };
    const inScope = (/** @type {string} */ scope) => result(records.index('scope').getAll(scope));
    for (const scope of page.removed_scopes ?? []) {
      for (const row of await inScope(scope)) { await remove(row.type, row.id); changed.push(...await forget(store, transaction, row.type, row.id)); }
    }
    let generation = store.meta.generation ?? 0;
    const stale = { ...store.meta.stale };
    for (const scope of page.restarted_scopes ?? []) stale[scope] = ++generation;
    for (const change of page.changes) {
      if (!isKept(change.type)) continue;
      if (change.op !== 'put') {
        await remove(change.type, change.id);
        if (change.op === 'leave') changed.push(...await forget(store, transaction, change.type, change.id));
        continue;
      }
      records.put({
        type: change.type, id: change.id, scope: change.scope ?? change.type, generation, version: change.version,
        fields: change.fields, files: change.files,
      });
      (await rows(change.type)).set(change.id, head(change.type, change.fields));
    }
    put({ cursor: page.cursor, epoch: page.epoch, generation, stale });
    if (!page.has_more) {
      put({ pulled: page.checkpoint, acked: page.acked_no, stale: {}, pulled_at: Date.now() });
      // What begins again and was not sent again is gone.
      for (const [scope, begun] of Object.entries(stale)) {
        const old = scope === '*' ? await result(records.getAll()) : await inScope(scope);
        for (const row of old) if (row.generation < begun) await remove(row.type, row.id);
      }
      // Rows that came from the copy of a lost database are those of its time.
      for (const type of store.meta.pulled_at ? [] : store.heads.keys()) {
        const there = await result(records.getAllKeys(IDBKeyRange.bound([type], [type, []])));
        const ids = new Set(there.map((key) => /** @type {string[]} */ (key)[1]));
        const map = await rows(type);
        for (const id of map.keys()) if (!ids.has(id)) map.delete(id);
      }
    }
    for (const [type, map] of heads) transaction.objectStore('heads').put([...map.values()], type);
    return true;
  });
  store.renew(changed);
  Object.assign(store.meta, meta);
  if (written) for (const [type, map] of heads) store.heads.set(type, map);
  if (isNews || edits.length) store.changed();
  return written;
};

/**
 * Removes the server's side of conflicts about a record that the person may no longer read.
 * @param {Store} store
 * @param {IDBTransaction} transaction
 * @param {string} type
 * @param {string} id
 * @returns {Promise<Mutation[]>} the changes as they are stored now
 */
export const forget = async (store, transaction, type, id) => {
  const isOfRecord = (/** @type {Mutation} */ row) => row.type === type && row.id === id;
  if (!store.queue.some(isOfRecord)) return [];
  const mutations = transaction.objectStore('mutation');
  const told = (await result(mutations.getAll())).filter((/** @type {Mutation} */ row) => isOfRecord(row) && row.answer?.server);
  return told.map((/** @type {Mutation} */ { ...row }) => {
    row.answer = { ...row.answer };
    delete row.answer.server;
    mutations.put(row);
    return row;
  });
};

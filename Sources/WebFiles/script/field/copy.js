// A second copy of what people entered and the server does not have. Chromium keeps all databases of a bucket in one LevelDB,
// and goes on with its log after a crash. When the power was lost in the middle of a write, the launch after the next one
// cannot read that log, and the browser deletes every database of the bucket without a word. A bucket of its own keeps the
// copy out of that. Other browsers have no buckets, and no such loss.
import { connect, result } from './idb.js';

/** @typedef {[store: string, key: any, value?: any]} Row a row that is deleted has no value */

const BUCKET = 'copy';
/** Milliseconds that a write of the database waits for its copy. */
const PATIENCE = 2_000;

/** @returns {Promise<IDBFactory | undefined>} */
const factory = async () => {
  const buckets = /** @type {any} */ (navigator).storageBuckets;
  return (await buckets?.open(BUCKET, { durability: 'strict' }).catch(() => undefined))?.indexedDB;
};

/** True if a database is there. The question that finds it broken fails, and the browser deletes it. @param {IDBFactory} place @param {string} name */
const has = async (place, name) => (await place.databases().catch(() => place.databases())).some((one) => one.name === name);
const keyOf = (/** @type {IDBObjectStore} */ store, /** @type {any} */ value, /** @type {any} */ key) => store.keyPath === null ? key : [store.keyPath].flat().map((part) => value[part])[0];

/** Stores whose keys are never used again, so that a row which is missing in the database was deleted. */
const LASTING = ['mutation', 'file', 'note'];

export class Copy {
  /** Writes in their order. @type {Promise<unknown>} */
  #turn = Promise.resolve();
  /** What the last writes could not store, as on a full phone. @type {Row[]} */
  #behind = [];
  /** @type {Promise<IDBDatabase | undefined> | undefined} */
  #connection;
  /** True while a write has not ended in time. */
  #isStuck = false;

  /** True once it is deleted. */
  isGone = false;

  /**
   * @param {string} name
   * @param {number} version
   * @param {(database: IDBDatabase) => void} upgrade
   * @param {Record<string, (value: any, key: any) => boolean>} rules which rows of which stores are copied; the bytes of a
   *   file go with it
   */
  constructor(name, version, upgrade, rules) {
    this.name = name;
    this.version = version;
    this.upgrade = upgrade;
    this.rules = rules;
  }

  async #open() {
    if (this.isGone) return undefined;
    this.#connection ??= factory().then((place) => place && connect(place, this.name, this.version, this.upgrade)).then((database) => {
      if (database) for (const name of ['close', 'versionchange']) database.addEventListener(name, (event) => {
        database.close();
        this.#connection = undefined;
        if (event instanceof IDBVersionChangeEvent && event.newVersion === null) this.isGone = true;
      });
      return database;
    }).catch(() => { this.#connection = undefined; return undefined; });
    return this.#connection;
  }

  /** Returns the rows of a database that the browser has lost; none if it is there, or was never. @returns {Promise<Row[]>} */
  async lost() {
    const place = await factory();
    if (!place || await has(indexedDB, this.name) || !await has(place, this.name)) return [];
    const database = await this.#open();
    return database ? rowsOf(database, [...Object.keys(this.rules), ...database.objectStoreNames.contains('bytes') ? ['bytes'] : []]) : [];
  }

  /** Notes what a transaction does, so that the copy can do it too. @param {IDBTransaction} transaction @param {Row[]} rows */
  watch(transaction, rows) {
    const copied = [...Object.keys(this.rules), 'bytes'];
    return new Proxy(transaction, { get: (target, name) => {
      const value = Reflect.get(target, name);
      if (name === 'objectStore') return (/** @type {string} */ store) => copied.includes(store) ? this.#watchStore(target.objectStore(store), rows) : target.objectStore(store);
      return typeof value === 'function' ? value.bind(target) : value;
    } });
  }

  /** @param {IDBObjectStore} store @param {Row[]} rows @returns {IDBObjectStore} */
  #watchStore(store, rows) {
    return new Proxy(store, { get: (target, name) => {
      const value = Reflect.get(target, name);
      if (typeof value !== 'function') return value;
      return (/** @type {any[]} */ ...all) => {
        if (name === 'put' || name === 'add') rows.push([target.name, keyOf(target, all[0], all[1]), all[0]]);
        if (name === 'delete') rows.push([target.name, all[0]]);
        return value.apply(target, all);
      };
    } });
  }

  /**
   * Writes what a transaction did, which follows with the next write if this one fails. Nobody waits for a copy that does not
   * answer, as on a full phone: the database itself has the rows.
   * @param {Row[]} rows
   */
  async write(rows) {
    if (!rows.length) return;
    const turn = this.#turn = this.#turn.then(() => this.#write(rows)).then(() => { if (this.#turn === turn) this.#isStuck = false; });
    if (this.#isStuck) return;
    let timer = 0;
    await Promise.race([turn, new Promise((resolve) => { timer = setTimeout(() => { this.#isStuck = true; resolve(undefined); }, PATIENCE); })]);
    clearTimeout(timer);
  }

  async #write(/** @type {Row[]} */ rows) {
    const database = await this.#open();
    if (!database) return;
    const all = [...this.#behind, ...rows];
    this.#behind = all;
    try {
      const transaction = database.transaction([...database.objectStoreNames], 'readwrite', { durability: 'strict' });
      for (const [name, key, value] of all) {
        const store = transaction.objectStore(name);
        const isKept = value !== undefined && (this.rules[name]?.(value, key) ?? name === 'bytes');
        if (isKept) store.put(value, store.keyPath === null ? key : undefined); else store.delete(key);
        if (name === 'file' && !isKept) transaction.objectStore('bytes').delete(key);
      }
      await ended(transaction);
      this.#behind = [];
    } catch { /* the database itself has it */ }
  }

  /** Adds what is missing, and removes what is too much: after an update of the app, and after a write that failed. @param {IDBDatabase} database */
  level(database) {
    this.#turn = this.#turn.then(async () => {
      const copy = await this.#open();
      if (!copy) return;
      const names = Object.keys(this.rules);
      const there = new Map((await rowsOf(copy, names)).map((row) => [`${row[0]} ${row[1]}`, row]));
      /** @type {Row[]} */
      const missing = [];
      for (const [name, key, value] of await rowsOf(database, names)) {
        if (!this.rules[name]?.(value, key)) continue;
        if (there.delete(`${name} ${key}`)) continue;
        missing.push([name, key, value]);
        if (name === 'file') missing.push(['bytes', key, await result(database.transaction('bytes').objectStore('bytes').get(key))]);
      }
      const extra = [...there.values()].filter(([name]) => LASTING.includes(name)).map(([name, key]) => /** @type {Row} */ ([name, key]));
      if (missing.length + extra.length) await this.#write([...missing, ...extra]);
    }).catch(() => undefined);
  }

  async close() {
    if (!this.#isStuck) await this.#turn;
    const connection = this.#connection;
    this.#connection = undefined;
    (await connection)?.close();
  }

  async destroy() {
    this.isGone = true;
    await this.close();
    const place = await factory();
    if (place) await result(place.deleteDatabase(this.name));
  }
}

/** @param {IDBTransaction} transaction @returns {Promise<void>} */
const ended = (transaction) => new Promise((resolve, reject) => {
  transaction.oncomplete = () => resolve();
  transaction.onabort = () => reject(transaction.error);
});

/** @param {IDBDatabase} database @param {string[]} names @returns {Promise<Row[]>} */
const rowsOf = async (database, names) => {
  const transaction = database.transaction(names);
  const parts = await Promise.all(names.map(async (name) => {
    const store = transaction.objectStore(name);
    const [keys, values] = await Promise.all([result(store.getAllKeys()), result(store.getAll())]);
    return keys.map((key, place) => /** @type {Row} */ ([name, key, values[place]]));
  }));
  return parts.flat();
};

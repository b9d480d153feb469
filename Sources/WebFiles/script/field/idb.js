// IndexedDB as promises. A write is done when its transaction is complete and on disk, not before.
import { Copy } from './copy.js';

/**
 * Opens a database.
 * @param {IDBFactory} place
 * @param {string} name
 * @param {number} version
 * @param {(database: IDBDatabase, transaction: IDBTransaction, old: number) => void} upgrade
 * @returns {Promise<IDBDatabase>}
 */
export const connect = (place, name, version, upgrade) => new Promise((resolve, reject) => {
  const request = place.open(name, version);
  request.onupgradeneeded = ({ oldVersion }) => upgrade(request.result, /** @type {IDBTransaction} */ (request.transaction), oldVersion);
  request.onerror = () => reject(request.error);
  request.onsuccess = () => resolve(request.result);
});

/**
 * A database that is opened again once when its connection is lost, as phones do that were asleep for long.
 */
export class Database {
  /** @type {Promise<IDBDatabase> | undefined} */
  #connection;

  /** True once rows came back from the copy, because the browser had lost the database. */
  isRestored = false;

  /** True once it is deleted, here or by another page. Work that still goes on must not make it again. */
  isGone = false;

  /** Called when another page has deleted it. */
  onGone = () => {};

  /** Ends when the copy has what was written last, or does not answer. @type {Promise<void>} */
  copied = Promise.resolve();

  /**
   * @param {string} name
   * @param {number} version
   * @param {(database: IDBDatabase) => void} upgrade adds stores, and removes none: an older build may be open
   * @param {Record<string, (value: any, key: any) => boolean>} copied the rows of which there is a second copy
   */
  constructor(name, version, upgrade, copied) {
    this.name = name;
    this.version = version;
    this.upgrade = upgrade;
    this.copy = new Copy(name, version, upgrade, copied);
  }

  /** @returns {Promise<IDBDatabase>} */
  open() {
    if (this.isGone) return Promise.reject(new DOMException('deleted', 'AbortError'));
    this.#connection ??= this.#begin().catch((error) => { this.#connection = undefined; throw error; });
    return this.#connection;
  }

  async #begin() {
    const rows = await this.copy.lost();
    const database = await connect(indexedDB, this.name, this.version, (database, transaction, old) => {
      this.upgrade(database);
      if (old || !rows.length) return;
      // In the transaction that makes the database: it is never there without them.
      for (const [name, key, value] of rows) {
        const store = transaction.objectStore(name);
        store.put(value, store.keyPath === null ? key : undefined);
      }
      this.isRestored = true;
    });
    database.onclose = () => { this.#connection = undefined; };
    database.onversionchange = ({ newVersion }) => {
      database.close();
      this.#connection = undefined;
      if (newVersion !== null) return;
      this.isGone = this.copy.isGone = true;
      this.onGone();
    };
    this.copy.level(database);
    return database;
  }

  /**
   * Runs a transaction. The body may await requests of the transaction, and nothing else.
   * @template T
   * @param {string[]} stores
   * @param {IDBTransactionMode} mode
   * @param {(transaction: IDBTransaction) => Promise<T> | T} body
   * @returns {Promise<T>} the value of the body, once the transaction is complete
   */
  async run(stores, mode, body) {
    let transaction;
    try {
      transaction = (await this.open()).transaction(stores, mode, { durability: 'strict' });
    } catch (error) {
      if (!(error instanceof DOMException) || error.name !== 'InvalidStateError') throw error;
      this.#connection = undefined;
      transaction = (await this.open()).transaction(stores, mode, { durability: 'strict' });
    }
    const ended = new Promise((resolve, reject) => {
      transaction.oncomplete = () => resolve(undefined);
      transaction.onabort = () => reject(transaction.error ?? new DOMException('aborted', 'AbortError'));
    });
    /** @type {import('./copy.js').Row[]} */
    const rows = [];
    let value;
    try {
      value = await body(mode === 'readonly' ? transaction : this.copy.watch(transaction, rows));
    } catch (error) {
      try { transaction.abort(); } catch { /* it has ended by itself */ }
      await ended.catch(() => undefined);
      // The cause, such as a full disk, is with the transaction.
      throw transaction.error ?? error;
    }
    await ended;
    // The caller changes what it holds in memory before anything else can read the rows.
    this.copied = this.copy.write(rows);
    return value;
  }

  async close() {
    const connection = this.#connection;
    this.#connection = undefined;
    (await connection?.catch(() => undefined))?.close();
    await this.copy.close();
  }

  /** Deletes the database, and its copy first: it must not bring the rows back. */
  async destroy() {
    this.isGone = true;
    await this.copy.destroy();
    await this.close();
    await result(indexedDB.deleteDatabase(this.name));
  }
}

/**
 * The result of a request.
 * @template T
 * @param {IDBRequest<T>} request
 * @returns {Promise<T>}
 */
export const result = (request) => new Promise((resolve, reject) => {
  request.onsuccess = () => resolve(request.result);
  request.onerror = (event) => { event.preventDefault(); event.stopPropagation(); request.transaction?.abort(); reject(request.error); };
});

/** @param {unknown} error */
export const isFull = (error) => error instanceof DOMException && error.name === 'QuotaExceededError';

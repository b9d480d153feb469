// IndexedDB as promises. A write is done when its transaction is complete and on disk, not before.

/**
 * A database that is opened again once when its connection is lost, as phones do that were asleep for long.
 */
export class Database {
  /** @type {Promise<IDBDatabase> | undefined} */
  #connection;

  /**
   * @param {string} name
   * @param {number} version
   * @param {(database: IDBDatabase) => void} upgrade adds stores, and removes none: an older build may be open
   */
  constructor(name, version, upgrade) {
    this.name = name;
    this.version = version;
    this.upgrade = upgrade;
  }

  /** @returns {Promise<IDBDatabase>} */
  open() {
    this.#connection ??= new Promise((resolve, reject) => {
      const request = indexedDB.open(this.name, this.version);
      request.onupgradeneeded = () => this.upgrade(request.result);
      request.onerror = () => { this.#connection = undefined; reject(request.error); };
      request.onsuccess = () => {
        const database = request.result;
        database.onclose = () => { this.#connection = undefined; };
        database.onversionchange = () => { database.close(); this.#connection = undefined; };
        resolve(database);
      };
    });
    return this.#connection;
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
    let value;
    try {
      value = await body(transaction);
    } catch (error) {
      try { transaction.abort(); } catch { /* it has ended by itself */ }
      await ended.catch(() => undefined);
      // The cause, such as a full disk, is with the transaction.
      throw transaction.error ?? error;
    }
    await ended;
    return value;
  }

  async close() {
    const connection = this.#connection;
    this.#connection = undefined;
    (await connection?.catch(() => undefined))?.close();
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

// All that the phone keeps for one account: records, the queue of changes, photos and drafts.
import { Database, result } from './idb.js';
import { fold, isAbove } from './view.js';
import { isOpen, isRefused } from './item.js';
import { readable } from './net.js';

/** @typedef {import('./view.js').Mutation} Mutation */

/**
 * @template T
 * @typedef {[T, Partial<T> | ((now: T) => Partial<T> | undefined)]} Edit a row as it was read, and the values that change
 */

const STORES = ['meta', 'type', 'record', 'heads', 'mutation', 'file', 'bytes', 'note', 'draft', 'log'];

/** Adds the stores that are missing. Later builds add more, and older ones go on with those they know. @param {IDBDatabase} database */
const upgrade = (database) => {
  const has = (/** @type {string} */ name) => database.objectStoreNames.contains(name);
  for (const name of ['meta', 'heads']) if (!has(name)) database.createObjectStore(name);
  if (!has('type')) database.createObjectStore('type', { keyPath: 'name' });
  if (!has('record')) database.createObjectStore('record', { keyPath: ['type', 'id'] }).createIndex('scope', 'scope');
  if (!has('mutation')) database.createObjectStore('mutation', { keyPath: 'no' });
  for (const name of ['file', 'note']) if (!has(name)) database.createObjectStore(name, { keyPath: 'id' });
  if (!has('bytes')) database.createObjectStore('bytes');
  if (!has('draft')) database.createObjectStore('draft', { keyPath: 'form' });
  if (!has('log')) database.createObjectStore('log', { autoIncrement: true });
};

/** What the copy has of `meta`: what numbers the next change, and with the types what draws screens without a network. */
const COPIED_META = ['device', 'next_no', 'next_device', 'offset', 'me', 'apps', 'members', 'zone', 'lang', 'language'];

/** Of what people entered and the server does not have, the phone has two copies. */
const COPIED = {
  meta: (/** @type {any} */ value, /** @type {any} */ key) => value !== undefined && COPIED_META.includes(key),
  type: () => true,
  // A report needs these.
  heads: (/** @type {any} */ rows, /** @type {any} */ type) => ['maintenance.machine', 'maintenance.category'].includes(type),
  mutation: (/** @type {any} */ row) => isOpen(row.status),
  file: (/** @type {any} */ row) => isOpen(row.status),
  note: (/** @type {any} */ row) => row.status !== 'synced',
  draft: () => true,
};

/**
 * Changes stored rows. The sending of changes, a person's decisions and other tabs work on the same rows at the same time, and
 * each knows only what it has read: values that it does not change stay as others have written them meanwhile, and a row whose
 * status has changed, or that is gone, stays as it is.
 * @template {{status: string}} T
 * @param {IDBObjectStore} rows
 * @param {Edit<T>[]} edits
 * @returns {Promise<{stored: T[], isWhole: boolean}>} the rows as they are now, and whether all edits were done
 */
export const rewrite = async (rows, edits) => {
  const stored = [];
  let isWhole = true;
  for (const [read, edit] of edits) {
    const now = await result(rows.get(/** @type {any} */ (read)[/** @type {string} */ (rows.keyPath)]));
    const values = now?.status === read.status ? typeof edit === 'function' ? edit(now) : edit : undefined;
    if (values) rows.put({ ...now, ...values }); else isWhole = false;
    if (now) stored.push({ ...now, ...values });
  }
  return { stored, isWhole };
};

export class Store extends EventTarget {
  /** What the phone knows of itself and of the server: device, cursor, epoch, numbers. @type {Record<string, any>} */
  meta = {};
  /** @type {Map<string, any>} */
  types = new Map();
  /** @type {Map<string, Map<string, any>>} */
  heads = new Map();
  /** The queue, by number. @type {Mutation[]} */
  queue = [];
  /** Photos without their bytes, by id. @type {Map<string, any>} */
  files = new Map();
  /** Comments that wait. @type {any[]} */
  notes = [];

  /** @param {{key: string, user: string, name: string}} account */
  constructor(account) {
    super();
    this.account = account;
    this.me = { id: account.user, name: account.name };
    this.database = new Database(`fettle ${account.key}`, 1, upgrade, COPIED);
    this.database.onGone = () => { this.dispatchEvent(new Event('gone')); };
    this.channel = new BroadcastChannel(`fettle ${account.key}`);
    this.channel.onmessage = async () => { await this.load(); this.dispatchEvent(new Event('change')); };
  }

  close() { this.channel.close(); return this.database.close(); }

  /** Reads everything that lists need. Records are read one at a time. */
  async load() {
    const names = ['meta', 'type', 'heads', 'mutation', 'file', 'note'];
    await this.database.run(names, 'readonly', async (transaction) => {
      const all = (/** @type {string} */ name) => result(transaction.objectStore(name).getAll());
      const keys = (/** @type {string} */ name) => result(transaction.objectStore(name).getAllKeys());
      const [metaKeys, meta, headKeys, heads, types, queue, files, notes] = await Promise.all([
        keys('meta'), all('meta'), keys('heads'), all('heads'), all('type'), all('mutation'), all('file'), all('note'),
      ]);
      this.meta = Object.fromEntries(metaKeys.map((key, index) => [key, meta[index]]));
      this.types = new Map(types.map((type) => [type.name, type]));
      this.heads = new Map(headKeys.map((key, index) => [String(key), new Map(heads[index].map((/** @type {any} */ row) => [row.id, row]))]));
      this.queue = queue;
      this.files = new Map(files.map((file) => [file.id, file]));
      this.notes = notes;
    });
    if (this.database.isRestored) {
      this.database.isRestored = false;
      await this.log('the browser had lost the storage; what waits came back from the copy');
    }
    if (!this.meta.device) {
      // Two tabs may open the account for the first time: the first one chooses.
      this.meta.device = await this.database.run(['meta'], 'readwrite', async (transaction) => {
        const meta = transaction.objectStore('meta');
        const device = await result(meta.get('device')) ?? crypto.randomUUID();
        meta.put(device, 'device');
        return device;
      });
    }
    return this;
  }

  /** Tells this page and the other tabs that something has changed. */
  changed() {
    this.dispatchEvent(new Event('change'));
    this.channel.postMessage('changed');
  }

  get marks() { return { device: this.meta.device, pulled: this.meta.pulled ?? 0, acked: this.meta.acked ?? 0 }; }

  /** The time by the server's clock, as far as it is known. */
  now() { return new Date(Date.now() + (this.meta.offset ?? 0)); }

  /**
   * Stores changes with their numbers, and the bytes of photos, in one transaction. Once this returns, nothing is lost
   * by a crash.
   * @param {Partial<Mutation>[]} changes
   * @param {{draft?: string, bytes?: Map<string, ArrayBuffer>, thumbs?: Map<string, ArrayBuffer>, ended?: Edit<Mutation>}} [more]
   *   `ended` ends the change that these take the place of
   */
  async save(changes, { draft, bytes, thumbs, ended } = {}) {
    const time = this.now().toISOString();
    /** @type {Mutation[]} */
    let ends = [];
    const rows = await this.database.run(['meta', 'mutation', 'file', 'bytes', 'draft'], 'readwrite', async (transaction) => {
      const meta = transaction.objectStore('meta');
      const [next, device] = await Promise.all([result(meta.get('next_no')), result(meta.get('device'))]);
      const rows = changes.map((change, index) => /** @type {Mutation} */ ({
        client_time: time, ...readable(change), no: (next ?? 1) + index, device, status: 'pending', attempts: 0,
      }));
      for (const row of rows) {
        transaction.objectStore('mutation').add(row);
        if (row.op !== 'attach') continue;
        transaction.objectStore('file').put({
          ...row.file, type: row.type, record: row.id, no: row.no, device, status: 'pending', attempts: 0, thumb: thumbs?.get(row.file.id),
        });
        const content = bytes?.get(row.file.id);
        if (content) transaction.objectStore('bytes').put(content, row.file.id);
      }
      meta.put((next ?? 1) + rows.length, 'next_no');
      if (draft) transaction.objectStore('draft').delete(draft);
      if (ended) ends = (await rewrite(transaction.objectStore('mutation'), [ended])).stored;
      return rows;
    });
    this.renew(ends);
    this.queue = [...this.queue, ...rows];
    this.meta.next_no = (rows.at(-1)?.no ?? this.meta.next_no) + 1;
    for (const row of rows) {
      if (row.op === 'attach') this.files.set(row.file.id, { ...row.file, type: row.type, record: row.id, no: row.no, device: row.device, status: 'pending', attempts: 0, thumb: thumbs?.get(row.file.id) });
    }
    this.changed();
    this.dispatchEvent(new Event('saved'));
    await this.database.copied;
    return rows;
  }

  /**
   * Changes rows of stores, and the copies in memory.
   * @param {{mutations?: Edit<Mutation>[], files?: Edit<any>[], notes?: Edit<any>[], meta?: Record<string, any>, types?: any[]}} what
   * @returns {Promise<boolean>} false if some rows had changed too much meanwhile, and stay as they are
   */
  async write({ mutations = [], files = [], notes = [], meta = {}, types = [] }) {
    if (mutations.length + files.length + notes.length + types.length + Object.keys(meta).length === 0) return true;
    const done = await this.database.run(['meta', 'type', 'mutation', 'file', 'note'], 'readwrite', async (transaction) => {
      for (const row of types) transaction.objectStore('type').put(row);
      for (const [key, value] of Object.entries(meta)) transaction.objectStore('meta').put(value, key);
      const edit = (/** @type {string} */ name, /** @type {Edit<any>[]} */ edits) => rewrite(transaction.objectStore(name), edits);
      return { mutations: await edit('mutation', mutations), files: await edit('file', files), notes: await edit('note', notes) };
    });
    this.renew(done.mutations.stored);
    for (const row of done.files.stored) this.files.set(row.id, row);
    this.notes = this.notes.map((row) => done.notes.stored.find(({ id }) => id === row.id) ?? row);
    for (const row of types) this.types.set(row.name, row);
    Object.assign(this.meta, meta);
    this.changed();
    return Object.values(done).every(({ isWhole }) => isWhole);
  }

  /** Takes rows of the queue into memory, as they are stored. @param {Mutation[]} rows */
  renew(rows) {
    const renewed = new Map(rows.map((row) => [row.no, row]));
    this.queue = this.queue.map((row) => renewed.get(row.no) ?? row);
  }

  /** Adds a comment that waits to be sent. @param {any} note */
  async comment(note) {
    const row = { ...note, body: readable(note.body) };
    await this.database.run(['note'], 'readwrite', (transaction) => { transaction.objectStore('note').add(row); });
    this.notes.push(row);
    this.changed();
    this.dispatchEvent(new Event('saved'));
  }

  /** The changes of a record that the server's image does not have. @param {string} type @param {string} id */
  above(type, id) {
    const marks = this.marks;
    return this.queue.filter((row) => row.type === type && row.id === id && isAbove(row, marks));
  }

  /** The changes that wait for the network or for a person. */
  get open() { return this.queue.filter((row) => isOpen(row.status)); }

  /** True if changes, photos or comments wait to be sent. */
  get waits() {
    const waiting = (/** @type {{status: string}} */ { status }) => status === 'pending' || status === 'uploading';
    return this.queue.some(waiting) || [...this.files.values()].some(waiting) || this.notes.some(waiting);
  }

  /**
   * Returns a record as a person sees it, with the server's image and the photos; null if it is not here.
   * @param {string} type
   * @param {string} id
   */
  async record(type, id) {
    const image = await this.database.run(['record'], 'readonly', (transaction) => result(transaction.objectStore('record').get([type, id])));
    const above = this.above(type, id);
    const fields = fold(image?.fields, above, this.types.get(type), this.me);
    return fields && { fields, image: image?.fields, version: image?.version ?? 0, files: image?.files ?? [], above };
  }

  /**
   * Returns the rows of a type as a person sees them. `waits` of a row is its change that waits: for a person, if there is one.
   * @param {string} type @returns {any[]}
   */
  rows(type) {
    const marks = this.marks;
    const rows = new Map(this.heads.get(type) ?? []);
    /** @type {Map<string, Mutation[]>} */
    const changes = new Map();
    for (const row of this.queue) {
      if (row.type === type && isAbove(row, marks)) changes.set(row.id, [...changes.get(row.id) ?? [], row]);
    }
    for (const [id, above] of changes) {
      const row = fold(rows.get(id), above, this.types.get(type), this.me);
      const open = above.filter(({ status }) => isOpen(status));
      if (row) rows.set(id, { ...row, waits: open.find(isRefused) ?? open[0] }); else rows.delete(id);
    }
    return [...rows.values()];
  }

  /** The row of a record in its list. @param {string} type @param {string | null | undefined} id */
  row(type, id) {
    if (!id) return undefined;
    const above = this.above(type, id);
    return above.length ? fold(this.heads.get(type)?.get(id), above, this.types.get(type), this.me) : this.heads.get(type)?.get(id);
  }

  /** @param {string} id */
  bytes(id) { return this.database.run(['bytes'], 'readonly', (transaction) => result(transaction.objectStore('bytes').get(id))); }

  /** @param {string} form */
  draft(form) { return this.database.run(['draft'], 'readonly', (transaction) => result(transaction.objectStore('draft').get(form))); }

  /** @returns {Promise<any[]>} */
  drafts() { return this.database.run(['draft'], 'readonly', (transaction) => result(transaction.objectStore('draft').getAll())); }

  /** @param {string} form @param {any} value null removes the draft */
  keep(form, value) {
    return this.database.run(['draft'], 'readwrite', (transaction) => {
      const drafts = transaction.objectStore('draft');
      if (value) drafts.put({ form, ...value }); else drafts.delete(form);
    });
  }

  /** Adds a line to the log, which has the last 500. @param {string} text */
  async log(text) {
    await this.database.run(['log'], 'readwrite', async (transaction) => {
      const log = transaction.objectStore('log');
      const key = Number(await result(log.add({ at: new Date().toISOString(), text })));
      log.delete(IDBKeyRange.upperBound(key - 500));
    }).catch(() => undefined);
  }

  /** @returns {Promise<{at: string, text: string}[]>} */
  lines() { return this.database.run(['log'], 'readonly', (transaction) => result(transaction.objectStore('log').getAll())); }

  /** Makes space: photos that were sent, then done records. The queue is never touched. */
  async makeSpace() {
    const sent = [...this.files.values()].filter(({ status }) => status === 'synced').map(({ id }) => id);
    await this.database.run(['bytes', 'record', 'heads'], 'readwrite', async (transaction) => {
      for (const id of sent) transaction.objectStore('bytes').delete(id);
      if (sent.length) return;
      for (const [type, rows] of this.heads) {
        const done = [...rows.values()].filter((row) => row.status_category === 'done' && !this.above(type, row.id).length);
        for (const row of done) { transaction.objectStore('record').delete([type, row.id]); rows.delete(row.id); }
        if (done.length) transaction.objectStore('heads').put([...rows.values()], type);
      }
    }).catch(() => undefined);
  }

  /** Removes everything of the account from the phone. */
  async destroy() {
    this.channel.close();
    await this.database.destroy();
  }
}

export { STORES };

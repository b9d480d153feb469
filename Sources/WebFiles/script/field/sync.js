// Sends the queue and pulls what others changed, until there is nothing left to do. One tab at a time sends for an account.
import { call, renew, setting } from './account.js';
import { decide, refreshDecisions } from './decide.js';
import { sendFiles, sendNotes } from './files.js';
import { isFull } from './idb.js';
import { after, isFinal, isRefused, LIMITS } from './item.js';
import { check, json, NetError, readable } from './net.js';
import { apply, judged } from './page.js';
import { adopt, finishClone, noteClone, rebuild, reconcile, restartAll, restoreFiles } from './rebuild.js';

/** @typedef {import('./store.js').Store} Store */
/** @typedef {import('./view.js').Mutation} Mutation */

/** The version of the record types that this build knows. */
const SCHEMA = 1;
/** Done records that are older stay on the server. */
export const DONE_DAYS = 90;

export class Sync extends EventTarget {
  /** Why the last attempt did not end: `offline`, `signed-out`, `outdated`, `revoked`, or the code of a problem. */
  problem = '';
  /** What the server said, if it refuses the same request also later. */
  refusal = '';
  isBusy = false;
  #failures = 0;
  #again = false;

  /** @param {Store} store */
  constructor(store) {
    super();
    this.store = store;
  }

  /** @param {string} path @param {any} [options] @returns {Promise<Response>} */
  call(path, options) {
    return call(this.store.account.key, path, options, (offset) => {
      if (Math.abs(offset - (this.store.meta.offset ?? 0)) > 2_000) this.store.write({ meta: { offset } });
    });
  }

  /** Synchronises, or once more if it is being done already. @returns {Promise<boolean>} true if everything was answered */
  async run() {
    if (this.isBusy) { this.#again = true; return false; }
    this.isBusy = true;
    this.dispatchEvent(new Event('state'));
    try {
      do {
        this.#again = false;
        await navigator.locks.request(`fettle ${this.store.account.key}`, () => this.#all());
      } while (this.#again);
      this.#failures = 0;
      this.#say('');
      return true;
    } catch (error) {
      // The person has signed out: an account that is stored again would be offered for signing in.
      if (this.store.database.isGone) return false;
      if (isFull(error)) { this.#failures += 1; await this.store.makeSpace(); this.#say('full'); return false; }
      if (!(error instanceof NetError)) { this.#say('broken'); await this.store.log(String(error)); throw error; }
      this.#failures = Math.min(this.#failures + 1, 10);
      this.retryAfter = error.retryAfter;
      this.refusal = error.kind === 'refused' && !error.isBusy ? error.message : '';
      this.#say(error.kind === 'refused' ? error.code || 'refused' : error.kind);
      return false;
    } finally {
      this.isBusy = false;
      this.dispatchEvent(new Event('state'));
    }
  }

  /** Milliseconds until the next attempt by itself: twice as long after each failure, up to five minutes. */
  get pause() {
    if (!this.#failures) return 30_000;
    const full = Math.min(300, 2 ** this.#failures, 300) * 1_000;
    return Math.max(full / 2 + Math.random() * full / 2, (this.retryAfter ?? 0) * 1_000);
  }

  /** @param {string} problem */
  #say(problem) {
    if (problem !== this.problem) this.store.log(problem || 'synchronised');
    this.problem = problem;
    const account = this.store.account;
    const isOut = problem === 'signed-out';
    if (isOut !== !!account.isOut && (isOut || !problem)) { account.isOut = isOut; renew(account); }
  }

  async #all() {
    const { store } = this;
    // Another tab may have sent meanwhile.
    await store.load();
    await store.write({ mutations: restarted(store.queue), files: restarted([...store.files.values()]) });
    await this.#describe();
    await this.register(false);
    await adopt(store);
    await decide(this);
    /** @type {{most: number, pushes: boolean, checks?: boolean, isChecked?: boolean, isRestarted?: boolean, isRegistered?: boolean, isRebuilt?: boolean, refusal?: NetError}} */
    const run = { most: LIMITS.mutations, pushes: true };
    while (await this.#round(run)) { /* a request each */ }
    await restoreFiles(this);
    await sendFiles(this);
    await sendNotes(this);
    await refreshDecisions(this, !!run.isRebuilt);
    await this.#prune();
    if (run.refusal) throw run.refusal;
  }

  /** Asks for the description of types, rights and names, which change rarely. */
  async #describe() {
    const { store } = this;
    if (store.meta.described > Date.now() - 600_000) return;
    const ask = async (/** @type {string} */ path, /** @type {string} */ name) => {
      const tag = store.meta[`tag ${name}`];
      const answer = await this.call(path, { headers: tag ? { 'if-none-match': tag } : {} });
      if (answer.status === 403 || answer.status === 304) return undefined;
      const body = await json(await check(answer));
      return { body, tag: answer.headers.get('etag') ?? undefined };
    };
    const me = await ask('/v1/me', 'me');
    const preferences = await ask('/v1/me/preferences', 'preferences');
    const language = preferences ? preferences.body.language ?? preferences.body.company_language : store.meta.language ?? '';
    const wanted = await setting('language') || language;
    const lang = ['en', 'sv'].includes(wanted) ? wanted : navigator.language.startsWith('sv') ? 'sv' : 'en';
    const types = await ask(`/v1/types?lang=${lang}`, `types ${lang}`);
    const members = await ask('/v1/members?fields=id,name&limit=200&removed=true', 'members');
    /** @type {Record<string, any>} */
    const meta = { described: Date.now(), language, lang };
    if (me) Object.assign(meta, { me: { id: me.body.id, role: me.body.role, permissions: me.body.permissions }, zone: me.body.company.timezone });
    if (types) Object.assign(meta, { [`tag types ${lang}`]: types.tag, apps: types.body.apps });
    if (members) {
      const list = [...members.body.items];
      for (let { next } = members.body; next;) {
        const page = await json(await check(await this.call(`/v1/members?fields=id,name&limit=200&removed=true&after=${encodeURIComponent(next)}`)));
        list.push(...page.items);
        next = page.next;
      }
      Object.assign(meta, { members: list, 'tag members': list.length < 200 ? members.tag : undefined });
    }
    await store.write({ meta, types: types?.body.types ?? [] });
  }

  /** Registers the device, unless it is registered with the same description. @param {boolean} isForced */
  async register(isForced) {
    const { store } = this;
    const name = `${store.account.name || 'Fettle'} · ${/Android|iPhone|iPad|Windows|Mac|Linux/.exec(navigator.userAgent)?.[0] ?? 'web'}`.slice(0, 200);
    const device = { id: store.meta.device, name, platform: 'web', schema_version: SCHEMA, done_days: DONE_DAYS };
    const text = JSON.stringify(device);
    if (!isForced && store.meta.registration === text) return;
    await check(await this.call('/v1/sync/devices', { json: device }));
    await store.write({ meta: { registration: text } });
  }

  /** Sends one request. @param {any} run @returns {Promise<boolean>} true if another one follows */
  async #round(run) {
    const { store } = this;
    const cursor = store.meta.cursor;
    const batch = run.pushes && !run.checks ? await this.#take(run.most) : [];
    let answer;
    try {
      answer = batch.length || run.checks || run.pushes && this.#queue(batch).told !== store.meta.told
        ? await this.call('/v1/sync/exchange', { json: { push: this.#push(batch), cursor, limit: LIMITS.page }, timeout: 60_000 })
        : await this.call(`/v1/sync/changes?device=${store.meta.device}&limit=${LIMITS.page}${cursor ? `&cursor=${encodeURIComponent(cursor)}` : ''}`, { timeout: 60_000 });
      await check(answer);
      return await this.#store(await json(answer), batch, cursor, run);
    } catch (error) {
      // A phone cannot tell a request that was not sent from an answer that was lost: neither counts as a failed attempt.
      await store.write({ mutations: restarted(batch) });
      if (!(error instanceof NetError) || error.kind !== 'refused') throw error;
      return this.#refused(error, batch, cursor, run);
    }
  }

  /** Chooses the changes that can be sent now, oldest first, and marks them. @param {number} most @returns {Promise<Mutation[]>} */
  async #take(most) {
    const { store } = this;
    /** @type {Set<string>} */
    const held = new Set();
    /** @type {Mutation[]} */
    const batch = [];
    let bytes = 0;
    for (const row of store.queue) {
      const key = `${row.type} ${row.id}`;
      if (isRefused(row)) held.add(key);
      if (row.device !== store.meta.device) continue;
      if (row.status !== 'pending' || held.has(key) || store.meta.next_device && !row.doc) continue;
      const doc = row.doc ?? document(row);
      bytes += doc.length * 2;
      if (batch.length >= most || batch.length && bytes > LIMITS.bytes / 2) break;
      batch.push({ ...row, doc });
    }
    await store.write({ mutations: batch.map((row) => [row, { doc: row.doc, ...after(row, 'upload') }]) });
    return batch.map((row) => ({ ...row, ...after(row, 'upload') }));
  }

  /** @param {Mutation[]} batch */
  #push(batch) {
    const { store } = this;
    const unanswered = store.queue.filter(({ status, result, device }) => device === store.meta.device && (status === 'pending' || status === 'uploading' || status === 'failed' && !result));
    const confirmed = (unanswered.length ? Math.min(...unanswered.map(({ no }) => no)) : store.meta.next_no ?? 1) - 1;
    return {
      device_id: store.meta.device, epoch: store.meta.epoch, schema_version: SCHEMA, confirmed_no: confirmed, queue: this.#queue(batch).queue,
      mutations: batch.map(({ doc }) => JSON.parse(doc ?? '')),
    };
  }

  /** What operators are told about what waits here. @param {Mutation[]} batch */
  #queue(batch) {
    const sent = new Set(batch.map(({ no }) => no));
    const rest = this.store.open.filter(({ no }) => !sent.has(no));
    const pending = rest.filter(({ status }) => status === 'pending');
    const failed = rest.filter(({ status, result }) => status === 'failed' && !result).length;
    const queue = { pending: pending.length, failed, ...(pending[0] ? { oldest: pending[0].client_time } : {}) };
    return { queue, told: `${pending.length} ${failed}` };
  }

  /** @param {any} body @param {Mutation[]} batch @param {string | undefined} asked @param {any} run */
  async #store(body, batch, asked, run) {
    const { store } = this;
    const page = body.changes && !Array.isArray(body.changes) ? body.changes : body;
    const results = body.push?.results ?? [];
    if (!Array.isArray(page.changes) || typeof page.cursor !== 'string') throw new NetError('offline');
    const checkpoint = Math.max(page.checkpoint, body.push?.checkpoint ?? 0);
    /** @type {Map<number, import('./store.js').Edit<Mutation>>} */
    const edits = new Map();
    const edit = (/** @type {number} */ no, /** @type {(now: Mutation) => Partial<Mutation>} */ values) => {
      const row = store.queue.find((one) => one.no === no);
      if (row && !edits.has(no)) edits.set(no, [row, values]);
    };
    for (const result of results) edit(result.no, (now) => judged(now, result, checkpoint));
    // Without a judgement, a change waits as before.
    for (const { no } of batch) edit(no, (now) => after(now, 'restart'));
    const retried = new Set([...page.retry ?? [], ...body.push?.retry ?? []]);
    for (const { no } of store.queue.filter((one) => retried.has(one.no) && isRefused(one))) edit(no, (now) => after(now, 'retry'));
    const isOther = store.meta.epoch && store.meta.epoch !== page.epoch;
    await apply(store, [...edits.values()], isOther ? undefined : page, asked, body.push ? { told: this.#queue(batch).told } : {});
    for (const row of store.queue) if (batch.length && edits.has(row.no)) store.log(`${row.no} ${row.op} ${row.type}: ${row.result ?? row.answer?.code ?? row.status}`);
    if (isOther) return this.#rebuild(run);
    if (run.checks) { run.checks = false; run.isChecked = true; return true; }
    if (await this.#reconcile(page) && !run.isRestarted) { run.isRestarted = true; await restartAll(store); return true; }
    if (batch.length && !results.some((/** @type {any} */ one) => isFinal(one.result))) run.pushes = false;
    const waits = run.pushes && batch.length > 0 && store.queue.some(({ status, device, doc }) => status === 'pending' && device === store.meta.device && (!store.meta.next_device || doc));
    if (page.has_more) return true;
    if (!waits && store.meta.next_device) { await finishClone(store); await this.register(true); run.pushes = true; return true; }
    return waits;
  }

  /** Compares own records with the server's sums. @param {any} page @returns {Promise<boolean>} true if some are missing */
  async #reconcile(page) {
    let isMissing = false;
    for (const sum of page.has_more ? [] : page.own ?? []) isMissing = await reconcile(this, sum) || isMissing;
    return isMissing;
  }

  /** Handles the refusal of a whole request. @param {NetError} error @param {Mutation[]} batch @param {string | undefined} cursor @param {any} run */
  async #refused(error, batch, cursor, run) {
    const { store } = this;
    const { code, problem, status } = error;
    if (code === 'resync_required' && problem.reason === 'restored') return this.#rebuild(run);
    if ((code === 'resync_required' || code === 'invalid_input' && !batch.length && cursor) && !run.isRestarted) {
      run.isRestarted = true;
      await restartAll(store);
      return true;
    }
    if (code === 'device_cloned' && batch.some(({ no }) => no === problem.no)) { await noteClone(store, problem.no); return true; }
    if (code === 'not_found' && !run.isRegistered) { run.isRegistered = true; await this.register(true); return true; }
    if ([400, 413, 422].includes(status) && batch.length) {
      // One change that the server cannot read does not keep the others from being sent. An answer that does not name it leaves
      // halves to try, once a request without changes was accepted: the fault may be elsewhere.
      const unreadable = batch[problem.mutation] ?? (batch.length === 1 ? batch[0] : undefined);
      if (unreadable && (run.isChecked || problem.mutation !== undefined)) {
        const rejected = after({ ...unreadable, status: 'uploading' }, 'reject');
        await store.write({ mutations: [[{ ...unreadable, status: 'pending' }, { ...rejected, doc: undefined, answer: { code, detail: problem.detail } }]] });
        run.most = LIMITS.mutations;
      } else if (run.isChecked || status === 413 && batch.length > 1) run.most = Math.ceil(batch.length / 2);
      else run.checks = true;
      return true;
    }
    if (!batch.length && !run.checks || status >= 500 || [401, 426, 429].includes(status) || code === 'device_revoked') throw error;
    Object.assign(run, { checks: false, pushes: false, refusal: error });
    return true;
  }

  /** @param {any} run */
  async #rebuild(run) {
    if (run.isRebuilt) throw new NetError('refused', { code: 'unavailable' }, 503);
    run.isRebuilt = true;
    run.pushes = true;
    await rebuild(this);
    return true;
  }

  /** Forgets changes whose answer is older than 30 days; until then they can be sent again after a restore. */
  async #prune() {
    const { store } = this;
    const old = store.queue.filter((row) => (row.status === 'synced' || row.status === 'resolved') && (row.answered_at ?? 0) < Date.now() - 30 * 86_400_000 && (row.checkpoint ?? 0) <= store.marks.pulled);
    if (!old.length) return;
    const sent = new Set(old.map(({ no }) => no));
    await store.database.run(['mutation', 'file', 'bytes'], 'readwrite', (transaction) => {
      for (const no of sent) transaction.objectStore('mutation').delete(no);
      for (const file of store.files.values()) {
        if (!sent.has(file.no) || file.status !== 'synced') continue;
        transaction.objectStore('file').delete(file.id);
        transaction.objectStore('bytes').delete(file.id);
      }
    });
    store.queue = store.queue.filter(({ no }) => !sent.has(no));
  }
}

/**
 * What was being sent waits again.
 * @template {{status: import('./item.js').Status, attempts: number}} T
 * @param {T[]} rows
 */
const restarted = (rows) => rows.filter(({ status }) => status === 'uploading')
  .map((row) => /** @type {import('./store.js').Edit<T>} */ ([row, after(row, 'restart')]));

/** The text of a change that is sent for the first time; a repetition has the same text. @param {Mutation} row */
const document = ({ no, type, id, op, fields, base_version: base, transition, comment, file, client_time: time }) => JSON.stringify(readable({
  no, type, id, op, client_time: time,
  ...(op === 'create' || op === 'patch' || Object.keys(fields ?? {}).length ? { fields: fields ?? {} } : {}),
  ...(op === 'patch' ? { base_version: Math.max(1, base ?? 1) } : {}),
  ...(transition ? { transition } : {}), ...(comment ? { comment } : {}), ...(file ? { file } : {}),
}));

// Decisions of a person about changes that wait: sent when there is a network, and learnt from elsewhere.
import { after } from './item.js';
import { check, json, NetError } from './net.js';

/** @typedef {import('./sync.js').Sync} Sync */
/** @typedef {import('./view.js').Mutation} Mutation */

/**
 * Sends the decisions that were taken on this phone. One that the server cannot judge now waits, like a change that it cannot
 * judge, with the decisions after it: it keeps nothing else from being sent and pulled.
 * @param {Sync} sync
 */
export const decide = async (sync) => {
  const { store } = sync;
  let isJudging = true;
  for (const { no } of [...store.queue]) {
    const row = store.queue.find((one) => one.no === no);
    if (row?.asks_retry) await askRetry(sync, row);
    else if (isJudging && row?.decision && (row.status === 'conflict' || row.status === 'failed')) isJudging = await take(sync, row);
  }
};

/** @param {Sync} sync @param {Mutation} row @returns {Promise<boolean>} false if the server cannot judge it now */
const take = async (sync, row) => {
  const { store } = sync;
  const decision = row.decision ?? 'server';
  // A choice for each field is made of two steps: the server's record stays, and a new change has what was chosen.
  const word = decision === 'chosen' ? 'server' : decision;
  const answer = await sync.call(`/v1/sync/items/${row.device}/${row.no}/resolve`, { json: { take: word } });
  const body = answer.status === 204 ? {} : await json(answer);
  const isGivenUp = word === 'server' || word === 'discard';
  // What was sent is what is done, if the person has thought otherwise meanwhile.
  const end = (/** @type {Partial<Mutation>} */ extra) => {
    const event = word === 'discard' || row.status === 'failed' ? 'discard' : 'resolve';
    return /** @type {import('./store.js').Edit<Mutation>} */ ([row, { ...after(row, event), answered_at: Date.now(), decision, ...extra }]);
  };
  if (answer.ok || answer.status === 404 && isGivenUp) {
    const ended = end({ checkpoint: answer.ok && !isGivenUp ? undefined : row.checkpoint });
    // What was chosen takes the place of the change at once: nothing is lost between the two.
    if (decision === 'chosen' && row.chosen) await store.save([{ op: 'patch', type: row.type, id: row.id, title: row.title, ...row.chosen }], { ended });
    else await store.write({ mutations: [ended], files: givenUp(sync, row, isGivenUp) });
    // The phone's later changes of the same fields were made after those that the person has decided to keep.
    if (decision === 'mine' && body.version) await rebase(sync, row, body.version);
  } else if (body.code === 'wrong_state' && body.sync_status === 'resolved') {
    await store.write({ mutations: [end({ decision: 'server' })], files: givenUp(sync, row, true) });
  } else if (body.code === 'wrong_state' && body.sync_status === 'synced') {
    // The answer was lost. The repetition gets it, except under the id of an old device, which sends nothing more.
    const isMine = row.device === store.meta.device;
    await store.write({ mutations: [isMine ? [row, { status: 'pending', attempts: 0, decision: undefined }] : end({})] });
  } else if (answer.status >= 500) {
    return false;
  } else if (answer.status === 429) {
    throw new NetError('refused', body, answer.status, Number(answer.headers.get('retry-after')) || 0);
  } else {
    await store.write({ mutations: [[row, (now) => ({
      decision: now.decision === decision ? undefined : now.decision, answer: { ...now.answer, detail: body.detail, refusal: body.code },
    })]] });
  }
  return true;
};

/** @param {Sync} sync @param {Mutation} row @param {boolean} isGivenUp */
const givenUp = ({ store }, row, isGivenUp) => {
  const file = row.file && isGivenUp ? store.files.get(row.file.id) : undefined;
  // A change that was sent again under another number has its photo still.
  return file?.no === row.no && (file.status === 'pending' || file.status === 'failed') ? [/** @type {import('./store.js').Edit<any>} */ ([file, { status: 'resolved' }])] : [];
};

/** @param {Sync} sync @param {Mutation} decided @param {number} version */
const rebase = async ({ store }, decided, version) => {
  const later = store.queue.filter((row) => row.op === 'patch' && row.type === decided.type && row.id === decided.id
    && row.no > decided.no && row.status === 'pending' && !row.doc);
  await store.write({ mutations: later.map((row) => [row, { base_version: version }]) });
};

/** @param {Sync} sync @param {Mutation} row */
const askRetry = async (sync, row) => {
  const answer = await sync.call(`/v1/sync/items/${row.device}/${row.no}/retry`, { method: 'POST' });
  // What the server does not know, or has not refused, is just sent again.
  if (!answer.ok && answer.status !== 404 && answer.status !== 409) await check(answer);
  await sync.store.write({ mutations: [[row, { asks_retry: false }]] });
};

/**
 * Ends changes about which somebody decided elsewhere, and keeps what the server says about the others.
 * @param {Sync} sync
 * @param {boolean} isRestored true after a restore, which may have forgotten decisions
 */
export const refreshDecisions = async (sync, isRestored) => {
  const { store } = sync;
  const waits = store.queue.filter(({ status, result }) => (status === 'conflict' || status === 'failed') && result);
  if (!waits.length && !isRestored) return;
  const { items = [] } = await json(await check(await sync.call('/v1/sync/status')));
  const listed = new Map(items.map((/** @type {any} */ item) => [`${item.device_id}/${item.no}`, item]));
  /** @type {import('./store.js').Edit<Mutation>[]} */
  const edits = [];
  /** @type {import('./store.js').Edit<any>[]} */
  const files = [];
  for (const row of waits) {
    const item = listed.get(`${row.device}/${row.no}`);
    if (item) {
      const details = { ...row.answer, told: item.fields, version: item.version ?? null };
      if (JSON.stringify(details) !== JSON.stringify(row.answer)) edits.push([row, { answer: details }]);
    } else if (items.length < 500 && !row.decision) {
      // A decision that was taken while the server answered is sent, and the server says that it comes too late.
      edits.push([row, (now) => now.decision ? undefined : { status: 'resolved', decision: 'server', answered_at: Date.now() }]);
      files.push(...givenUp(sync, row, true));
    }
  }
  if (isRestored) {
    for (const row of store.queue) {
      const item = row.status === 'resolved' && row.decision ? listed.get(`${row.device}/${row.no}`) : undefined;
      if (item) edits.push([row, { status: item.status, attempts: 0 }]);
    }
  }
  await store.write({ mutations: edits, files });
};

// A change in the queue as a state machine: the same as `SyncItem` of the Swift client, checked by its vectors.
// No event removes a change.

/** @typedef {'pending' | 'uploading' | 'synced' | 'conflict' | 'failed' | 'resolved'} Status */
/** @typedef {'upload' | 'acknowledge' | 'conflict' | 'fail' | 'reject' | 'restart' | 'retry' | 'resolve' | 'discard'} Event */

/** @type {Record<string, Partial<Record<Event, Status>>>} */
const NEXT = {
  pending: { upload: 'uploading' },
  uploading: { acknowledge: 'synced', conflict: 'conflict', reject: 'failed', restart: 'pending' },
  failed: { retry: 'pending', discard: 'resolved' },
  conflict: { retry: 'pending', resolve: 'resolved', discard: 'resolved' },
};

/**
 * Returns the state after an event. `restart` is valid in every status, and changes only `uploading`.
 * @param {{status: Status, attempts: number}} item
 * @param {Event} event
 * @param {number} most failed attempts after which the status is `failed`
 * @returns {{status: Status, attempts: number}}
 */
export const after = (item, event, most = 3) => {
  if (item.status === 'uploading' && event === 'fail') {
    const attempts = item.attempts + 1;
    return { status: attempts >= most ? 'failed' : 'pending', attempts };
  }
  const next = NEXT[item.status]?.[event];
  if (next) return { status: next, attempts: event === 'retry' ? 0 : item.attempts };
  if (event === 'restart') return { status: item.status, attempts: item.attempts };
  throw new Error(`${event} is not possible: the item is ${item.status}`);
};

/** The event that a judgement of the server is for a change that was sent. @type {Record<string, Event>} */
export const EVENTS = {
  applied: 'acknowledge', merged: 'acknowledge', conflict: 'conflict', rejected: 'reject', retry: 'restart', blocked: 'restart',
};

/** Judgements after which the server gives the same answer to a repetition. @param {string} result */
export const isFinal = (result) => result !== 'retry' && result !== 'blocked' && result in EVENTS;

/** True if a change waits for the network or for a person. @param {Status} status */
export const isOpen = (status) => status !== 'synced' && status !== 'resolved';

/** True if a change waits for a person. @param {{status: Status}} item */
export const isRefused = ({ status }) => status === 'conflict' || status === 'failed';

/** The limits of the protocol. */
export const LIMITS = { mutations: 500, bytes: 1_048_576, queued: 100, page: 1_000, known: 10_000 };

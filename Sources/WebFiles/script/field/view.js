// What a person sees of a record: the server's image, with the changes of this phone above it that are not in it yet.
import { isOpen } from './item.js';

/**
 * @typedef {object} Mutation
 * @property {number} no
 * @property {string} device
 * @property {string} type
 * @property {string} id
 * @property {'create' | 'patch' | 'transition' | 'delete' | 'attach'} op
 * @property {Record<string, any>} [fields]
 * @property {Record<string, any>} [before] the values that the changed fields had
 * @property {number} [base_version]
 * @property {string} [transition]
 * @property {string} [comment]
 * @property {any} [file]
 * @property {string} client_time
 * @property {string} [title] what the record was called, for the queue
 * @property {import('./item.js').Status} status
 * @property {number} attempts
 * @property {string} [doc] the text that was sent, which never changes afterwards
 * @property {string} [result]
 * @property {any} [answer]
 * @property {number} [checkpoint]
 * @property {string} [decision]
 * @property {any} [chosen]
 * @property {boolean} [asks_retry]
 * @property {number} [answered_at]
 * @property {string} [told]
 */

/**
 * True if the server's image does not have the change yet.
 * @param {Mutation} mutation
 * @param {{pulled: number, acked: number, device: string}} meta
 */
export const isAbove = (mutation, meta) => isOpen(mutation.status)
  || mutation.status === 'synced'
    && ((mutation.checkpoint ?? 0) > meta.pulled || mutation.device === meta.device && mutation.no > meta.acked);

/**
 * Returns the record as a person sees it; null if it is deleted or not on this phone.
 * @param {any} image fields of the server's record; undefined if it has none
 * @param {Mutation[]} mutations those above the image, in order
 * @param {any} type description of the type
 * @param {{id?: string, name?: string}} [me]
 */
export const fold = (image, mutations, type, me = {}) => {
  let record = image ? { ...image } : undefined;
  for (const { op, id, fields, transition, client_time: time } of mutations) {
    const workflow = type?.workflow;
    if (op === 'create' && !record) {
      const initial = workflow?.states?.find((/** @type {any} */ state) => state.name === workflow.initial);
      record = {
        id, version: 0, created_by: me.id ?? null, created_by_name: me.name ?? null, created_at: time, ...fields,
        ...(initial ? { status: initial.name, status_category: initial.category } : {}),
      };
    }
    if (!record) continue;
    if (op === 'patch') Object.assign(record, fields);
    if (op === 'transition') {
      const step = workflow?.transitions?.find((/** @type {any} */ one) => one.name === transition);
      const state = workflow?.states?.find((/** @type {any} */ one) => one.name === step?.to);
      Object.assign(record, fields, state ? { status: state.name, status_category: state.category } : {});
    }
    if (op === 'delete') record = undefined;
  }
  return record ?? null;
};

/** The columns that lists, search and Today need. Other types are small, and kept whole. @type {Record<string, string[]>} */
const LISTED = {
  'maintenance.entry': [
    'number', 'description', 'status', 'status_category', 'machine_id', 'machine_code', 'category_id', 'assigned_to', 'due_on',
    'priority', 'reported_on', 'created_by', 'started_by', 'hours_logged',
  ],
  'maintenance.meter_reading': ['meter_id', 'value', 'taken_at'],
};

/**
 * Returns the row of a record in the heads of its type.
 * @param {string} type
 * @param {any} fields
 */
export const head = (type, fields) => {
  /** @type {Record<string, any>} */
  const row = { id: fields.id, version: fields.version };
  for (const name of LISTED[type] ?? Object.keys(fields)) {
    const value = fields[name];
    if (value !== null && value !== undefined) row[name] = typeof value === 'string' && value.length > 200 ? value.slice(0, 200) : value;
  }
  return row;
};

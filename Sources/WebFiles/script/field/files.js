// Sends the bytes of photos whose change was accepted, and comments, which are requests of their own.
import { after } from './item.js';
import { check, json, NetError } from './net.js';

/** @typedef {import('./sync.js').Sync} Sync */

const TUS = { 'tus-resumable': '1.0.0' };

/** Sends every photo whose change is applied, oldest first. @param {Sync} sync */
export const sendFiles = async (sync) => {
  const { store } = sync;
  const waiting = [...store.files.values()].filter(({ status }) => status === 'pending').sort((a, b) => a.no - b.no);
  for (const file of waiting) {
    const change = store.queue.find(({ no }) => no === file.no);
    if (change && change.status !== 'synced' && !(change.status === 'resolved' && change.decision === 'mine')) continue;
    const sending = { ...file, ...after(file, 'upload') };
    if (!await store.write({ files: [[file, after(file, 'upload')]] })) continue;
    try {
      const event = await send(sync, sending);
      await store.write({ files: [[sending, { ...after(sending, event.event), code: event.code, detail: event.detail }]] });
      if (event.event === 'acknowledge') store.log(`photo ${file.name}: sent`);
    } catch (error) {
      await store.write({ files: [[sending, after(sending, 'restart')]] });
      throw error;
    }
  }
  // The server waits no longer for photos that a person has given up.
  for (const file of [...store.files.values()].filter(({ status, withdrawn }) => status === 'resolved' && !withdrawn)) {
    const known = await sync.call(`/v1/files/${file.id}`);
    if (known.status >= 500 || known.status === 429) await check(known);
    if (known.ok && (await json(known)).state === 'awaited') {
      const answer = await sync.call(`/v1/files/${file.id}`, { method: 'DELETE' });
      if (answer.status >= 500 || answer.status === 429) await check(answer);
    }
    await store.write({ files: [[file, { withdrawn: true }]] });
  }
};

/**
 * Asks how much the server has, and sends the rest.
 * @param {Sync} sync @param {any} file
 * @returns {Promise<{event: import('./item.js').Event, code?: string, detail?: string}>}
 */
const send = async (sync, file) => {
  const path = `/v1/uploads/${file.id}`;
  const refused = async (/** @type {Response} */ answer) => {
    const problem = await json(answer);
    if (answer.status >= 500 || answer.status === 429) throw new NetError('refused', problem, answer.status, Number(answer.headers.get('retry-after')) || 0);
    // Another request still has the upload, for a minute at most.
    if (answer.status === 409) return { event: /** @type {const} */ ('restart') };
    return { event: /** @type {const} */ ('reject'), code: problem.code ?? String(answer.status), detail: problem.detail };
  };
  let standing = await sync.call(path, { method: 'HEAD', headers: TUS });
  if (standing.status === 404 || standing.status === 410) {
    // The upload has expired: it begins again under the same id.
    const metadata = { id: file.id, record_type: file.type, record_id: file.record, kind: file.kind, filename: file.name };
    const begun = await sync.call('/v1/uploads', {
      method: 'POST', headers: { ...TUS, 'upload-length': String(file.size), 'upload-metadata': Object.entries(metadata).map(([name, value]) => `${name} ${btoa(value)}`).join(',') },
    });
    if (!begun.ok) return refused(begun);
    standing = await sync.call(path, { method: 'HEAD', headers: TUS });
  }
  if (!standing.ok) return refused(standing);
  const offset = Number(standing.headers.get('upload-offset'));
  // A photo that is ready may have another size than the phone's.
  if (standing.headers.get('upload-length') === String(offset) || offset >= file.size) return { event: 'acknowledge' };
  const bytes = await sync.store.bytes(file.id);
  if (!bytes) return { event: 'reject', code: 'missing_bytes' };
  const answer = await sync.call(path, {
    method: 'PATCH', timeout: 600_000, body: bytes.slice(offset),
    headers: { ...TUS, 'upload-offset': String(offset), 'content-type': 'application/offset+octet-stream' },
  });
  return answer.ok ? { event: 'acknowledge' } : refused(answer);
};

/** Sends comments, each under its own key, so that a repetition adds nothing. @param {Sync} sync */
export const sendNotes = async (sync) => {
  const { store } = sync;
  for (const note of store.notes.filter(({ status }) => status === 'pending')) {
    // A record that was made here exists on the server once its change is accepted.
    if (store.queue.some((row) => row.id === note.record && row.op === 'create' && row.status !== 'synced')) continue;
    const answer = await sync.call(`/v1/${note.type.replace('.', '/')}/${note.record}/comments`, {
      json: { id: note.id, body: note.body }, headers: { 'idempotency-key': note.id },
    });
    if (answer.ok) await store.write({ notes: [[note, { status: 'synced', sent_at: Date.now() }]] });
    else if (answer.status >= 500 || answer.status === 429) await check(answer);
    else { const problem = await json(answer); await store.write({ notes: [[note, { status: 'failed', code: problem.code, detail: problem.detail }]] }); }
  }
};

// One record: its state, the one next action, photos, hours, comments, and what has happened, if there is a network.
import { check, json, NetError } from './net.js';
import { el, icon, picture } from './dom.js';
import { saveChanges, savePhotos } from './form.js';
import { asks, called, columnOf, isOverdue, labelOf, may, person, pill, shown, steps, typeOf } from './model.js';
import { says } from './outbox.js';
import { shrink } from './photos.js';
import { isCounted, mark, reason, stateOf } from './state.js';
import { date, instant, moment, number, t, today } from './words.js';

/** @typedef {import('./app.js').App} App */

/** Does a transition at once, or asks for what it needs. @param {App} app @param {string} type @param {any} row @param {any} step @param {boolean} isMain */
const stepButton = (app, type, row, step, isMain) => {
  const style = isMain ? 'button primary wide' : 'button wide';
  if (asks(step, row) || step.name === 'complete') return el('a', { class: style, href: `/app/do/${type}/${row.id}/${step.name}` }, step.label);
  return el('button', { class: style, type: 'button', id: `do-${step.name}`, on: { click: async (/** @type {any} */ event) => {
    event.currentTarget.disabled = true;
    app.say(t('saved'));
    await saveChanges(app, [{ op: 'transition', type, id: row.id, transition: step.name, title: called(app, type, row), before: { status: row.status } }]);
    app.draw();
  } } }, step.label);
};

/** @param {App} app @param {string} type @param {any} row @param {{next: any, others: any[]}} offered */
export const stepButtons = (app, type, row, { next, others }) => el('div', { class: 'steps' },
  next && stepButton(app, type, row, next, true),
  next?.isUnsure && el('p', { class: 'quiet' }, t('step.unsure')),
  others.map((step) => stepButton(app, type, row, step, false)));

/** A photo: from the phone, or from the server if there is a network. @param {App} app @param {any} file */
const photo = (app, file) => {
  const here = app.store.files.get(file.id);
  const frame = el('figure', { class: 'photo' });
  if (here?.thumb) frame.append(picture(here.thumb, file.name));
  else if (file.has_thumbnail) {
    app.call(`/v1/files/${file.id}/content?variant=thumbnail`).then(check).then((answer) => answer.arrayBuffer()).then((bytes) => frame.prepend(picture(bytes, file.name))).catch(() => frame.prepend(el('div', { class: 'no-picture' }, icon('photo'))));
  } else frame.append(el('div', { class: 'no-picture' }, icon('photo')));
  const words = here && here.status !== 'synced' && here.status !== 'resolved' ? t(here.status === 'failed' ? 'photo.refused' : 'photo.waits')
    : file.state === 'awaited' && !here ? t('photo.awaited') : '';
  if (words) frame.append(el('figcaption', { class: here?.status === 'failed' ? 'bad' : 'quiet' }, words));
  return frame;
};

/** @param {App} app @param {string[]} parts */
export const recordScreen = async (app, [type = '', id = '']) => {
  const about = typeOf(app, type);
  const found = about && await app.store.record(type, id);
  const back = type === 'maintenance.entry' ? '/app/' : '/app/more';
  if (!found) return { title: t('missing.title'), back, node: el('div', { class: 'empty' }, el('p', {}, t(about && app.store.meta.pulled_at ? 'missing.text' : 'state.first'))) };
  const { fields, files, above } = found;
  const name = called(app, type, fields);
  const rights = may(app, type);
  const day = today(app.store.now());
  const machine = app.store.row('maintenance.machine', fields.machine_id);
  const waiting = above.filter((row) => row.status !== 'synced');
  const mine = above.filter((row) => row.op === 'attach').map((row) => row.file).filter((file) => !files.some((/** @type {any} */ one) => one.id === file.id));
  const editable = about.columns.some((/** @type {any} */ column) => rights.mayEdit(fields, column.name));
  const input = el('input', { type: 'file', accept: 'image/*', capture: 'environment', id: 'photo', class: 'unseen' });
  input.addEventListener('change', async () => {
    const file = input.files?.[0];
    if (!file) return;
    try {
      const lost = await savePhotos(app, type, id, name, [await shrink(file)]);
      app.say(lost ? t('full.photo') : t('saved'));
    } catch { app.say(t('photo.unreadable')); }
    app.draw();
  });
  const times = app.store.rows('maintenance.time_entry').filter((row) => row.entry_id === id);
  const isEntry = type === 'maintenance.entry';
  const mayLog = isEntry && may(app, 'maintenance.time_entry').mayCreate;
  const shownColumns = ['category_id', 'assigned_to', 'due_on', 'priority', 'reported_on', 'estimated_hours', 'completion_note', 'created_by_name'];
  const facts = (isEntry ? shownColumns : about.columns.map((/** @type {any} */ column) => column.name))
    .filter((/** @type {string} */ column) => (fields[column] ?? null) !== null && fields[column] !== '' && column !== about.title && columnOf(app, type, column));
  const notes = app.store.notes.filter((note) => note.record === id && note.status !== 'synced');
  const story = found.version ? tell(app, type, id, found.version) : el('div', {});
  const node = el('div', { class: 'stack' },
    el('p', { class: 'lead' }, machine ? el('a', { href: `/app/m/${app.account.company.slug}/${machine.id}` }, `${machine.code} ${machine.name}`) : about.label, ' ', fields.status && pill(app, type, fields.status)),
    fields[about.title] !== name && el('p', { class: 'title' }, fields[about.title]),
    isOverdue(fields, day) && el('p', { class: 'bad' }, icon('warning', 16), ' ', t('due.was', date(fields.due_on))),
    waiting.length > 0 && el('ul', { class: 'waiting', 'aria-label': t('tab.outbox') }, waiting.map((row) => {
      const { key, tone } = stateOf(row);
      const decides = row.status === 'conflict' || row.status === 'failed';
      return el('li', {}, el('span', { class: `pill ${tone}` }, t(key, row.answer?.blocked_by ?? '')), ' ', decides ? el('a', { href: `/app/outbox/${row.no}` }, says(app, row)) : says(app, row), decides && row.answer && ` · ${reason(row.answer, row.op)}`);
    })),
    stepButtons(app, type, fields, steps(app, type, fields)),
    (about.files ?? []).length > 0 && el('section', { class: 'card' }, el('h2', {}, t('photos')),
      el('div', { class: 'strip' }, [...files, ...mine].map((file) => photo(app, file))),
      rights.mayAttach(fields) ? [el('label', { class: 'button wide', for: 'photo' }, icon('photo'), t('photo.add')), input] : files.length + mine.length === 0 && el('p', { class: 'quiet' }, t('photo.none'))),
    isEntry && (times.length > 0 || mayLog) && el('section', { class: 'card' }, el('h2', {}, t('hours'), ' ', el('span', { class: 'quiet' }, times.length > 0 && t('hours.sum', number(times.filter(isCounted).reduce((sum, row) => sum + hoursOf(row), 0))))),
      el('ul', { class: 'rows' }, times.sort((a, b) => b.work_date.localeCompare(a.work_date)).map((row) => el('li', { class: 'split' },
        el('span', {}, row.user_name ?? person(app, row.user_id), el('br'), el('span', { class: 'quiet' }, `${date(row.work_date)} ${row.start_time.slice(0, 5)}–${row.end_time.slice(0, 5)}`), ' ', mark(row)), el('strong', {}, t('hours.sum', number(hoursOf(row))))))),
      mayLog && el('a', { class: 'button wide', href: `/app/hours/${id}` }, t('hours.add'))),
    el('section', { class: 'card' }, el('h2', {}, t('details')), el('dl', {}, facts.map((/** @type {string} */ column) => el('div', {}, el('dt', {}, labelOf(app, type, column)), el('dd', {}, shown(app, type, column, fields[column]))))),
      editable && el('a', { class: 'button wide', href: `/app/edit/${type}/${id}` }, t('edit')),
      rights.mayDelete(fields) && el('a', { class: 'button wide danger', href: `/app/do/${type}/${id}/delete` }, t('delete'))),
    el('section', { class: 'card' }, el('h2', {}, t('story')),
      (app.store.meta.me?.permissions ?? []).includes('comment.create') && el('a', { class: 'button wide', href: `/app/comment/${type}/${id}` }, t('comment.add')),
      el('ul', { class: 'timeline' }, notes.map((note) => el('li', {}, el('p', {}, note.body), el('p', { class: note.status === 'failed' ? 'bad' : 'quiet' }, t(note.status === 'failed' ? 'comment.refused' : 'state.waiting'))))), story));
  return { title: name, node, back };
};

/** The hours of a row: the server's, or computed here while it waits, as `WorkedHours` does. @param {any} row */
export const hoursOf = (row) => {
  if (row.actual_hours !== undefined && row.actual_hours !== null) return Number(row.actual_hours);
  const elapsed = instant(row.work_date, row.end_time, row.end_time < row.start_time ? 1 : 0) - instant(row.work_date, row.start_time);
  return Math.max(0, Math.round(elapsed / 36_000 - (row.has_lunch ? 50 : 0)) / 100);
};

/** The story that is shown, so that drawing the screen again asks for nothing. @type {{key: string, place: HTMLElement} | undefined} */
let told;

/** Reads comments and history of the server, which the phone does not keep. @param {App} app @param {string} type @param {string} id @param {number} version */
const tell = (app, type, id, version) => {
  const key = `${id} ${version} ${app.store.notes.filter(({ status }) => status === 'synced').length} ${app.sync.problem}`;
  if (told?.key === key) return told.place;
  const place = el('div', { id: 'story' }, told?.key.startsWith(id) ? [...told.place.childNodes] : []);
  told = { key, place };
  const path = `/v1/${type.replace('.', '/')}/${id}`;
  Promise.all([`${path}/history`, `${path}/comments`].map((address) => app.call(address).then(check).then(json))).then(([history, comments]) => {
    const steps = typeOf(app, type)?.workflow?.transitions ?? [];
    const lines = [
      ...history.items.map((/** @type {any} */ one) => ({ at: one.at, who: one.actor, text: one.transition ? steps.find((/** @type {any} */ step) => step.name === one.transition)?.label ?? one.transition : t(one.changes?.files ? 'story.photo' : `story.${one.kind}`), comment: one.comment })),
      ...comments.items.map((/** @type {any} */ one) => ({ at: one.at ?? one.created_at, who: one.author ?? one.created_by_name ?? one.by, text: '', comment: one.body })),
    ].sort((a, b) => String(b.at).localeCompare(String(a.at))).slice(0, 50);
    place.replaceChildren(el('ul', { class: 'timeline' }, lines.map((line) => el('li', {}, el('p', {}, el('strong', {}, line.who ?? ''), ' ', line.text), line.comment && el('blockquote', {}, line.comment), el('p', { class: 'quiet' }, moment(line.at))))));
  }).catch((error) => {
    if (!(error instanceof NetError)) throw error;
    if (!place.childNodes.length) place.replaceChildren(el('p', { class: 'quiet' }, t('story.offline')));
  });
  return place;
};

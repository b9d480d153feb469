// What is asked before something is done: the reason of a transition, other values of fields, a comment, a deletion.
import { el } from './dom.js';
import { form, saveChanges } from './form.js';
import { called, columnOf, labelOf, may, steps, typeOf } from './model.js';
import { t, written } from './words.js';

/** @typedef {import('./app.js').App} App */

const missing = () => ({ title: t('missing.title'), back: '/app/', node: el('div', { class: 'empty' }, el('p', {}, t('missing.text'))) });

/** The field of a form for a column. @param {App} app @param {string} type @param {string} column @param {any} value @param {boolean} [required] @returns {import('./form.js').Field} */
const fieldOf = (app, type, column, value, required) => {
  const about = columnOf(app, type, column) ?? {};
  const base = { name: column, label: labelOf(app, type, column), value: value ?? '', required, hint: about.hint, optional: !required && !about.required };
  const empty = { value: '', label: t('nothing') };
  if (about.choices) return { ...base, kind: 'select', options: about.choices.map((/** @type {any} */ one) => ({ value: String(one.value), label: one.label })) };
  if (about.to === 'core.membership') return { ...base, kind: 'select', options: [empty, ...(app.store.meta.members ?? []).map((/** @type {any} */ one) => ({ value: one.id, label: one.name }))] };
  if (about.to) return { ...base, kind: 'select', options: [...(about.required ? [] : [empty]), ...app.store.rows(about.to).map((row) => ({ value: row.id, label: called(app, about.to, row) }))] };
  switch (about.kind) {
    case 'decimal': case 'integer': case 'real': return { ...base, value: written(value), kind: 'number', scale: about.kind === 'integer' ? 0 : about.rounds ? undefined : about.scale };
    case 'date': return { ...base, kind: 'date' };
    case 'time': return { ...base, kind: 'time', value: String(value ?? '').slice(0, 5) };
    case 'boolean': return { ...base, kind: 'check' };
    default: return { ...base, kind: (about.max ?? 1_000) > 200 ? 'lines' : 'text' };
  }
};

/** A transition that asks for something, or a deletion. @param {App} app @param {string[]} parts */
export const actScreen = async (app, [type = '', id = '', name = '']) => {
  const found = typeOf(app, type) && await app.store.record(type, id);
  if (!found) return missing();
  const { fields: record } = found;
  const back = type === 'maintenance.machine' ? `/app/m/${app.account.company.slug}/${id}` : `/app/r/${type}/${id}`;
  const title = called(app, type, record);
  if (name === 'delete') {
    return {
      title: t('delete.title', title), back, isForm: true,
      node: await form(app, {
        name: `delete ${id}`, button: t('delete'), fields: [{ name: 'comment', label: t('comment'), kind: 'lines', optional: true }],
        save: async ({ comment }) => {
          await saveChanges(app, [{ op: 'delete', type, id, title, ...(comment ? { comment } : {}) }], { draft: `delete ${id}` });
          app.say(t('saved'));
          app.go('/app/', true);
        },
      }),
    };
  }
  const { next, others } = steps(app, type, record);
  const step = [next, ...others].find((one) => one?.name === name);
  if (!step) return { ...missing(), back };
  const needed = (step.fields ?? []).filter((/** @type {string} */ column) => (record[column] ?? null) === null);
  // What was done is asked when work is completed, and written beforehand, while the record may still be edited.
  const note = name === 'complete' && may(app, type).mayEdit(record, 'completion_note') ? [fieldOf(app, type, 'completion_note', record.completion_note)] : [];
  return {
    title: `${step.label}: ${title}`, back, isForm: true,
    node: await form(app, {
      name: `do ${name} ${id}`, button: step.label,
      fields: [
        ...needed.map((/** @type {string} */ column) => fieldOf(app, type, column, null, true)), ...note,
        ...(note.length ? [] : [{ name: 'comment', label: t('comment'), kind: /** @type {const} */ ('lines'), required: !!step.comment, min: step.comment, optional: !step.comment }]),
      ],
      save: async (values) => {
        const fields = Object.fromEntries(needed.map((/** @type {string} */ column) => [column, values[column]]));
        /** @type {Partial<import('./view.js').Mutation>[]} */
        const changes = [];
        if (values.completion_note && values.completion_note !== record.completion_note) {
          changes.push({ op: 'patch', type, id, title, fields: { completion_note: values.completion_note }, before: { completion_note: record.completion_note ?? null }, base_version: found.version });
        }
        changes.push({ op: 'transition', type, id, title, transition: name, before: { status: record.status }, ...(needed.length ? { fields } : {}), ...(values.comment ? { comment: values.comment } : {}) });
        await saveChanges(app, changes, { draft: `do ${name} ${id}` });
        app.say(t('saved'));
        app.go(back, true);
      },
    }),
  };
};

/** Other values of the fields that the person may edit now. @param {App} app @param {string[]} parts */
export const editScreen = async (app, [type = '', id = '']) => {
  const about = typeOf(app, type);
  const found = about && await app.store.record(type, id);
  if (!found) return missing();
  const { fields: record, version } = found;
  const title = called(app, type, record);
  const columns = about.columns.filter((/** @type {any} */ column) => may(app, type).mayEdit(record, column.name) && !column.list && column.kind !== 'json' && column.kind !== 'instant' && column.to !== 'core.attachment');
  const read = (/** @type {any} */ column, /** @type {any} */ value) => column.kind === 'integer' && value !== null ? Number(value) : value;
  const back = `/app/r/${type}/${id}`;
  return {
    title: t('edit.title', title), back, isForm: true,
    node: await form(app, {
      name: `edit ${type} ${id}`, button: t('save'), fields: columns.map((/** @type {any} */ column) => fieldOf(app, type, column.name, record[column.name], column.required)),
      save: async (values) => {
        const changed = columns.filter((/** @type {any} */ column) => String(read(column, values[column.name]) ?? '') !== String(record[column.name] ?? '') && Number(values[column.name] ?? NaN) !== Number(record[column.name] ?? NaN));
        const pick = (/** @type {any} */ from) => Object.fromEntries(changed.map((/** @type {any} */ column) => [column.name, read(column, from[column.name] ?? null)]));
        if (changed.length) await saveChanges(app, [{ op: 'patch', type, id, title, fields: pick(values), before: pick(record), base_version: version }], { draft: `edit ${type} ${id}` });
        else await app.store.keep(`edit ${type} ${id}`, null);
        app.say(t('saved'));
        app.go(back, true);
      },
    }),
  };
};

/** A comment, sent under its own id when there is a network. @param {App} app @param {string[]} parts */
export const commentScreen = async (app, [type = '', id = '']) => {
  const name = `comment ${id}`;
  return {
    title: t('comment.add'), back: `/app/r/${type}/${id}`, isForm: true,
    node: await form(app, {
      name, button: t('save'), fields: [{ name: 'body', label: t('comment'), kind: 'lines', required: true }],
      save: async ({ body }) => {
        await app.store.comment({ id: crypto.randomUUID(), type, record: id, body, at: app.store.now().toISOString(), status: 'pending' });
        await app.store.keep(name, null);
        app.say(t('saved'));
        app.go(`/app/r/${type}/${id}`, true);
      },
    }),
  };
};

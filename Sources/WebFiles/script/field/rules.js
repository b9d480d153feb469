// Which changes the server would accept, as far as the phone can know: permissions, owners, states and conditions.

/** @typedef {boolean | null} Truth null if it cannot be told here */

const TOKEN = /\s*(?:(\$\.(?:\w+|"(?:[^"\\]|\\.)*"))|("(?:[^"\\]|\\.)*")|(\d+(?:\.\d+)?)|(==|!=|<>|<=|>=|&&|\|\||[-<>+*!()])|(true|false|null)\b)/y;

/** @param {string} text */
const tokens = (text) => {
  const found = [];
  TOKEN.lastIndex = 0;
  while (TOKEN.lastIndex < text.trimEnd().length) {
    const match = TOKEN.exec(text);
    if (!match) return null;
    found.push(match);
  }
  return found;
};

const MISSING = Symbol('missing');
const FAULT = Symbol('fault');

/**
 * Evaluates a condition of a workflow or of an edit rule on a record, as PostgreSQL does on its JSON: what is missing
 * compares to nothing, values of different kinds to unknown, and only `null` equals `null`.
 *
 * @param {string} text such as `$.pending_items + $.in_progress_items == 0`
 * @param {any} record
 * @returns {boolean | null | undefined} null for unknown, which refuses; undefined if only the server can judge
 */
export const evaluate = (text, record) => {
  const list = tokens(text);
  if (!list) return undefined;
  let place = 0;
  const peek = () => list[place]?.[4];
  const take = (/** @type {string[]} */ ...marks) => marks.includes(peek() ?? '') ? list[place++]?.[4] : undefined;
  /** @returns {any} a number, text, boolean or null; MISSING, or FAULT of a sum that is none */
  const value = () => {
    if (take('-')) { const one = value(); return typeof one === 'number' ? -one : one === MISSING ? MISSING : FAULT; }
    if (take('(')) { const one = sum(); if (!take(')')) throw new SyntaxError(text); return one; }
    const token = list[place++];
    if (!token) throw new SyntaxError(text);
    if (token[1]) {
      const name = token[1].slice(2);
      const found = record[name.startsWith('"') ? JSON.parse(name) : name];
      if (typeof found === 'object' && found !== null) throw new SyntaxError(text);
      return found === undefined ? MISSING : found;
    }
    if (token[2]) return JSON.parse(token[2]);
    if (token[3]) return Number(token[3]);
    if (token[5]) return JSON.parse(token[5]);
    throw new SyntaxError(text);
  };
  const product = () => {
    let left = value();
    while (take('*')) { const right = value(); left = typeof left === 'number' && typeof right === 'number' ? left * right : FAULT; }
    return left;
  };
  const sum = () => {
    let left = product();
    for (let sign = take('+', '-'); sign; sign = take('+', '-')) {
      const right = product();
      left = typeof left === 'number' && typeof right === 'number' ? (sign === '+' ? left + right : left - right) : FAULT;
    }
    return left;
  };
  /** @returns {Truth} */
  const comparison = () => {
    const start = place;
    // A parenthesis holds a condition or a number: the condition is tried first.
    if (take('(')) {
      try {
        const inner = or();
        if (take(')') && !['==', '!=', '<>', '<', '>', '<=', '>=', '+', '-', '*'].includes(peek() ?? '')) return inner;
      } catch (error) { if (!(error instanceof SyntaxError)) throw error; }
      place = start;
    }
    const left = sum();
    const mark = take('==', '!=', '<>', '<', '>', '<=', '>=');
    if (!mark) throw new SyntaxError(text);
    return compare(left, mark, sum());
  };
  /** @returns {Truth} */
  const not = () => {
    if (!take('!')) return comparison();
    if (peek() !== '(') throw new SyntaxError(text);
    const one = comparison();
    return one === null ? null : !one;
  };
  const and = () => {
    let left = not();
    while (take('&&')) { const right = not(); left = left === false || right === false ? false : left === null || right === null ? null : true; }
    return left;
  };
  /** @returns {Truth} */
  const or = () => {
    let left = and();
    while (take('||')) { const right = and(); left = left === true || right === true ? true : left === null || right === null ? null : false; }
    return left;
  };
  try {
    const truth = or();
    return place === list.length ? truth : undefined;
  } catch (error) {
    if (error instanceof SyntaxError) return undefined;
    throw error;
  }
};

/** @param {any} left @param {string} mark @param {any} right @returns {Truth} */
const compare = (left, mark, right) => {
  if (left === FAULT || right === FAULT) return null;
  // A missing member is an empty sequence, so that no pair compares.
  if (left === MISSING || right === MISSING) return false;
  if (left === null || right === null) {
    const isSame = left === right;
    if (mark === '==' || mark === '<=' || mark === '>=') return isSame;
    return mark === '!=' || mark === '<>' ? !isSame : false;
  }
  if (typeof left !== typeof right) return null;
  switch (mark) {
    case '==': return left === right;
    case '!=': case '<>': return left !== right;
    case '<': return left < right;
    case '>': return left > right;
    case '<=': return left <= right;
    default: return left >= right;
  }
};

/**
 * What a person may do with a type and its records.
 * @param {{id: string, permissions: string[]}} me
 * @param {any} type
 */
export const rights = (me, type) => {
  const has = new Set(me.permissions);
  const owns = (/** @type {any} */ record) => (type.owners ?? []).some((/** @type {string} */ name) => record?.[name] === me.id);
  const held = (/** @type {string} */ permission, /** @type {any} */ record) => {
    const own = permission.endsWith('.own');
    if (has.has(own ? permission.slice(0, -4) : permission)) return true;
    return has.has(own ? permission : `${permission}.own`) && owns(record);
  };
  const rules = type.edit ?? [];
  // What changes with the clock alone is not on the phone: only the server can judge it.
  const truth = (/** @type {string} */ when, /** @type {any} */ record) => (type.clock ?? []).some((/** @type {string} */ name) => when.includes(`$.${name}`)) ? undefined : evaluate(when, record);
  const isTrue = (/** @type {any} */ rule, /** @type {any} */ record) => !rule.when || truth(rule.when, record) !== false && truth(rule.when, record) !== null;
  const applies = (/** @type {any} */ rule, /** @type {any} */ record) => {
    const isWide = !rule.permission.endsWith('.own') && rules.some((/** @type {any} */ other) => other.permission === `${rule.permission}.own`);
    return (isWide ? has.has(rule.permission) : held(rule.permission, record)) && isTrue(rule, record);
  };
  const column = (/** @type {string} */ name) => (type.columns ?? []).find((/** @type {any} */ one) => one.name === name);
  const isWritable = type.entitled !== false && type.sync !== 'server_only';
  return {
    mayCreate: isWritable && type.create === true && has.has(`${type.name}.create`),
    /** @param {any} record @param {string} field */
    mayEdit: (record, field) => {
      if (!isWritable || type.sync === 'append_only' || column(field)?.write !== 'always') return false;
      if (!rules.length) return held(`${type.name}.update`, record);
      return rules.some((/** @type {any} */ rule) => applies(rule, record) && (!rule.fields || rule.fields.includes(field)));
    },
    /** @param {any} record */
    mayDelete: (record) => {
      if (!isWritable) return false;
      if (has.has(`${type.name}.delete`)) return true;
      const own = rules.filter((/** @type {any} */ rule) => rule.permission === `${type.name}.update.own`);
      return held(`${type.name}.delete`, record) && (!own.length || own.some((/** @type {any} */ rule) => isTrue(rule, record)));
    },
    /** The transitions that the record offers now; `isUnsure` if only the server can judge a condition. @param {any} record @returns {any[]} */
    transitions: (record) => (isWritable && type.workflow?.transitions || []).flatMap((/** @type {any} */ step) => {
      if (!step.from.includes(record.status) || !held(step.permission, record)) return [];
      if ((step.distinct_from ?? []).some((/** @type {string} */ name) => record[name] === me.id)) return [];
      const truths = (step.guards ?? []).map((/** @type {any} */ guard) => truth(guard.when, record));
      return truths.some((/** @type {any} */ one) => one === false || one === null) ? [] : [{ ...step, isUnsure: truths.includes(undefined) }];
    }),
    /** True if a photo may be added. @param {any} record */
    mayAttach: (record) => isWritable && (type.files ?? []).length > 0
      && (rules.length ? rules.some((/** @type {any} */ rule) => applies(rule, record)) : held(`${type.name}.update`, record)),
  };
};

// Requests to the server. An answer is the server's only if it repeats the number of the request: everything else, such
// as the page of a captive portal, is no answer.

/** Why a request has no result. `offline`: no answer, so it is sent again later. `refused`: the server's problem. */
export class NetError extends Error {
  /**
   * @param {'offline' | 'refused' | 'signed-out'} kind
   * @param {any} [problem]
   * @param {number} [status]
   * @param {number} [retryAfter] seconds
   */
  constructor(kind, problem = {}, status = 0, retryAfter = 0) {
    super(problem.detail ?? kind);
    this.kind = kind;
    this.problem = problem;
    this.status = status;
    this.retryAfter = retryAfter;
    this.code = problem.code ?? '';
  }

  /** True if the server is busy, or not well: the same request can succeed later. */
  get isBusy() { return this.status === 429 || this.status >= 500; }
}

/**
 * Sends a request, and returns the server's answer, whatever its status.
 * @param {string} path
 * @param {{method?: string, headers?: Record<string, string>, body?: BodyInit, json?: any, token?: string, timeout?: number, signal?: AbortSignal}} [options]
 * @returns {Promise<Response & {skew?: number}>}
 */
export const send = async (path, options = {}) => {
  const id = crypto.randomUUID();
  /** @type {Record<string, string>} */
  const headers = { ...options.headers, 'x-request-id': id };
  if (options.token) headers.authorization = `Bearer ${options.token}`;
  if (options.json !== undefined) headers['content-type'] = 'application/json';
  let answer;
  try {
    answer = await fetch(path, {
      method: options.method ?? (options.json === undefined ? 'GET' : 'POST'),
      headers,
      body: options.json === undefined ? options.body : JSON.stringify(options.json),
      signal: options.signal ?? AbortSignal.timeout(options.timeout ?? 30_000),
      cache: 'no-store',
      redirect: 'error',
    });
  } catch {
    throw new NetError('offline');
  }
  if (answer.headers.get('x-request-id') !== id) throw new NetError('offline');
  return answer;
};

/** The JSON of an answer; a body that breaks off is no answer. @param {Response} answer */
export const json = async (answer) => {
  const text = await answer.text().catch(() => { throw new NetError('offline'); });
  try { return text ? JSON.parse(text) : {}; } catch { throw new NetError('offline'); }
};

/**
 * A value whose texts the server can read: half a character becomes `\ufffd`, and a null character is left out.
 * @template T @param {T} value @returns {T}
 */
export const readable = (value) => value === undefined ? value
  : JSON.parse(JSON.stringify(value), (_, one) => typeof one === 'string' ? one.replaceAll('\0', '').replace(/\p{Cs}/gu, '\ufffd') : one);

/** Milliseconds by which the server's clock is ahead, by the header `Date`. @param {Response} answer */
export const skew = (answer) => {
  const date = Date.parse(answer.headers.get('date') ?? '');
  const offset = date + 500 - Date.now();
  return Number.isNaN(date) ? undefined : Math.abs(offset) < 3_000 ? 0 : Math.round(offset);
};

/** Throws the problem of an answer that is no success. @param {Response} answer */
export const check = async (answer) => {
  if (answer.ok || answer.status === 304) return answer;
  const problem = await json(answer);
  throw new NetError('refused', problem, answer.status, Number(answer.headers.get('retry-after')) || 0);
};

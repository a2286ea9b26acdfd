/**
 * One call: a request that is sent until it gets a final answer, or its attempts or its time are used up.
 *
 *     attempt ──answer, or an error that a retry does not change──> done
 *        ^   └──other error──> waiting (`Retry-After`, else longer each time)
 *        └──────────────────────────┘
 *
 * The caller's signal and the time limit of the call end it in every state. When the next wait would exceed the time limit, the
 * last error is returned at once.
 */
import type { Endpoint } from '../api/endpoints.js';
import { OFFSET_UNITS, type OffsetUnit } from '../api/types.js';
import type { Version } from '../api/versions.js';
import { interpret, readText } from './answer.js';
import { type ClientError, type Failure, type Result, usageError } from './errors.js';
import { sleep, waitBefore, worthRetrying } from './retry.js';

/** The options of a client, checked and with defaults. */
export interface ClientSettings {
  /** base address without a slash at its end */
  url: string;
  apiKey: string;
  version: Version;
  timeoutMs: number;
  attemptTimeoutMs: number;
  retries: number;
  /** whether a key is generated for calls that name none */
  idempotencyKeys: boolean;
  fetch: typeof fetch;
}

export interface CallOptions {
  /** ends the call, also while it waits for a retry */
  signal?: AbortSignal;
  /** POST only: 1 to 255 visible ASCII characters, the same for every attempt; default: see `idempotencyKeys` of the client */
  idempotencyKey?: string;
  /** time limit of this call in ms, waits included */
  timeoutMs?: number;
  /** true: each policy of the answer has its `severity`, and each one that is flagged the `evidence` */
  explain?: boolean;
  /** `flagged`: the answer has only policies that are flagged; default: all */
  policies?: 'all' | 'flagged';
  /** what offsets of evidence count; default: `utf16`, as strings of JavaScript do. Any other asks for evidence, as `explain` does */
  offsets?: OffsetUnit;
  /** true: evidence has the text that was found, for keys of the scope `content`; asks for evidence, as `explain` does */
  matched?: boolean;
  /**
   * true: the answer to a check of texts has the content with marks such as `[CREDIT_CARD]` in place of what was found. `reversible`: these have
   * numbers, and the answer has `sealed`, for `restore`
   */
  redact?: boolean | 'reversible';
  /** sent as `X-Request-Id`, and part of errors and logs: 1 to 128 letters, digits, `.`, `_`, `:`, `-` */
  requestId?: string;
}

/** What calls go by of an endpoint. The package of the client has no more of it. */
export const CALLED_BY = ['method', 'path', 'versions', 'scope', 'views', 'redacts'] as const;

export type CalledEndpoint = Pick<Endpoint, (typeof CALLED_BY)[number]>;

export interface ClientCall {
  endpoint: CalledEndpoint;
  /** value of the path's parameter */
  id?: string;
  query?: Record<string, string | number | boolean | null | undefined>;
  body?: unknown;
  /** Another attempt of this POST makes no second check, without an `Idempotency-Key`: the service knows it again by its body, or checks nothing. */
  isRepeatable?: boolean;
}

interface Prepared {
  url: string;
  init: { method: string; headers: Record<string, string>; body?: string; redirect: 'error' };
}

const KEY = /^[\x21-\x7e]{1,255}$/;
const REQUEST_ID = /^[A-Za-z0-9._:-]{1,128}$/;
/** Longest time that timers take. */
export const MAX_MS = 2 ** 31 - 1;

/** Makes a call. Never rejects. */
export async function send<T>(
  settings: ClientSettings,
  call: ClientCall,
  options: CallOptions = {},
): Promise<Result<T>> {
  const wrong = optionError(options);
  if (wrong !== undefined) return usageError(wrong);
  const prepared = prepare(settings, call, options);
  if ('ok' in prepared) return prepared;
  // A GET begins no check. The check of a POST is found again by its key alone.
  const found =
    call.endpoint.method === 'GET' || call.isRepeatable === true || 'idempotency-key' in prepared.init.headers;
  const until = performance.now() + (options.timeoutMs ?? settings.timeoutMs);
  for (let attempts = 1; ; attempts++) {
    const left = until - performance.now();
    const result = await attempt<T>(settings, prepared, Math.min(left, settings.attemptTimeoutMs), options.signal);
    if (result.ok) return result;
    const failure = { ok: false as const, error: { ...result.error, attempts } as ClientError };
    const wait = waitBefore(attempts, failure.error);
    if (attempts > settings.retries || !worthRetrying(failure.error, found)) return failure;
    // Waiting would be useless: there is no time left for another attempt.
    if (wait >= until - performance.now()) return failure;
    if (!(await sleep(wait, options.signal))) return aborted(attempts);
  }
}

function optionError({
  idempotencyKey,
  requestId,
  timeoutMs,
  policies,
  offsets,
  redact,
}: CallOptions): string | undefined {
  if (idempotencyKey !== undefined && !KEY.test(idempotencyKey)) {
    return 'idempotencyKey: expected 1 to 255 visible ASCII characters.';
  }
  if (requestId !== undefined && !REQUEST_ID.test(requestId)) {
    return 'requestId: expected 1 to 128 letters, digits, ".", "_", ":" and "-".';
  }
  if (policies !== undefined && policies !== 'all' && policies !== 'flagged') {
    return 'policies: expected "all" or "flagged".';
  }
  if (offsets !== undefined && !OFFSET_UNITS.includes(offsets)) {
    return 'offsets: expected "utf16", "codepoints" or "bytes".';
  }
  if (redact !== undefined && typeof redact !== 'boolean' && redact !== 'reversible') {
    return 'redact: expected true, false or "reversible".';
  }
  if (timeoutMs !== undefined && !(timeoutMs > 0 && timeoutMs <= MAX_MS)) {
    return `timeoutMs: expected milliseconds, more than 0 and at most ${MAX_MS}.`;
  }
  return undefined;
}

function prepare(
  settings: ClientSettings,
  { endpoint, id, query, body, isRepeatable = false }: ClientCall,
  options: CallOptions,
): Prepared | Failure {
  const headers: Record<string, string> = { accept: 'application/json' };
  if (endpoint.scope !== null) headers.authorization = `Bearer ${settings.apiKey}`;
  const version = versionFor(endpoint, settings.version);
  if (version !== undefined) headers['service-version'] = version;
  if (options.requestId !== undefined) headers['x-request-id'] = options.requestId;
  const init: Prepared['init'] = { method: endpoint.method, headers, redirect: 'error' };
  if (endpoint.method === 'POST') {
    headers['content-type'] = 'application/json';
    const draws = settings.idempotencyKeys && !isRepeatable;
    const key = options.idempotencyKey ?? (draws ? crypto.randomUUID() : undefined);
    if (key !== undefined) headers['idempotency-key'] = key;
    try {
      init.body = JSON.stringify(body);
    } catch {
      return usageError('The body cannot be written as JSON: it has a cycle, or a number of type bigint.');
    }
  }
  const path = endpoint.path.replace(/\{\w+\}$/, () => encodeURIComponent(id ?? ''));
  const parameters = new URLSearchParams();
  const { explain, policies, offsets, matched, redact } = options;
  const view = {
    ...(endpoint.views ? { explain, policies, offsets, matched } : {}),
    ...(endpoint.redacts ? { redact } : {}),
  };
  for (const [name, value] of Object.entries({ ...query, ...view })) {
    if (value !== undefined && value !== null) parameters.set(name, String(value));
  }
  const search = parameters.toString();
  return { url: `${settings.url}${path}${search === '' ? '' : `?${search}`}`, init };
}

/** The client's version, or the newest of an endpoint that does not have it (section 9). */
function versionFor(endpoint: CalledEndpoint, version: Version): Version | undefined {
  return endpoint.versions.includes(version) ? version : endpoint.versions.at(-1);
}

async function attempt<T>(
  settings: ClientSettings,
  { url, init }: Prepared,
  ms: number,
  signal: AbortSignal | undefined,
): Promise<Result<T>> {
  if (signal?.aborted) return aborted(0);
  const controller = new AbortController();
  const stop = (): void => controller.abort();
  const timer = setTimeout(stop, ms);
  signal?.addEventListener('abort', stop, { once: true });
  try {
    const response = await settings.fetch(url, { ...init, signal: controller.signal });
    return interpret<T>(response, await readText(response));
  } catch (cause) {
    if (signal?.aborted) return aborted(0);
    if (!controller.signal.aborted) return unreachable(cause);
    const message = `The service did not answer within ${Math.round(ms)} ms.`;
    return { ok: false, error: { type: 'timeout_error', message, attempts: 0 } };
  } finally {
    clearTimeout(timer);
    signal?.removeEventListener('abort', stop);
  }
}

function aborted(attempts: number): Failure {
  return { ok: false, error: { type: 'aborted_error', message: 'The call was given up by its caller.', attempts } };
}

// Messages of fetch may quote headers, and so the key. Only the code is used.
function unreachable(cause: unknown): Failure {
  const inner = (cause as { cause?: { code?: unknown } } | null | undefined)?.cause?.code;
  const code = typeof inner === 'string' && /^[A-Z0-9_]{1,40}$/.test(inner) ? inner : '';
  const message = `The service could not be reached, or broke off its answer${code === '' ? '' : ` (${code})`}.`;
  return { ok: false, error: { type: 'network_error', message, code, attempts: 0 } };
}

/**
 * One attempt to deliver: a POST to an address that was checked, within a time limit. The status alone counts: no redirect is followed,
 * and the body of an answer is not read.
 */
import { parseRetryAfter } from '../../shared/client/retry.js';
import type { AllowList } from '../images/fetch/address.js';
import type { FetchResponse } from '../images/fetch/connection.js';
import { wayTo } from '../images/fetch/guard.js';
import { createResolver, type Resolve } from '../images/fetch/resolve.js';

/** How attempts end. `gone`: status 410; `refused`: the address is not public and not in `WEIR_FETCH_ALLOW`. */
export const OUTCOMES = [
  'delivered',
  'gone',
  'redirect',
  'client_error',
  'server_error',
  'timeout',
  'broken',
  'unreachable',
  'unresolved',
  'refused',
  'no_secret',
] as const;
export type DeliveryOutcome = (typeof OUTCOMES)[number];

/** An attempt that ended. */
export interface Attempted {
  outcome: DeliveryOutcome;
  /** ms for which the receiver asks not to be called; absent: it does not ask */
  pauseMs?: number;
}

/** A receiver is left alone for as long as it asks, and no longer than this. */
export const LONGEST_PAUSE_MS = 3_600_000;

export interface PosterOptions {
  allow: AllowList;
  timeoutMs: number;
  /** of the project, for `User-Agent` */
  version: string;
  resolve?: Resolve;
  /** certificates to trust instead of those of the machine (PEM) */
  ca?: string;
}

/** Never rejects. `stop` ends it like its time limit. */
export type Post = (
  url: string,
  headers: Record<string, string>,
  body: string,
  stop: AbortSignal,
) => Promise<Attempted>;

export function createPost({ allow, timeoutMs, version, ca, resolve = createResolver() }: PosterOptions): Post {
  async function attempt(
    address: string,
    headers: Record<string, string>,
    body: string,
    signal: AbortSignal,
  ): Promise<Attempted> {
    const url = new URL(address);
    const way = await wayTo(url, { allow, resolve, signal });
    if (!way.ok) return { outcome: signal.aborted ? 'timeout' : way.reason };
    // Loaded with the first delivery, as images do.
    const { connect } = await import('../images/fetch/connection.js');
    const connection = connect(url, { addresses: way.addresses, ca, signal });
    try {
      const all = { ...headers, 'content-type': 'application/json', 'user-agent': `weir/${version}` };
      return attemptedBy(await connection.send(all, body));
    } catch {
      if (signal.aborted) return { outcome: 'timeout' };
      return { outcome: connection.established() ? 'broken' : 'unreachable' };
    } finally {
      connection.end();
    }
  }

  return async (address, headers, body, stop) => {
    const ending = new AbortController();
    const end = (): void => ending.abort(new Error('the time of the attempt is up'));
    const timer = setTimeout(end, timeoutMs);
    stop.addEventListener('abort', end, { once: true });
    if (stop.aborted) end();
    try {
      return await attempt(address, headers, body, ending.signal);
    } finally {
      clearTimeout(timer);
      stop.removeEventListener('abort', end);
    }
  };
}

/** What an answer means. `Retry-After` counts where it says that a receiver has too much to do. */
export function attemptedBy({ status, headers }: Pick<FetchResponse, 'status' | 'headers'>): Attempted {
  const outcome = outcomeOf(status);
  if (status !== 429 && status !== 503) return { outcome };
  const seconds = parseRetryAfter(headers.one('retry-after') ?? null, headers.one('date') ?? null);
  return seconds === undefined ? { outcome } : { outcome, pauseMs: Math.min(seconds * 1000, LONGEST_PAUSE_MS) };
}

function outcomeOf(status: number): DeliveryOutcome {
  if (status >= 200 && status < 300) return 'delivered';
  if (status === 410) return 'gone';
  if (status < 400) return 'redirect';
  return status < 500 ? 'client_error' : 'server_error';
}

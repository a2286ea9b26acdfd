/**
 * One attempt to deliver: a POST to an address that was checked, within a time limit. The status alone counts: no redirect is followed,
 * and the body of an answer is not read.
 */
import type { AllowList } from '../images/fetch/address.js';
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
export type Outcome = (typeof OUTCOMES)[number];

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
export type Post = (url: string, headers: Record<string, string>, body: string, stop: AbortSignal) => Promise<Outcome>;

export function createPost({ allow, timeoutMs, version, ca, resolve = createResolver() }: PosterOptions): Post {
  async function attempt(address: string, headers: Record<string, string>, body: string, signal: AbortSignal) {
    const url = new URL(address);
    const way = await wayTo(url, { allow, resolve, signal });
    if (!way.ok) return signal.aborted ? 'timeout' : way.reason;
    // Loaded with the first delivery, as images do.
    const { connect } = await import('../images/fetch/connection.js');
    const connection = connect(url, { addresses: way.addresses, ca, signal });
    try {
      const all = { ...headers, 'content-type': 'application/json', 'user-agent': `weir/${version}` };
      return outcomeOf((await connection.send(all, body)).status);
    } catch {
      if (signal.aborted) return 'timeout';
      return connection.established() ? 'broken' : 'unreachable';
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

function outcomeOf(status: number): Outcome {
  if (status >= 200 && status < 300) return 'delivered';
  if (status === 410) return 'gone';
  if (status < 400) return 'redirect';
  return status < 500 ? 'client_error' : 'server_error';
}

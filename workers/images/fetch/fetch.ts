/**
 * Fetches an image that a caller names by URL, without giving callers access to the operator's network. Each hop:
 *
 *   slot → URL → addresses → one pinned connection → status → body
 *     │      │        │               │                 │       └ done: the whole body, within the size limit
 *     │      │        │               │                 └ 304: the cached bytes · redirect: next hop, all checks again
 *     │      │        │               └ the name in Host and SNI, the address from the check; closed after the hop
 *     │      │        └ one forbidden address among many refuses the name: DNS rebinding mixes them
 *     │      └ http or https, no user name, no step from https down to http
 *     └ slots in all, for each team, and for each host of a team; waiting counts towards the time budget
 *
 * Any step may fail; the reason is one of a closed set. One time budget covers all steps. The caller is told the same for all
 * failures before a connection is established (see `failure.ts`). Nothing of the environment is sent: no proxy, cookies,
 * credentials or Referer.
 */

import { createSlots, type Slots } from '../../../shared/slots.js';
import { type FailureReason, failure, IMAGE_LIMITS, type ImageFailure } from '../failure.js';
import { type AllowList, destinationOf } from './address.js';
import { createFetchCache, type FetchCache } from './cache.js';
import type { FetchConnection } from './connection.js';
import { wayTo } from './guard.js';
import { createResolver, type Resolve } from './resolve.js';

export interface Fetched {
  ok: true;
  bytes: Buffer;
  /** the origin said that the cached image has not changed */
  cached: boolean;
}

export interface FetchOptions {
  /** milliseconds for everything, waiting for a slot included; default 10 s */
  limitMs?: number;
  /** ends the fetch like its time limit */
  signal?: AbortSignal;
  /** whose image it is: a team leaves slots for others (see `slots.ts`); default: nobody's in particular */
  team?: string;
}

export interface FetchEvent {
  outcome: 'fetched' | 'unchanged' | FailureReason;
  /** from call to end */
  ms: number;
  /** bytes read from hosts */
  bytes: number;
  redirects: number;
}

export interface Fetcher {
  /** Fetches `url`; never rejects. The bytes are those of status 200, of any kind, at most 10 MiB. */
  fetch(url: string, options?: FetchOptions): Promise<Fetched | ImageFailure>;
  /** fetches that run and that wait, and what is cached */
  counts(): { taken: number; waiting: number; cachedImages: number; cachedBytes: number };
}

export interface FetcherOptions {
  allow: AllowList;
  /** of the project, for `User-Agent` */
  version: string;
  resolve?: Resolve;
  /** fetches at once, in all [16] and of a team per host and port [4]; fetches that may wait [256] */
  slots?: { total: number; perHost: number; waiting: number };
  /** what is cached [1,000 images, 64 MiB]; 0 entries: nothing */
  cache?: { entries: number; bytes: number };
  /** certificates to trust instead of those of the machine (PEM) */
  ca?: string;
  /** called once a fetch; must not throw */
  observe?: (event: FetchEvent) => void;
}

/** One fetch, over all its hops. */
interface Journey {
  team: string;
  signal: AbortSignal;
  bytes: number;
  redirects: number;
}

/** How a hop ended: with a result, or with the URL of the next hop. */
type Hop = Fetched | ImageFailure | { ok: 'redirect'; location: URL };

interface FetchMeans {
  options: FetcherOptions;
  resolve: Resolve;
  slots: Slots;
  cache: FetchCache;
}

export function createFetcher(options: FetcherOptions): Fetcher {
  const means: FetchMeans = {
    options,
    resolve: options.resolve ?? createResolver(),
    slots: createSlots({ ...(options.slots ?? { total: 16, perHost: 4, waiting: 256 }), spare: true }),
    cache: createFetchCache(options.cache ?? { entries: 1000, bytes: 64 * 1024 * 1024 }),
  };
  return {
    async fetch(url, { limitMs = IMAGE_LIMITS.fetchMs, signal, team = '' } = {}) {
      const started = performance.now();
      const budget = new AbortController();
      const end = (): void => budget.abort(new Error('the time of the fetch is up'));
      const timer = setTimeout(end, Math.max(0, limitMs));
      signal?.addEventListener('abort', end, { once: true });
      if (signal?.aborted) end();
      const journey: Journey = { team, signal: budget.signal, bytes: 0, redirects: 0 };
      const result = await travel(means, url, journey);
      clearTimeout(timer);
      signal?.removeEventListener('abort', end);
      options.observe?.({
        outcome: result.ok ? (result.cached ? 'unchanged' : 'fetched') : result.reason,
        ms: performance.now() - started,
        bytes: journey.bytes,
        redirects: journey.redirects,
      });
      return result;
    },
    counts() {
      const { entries, bytes } = means.cache.size();
      return { ...means.slots.counts(), cachedImages: entries, cachedBytes: bytes };
    },
  };
}

async function travel(means: FetchMeans, text: string, journey: Journey): Promise<Fetched | ImageFailure> {
  if (text.length > IMAGE_LIMITS.urlCharacters || !URL.canParse(text)) return failure('url');
  let url = new URL(text);
  for (;;) {
    if (!isFetchable(url)) return failure(journey.redirects === 0 ? 'url' : 'refused');
    const hop = await takeRoom(means, url, journey);
    if (hop.ok !== 'redirect') return hop;
    if (journey.redirects === IMAGE_LIMITS.redirects) return failure('redirects');
    journey.redirects++;
    // Over http, others could replace the image. A caller that chose https did not agree to that.
    if (url.protocol === 'https:' && hop.location.protocol === 'http:') return failure('refused');
    url = hop.location;
  }
}

function isFetchable(url: URL): boolean {
  return (url.protocol === 'http:' || url.protocol === 'https:') && url.username === '' && url.password === '';
}

async function takeRoom(means: FetchMeans, url: URL, journey: Journey): Promise<Hop> {
  let give: (() => void) | undefined;
  try {
    // Hosts are counted for each team: fetches of one team that hang do not block others at the same host.
    give = await means.slots.take(`${journey.team} ${destinationOf(url)}`, journey.signal, journey.team);
  } catch {
    return failure('fetch_late');
  }
  if (!give) return failure('fetch_busy');
  try {
    return await hop(means, url, journey);
  } finally {
    give();
  }
}

async function hop(means: FetchMeans, url: URL, journey: Journey): Promise<Hop> {
  const { options } = means;
  const way = await wayTo(url, { allow: options.allow, resolve: means.resolve, signal: journey.signal });
  if (!way.ok) return failure(way.reason);
  // Loaded with the first fetch: it takes megabytes, which the garbage collector of a worker without images would go through
  // every second.
  const { connect } = await import('./connection.js');
  const connection = connect(url, { addresses: way.addresses, ca: options.ca, signal: journey.signal });
  try {
    return await exchange(means, url, connection, journey);
  } catch {
    if (!connection.established()) return failure('unreachable');
    return failure(journey.signal.aborted ? 'timeout' : 'incomplete');
  } finally {
    connection.end();
  }
}

async function exchange(means: FetchMeans, url: URL, connection: FetchConnection, journey: Journey): Promise<Hop> {
  const key = `${url.origin}${url.pathname}${url.search}`;
  const cached = means.cache.get(key);
  const { status, headers, body } = await connection.send({
    'user-agent': `weir/${means.options.version}`,
    accept: 'image/jpeg, image/png, image/webp, image/gif',
    'accept-encoding': 'identity',
    ...cached?.validators,
  });
  if (status === 304 && cached) return { ok: true, bytes: cached.bytes, cached: true };
  const location = headers.one('location');
  if (location !== undefined && [301, 302, 303, 307, 308].includes(status)) {
    if (location.length > IMAGE_LIMITS.urlCharacters || !URL.canParse(location, url.href)) return failure('refused');
    return { ok: 'redirect', location: new URL(location, url) };
  }
  if (status !== 200) {
    means.cache.delete(key);
    const final = status >= 400 && status < 500 && ![408, 425, 429].includes(status);
    return failure(final ? 'status_4xx' : 'status_other');
  }
  const encoding = headers.one('content-encoding')?.trim().toLowerCase();
  if (encoding !== undefined && encoding !== '' && encoding !== 'identity') return failure('encoding');
  // A stated length that is too large saves reading the body. What is read decides.
  if (Number(headers.one('content-length') ?? 0) > IMAGE_LIMITS.bytes) return failure('too_large');
  const bytes = await readBody(body, journey);
  if (!bytes) return failure('too_large');
  means.cache.set(key, bytes, {
    etag: headers.one('etag'),
    lastModified: headers.one('last-modified'),
    cacheControl: headers.one('cache-control'),
    vary: headers.one('vary'),
  });
  return { ok: true, bytes, cached: false };
}

/** The bytes of a body; undefined if there are more than the limit. */
async function readBody(body: AsyncIterable<Buffer>, journey: Journey): Promise<Buffer | undefined> {
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of body) {
    size += chunk.byteLength;
    journey.bytes += chunk.byteLength;
    if (size > IMAGE_LIMITS.bytes) return undefined;
    chunks.push(chunk);
  }
  return Buffer.concat(chunks, size);
}

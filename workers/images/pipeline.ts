/**
 * From what a caller sent to what can be judged: each image is fetched where it is named by URL, decoded, and read where
 * a policy asks for its text or for what a model says of it. One image goes through
 *
 *     inline ──────────────────────────────────> decoded ──> looked at
 *     by URL ──> fetched ──> a place to be read ──> decoded ──> read ──┘
 *       │           │                │                │           └ the time is up: what was not read is unknown
 *       │           │                │                └ waits for its turn; the decoder crashed: again, a few times
 *       │           │                └ none is free in time: decoded and not read
 *       │           └ fetches are busy: again, until the time is up
 *       └ too many of its team, or of its host, are on their way: waits
 *
 * and fails by itself: nothing that an image does reaches the others. What is wrong with the image or its host is final,
 * what is ours is tried again while there is time. What could not be read does not make an image fail: it is unknown, and
 * the policies that ask for it are not evaluated.
 */
import { setMaxListeners } from 'node:events';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Slots } from '../../shared/slots.js';
import type { Decoded, Decoder } from './decode/pool.js';
import type { ImageHash, Rendition } from './decode/types.js';
import { type Failure, type FailureReason, failure } from './failure.js';
import { destinationOf } from './fetch/address.js';
import type { Fetcher } from './fetch/fetch.js';
import type { ImageReading, Readers, ReadingPlan, Wanted } from './read/readers.js';

/** An image as the body has it; `item`: number of the item that it is, or belongs to. */
export type ImageSource = {
  item: number;
  /** what policies ask for beside its properties and its hash; absent: nothing */
  wanted?: Wanted;
} & (
  | { url: string }
  | { data: Uint8Array }
  /** `data` that is no base64, or too much of it */
  | { failed: FailureReason }
);

export type GatheredImage =
  | {
      ok: true;
      properties: Decoded['properties'];
      hash: ImageHash;
      /** what was read, if it was wanted and could be had */
      reading: ImageReading;
      /** ms; 0 for an inline image */
      fetchMs: number;
      decodeMs: number;
    }
  | {
      ok: false;
      reason: FailureReason;
      /** a sentence for the caller */
      note: string;
      fault: Failure['fault'];
      /** of the image, as far as it was received */
      bytes: number;
      fetchMs: number;
      decodeMs: number;
    };

/** How long an image may take, in ms of the steady clock (`performance.now()`). */
export interface ImageTime {
  fetchedBy: number;
  /** no longer is waited for a place to be read: what is left is needed to decode without */
  placedBy: number;
  /** decoded, and read as far as it got */
  decodedBy: number;
}

export interface Gatherer {
  /** Images of a team, by item. Never rejects; ends at `decodedBy`, or soon after `signal` is aborted. */
  gather(
    team: string,
    sources: readonly ImageSource[],
    time: ImageTime,
    signal: AbortSignal,
  ): Promise<Record<number, GatheredImage>>;
}

export interface GathererOptions {
  fetcher: Fetcher;
  decoder: Decoder;
  /** images by URL that may be held at once, in all, of a team, and of a team per host */
  room: Slots;
  readers: Pick<Readers, 'plan'>;
  /** images that may be read at once, each of which holds its pixels; those for text, and those for models alone */
  places: Slots;
  /** how often an image is decoded whose decoder crashed */
  decodeTries: number;
  /** called once an image; must not throw */
  observe?: (outcome: 'looked_at' | FailureReason) => void;
  /** called when an image is decoded without being read, since no place was free in time; must not throw */
  unplaced?: () => void;
}

/** Before something that was busy is tried again. */
const PAUSE_MS = 100;

/** The same as signals, which the end of the work aborts too; and whose images they are. */
interface Limits extends ImageTime {
  team: string;
  fetching: AbortSignal;
  placing: AbortSignal;
  decoding: AbortSignal;
}

interface Timed<T> {
  result: T;
  ms: number;
}

/** How an image is read, and what gives its place back. */
interface Place {
  plan: ReadingPlan;
  leave(): void;
}

const unread = (notes: readonly string[]): Place => ({
  plan: { renditions: [], read: async () => ({ text: null, scores: {}, notes }) },
  leave: () => undefined,
});
const NOTHING_WANTED = unread([]);
/** What the time or memory for decoding left unread. */
const NO_PIXELS = unread(['The image could not be read: decoding it for that took too long, or too much memory.']);
const NO_PLACE = unread(['The image could not be read in time: too many images are waiting. Try again later.']);

export function createGatherer(options: GathererOptions): Gatherer {
  const { fetcher, decoder, room, readers, places, decodeTries, observe } = options;

  async function fetched(url: string, time: Limits): Promise<Buffer | Failure> {
    for (;;) {
      const limitMs = time.fetchedBy - performance.now();
      if (limitMs <= 0 || time.fetching.aborted) return failure('fetch_late');
      const result = await fetcher.fetch(url, { limitMs, signal: time.fetching, team: time.team });
      if (result.ok) return result.bytes;
      if (result.reason !== 'fetch_busy') return result;
      await pause(time.fetchedBy);
    }
  }

  async function placeOf(wanted: Wanted | undefined, time: Limits): Promise<Place> {
    if (!wanted) return NOTHING_WANTED;
    const plan = readers.plan(wanted);
    if (plan.renditions.length === 0) return { plan, leave: NOTHING_WANTED.leave };
    const leave = await places.take(wanted.text ? 'text' : 'models', time.placing, time.team).catch(() => undefined);
    // Models may have changed meanwhile.
    if (leave) return { plan: readers.plan(wanted), leave };
    options.unplaced?.();
    return NO_PLACE;
  }

  async function decoded(bytes: Buffer, renditions: Rendition[], time: Limits): Promise<Decoded | Failure> {
    const { team, decoding: signal } = time;
    // Hashed before a crash, it is as good as looked at, whatever comes of trying again.
    let hashed: Decoded | undefined;
    for (let tries = 1; !signal.aborted && performance.now() < time.decodedBy; tries++) {
      const result = await decoder.decode(bytes, { renditions, hash: true, signal, team });
      if (result.ok) hashed = result;
      if (!hasCrashed(result) || tries === decodeTries) return hashed ?? result;
      await pause(time.decodedBy);
    }
    return hashed ?? failure('cancelled');
  }

  async function look(
    { bytes, fetchMs }: { bytes: Buffer; fetchMs: number },
    wanted: Wanted | undefined,
    time: Limits,
  ): Promise<GatheredImage> {
    const { plan, leave } = await placeOf(wanted, time);
    try {
      const { result, ms } = await timed(decoded(bytes, plan.renditions, time));
      if (!result.ok) return { ...failedBy(result), bytes: bytes.length, fetchMs, decodeMs: ms };
      const reading = await (result.unmade ? NO_PIXELS.plan : plan).read(result.pixels, time.decoding);
      return { ok: true, properties: result.properties, hash: result.hash!, reading, fetchMs, decodeMs: ms };
    } finally {
      leave();
    }
  }

  async function lookAtUrl(url: string, wanted: Wanted | undefined, time: Limits): Promise<GatheredImage> {
    const none = { bytes: 0, decodeMs: 0 };
    if (!URL.canParse(url)) return { ...failedBy(failure('url')), ...none, fetchMs: 0 };
    const started = performance.now();
    // Held until it is decoded: what is fetched takes memory until then.
    const host = `${time.team} ${destinationOf(new URL(url))}`;
    const leave = await room.take(host, time.fetching, time.team).catch(() => 'late' as const);
    if (!leave || leave === 'late') {
      return { ...failedBy(failure(leave ? 'fetch_late' : 'fetch_busy')), ...none, fetchMs: since(started) };
    }
    try {
      const result = await fetched(url, time);
      const fetchMs = since(started);
      if (!Buffer.isBuffer(result)) return { ...failedBy(result), ...none, fetchMs };
      return await look({ bytes: result, fetchMs }, wanted, time);
    } finally {
      leave();
    }
  }

  async function one(source: ImageSource, time: Limits): Promise<GatheredImage> {
    if ('url' in source) return await lookAtUrl(source.url, source.wanted, time);
    if ('failed' in source) return { ...failedBy(failure(source.failed)), bytes: 0, fetchMs: 0, decodeMs: 0 };
    const { buffer, byteOffset, length } = source.data;
    const bytes = Buffer.from(buffer as ArrayBuffer, byteOffset, length);
    return await look({ bytes, fetchMs: 0 }, source.wanted, time);
  }

  return {
    async gather(team, sources, time, signal) {
      const gathered: Record<number, GatheredImage> = {};
      const { fetchedBy, placedBy, decodedBy } = time;
      const ends = [fetchedBy, placedBy, decodedBy].map((end) => endOf(end, signal));
      const [fetching, placing, decoding] = ends.map((end) => end.signal) as [AbortSignal, AbortSignal, AbortSignal];
      const limits: Limits = { ...time, team, fetching, placing, decoding };
      try {
        await Promise.all(
          sources.map(async (source) => {
            const image = await one(source, limits);
            observe?.(image.ok ? 'looked_at' : image.reason);
            gathered[source.item] = image;
          }),
        );
      } finally {
        for (const end of ends) end.clear();
      }
      return gathered;
    },
  };
}

function hasCrashed(result: Decoded | Failure): boolean {
  return (result.ok ? result.unmade : result)?.reason === 'crashed';
}

function failedBy({ reason, note, fault }: Failure) {
  return { ok: false as const, reason, note, fault };
}

const since = (started: number): number => Math.round(performance.now() - started);
const untilMs = (time: number): number => Math.max(0, Math.ceil(time - performance.now()));

async function timed<T>(work: Promise<T>): Promise<Timed<T>> {
  const started = performance.now();
  const result = await work;
  return { result, ms: since(started) };
}

/** Aborted at `time`, or with `signal`. Not `AbortSignal.any`, of which a long-lived signal would keep a trace each time. */
export function endOf(time: number, signal: AbortSignal): { signal: AbortSignal; clear(): void } {
  const ending = new AbortController();
  // Every image of a request listens.
  setMaxListeners(0, ending.signal);
  const end = (): void => ending.abort(new Error('the time for images is up'));
  const timer = setTimeout(end, untilMs(time));
  if (signal.aborted) end();
  signal.addEventListener('abort', end, { once: true });
  return {
    signal: ending.signal,
    clear() {
      clearTimeout(timer);
      signal.removeEventListener('abort', end);
    },
  };
}

/** Some of the wait is chance, so that those who wait do not come all at once; never beyond `end`. */
async function pause(end: number): Promise<void> {
  await sleep(Math.min(PAUSE_MS * (0.5 + Math.random()), untilMs(end)));
}

/**
 * Turns the images that a caller sent into what policies look at. Each image is fetched if it is named by URL, then decoded,
 * and read if a policy asks for its text or for the scores of a model.
 *
 *     inline ──────────────────────────────────> decoded ──> looked at
 *     by URL ──> fetched ──> a reading slot ──────> decoded ──> read ──┘
 *       │           │                │                │           └ the time is up: what was not read is unknown
 *       │           │                │                └ waits for its turn; the decoder crashed: again, a few times
 *       │           │                └ none is free in time: decoded and not read
 *       │           └ fetches are busy: again, until the time is up
 *       └ too many of its team, or of its host, are on their way: waits
 *
 * Each image fails alone. A fault of the image or its host is final; a fault of the service is tried again while there is
 * time. An image whose text or scores are missing does not fail: the policies that ask for them are not evaluated.
 */
import { setMaxListeners } from 'node:events';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Slots } from '../../shared/slots.js';
import type { DecodedImage, DecoderPool } from './decode/pool.js';
import type { ImageHash, Rendition } from './decode/types.js';
import { type FailureReason, failure, type ImageFailure } from './failure.js';
import { destinationOf } from './fetch/address.js';
import type { Fetcher } from './fetch/fetch.js';
import type { ImageReading, Readers, ReadingPlan, WantedReadings } from './read/readers.js';

/** An image as the body has it. */
export type ImageSource = {
  /** number of the item that the image is, or belongs to */
  item: number;
  /** what policies ask for besides its properties and its hash; absent: nothing */
  wanted?: WantedReadings;
} & (
  | { url: string }
  | { data: Uint8Array }
  /** `data` that is no base64, or too much of it */
  | { failed: FailureReason }
);

export type GatheredImage =
  | {
      ok: true;
      properties: DecodedImage['properties'];
      hash: ImageHash;
      /** what was read of what was wanted */
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
      fault: ImageFailure['fault'];
      /** received so far */
      bytes: number;
      fetchMs: number;
      decodeMs: number;
    };

/** How long an image may take, in ms of the steady clock (`performance.now()`). */
export interface ImageTime {
  fetchedBy: number;
  /** until when it waits for a reading slot; the time after that is needed to decode it without one */
  placedBy: number;
  /** until when it is decoded and read */
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
  decoder: DecoderPool;
  /** images by URL that may be held at once: in all, of a team, and of a team per host */
  room: Slots;
  readers: Pick<Readers, 'plan'>;
  /** reading slots: an image holds its pixels while it is read. Hosts are by team: `text`, and `models` for images without it. */
  places: Slots;
  /** how often an image is tried whose decoder crashes */
  decodeTries: number;
  /** called once an image; must not throw */
  observe?: (outcome: 'looked_at' | FailureReason) => void;
  /** called when an image is decoded but not read, because no slot was free in time; must not throw */
  unplaced?: () => void;
}

/** Before something that was busy is tried again. */
const PAUSE_MS = 100;

/** The images of one request: whose they are, and how long they may take, also as signals that the end of the work aborts. */
interface ImagesTask extends ImageTime {
  team: string;
  fetching: AbortSignal;
  placing: AbortSignal;
  decoding: AbortSignal;
}

interface Timed<T> {
  result: T;
  ms: number;
}

/** How an image is read, and what gives its reading slot back. */
interface ReadingSlot {
  plan: ReadingPlan;
  leave(): void;
}

const unread = (notes: readonly string[]): ReadingSlot => ({
  plan: { renditions: [], read: async () => ({ text: null, scores: {}, notes }) },
  leave: () => undefined,
});
const NOTHING_WANTED = unread([]);
/** For an image whose renditions took too much time or memory. */
const NO_PIXELS = unread(['The image could not be read: decoding it for that took too long, or too much memory.']);
const NO_PLACE = unread(['The image could not be read in time: too many images are waiting. Try again later.']);

export function createGatherer(options: GathererOptions): Gatherer {
  return {
    async gather(team, sources, time, signal) {
      const gathered: Record<number, GatheredImage> = {};
      const { fetchedBy, placedBy, decodedBy } = time;
      const ends = [fetchedBy, placedBy, decodedBy].map((end) => endOf(end, signal));
      const [fetching, placing, decoding] = ends.map((end) => end.signal) as [AbortSignal, AbortSignal, AbortSignal];
      const task: ImagesTask = { ...time, team, fetching, placing, decoding };
      try {
        await Promise.all(
          sources.map(async (source) => {
            const image = await one(options, source, task);
            options.observe?.(image.ok ? 'looked_at' : image.reason);
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

async function one(means: GathererOptions, source: ImageSource, task: ImagesTask): Promise<GatheredImage> {
  if ('url' in source) return await lookAtUrl(means, source.url, source.wanted, task);
  if ('failed' in source) return { ...failedBy(failure(source.failed)), bytes: 0, fetchMs: 0, decodeMs: 0 };
  const { buffer, byteOffset, length } = source.data;
  const bytes = Buffer.from(buffer as ArrayBuffer, byteOffset, length);
  return await look(means, { bytes, fetchMs: 0 }, source.wanted, task);
}

async function lookAtUrl(
  means: GathererOptions,
  url: string,
  wanted: WantedReadings | undefined,
  task: ImagesTask,
): Promise<GatheredImage> {
  const none = { bytes: 0, decodeMs: 0 };
  if (!URL.canParse(url)) return { ...failedBy(failure('url')), ...none, fetchMs: 0 };
  const started = performance.now();
  // Held until the image is decoded, because what is fetched takes memory until then.
  const host = `${task.team} ${destinationOf(new URL(url))}`;
  const leave = await means.room.take(host, task.fetching, task.team).catch(() => 'late' as const);
  if (!leave || leave === 'late') {
    return { ...failedBy(failure(leave ? 'fetch_late' : 'fetch_busy')), ...none, fetchMs: since(started) };
  }
  try {
    const result = await fetched(means, url, task);
    const fetchMs = since(started);
    if (!Buffer.isBuffer(result)) return { ...failedBy(result), ...none, fetchMs };
    return await look(means, { bytes: result, fetchMs }, wanted, task);
  } finally {
    leave();
  }
}

async function fetched({ fetcher }: GathererOptions, url: string, task: ImagesTask): Promise<Buffer | ImageFailure> {
  for (;;) {
    const limitMs = task.fetchedBy - performance.now();
    if (limitMs <= 0 || task.fetching.aborted) return failure('fetch_late');
    const result = await fetcher.fetch(url, { limitMs, signal: task.fetching, team: task.team });
    if (result.ok) return result.bytes;
    if (result.reason !== 'fetch_busy') return result;
    await pause(task.fetchedBy);
  }
}

async function look(
  means: GathererOptions,
  { bytes, fetchMs }: { bytes: Buffer; fetchMs: number },
  wanted: WantedReadings | undefined,
  task: ImagesTask,
): Promise<GatheredImage> {
  const { plan, leave } = await placeOf(means, wanted, task);
  try {
    const { result, ms } = await timed(decoded(means, bytes, plan.renditions, task));
    if (!result.ok) return { ...failedBy(result), bytes: bytes.length, fetchMs, decodeMs: ms };
    const reading = await (result.unmade ? NO_PIXELS.plan : plan).read(result.pixels, task.decoding, task.team);
    return { ok: true, properties: result.properties, hash: result.hash!, reading, fetchMs, decodeMs: ms };
  } finally {
    leave();
  }
}

async function placeOf(
  { readers, places, unplaced }: GathererOptions,
  wanted: WantedReadings | undefined,
  task: ImagesTask,
): Promise<ReadingSlot> {
  if (!wanted) return NOTHING_WANTED;
  const plan = readers.plan(wanted);
  if (plan.renditions.length === 0) return { plan, leave: NOTHING_WANTED.leave };
  const host = `${task.team} ${wanted.text ? 'text' : 'models'}`;
  const leave = await places.take(host, task.placing, task.team).catch(() => undefined);
  // Models may have changed in the meantime.
  if (leave) return { plan: readers.plan(wanted), leave };
  unplaced?.();
  return NO_PLACE;
}

async function decoded(
  { decoder, decodeTries }: GathererOptions,
  bytes: Buffer,
  renditions: Rendition[],
  task: ImagesTask,
): Promise<DecodedImage | ImageFailure> {
  const { team, decoding: signal } = task;
  // An image that was hashed before a crash has been looked at, whatever the next try gives.
  let hashed: DecodedImage | undefined;
  for (let tries = 1; !signal.aborted && performance.now() < task.decodedBy; tries++) {
    const result = await decoder.decode(bytes, { renditions, hash: true, signal, team });
    if (result.ok) hashed = result;
    if (!hasCrashed(result) || tries === decodeTries) return hashed ?? result;
    await pause(task.decodedBy);
  }
  return hashed ?? failure('cancelled');
}

function hasCrashed(result: DecodedImage | ImageFailure): boolean {
  return (result.ok ? result.unmade : result)?.reason === 'crashed';
}

function failedBy({ reason, note, fault }: ImageFailure) {
  return { ok: false as const, reason, note, fault };
}

const since = (started: number): number => Math.round(performance.now() - started);
const untilMs = (time: number): number => Math.max(0, Math.ceil(time - performance.now()));

async function timed<T>(work: Promise<T>): Promise<Timed<T>> {
  const started = performance.now();
  const result = await work;
  return { result, ms: since(started) };
}

/** Aborted at `time`, or with `signal`. Not `AbortSignal.any`: a long-lived signal would keep a trace of each call. */
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

/** Waits a partly random time, so that the images that wait do not all come back at once. Never waits beyond `end`. */
async function pause(end: number): Promise<void> {
  await sleep(Math.min(PAUSE_MS * (0.5 + Math.random()), untilMs(end)));
}

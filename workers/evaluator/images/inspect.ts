/**
 * The images of an entry, on the main thread: found in the body by a thread, then fetched, decoded, measured, read. An image
 * that fails does so by itself; only a body that cannot be read, or a thread that ends, makes all of this fail.
 */
import { within } from '../../../shared/async.js';
import type { StoredConfiguration } from '../../../shared/streams/configuration.js';
import { leftOf, type WorkHeader } from '../../../shared/streams/work.js';
import { judgeOf } from '../../fleet.js';
import { failure } from '../../images/failure.js';
import type { HashLists, SharedList } from '../../images/known-lists/known-lists.js';
import { endOf, type GatheredImage, type Gatherer, type ImageSource, type ImageTime } from '../../images/pipeline.js';
import type { Found, Pool } from '../threads/pool.js';
import type { Stay } from './room.js';

/** What looks at images, and what they are held against. */
export type ImageSources = Gatherer & { lists: Pick<HashLists, 'get'> };

/** What was seen of the images of an entry. */
export interface Seen {
  /** by item; absent where there are none */
  images?: Record<number, GatheredImage>;
  lists: SharedList[];
  /** what is judged in place of the body, from which it differs in the data of images alone */
  body?: Uint8Array;
}

interface Entry {
  raw: { body: Buffer };
  header: WorkHeader;
}

interface Means {
  media: ImageSources;
  hardLimitMs: number;
}

/** Of the time until the sync deadline, the last quarter, at most 2 s, is kept for what follows a fetch and waiting. */
const RESERVE_MS = 2000;
/** Of these, the last part for judging and the commit. */
const LAST_PART = 0.3;
const FETCH_MS = 10_000;

/** Has a thread find the images of `entry`. Rejects when the thread does. */
export async function findImages(
  { hardLimitMs }: Means,
  { raw, header, by }: Entry & { by: StoredConfiguration },
  extract: Pool['extract'],
): Promise<Found> {
  const limit = leftOf(header) + hardLimitMs;
  // The thread is sent all the memory that the bytes lie in. They are needed here until they are judged, so it has a copy.
  const alone = raw.body.buffer.byteLength === raw.body.length;
  const body = alone ? raw.body : new Uint8Array(raw.body);
  return await extract({ ...judgeOf(by), header, body, moves: !alone }, limit);
}

/** Looks at the images that were found in an entry, as soon as it is its turn; `signal` ends waiting. */
export async function lookAtImages(
  { media, hardLimitMs }: Means,
  header: WorkHeader,
  { found, stay }: { found: Found; stay: Stay },
  signal: AbortSignal,
): Promise<Seen> {
  const { time, leave } = await inTurn(header, hardLimitMs, { stay, signal });
  try {
    const wanted = media.lists.get(found.lists);
    const images = await media.gather(header.team, found.images, time, signal);
    // Lists that are being read for the first time may take longer than there is: they are missing then.
    const lists = await within(wanted, { ms: time.decodedBy - performance.now(), signal });
    return { ...seenOf(found, images), lists: lists ?? [] };
  } finally {
    leave();
  }
}

/** Where there is no room for the entry: none of its images is looked at. */
export function notLookedAt(found: Found): Seen {
  const images: Record<number, GatheredImage> = {};
  for (const source of found.images) images[source.item] = { ...refused(source), bytes: 0, fetchMs: 0, decodeMs: 0 };
  return { ...seenOf(found, images), lists: [] };
}

function refused(source: ImageSource): Omit<Extract<GatheredImage, { ok: false }>, 'bytes' | 'fetchMs' | 'decodeMs'> {
  const reason = 'failed' in source ? source.failed : 'url' in source ? 'fetch_busy' : 'decode_busy';
  const { ok, note, fault } = failure(reason);
  return { ok, reason, note, fault };
}

const seenOf = ({ body }: Found, images: Record<number, GatheredImage>) => (body ? { images, body } : { images });

/**
 * The time that images have, from when it is their turn. Where an answer is awaited there is an end to waiting for that: then
 * there is time left to decode an image, and none to fetch one.
 */
async function inTurn(
  header: WorkHeader,
  hardLimitMs: number,
  { stay, signal }: { stay: Stay; signal: AbortSignal },
): Promise<{ time: ImageTime; leave(): void }> {
  const time = timeOf(header, hardLimitMs);
  const end = isAwaited(header) ? endOf(time.placedBy, signal) : undefined;
  try {
    const leave = await stay.turn(end?.signal ?? signal);
    return { time: timeOf(header, hardLimitMs), leave };
  } catch {
    return { time, leave: () => undefined };
  } finally {
    end?.clear();
  }
}

const isAwaited = ({ kind, deadline }: WorkHeader): boolean => kind !== 'artifact' && deadline > Date.now();

/**
 * Within an event or a session images end before its deadline, so that what is beside them is answered in time. An
 * artifact by itself is waited for by looking it up, and so is, once its deadline has passed, everything else.
 */
export function timeOf(header: WorkHeader, hardLimitMs: number): ImageTime {
  const { deadline, received } = header;
  const now = performance.now();
  const left = leftOf(header);
  if (!isAwaited(header)) {
    const fetchedBy = now + FETCH_MS;
    const decodedBy = fetchedBy + hardLimitMs;
    return { fetchedBy, placedBy: Math.max(fetchedBy, decodedBy - RESERVE_MS), decodedBy };
  }
  const reserve = Math.min(RESERVE_MS, (deadline - received) / 4);
  return {
    fetchedBy: now + Math.min(left - reserve, FETCH_MS),
    placedBy: now + left - reserve,
    decodedBy: now + left - reserve * LAST_PART,
  };
}

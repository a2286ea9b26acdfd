/**
 * Looks at the images of an entry, on the main thread. A thread finds them in the body; then they are fetched, decoded, measured and
 * read. An image that fails does not affect the others. All of it fails only if the body cannot be read or the thread ends.
 */
import { within } from '../../../shared/async.js';
import { leftOf, type WorkHeader } from '../../../shared/streams/work.js';
import { planReference } from '../../configuration-source.js';
import { failure } from '../../images/failure.js';
import type { HashLists, SharedList } from '../../images/known-lists/known-lists.js';
import { endOf, type GatheredImage, type Gatherer, type ImageSource, type ImageTime } from '../../images/pipeline.js';
import type { Check } from '../check.js';
import type { Stay } from '../room.js';
import { type FinishedExtract, type Pool, whileLost } from '../threads/pool.js';

/** Fetches and decodes images, and has the lists of known hashes that they are compared with. */
export type ImageSources = Gatherer & { lists: Pick<HashLists, 'get'> };

/** What looking at the images of an entry has brought. */
export interface InspectedImages {
  /** by item; absent where there are none */
  images?: Record<number, GatheredImage>;
  lists: SharedList[];
  /** evaluated in place of the body: the same without the data of images */
  body?: Uint8Array;
}

interface InspectMeans {
  media: ImageSources;
  hardLimitMs: number;
}

/** The last quarter of the time until the sync deadline, at most this long, is kept for decoding, evaluating and committing. */
const RESERVE_MS = 2000;
/** The last part of the reserve, for evaluating and committing alone. */
const LAST_PART = 0.3;
const FETCH_MS = 10_000;

/** Has a thread find the images of `entry`. Rejects when the thread does. */
export async function findImages(
  { hardLimitMs }: InspectMeans,
  { raw, header, configuration }: Check,
  extract: Pool['extract'],
): Promise<FinishedExtract> {
  const reference = planReference(configuration);
  return await whileLost(() => {
    // The body is still needed here. A copy that moves takes one pass over it, a clone two.
    const body = new Uint8Array(raw.body);
    return extract({ ...reference, header, body, moves: true }, hardLimitMs);
  });
}

/** Waits for the turn of the entry, then looks at its images; `signal` ends waiting. */
export async function lookAtImages(
  { media, hardLimitMs }: InspectMeans,
  header: WorkHeader,
  { found, stay }: { found: FinishedExtract; stay: Stay },
  signal: AbortSignal,
): Promise<InspectedImages> {
  const { time, leave } = await inTurn(header, hardLimitMs, { stay, signal });
  try {
    const wanted = media.lists.get(found.lists);
    const images = await media.gather(header.team, found.images, time, signal);
    // A list that is read for the first time may take too long. It is missing then.
    const lists = await within(wanted, { ms: time.decodedBy - performance.now(), signal });
    return { ...seenOf(found, images), lists: lists ?? [] };
  } finally {
    leave();
  }
}

/** The result where there is no room for the entry: none of its images is looked at. */
export function notLookedAt(found: FinishedExtract): InspectedImages {
  const images: Record<number, GatheredImage> = {};
  for (const source of found.images) images[source.item] = { ...refused(source), bytes: 0, fetchMs: 0, decodeMs: 0 };
  return { ...seenOf(found, images), lists: [] };
}

function refused(source: ImageSource): Omit<Extract<GatheredImage, { ok: false }>, 'bytes' | 'fetchMs' | 'decodeMs'> {
  const reason = 'failed' in source ? source.failed : 'url' in source ? 'fetch_busy' : 'decode_busy';
  const { ok, note, fault } = failure(reason);
  return { ok, reason, note, fault };
}

const seenOf = ({ body }: FinishedExtract, images: Record<number, GatheredImage>) =>
  body ? { images, body } : { images };

/**
 * Waits for the turn of an entry, and returns the time that its images have from then on. While a caller waits for the answer the
 * wait is limited: it ends when there is still time to decode an image, but none to fetch one.
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

const isAwaited = ({ kind, deadline, look }: WorkHeader): boolean =>
  (kind !== 'artifact' || look !== undefined) && deadline > Date.now();

/**
 * The time limits of images. In an event or a session they lie before its deadline, so that the texts beside the images are answered
 * in time. An artifact that is not only tried has more time, since its caller looks it up later. So has everything whose deadline has passed.
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

/**
 * The images of an entry, on the main thread: found in the body by a thread, fetched, decoded, measured, read. An image that
 * fails does so by itself; only a body that cannot be read, or a thread that ends, makes all of this fail.
 */
import type { WorkHeader } from '../../shared/streams/work.js';
import type { GatheredImage, Gatherer, ImageTime } from '../media/gather.js';
import type { HashLists, SharedList } from '../media/hash-lists.js';
import type { Pool } from './pool.js';

/** What looks at images, and what they are held against. */
export type ImageSources = Gatherer & { lists: Pick<HashLists, 'get'> };

/** What was seen of the images of an entry. */
export interface Seen {
  /** by item; absent where there are none */
  images?: Record<number, GatheredImage>;
  lists: SharedList[];
}

interface Entry {
  raw: { body: Buffer };
  header: WorkHeader;
}

/** Of the time until the sync deadline, the last quarter, at most 2 s, is kept for what follows a fetch and waiting. */
const RESERVE_MS = 2000;
/** Of these, the last part for judging and the commit. */
const LAST_PART = 0.3;
const FETCH_MS = 10_000;

/** Looks at the images of `entry`. Rejects when its thread does; `signal` ends waiting. */
export async function lookAtImages(
  { media, hardLimitMs }: { media: ImageSources; hardLimitMs: number },
  { raw, header }: Entry,
  extract: Pool['extract'],
  signal: AbortSignal,
): Promise<Seen> {
  const limit = Math.max(header.deadline - Date.now(), 0) + hardLimitMs;
  const { images, lists } = await extract({ version: header.config, header, body: raw.body }, limit);
  const time = timeOf(header, hardLimitMs);
  const wanted = media.lists.get(lists);
  const gathered = await media.gather(images, time, signal);
  return { images: gathered, lists: await within(wanted, time.decodedBy - performance.now(), signal) };
}

/**
 * Within an event or a session images end before its deadline, so that what is beside them is answered in time. An
 * artifact by itself is waited for by looking it up, and so is, once its deadline has passed, everything else.
 */
export function timeOf({ kind, deadline, received }: WorkHeader, hardLimitMs: number): ImageTime {
  const now = performance.now();
  const left = deadline - Date.now();
  if (kind === 'artifact' || left <= 0) {
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

/** Lists that are being read for the first time may take longer than there is: they are missing then. */
async function within(lists: Promise<SharedList[]>, ms: number, signal: AbortSignal): Promise<SharedList[]> {
  if (signal.aborted) return [];
  let timer: NodeJS.Timeout | undefined;
  let stop: (() => void) | undefined;
  const late = new Promise<SharedList[]>((resolve) => {
    stop = () => resolve([]);
    timer = setTimeout(stop, Math.max(0, ms));
    signal.addEventListener('abort', stop, { once: true });
  });
  try {
    return await Promise.race([lists, late]);
  } finally {
    clearTimeout(timer);
    signal.removeEventListener('abort', stop!);
  }
}

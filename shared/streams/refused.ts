/** Entries of the log that ClickHouse refuses: the archiver sets them aside, an operator replays or drops them. */
import type { Redis } from './client.js';
import { indexKeysOf } from './hot/indexes.js';
import { keys } from './keys.js';
import { type Connection, script } from './script.js';

export interface RefusedEntry {
  partition: number;
  /** id that the entry had in the log */
  id: string;
  /** id of the request; '' when the entry names none */
  request: string;
  /** why ClickHouse refuses it, without what callers sent */
  reason: string;
  rowBytes: number;
  /** keys of the indexes that find the request */
  index: string[];
}

/** Ids of entries, both included; `from` may begin with a bracket that leaves it out. */
export interface Range {
  from: string;
  to: string;
  most: number;
}

/** Entries per call of the script. Each may be as large as a body. */
const PAGE = 20;
/** How long a result stays whose rows were dropped. */
const DROPPED_MS = 60_000;

const list = script('archive/list-refused');
const take = script('archive/take-refused');
const expireIndex = script('indexes/expire-index');

/** Entries that were set aside in a partition, oldest first. Reads no rows. */
export async function listRefused(
  redis: Connection,
  partition: number,
  { from, to, most }: Range,
): Promise<RefusedEntry[]> {
  const entries: RefusedEntry[] = [];
  while (entries.length < most) {
    const last = entries.at(-1);
    const count = Math.min(PAGE, most - entries.length);
    const found = await list(redis, [keys.refused(partition)], [last ? `(${last.id}` : from, to, count]);
    const page = found as [string, string, string, string, number][];
    for (const [id, request, reason, index, rowBytes] of page) {
      entries.push({ partition, id, request, reason, rowBytes, index: indexKeysOf(index) });
    }
    if (page.length < count) break;
  }
  return entries;
}

/** Has an entry archived again. False when it is not set aside (any more). */
export async function replayRefused(redis: Redis, partition: number, id: string): Promise<boolean> {
  return (await take(redis, keysOf(partition), [id, 'replay'])) === 1;
}

/**
 * Drops an entry for good: its rows are lost, and its result leaves Redis as if it were archived. False when it is not set aside
 * (any more).
 */
export async function dropRefused(redis: Connection, entry: RefusedEntry): Promise<boolean> {
  const { partition, id, request, index } = entry;
  if (request !== '') {
    await redis.pexpire(keys.result(partition, request), DROPPED_MS);
    for (const key of index) await expireIndex(redis, [key, keys.unarchived(key)], [0, DROPPED_MS, request]);
  }
  return (await take(redis, keysOf(partition), [id, 'drop'])) === 1;
}

const keysOf = (partition: number): string[] => [
  keys.refused(partition),
  keys.refusedBytes(partition),
  keys.results(partition),
];

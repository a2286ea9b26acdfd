/** Entries of the log that ClickHouse refuses: the archiver sets them aside, an operator replays or drops them. */
import { keys } from './keys.js';
import { type RedisConnection, script } from './script.js';

export interface RefusedEntry {
  partition: number;
  /** id that the entry had in the log */
  id: string;
  /** id of the request; '' when the entry names none */
  request: string;
  /** why ClickHouse refuses it, without what callers sent */
  reason: string;
  rowBytes: number;
}

/** Ids of entries, both included; `from` may begin with a bracket that leaves it out. */
export interface RefusedRange {
  from: string;
  to: string;
  most: number;
}

/** Entries per call of the script. Each may be as large as a body. */
const PAGE = 20;

const list = script('archive/list-refused');
const take = script('archive/take-refused');

/** Entries that were set aside in a partition, oldest first. Reads no rows. */
export async function listRefused(
  redis: RedisConnection,
  partition: number,
  { from, to, most }: RefusedRange,
): Promise<RefusedEntry[]> {
  const entries: RefusedEntry[] = [];
  while (entries.length < most) {
    const last = entries.at(-1);
    const count = Math.min(PAGE, most - entries.length);
    const found = await list(redis, [keys.refused(partition)], [last ? `(${last.id}` : from, to, count]);
    const page = found as [string, string, string, number][];
    for (const [id, request, reason, rowBytes] of page) {
      entries.push({ partition, id, request, reason, rowBytes });
    }
    if (page.length < count) break;
  }
  return entries;
}

/** Has an entry archived again. False when it is not set aside (any more). */
export async function replayRefused(redis: RedisConnection, partition: number, id: string): Promise<boolean> {
  return (await take(redis, keysOf(partition), [id, 'replay'])) === 1;
}

/**
 * Drops an entry for good, in one step: its rows are lost, and it goes through the log without them. So its result leaves Redis as if it
 * were archived. False when it is not set aside (any more).
 */
export async function dropRefused(redis: RedisConnection, partition: number, id: string): Promise<boolean> {
  return (await take(redis, keysOf(partition), [id, 'drop'])) === 1;
}

const replace = script('archive/replace-refused');

/** The rows of an entry; undefined when it is not set aside (any more). */
export async function readRefused(
  redis: RedisConnection,
  partition: number,
  id: string,
): Promise<{ format: string; rows: Buffer } | undefined> {
  const [entry] = await redis.xrangeBuffer(keys.refused(partition), id, id);
  if (!entry) return undefined;
  const at = (name: string): Buffer => {
    const place = entry[1].findIndex((field, i) => i % 2 === 0 && field.toString() === name);
    return place < 0 ? Buffer.alloc(0) : entry[1][place + 1]!;
  };
  return { format: at('format').toString(), rows: at('rows') };
}

/** Gives an entry other, fewer rows, behind the others. False when it is not set aside (any more). */
export async function replaceRefused(
  redis: RedisConnection,
  partition: number,
  id: string,
  rows: Buffer,
): Promise<boolean> {
  return (await replace(redis, keysOf(partition).slice(0, 2), [id, rows])) === 1;
}

const keysOf = (partition: number): string[] => [
  keys.refused(partition),
  keys.refusedBytes(partition),
  keys.results(partition),
];

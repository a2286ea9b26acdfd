/**
 * Reads new entries of partitions that share one Redis, on a blocking connection of its own. Every call has a time limit. After any error
 * the caller closes the reader and opens another one.
 */

import { inTime } from '../../shared/async.js';
import { connectBlocking, type Redis } from '../../shared/streams/client.js';
import type { RedisEndpoint, RedisHost } from '../../shared/streams/endpoint.js';
import { GROUP, keys, type Lane } from '../../shared/streams/keys.js';
import type { RedisCommand } from '../../shared/streams/script.js';
import { ask, piecesOf } from '../../shared/streams/send.js';
import { type RawEntry, rawEntry, readBodies, type StreamEntry } from './entry.js';
import { makeGroups } from './groups.js';

export interface ReaderOptions {
  endpoint: RedisEndpoint;
  /** name within the group */
  name: string;
  lane: Lane;
  /** those that are read; the same list until they change */
  partitions(): readonly number[];
  /** the node of a Cluster that has them */
  at?: RedisHost | undefined;
  /** small entries of one chunk, and chunks at work at once: a read brings about as many as can start */
  chunk: number;
  capacity: number;
  /** Reads partition after partition, one entry at a time. For entries that may be large. */
  oneByOne: boolean;
}

export interface WorkReader {
  /**
   * New entries. With `wait` the read blocks until there are some, {@link BLOCK_MS} at most; without it the read
   * returns at once.
   */
  read(wait: boolean): Promise<RawEntry[]>;
  /** Ends a read that is under way. */
  close(): void;
}

/** Entries with bodies of more bytes than that are large. Of them so many times less are a chunk, as far as that is known before they are read. */
const LARGE_BYTES = 4096;
export const LARGE_SHARE = 4;

const BLOCK_MS = 2000;
/** How much longer than it blocks a read may take. */
const WATCHDOG_MS = 5000;

const ANSWER_MS = BLOCK_MS + WATCHDOG_MS;

const watched = <T>(work: Promise<T>): Promise<T> => inTime(work, ANSWER_MS, `no answer for ${WATCHDOG_MS} ms`);

/** Connects, and makes the consumer groups that are missing. */
export async function openReader(options: ReaderOptions): Promise<WorkReader> {
  const connection = connectBlocking(options.endpoint, 'weir-consumer', options.at);
  connection.on('error', () => undefined);
  const partitions = options.partitions();
  try {
    await watched(
      (async () => {
        await connection.connect();
        await makeGroups(connection, options.lane, partitions);
      })(),
    );
  } catch (error) {
    connection.disconnect();
    throw error;
  }
  return createReader(connection, options, partitions);
}

/** `grouped`: partitions whose groups exist. */
function createReader(connection: Redis, options: ReaderOptions, grouped: readonly number[]): WorkReader {
  const { oneByOne } = options;
  /** One by one: where the partition stands that was read last, and how many reads in a row were empty. */
  let last = 0;
  let empty = 0;
  /** the entries that were read last are large */
  let large = false;
  const reads = new Map<string, StreamRead>();

  /** Reads the partition at a place in the list, or all. */
  async function readOf(at: number | 'all', waits: boolean): Promise<RawEntry[]> {
    const name = `${at} ${waits} ${large}`;
    const read = reads.get(name) ?? prepare(options, at === 'all' ? grouped : [grouped[at]!], { waits, large });
    reads.set(name, read);
    const [reply] = await ask(connection, read.pieces, 1, ANSWER_MS);
    if (reply instanceof Error) throw reply;
    const entries = entriesIn(reply, read, options.lane);
    await readBodies(connection, entries, ANSWER_MS);
    if (entries.length > 0) large = areLarge(entries);
    return entries;
  }

  async function readNext(): Promise<RawEntry[]> {
    last = (last + 1) % grouped.length;
    const entries = await readOf(last, false);
    empty = entries.length > 0 ? 0 : empty + 1;
    return entries;
  }

  return {
    async read(wait) {
      const partitions = options.partitions();
      if (grouped !== partitions) {
        const known = new Set(grouped);
        const added = partitions.filter((p) => !known.has(p));
        await watched(makeGroups(connection, options.lane, added));
        grouped = partitions;
        reads.clear();
      }
      if (!oneByOne && !wait) return await readOf('all', false);
      // A read that names many partitions brings entries of each, which a budget of bytes does not allow. So partitions are read one
      // after the other. Once all of them were empty they are waited for together. The first one with an entry ends that; at worst
      // several bring one each.
      if (wait && (!oneByOne || grouped.length === 1 || empty >= grouped.length)) {
        const entries = await readOf('all', true);
        if (entries.length > 0) empty = 0;
        return entries;
      }
      if (wait) return await readNext();
      for (let i = 0; i < grouped.length; i++) {
        const entries = await readNext();
        if (entries.length > 0) return entries;
      }
      return [];
    },
    close: () => connection.disconnect(),
  };
}

/** Entries of a read, first handed out. */
export function entriesIn(reply: unknown, { partitions }: Pick<StreamRead, 'partitions'>, lane: Lane): RawEntry[] {
  const entries: RawEntry[] = [];
  for (const [key, list] of (reply as [Buffer, StreamEntry[]][] | null) ?? []) {
    const stream = { partition: partitions.get(key.toString())!, lane };
    for (const one of list) entries.push(rawEntry(stream, one, 1));
  }
  return entries;
}

/** Whether fewer such entries should be read together. */
export const areLarge = (entries: readonly RawEntry[]): boolean =>
  entries.reduce((sum, { body }) => sum + body.length, 0) / entries.length > LARGE_BYTES;

/** A read as it is sent, and the partitions by the names of their streams. It is made once, since it is sent again and again. */
export interface StreamRead {
  command: RedisCommand;
  pieces: readonly Buffer[];
  partitions: ReadonlyMap<string, number>;
}

export function prepare(
  options: Omit<ReaderOptions, 'endpoint' | 'oneByOne'>,
  read: readonly number[],
  { waits, large }: { waits: boolean; large: boolean },
): StreamRead {
  const { lane, name } = options;
  const partitions = new Map(read.map((p) => [keys.checks(p, lane), p]));
  const block = waits ? ['BLOCK', BLOCK_MS] : [];
  const streams = ['STREAMS', ...partitions.keys(), ...Array.from(partitions, () => '>')];
  const command = ['XREADGROUP', 'GROUP', GROUP, name, 'COUNT', perStream(options, large), ...block, ...streams];
  return { command, pieces: piecesOf([command]), partitions };
}

/** COUNT counts per stream. With many partitions it is smaller: else one worker would hold entries that idle workers could start. */
function perStream(
  { partitions, chunk, capacity }: Pick<ReaderOptions, 'partitions' | 'chunk' | 'capacity'>,
  large: boolean,
): number {
  const most = large ? chunk / LARGE_SHARE : chunk;
  return Math.max(1, Math.ceil((most * capacity) / Math.max(partitions().length, capacity)));
}

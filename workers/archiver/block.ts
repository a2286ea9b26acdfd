/**
 * Blocks: what goes to ClickHouse at once, of all partitions of this archiver. A block has a piece for each partition that had something
 * to archive. It ends at the limits of rows and bytes, or where everything is read. An entry that is larger than a block is a block of
 * its own.
 *
 * A piece is read from the position of its partition on. It need not be the same one when it is read again, since its rows replace
 * themselves.
 *
 * Memory: a block and one page of entries.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import type { Redis } from '../../shared/streams/client.js';
import { indexKeysOf } from '../../shared/streams/hot/indexes.js';
import { keys } from '../../shared/streams/keys.js';
import { sendTogether } from '../../shared/streams/send.js';
import type { ErasedAmong, ErasedWatch } from '../erasures/erased.js';
import { leaveOut } from '../rows/leave-out.js';
import { checkRows, DamagedRows, isNewerFormat, type PackedRows } from '../rows/unpack-rows.js';
import type { ArchivePosition, ArchiveScripts } from './archive-scripts.js';
import { createPages, type LogEntry, msOf, readPage } from './read-log.js';

/** An entry whose rows go to ClickHouse. They are unpacked when they are sent. */
export interface BlockEntry {
  rows: PackedRows;
  partition: number;
  source: LogEntry;
}

export interface EntryRefusal {
  entry: LogEntry;
  reason: string;
}

/** Consecutive entries of one partition. */
export interface LogPiece {
  partition: number;
  /** last archived id of the log when it was read, or empty; and its own last one */
  from: string;
  to: string;
  refused: EntryRefusal[];
  requests: string[];
  /** index key → requests of this piece that it finds */
  index: Map<string, string[]>;
  rows: number;
  /** entries of the log, also those without rows, and the bytes of their fields */
  entries: number;
  bytes: number;
  /** Unix ms of its first and last entry; everything that was logged before the last one is archived with it */
  firstMs: number;
  lastMs: number;
}

export interface Block {
  pieces: LogPiece[];
  entries: BlockEntry[];
  /** counts an entry without rows as one */
  rows: number;
  /** of the fields of its entries, with the rows as they are sent */
  bytes: number;
  /** there may be more to archive now */
  full: boolean;
}

export interface BlockReaderOptions {
  redis: Redis;
  scripts: Pick<ArchiveScripts, 'look'>;
  limits: { blockRows: number; blockBytes: number; blockDelayMs: number };
  /** Unix ms of the oldest entry of a partition that is not archived; undefined: none */
  oldest(partition: number, ms: number | undefined): void;
  /** is told of an entry that a newer release must archive: nothing behind it is read */
  newer(partition: number, entry: LogEntry): void;
  /** what is left out of rows, since it was erased */
  erased: ErasedWatch;
  /** Bounds how long an answer of Redis is awaited. */
  asked<T>(answer: Promise<T>): Promise<T>;
}

export interface BlockReader {
  /** What comes next in `partitions`; `ahead`: behind a block that is not archived yet. */
  next(partitions: readonly number[], ahead?: Block): Promise<Block>;
}

/**
 * An entry has the time of Redis's clock. If it is ahead of the clock by more than this, the clock was set back (or a failover led to
 * another host). It is archived at once rather than when that time comes again.
 */
export const AHEAD_MS = 10_000;

/**
 * A read pauses behind a page of so many bytes. An evaluator of the same process answers callers on this thread, and a block of many
 * pages kept it waiting. So at most some 60 MB a second are read, more than an engine stores.
 */
const LARGE_PAGE_BYTES = 64 * 1024;
const PAUSE_MS = 2;

export function createBlockReader({
  redis,
  scripts,
  limits,
  oldest,
  newer,
  erased,
  asked,
}: BlockReaderOptions): BlockReader {
  /** the partition that a block begins with, so that none waits for ever behind others */
  let turn = 0;
  let gone: ErasedAmong | undefined;

  /** Ids are in order of time, so everything behind a bound of time comes later. */
  async function read(partition: number, { after, oldest, now }: ArchivePosition, block: Block): Promise<void> {
    const until = now - limits.blockDelayMs;
    const ahead = msOf(oldest) > now + AHEAD_MS;
    if (msOf(oldest) > until && !ahead) return;
    let bytes = 0;
    const pages = createPages(async (from, count) => {
      if (bytes >= LARGE_PAGE_BYTES) await sleep(PAUSE_MS);
      const [start, end] = [from === '' ? '-' : `(${from}`, ahead ? '+' : until];
      const entries = await readPage(redis, partition, { from: start, to: end, count }, asked);
      bytes = entries.reduce((sum, entry) => sum + entry.bytes, 0);
      return entries;
    });
    const piece = emptyPiece(partition, after);
    for (let entry = await pages.fetch(after); entry; entry = pages.current() ?? (await pages.fetch(after))) {
      if (isNewerFormat(entry.format)) {
        newer(partition, entry);
        break;
      }
      if (gone) leaveErasedOut(entry, gone);
      block.full = !take(entry, piece, block, limits);
      if (block.full) break;
      pages.advance();
    }
    if (piece.entries > 0) block.pieces.push(piece);
  }

  return {
    async next(partitions, ahead) {
      const block: Block = { pieces: [], entries: [], rows: 0, bytes: 0, full: false };
      const done = new Map(ahead?.pieces.map((piece) => [piece.partition, piece.to]));
      const filled = await asked(haveEntries(redis, partitions));
      if (filled.includes(true)) gone = await erased();
      const looks = await asked(
        Promise.all(partitions.map((p, at) => (filled[at] ? scripts.look(p, done.get(p)) : NOTHING_THERE))),
      );
      for (let i = 0; i < partitions.length; i++) {
        const at = (turn + i) % partitions.length;
        const [partition, look] = [partitions[at]!, looks[at]!];
        // What is behind an unfinished block is not the oldest.
        if (!ahead) oldest(partition, look.oldest === '' ? undefined : msOf(look.oldest));
        if (!block.full && look.oldest !== '') await read(partition, look, block);
      }
      if (block.full) turn++;
      return block;
    },
  };
}

const NOTHING_THERE: ArchivePosition = { after: '', oldest: '', now: 0 };

/** Whether the logs have entries: one small command for those that have none. */
async function haveEntries(redis: Redis, partitions: readonly number[]): Promise<boolean[]> {
  if (partitions.length === 0) return [];
  const lengths = await sendTogether(
    redis,
    partitions.map((p) => ['XLEN', keys.results(p)]),
  );
  const failed = lengths.find((length) => length instanceof Error);
  if (failed) throw failed;
  return lengths.map((length) => length !== 0);
}

const emptyPiece = (partition: number, from: string): LogPiece => ({
  partition,
  from,
  to: from,
  refused: [],
  requests: [],
  index: new Map(),
  rows: 0,
  entries: 0,
  bytes: 0,
  firstMs: 0,
  lastMs: 0,
});

/** Adds an entry to a block; false when it does not fit any more. */
function take(
  entry: LogEntry,
  piece: LogPiece,
  block: Block,
  { blockRows, blockBytes }: BlockReaderOptions['limits'],
): boolean {
  const packed = check(entry);
  const rows = 'rows' in packed ? packed.rows : 0;
  // As they are sent.
  const bytes = 'rows' in packed ? entry.bytes + packed.length - entry.rows.length : entry.bytes;
  const first = block.pieces.length === 0 && piece.entries === 0;
  if (!first && (block.rows + rows > blockRows || block.bytes + bytes > blockBytes)) return false;
  if (!('rows' in packed)) piece.refused.push({ entry, reason: packed.reason });
  else if (rows > 0) block.entries.push({ rows: packed, partition: piece.partition, source: entry });
  if (entry.request !== '') {
    piece.requests.push(entry.request);
    for (const key of indexKeysOf(entry.index)) {
      const requests = piece.index.get(key);
      if (requests) requests.push(entry.request);
      else piece.index.set(key, [entry.request]);
    }
  }
  block.rows += Math.max(1, rows);
  block.bytes += bytes;
  piece.rows += rows;
  piece.entries++;
  piece.bytes += entry.bytes;
  piece.to = entry.id;
  if (piece.entries === 1) piece.firstMs = entry.ms;
  piece.lastMs = entry.ms;
  return true;
}

/** What was erased does not come back with an entry that is archived again. Entries that cannot be read are refused as they are. */
function leaveErasedOut(entry: LogEntry, gone: ErasedAmong): void {
  if (entry.dropped || entry.gone || entry.request === '') return;
  try {
    entry.rows = leaveOut(entry.format, entry.rows, gone)?.packed ?? entry.rows;
  } catch (error) {
    if (!(error instanceof DamagedRows)) throw error;
  }
}

const NO_ROWS: PackedRows = { rows: 0, length: 0, write: (_, at) => at, bytes: () => Buffer.alloc(0) };

/** Rows of an entry, or why they are none. */
function check({ request, format, rows, dropped, gone }: LogEntry): PackedRows | { reason: string } {
  if (dropped) return NO_ROWS;
  if (gone) return { reason: 'its rows are not in Redis any more' };
  try {
    return request === '' ? { reason: 'the entry has no field "id"' } : checkRows(format, rows);
  } catch (error) {
    if (!(error instanceof DamagedRows)) throw error;
    return { reason: error.message };
  }
}

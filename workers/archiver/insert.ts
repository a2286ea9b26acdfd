/**
 * Inserts the entries of a block into ClickHouse: one INSERT for each format. Every row replaces itself by the sorting key of its table,
 * so an INSERT may be repeated, in whole or in parts, and needs no token.
 *
 * What ClickHouse does not take is narrowed down by halves, until each such entry is alone, or with few others where there are very many:
 *
 * - Where a row is at fault: always. The entries are set aside.
 * - With any other error: where `narrow` says so. The partitions of the entries wait; those of others are stored.
 */
import { setTimeout as sleep, setImmediate as turn } from 'node:timers/promises';
import type { HistoryClient } from '../../shared/history/client.js';
import { COLUMNS_OF, insertOf, type RowFormat } from '../rows/columns.js';
import { MOST_HALVED, middleOf, type NarrowedSending, sendAll } from '../rows/narrow.js';
import { NotInserted, sendRows } from '../rows/send-rows.js';
import type { PackedRows } from '../rows/unpack-rows.js';
import type { BlockEntry } from './block.js';
import type { WholeHistory } from './whole.js';

const FORMATS = Object.keys(COLUMNS_OF) as RowFormat[];
const STATEMENTS = Object.fromEntries(FORMATS.map((format) => [format, insertOf(format)])) as Record<RowFormat, string>;
const CHUNK_BYTES = 256 * 1024;
const LARGE_BYTES = 128 * 1024;
/**
 * A pause behind each chunk. A socket on loopback takes a block as fast as it is made. An evaluator of the same process answers callers on
 * this thread, and a block without pauses kept it waiting for up to 40 ms.
 */
const PAUSE_MS = 1;
/** Time after which ClickHouse itself must be in trouble where no row is at fault. So it is after as many failures as are narrowed down. */
const MOST_MS = 10_000;

export type Insertion = NarrowedSending<BlockEntry, NotInserted>;

export interface InsertOptions {
  /** also after errors that are not the fault of a row */
  narrow: boolean;
  signal: AbortSignal;
  whole: WholeHistory;
  /** called before each INSERT */
  moved(): void;
}

export const insertionOf = (entries: readonly BlockEntry[]): Insertion => ({ left: [entries], refused: new Map() });

/** A group for each format, partition by partition. */
function byFormat(entries: readonly BlockEntry[]): BlockEntry[][] {
  const sorted = entries.toSorted((a, b) => a.partition - b.partition);
  const groups = FORMATS.map((format) => sorted.filter(({ source }) => source.format === format));
  return groups.filter((group) => group.length > 0);
}

/** Between two partitions, as near to the middle as can be: entries of a partition suffer for none of another one. */
function cut(entries: readonly BlockEntry[]): number {
  const middle = middleOf(entries);
  for (let away = 0; away <= middle; away++) {
    for (const at of [middle - away, middle + away]) {
      if (at > 0 && at < entries.length && entries[at - 1]!.partition !== entries[at]!.partition) return at;
    }
  }
  return middle;
}

/** Inserts what is left. Rejects when ClickHouse cannot be asked, or takes nothing; then it may be called again. */
export async function insertBlock(
  client: HistoryClient,
  insertion: Insertion,
  { narrow, signal, whole, moved }: InsertOptions,
): Promise<void> {
  // What an earlier call has halved is whole again: where ClickHouse was in trouble, one INSERT costs it least.
  insertion.left = byFormat(insertion.left.flat());
  let failures = 0;
  const started = performance.now();
  const inTrouble = (): boolean => failures > MOST_HALVED || performance.now() - started > MOST_MS;
  const narrows = (error: unknown): error is NotInserted => {
    failures++;
    return error instanceof NotInserted && (error.rowFault || (narrow && !inTrouble()));
  };
  const send = async (entries: readonly BlockEntry[]): Promise<void> => {
    moved();
    const statement = STATEMENTS[entries[0]!.source.format as RowFormat];
    await whole.insert(() => sendRows(client, statement, paced(chunks(entries)), signal), signal);
  };
  await sendAll(insertion, send, narrows, cut);
}

async function* paced(chunks: Iterable<Buffer>): AsyncGenerator<Buffer> {
  for (const chunk of chunks) {
    yield chunk;
    await sleep(PAUSE_MS);
    // A timer that is due already is called before anything else is.
    await turn();
  }
}

/** Joins small entries, since a write to the socket costs more than copying them. Large ones are sent as they are. */
function* chunks(entries: readonly BlockEntry[]): Generator<Buffer> {
  let small: PackedRows[] = [];
  let bytes = 0;
  for (const { rows } of entries) {
    const large = rows.length >= LARGE_BYTES;
    if (!large) {
      small.push(rows);
      bytes += rows.length;
    }
    if (bytes > 0 && (large || bytes >= CHUNK_BYTES)) {
      yield joined(small, bytes);
      small = [];
      bytes = 0;
    }
    if (large) yield rows.bytes();
  }
  if (bytes > 0) yield joined(small, bytes);
}

function joined(all: readonly PackedRows[], bytes: number): Buffer {
  const chunk = Buffer.allocUnsafeSlow(bytes);
  let at = 0;
  for (const rows of all) at = rows.write(chunk, at);
  return chunk;
}

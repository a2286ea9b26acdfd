/**
 * Inserts the entries of a block into ClickHouse: one INSERT for each format. Every row replaces itself by the sorting key of its table,
 * so an INSERT may be repeated, in whole or in parts, and needs no token.
 *
 * What ClickHouse does not take is narrowed down by halves, until each such entry is alone:
 *
 * - Where a row is at fault: always. The entry is set aside.
 * - With any other error: where `narrow` says so. The partition of the entry waits; those of others are stored.
 */
import type { HistoryClient } from '../../shared/history/client.js';
import { COLUMNS_OF, insertOf, type RowFormat } from '../rows/columns.js';
import { NotInserted, sendRows } from '../rows/send-rows.js';
import type { BlockEntry } from './block.js';
import { type Sending, sendAll } from './narrow.js';

const FORMATS = Object.keys(COLUMNS_OF) as RowFormat[];
const STATEMENTS = Object.fromEntries(FORMATS.map((format) => [format, insertOf(format)])) as Record<RowFormat, string>;
const CHUNK_BYTES = 512 * 1024;
const LARGE_BYTES = 128 * 1024;
/** Failed INSERTs, and ms, after which ClickHouse itself must be in trouble. Five entries among 50,000 need fewer. */
const MOST_FAILURES = 90;
const MOST_MS = 10_000;

export type Insertion = Sending<BlockEntry, NotInserted>;

export interface InsertOptions {
  /** also after errors that are not the fault of a row */
  narrow: boolean;
  signal: AbortSignal;
  /** called before each INSERT */
  moved(): void;
}

/** Entries that are to be inserted: a group for each format. */
export function insertionOf(entries: readonly BlockEntry[]): Insertion {
  const groups = FORMATS.map((format) => entries.filter(({ source }) => source.format === format));
  return { left: groups.filter((group) => group.length > 0), refused: new Map() };
}

/** Inserts what is left. Rejects when ClickHouse cannot be asked, or takes nothing; then it may be called again. */
export async function insertBlock(
  client: HistoryClient,
  insertion: Insertion,
  { narrow, signal, moved }: InsertOptions,
): Promise<void> {
  let failures = 0;
  const started = performance.now();
  const inTrouble = (): boolean => ++failures > MOST_FAILURES || performance.now() - started > MOST_MS;
  const narrows = (error: unknown): error is NotInserted =>
    error instanceof NotInserted && (error.rowFault || (narrow && !inTrouble()));
  const send = async (entries: readonly BlockEntry[]): Promise<void> => {
    moved();
    await sendRows(client, STATEMENTS[entries[0]!.source.format as RowFormat], chunks(entries), signal);
  };
  await sendAll(insertion, send, narrows);
}

/** Joins small entries, since a write to the socket costs more than copying them. Large ones are sent as they are. */
function* chunks(entries: readonly BlockEntry[]): Generator<Buffer> {
  let small: Buffer[] = [];
  let bytes = 0;
  for (const entry of entries) {
    const large = entry.bytes.length >= LARGE_BYTES;
    if (!large) {
      small.push(entry.bytes);
      bytes += entry.bytes.length;
    }
    if (bytes > 0 && (large || bytes >= CHUNK_BYTES)) {
      yield Buffer.concat(small, bytes);
      small = [];
      bytes = 0;
    }
    if (large) yield entry.bytes;
  }
  if (bytes > 0) yield Buffer.concat(small, bytes);
}

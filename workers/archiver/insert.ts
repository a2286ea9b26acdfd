/**
 * Inserts the entries of a block into ClickHouse: one INSERT for each format. Every row replaces itself by the sorting key of its table,
 * so an INSERT may be repeated, in whole or in parts, and needs no token.
 *
 * What ClickHouse does not take is narrowed down by halves:
 *
 * - Bytes that are no rows: until each such entry is alone. It is refused.
 * - Any other error, where `narrow` says so: until each such entry is alone. Its partition fails; those of others are stored.
 */
import { ClickHouseError } from '@clickhouse/client';
import type { HistoryClient } from '../../shared/history/client.js';
import { COLUMNS_OF, insertOf, type RowFormat } from '../rows/columns.js';
import { sendRows } from '../rows/send-rows.js';
import type { BlockEntry } from './block.js';

const FORMATS = Object.keys(COLUMNS_OF) as RowFormat[];
const STATEMENTS = Object.fromEntries(FORMATS.map((format) => [format, insertOf(format)])) as Record<RowFormat, string>;
const CHUNK_BYTES = 512 * 1024;
const LARGE_BYTES = 128 * 1024;
/** Failed INSERTs, and ms, after which ClickHouse itself must be in trouble. Five entries among 50,000 need fewer. */
const MOST_FAILURES = 90;
const MOST_MS = 10_000;

/** Codes of ClickHouse for bytes that are no rows. Any other error may pass, so the insert is repeated. */
const UNREADABLE = new Set([
  '3', // UNEXPECTED_END_OF_FILE
  '32', // ATTEMPT_TO_READ_AFTER_EOF
  '33', // CANNOT_READ_ALL_DATA
  '117', // INCORRECT_DATA
  '128', // TOO_LARGE_ARRAY_SIZE
  '131', // TOO_LARGE_STRING_SIZE
  '190', // SIZES_OF_ARRAYS_DONT_MATCH
  '321', // VALUE_IS_OUT_OF_RANGE_OF_DATA_TYPE
  '691', // UNKNOWN_ELEMENT_OF_ENUM
]);

/** What was not stored. */
export interface Unstored {
  /** entries that ClickHouse cannot read, with the reason */
  refused: Map<BlockEntry, string>;
  /** partition → why an entry of it was not taken */
  failed: Map<number, ClickHouseError>;
}

/** Rejects when ClickHouse cannot be asked, or takes nothing. */
export async function insertBlock(
  client: HistoryClient,
  entries: readonly BlockEntry[],
  { narrow, signal }: { narrow: boolean; signal: AbortSignal },
): Promise<Unstored> {
  const unstored: Unstored = { refused: new Map(), failed: new Map() };
  let failures = 0;
  const started = performance.now();
  const inTrouble = (): boolean => ++failures > MOST_FAILURES || performance.now() - started > MOST_MS;
  async function insert(format: RowFormat, some: readonly BlockEntry[]): Promise<void> {
    const [entry] = some;
    if (entry === undefined) return;
    try {
      await sendRows(client, STATEMENTS[format], chunks(some), signal);
    } catch (error) {
      if (!(error instanceof ClickHouseError)) throw error;
      const readable = !UNREADABLE.has(error.code);
      if (readable && (!narrow || inTrouble())) throw error;
      if (some.length > 1) {
        const middle = some.length >>> 1;
        await insert(format, some.slice(0, middle));
        await insert(format, some.slice(middle));
      } else if (readable) unstored.failed.set(entry.partition, error);
      else unstored.refused.set(entry, `ClickHouse cannot read its rows (${error.type})`);
    }
  }
  for (const format of FORMATS) {
    const some = entries.filter(({ source }) => source.format === format);
    await insert(format, some);
  }
  return unstored;
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

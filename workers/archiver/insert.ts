/**
 * Inserts a part into ClickHouse; by its token it is stored once. If ClickHouse cannot read the rows, the part is halved until each
 * unreadable entry is alone. The tokens of halves follow from the part, so a repetition makes the same blocks.
 */
import { Readable } from 'node:stream';
import { ClickHouseError } from '@clickhouse/client';
import type { HistoryClient } from '../../shared/history/client.js';
import { COLUMNS_OF, insertOf, type RowFormat } from '../rows/columns.js';
import type { Part, PartEntry, Refusal } from './read-log.js';

const FORMATS = Object.keys(COLUMNS_OF) as RowFormat[];
const STATEMENTS = Object.fromEntries(FORMATS.map((format) => [format, insertOf(format)])) as Record<RowFormat, string>;
const CHUNK_BYTES = 512 * 1024;
const LARGE_BYTES = 128 * 1024;

/** These make one INSERT one block in each table, and store each block once in each table and view. */
const SETTINGS = {
  insert_deduplicate: 1,
  deduplicate_blocks_in_dependent_materialized_views: 1,
  async_insert: 0,
  max_insert_block_size: '1000000000',
  min_insert_block_size_rows: '1000000000',
  min_insert_block_size_bytes: '0',
  max_insert_threads: '1',
  input_format_parallel_parsing: 0,
  // A replayed dead letter may be of any day.
  max_partitions_per_insert_block: '0',
  // Rows of one block are different: there is nothing to merge.
  optimize_on_insert: 0,
} as const;

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

/** Inserts the entries of `part`. Returns those that ClickHouse could not read; any other error is thrown. */
export async function insertPart(client: HistoryClient, part: Part, signal: AbortSignal): Promise<Refusal[]> {
  const refused: Refusal[] = [];
  for (const format of FORMATS) {
    const entries = part.entries.filter((entry) => entry.source.format === format);
    const token = format === '1' ? part.token : `${part.token}:format${format}`;
    refused.push(...(await insertEntries(client, { entries, token, format }, signal)));
  }
  return refused;
}

/** Entries of one format: one block, with a token of its own. */
interface Block {
  entries: readonly PartEntry[];
  token: string;
  format: RowFormat;
}

async function insertEntries(client: HistoryClient, block: Block, signal: AbortSignal): Promise<Refusal[]> {
  const refused: Refusal[] = [];
  const insert = async (from: number, to: number, token: string): Promise<void> => {
    if (from === to) return;
    try {
      await send(client, { ...block, entries: block.entries.slice(from, to), token }, signal);
    } catch (error) {
      if (!(error instanceof ClickHouseError) || !UNREADABLE.has(error.code)) throw error;
      const entry = block.entries[from]!;
      if (to - from === 1) {
        refused.push({ entry: entry.source, reason: `ClickHouse cannot read its rows (${error.type})` });
        return;
      }
      const middle = (from + to) >>> 1;
      await insert(from, middle, `${block.token}:${from}-${middle}`);
      await insert(middle, to, `${block.token}:${middle}-${to}`);
    }
  };
  await insert(0, block.entries.length, block.token);
  return refused;
}

async function send(client: HistoryClient, { entries, token, format }: Block, signal: AbortSignal): Promise<void> {
  const { stream } = await client.exec({
    query: STATEMENTS[format],
    values: Readable.from(chunks(entries), { objectMode: false }),
    clickhouse_settings: { ...SETTINGS, insert_deduplication_token: token },
    abort_signal: signal,
  });
  // Only when the answer has been read is the insert known to have ended, and does the socket return to the pool.
  for await (const _ of stream) {
    // INSERT answers with nothing
  }
}

/** Joins small entries, since a write to the socket costs more than copying them. Large ones are sent as they are. */
function* chunks(entries: readonly PartEntry[]): Generator<Buffer> {
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

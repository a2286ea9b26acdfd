/** Inserts rows of metrics: one INSERT, one block. A repeated row replaces itself, so there is no token. */
import { Readable } from 'node:stream';
import type { HistoryClient } from '../../shared/history/client.js';
import { METRIC_COLUMNS } from './compute.js';

const STATEMENT = `INSERT INTO metrics (${METRIC_COLUMNS.join(', ')}) FORMAT RowBinary`;

const SETTINGS = {
  async_insert: 0,
  max_insert_block_size: '1000000000',
  min_insert_block_size_rows: '1000000000',
  min_insert_block_size_bytes: '0',
  max_insert_threads: '1',
  // A replayed dead letter may be of any day.
  max_partitions_per_insert_block: '0',
  // Replicas forget a block that was dropped with its part; the sorting key does not.
  insert_deduplicate: 0,
} as const;

/** `parts` are rows in RowBinary. Rejects when ClickHouse does not acknowledge them. */
export async function insertMetrics(
  client: HistoryClient,
  parts: readonly Uint8Array[],
  signal: AbortSignal,
): Promise<void> {
  const { stream } = await client.exec({
    query: STATEMENT,
    values: Readable.from(
      parts.map((part) => Buffer.from(part.buffer, part.byteOffset, part.length)),
      { objectMode: false },
    ),
    clickhouse_settings: SETTINGS,
    abort_signal: signal,
  });
  // Only when the answer has been read is the insert known to have ended.
  for await (const _ of stream) {
    // INSERT answers with nothing
  }
}

/** Sends rows to ClickHouse: one INSERT, which is one part in each table. Rows replace themselves, so it needs no token. */
import { Readable } from 'node:stream';
import type { HistoryClient } from '../../shared/history/client.js';

/** These make one INSERT one part in each table, and store it whatever was stored before. */
export const INSERT_SETTINGS = {
  // What a table knows of a block may be stored without the block, when the engine is killed at that moment. A repetition would then
  // store nothing, and replicas forget a block that was dropped with its part. Servers differ in which of the two they follow for a
  // table behind a view.
  insert_deduplicate: 0,
  deduplicate_blocks_in_dependent_materialized_views: 0,
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

/** `rows`: bytes of the format that `query` names. Rejects when ClickHouse does not acknowledge them. */
export async function sendRows(
  client: HistoryClient,
  query: string,
  rows: Iterable<Buffer>,
  signal: AbortSignal,
): Promise<void> {
  const { stream } = await client.exec({
    query,
    values: Readable.from(rows, { objectMode: false }),
    clickhouse_settings: INSERT_SETTINGS,
    abort_signal: signal,
  });
  // Only when the answer has been read is the insert known to have ended, and does the socket return to the pool.
  for await (const _ of stream) {
    // INSERT answers with nothing
  }
}

/** Inserts rows of metrics: one INSERT, one block. A repeated row replaces itself. */
import type { HistoryClient } from '../../shared/history/client.js';
import { sendRows } from '../rows/send-rows.js';
import { METRIC_COLUMNS } from './compute.js';

const STATEMENT = `INSERT INTO metrics (${METRIC_COLUMNS.join(', ')}) FORMAT RowBinary`;

/** `parts` are rows in RowBinary. Rejects when ClickHouse does not acknowledge them. */
export async function insertMetrics(
  client: HistoryClient,
  parts: readonly Uint8Array[],
  signal: AbortSignal,
): Promise<void> {
  const rows = parts.map((part) => Buffer.from(part.buffer, part.byteOffset, part.length));
  await sendRows(client, STATEMENT, rows, signal);
}

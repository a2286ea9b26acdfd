/** The configuration numbers in the rows of history. */
import type { HistoryClient } from './client.js';

// Numbers only grow, so the newest day has the highest. A day is one partition, of which this reads one column.
const HIGHEST = `SELECT max(config) AS highest FROM items
  WHERE toDate(ts) = (SELECT max(toDate(ts)) FROM items)`;

/**
 * The highest configuration number in the newest rows; 0 when there are none. Rejects when ClickHouse cannot be asked, has no
 * tables yet, or takes longer than `timeoutMs`.
 */
export async function highestConfiguration(client: HistoryClient, timeoutMs: number): Promise<number> {
  const answer = await client.query({
    query: HIGHEST,
    format: 'JSONEachRow',
    abort_signal: AbortSignal.timeout(timeoutMs),
  });
  const [row] = await answer.json<{ highest: number | string }>();
  return Number(row?.highest ?? 0);
}

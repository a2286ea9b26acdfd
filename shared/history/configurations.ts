/** What history knows of configuration numbers, which its rows name. */
import type { HistoryClient } from './client.js';

// The newest day alone: numbers only grow, and a day is one partition, so this reads one column of it.
const HIGHEST = `SELECT max(config) AS highest FROM items
  WHERE toDate(ts) = (SELECT max(toDate(ts)) FROM items)`;

/**
 * The highest configuration number that lately archived rows name; 0 when there are none. Rejects when ClickHouse cannot be asked,
 * or has no tables yet, or takes longer than `timeoutMs`.
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

/** Reads from history what to look at first. */
import { createHistoryClient, type HistoryAddress } from '../../../shared/history/client.js';
import { labelQueue, type QueuedVerdict, type QueueQuestion } from '../../../shared/history/read/label-queue.js';
import { ask } from '../backtest/read/ask.js';

const QUERY_MS = 120_000;
const NEWEST = 20_000;

/** Rejects with a sentence where ClickHouse cannot be asked. */
export async function readLabelQueue(
  address: HistoryAddress,
  question: Omit<QueueQuestion, 'seen' | 'newest'>,
  now: number,
): Promise<QueuedVerdict[]> {
  const client = createHistoryClient({ ...address, timeoutMs: QUERY_MS });
  try {
    const select = <T>(query: string, parameters: Record<string, unknown>): Promise<T[]> =>
      ask<T>(client, query, parameters);
    return await labelQueue(select, { ...question, newest: NEWEST }, now);
  } finally {
    await client.close();
  }
}

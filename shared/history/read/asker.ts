/**
 * Asks ClickHouse for look-ups, by its client, which falls short of what they need in two ways (1.23):
 *
 * - Where rows are streamed, it leaves out a last one that is incomplete. A look-up would take what was cut off for all there is.
 * - Its signal ends with the head of an answer. A look-up would wait for the rest longer than its time.
 */
import type { ResultSet } from '@clickhouse/client';
import { createHistoryClient, type HistoryClientOptions } from '../client.js';

export interface HistoryQuestion {
  query: string;
  query_params?: Record<string, unknown>;
  format: 'JSONEachRow';
  abort_signal?: AbortSignal;
  clickhouse_settings?: Record<string, number>;
}

/** What look-ups need of a client of ClickHouse. */
export interface Asker {
  query(question: HistoryQuestion): Promise<{ json<T>(): Promise<T[]> }>;
}

export interface ClosableAsker extends Asker {
  close(): Promise<void>;
}

export function createAsker(options: HistoryClientOptions): ClosableAsker {
  const client = createHistoryClient(options);
  return {
    async query(question) {
      const text = await wholeText(await client.query(question), question.abort_signal);
      // A failure after the first rows stands behind them, and is no row.
      const lines = text.split('\n');
      if (lines.at(-1) === '') lines.pop();
      const rows = lines.map((line): unknown => JSON.parse(line));
      return { json: async <T>() => rows as T[] };
    },
    close: () => client.close(),
  };
}

/** Rejects when the signal comes before the end, and lets the connection go. */
async function wholeText(result: ResultSet<'JSONEachRow'>, signal: AbortSignal | undefined): Promise<string> {
  const stop = (): void => result.close();
  signal?.addEventListener('abort', stop, { once: true });
  if (signal?.aborted) stop();
  try {
    const text = await result.text();
    signal?.throwIfAborted();
    return text;
  } finally {
    signal?.removeEventListener('abort', stop);
  }
}

/** Asks ClickHouse for rows, as often as it takes. Only reads: a user that may do nothing else is enough. */
import { setTimeout as sleep } from 'node:timers/promises';
import type { HistoryClient } from '../../../../shared/history/client.js';

const TRIES = 4;
const PAUSE_MS = 500;
/** Codes of ClickHouse: the answer has too many bytes, or the query needs too much memory. */
const TOO_LARGE = new Set(['396', '241']);
/** Codes for a table and a database that is not there, or that the user may not see. */
const ABSENT = new Set(['60', '81', '497']);
/** Codes of a query that may go well later: too many queries, it took too long. */
const LATER = new Set(['202', '159', '209', '210']);

/** The answer is larger than ClickHouse gives at once. */
export class AnswerTooLarge extends Error {}

/** Rows as objects. Rejects with a sentence that says what went wrong. */
export const ask = <T>(client: HistoryClient, query: string, parameters: Record<string, unknown>): Promise<T[]> =>
  tried(async () => {
    const answer = await client.query({ query, query_params: defined(parameters), format: 'JSONEachRow' });
    return await answer.json<T>();
  });

/**
 * Rows as tuples, handed on as they arrive. `begin` is called before the first, and again where the query is tried again: what came
 * before does not count.
 */
export const askRows = (
  client: HistoryClient,
  query: string,
  parameters: Record<string, unknown>,
  { begin, take }: { begin(): void; take(row: readonly unknown[]): void },
): Promise<void> =>
  tried(async () => {
    begin();
    const answer = await client.query({ query, query_params: defined(parameters), format: 'JSONCompactEachRow' });
    for await (const rows of answer.stream<readonly unknown[]>()) for (const row of rows) take(row.json());
  });

async function tried<T>(run: () => Promise<T>): Promise<T> {
  for (let attempt = 1; ; attempt++) {
    try {
      return await run();
    } catch (error) {
      if (error instanceof AnswerTooLarge) throw error;
      const { code, message } = error as { code?: string; message: string };
      if (code !== undefined && TOO_LARGE.has(code)) throw new AnswerTooLarge(message);
      if (code !== undefined && ABSENT.has(code))
        throw new Error(
          'ClickHouse has no tables of Weir there that this user may read: look at WEIR_CLICKHOUSE_URL and WEIR_CLICKHOUSE_DATABASE, or run weir migrate',
        );
      // ClickHouse has numbers for what it says itself. The others are of the connection.
      const passes = code === undefined || LATER.has(code) || !/^\d+$/.test(code);
      if (!passes || attempt === TRIES) throw new Error(`ClickHouse could not be asked: ${message}`);
      await sleep(PAUSE_MS * attempt);
    }
  }
}

const defined = (parameters: Record<string, unknown>): Record<string, unknown> =>
  Object.fromEntries(Object.entries(parameters).filter(([, value]) => value !== undefined));

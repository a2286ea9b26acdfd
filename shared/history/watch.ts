/** Looks whether ClickHouse answers, and says why it does not. */
import { repeat } from '../async.js';
import type { Logger } from '../log.js';
import { metersOf, type Registry } from '../telemetry.js';
import { createHistoryClient, type HistoryAddress, type HistoryClient } from './client.js';

const LOOK_MS = 1000;
/** While ClickHouse answers, with one look in so many: a look costs the engine some milliseconds, of every process. */
const SELDOM = 5;
const ANSWER_MS = 5000;

/** By the name that ClickHouse gives to its error. */
const REASONS: Readonly<Record<string, string>> = {
  AUTHENTICATION_FAILED:
    'It refuses our user or password: look at WEIR_CLICKHOUSE_URL and WEIR_CLICKHOUSE_PASSWORD_FILE.',
  ACCESS_DENIED: 'It does not let our user read the tables: look at its grants.',
  UNKNOWN_TABLE: 'It has no tables yet: weir migrate.',
  TOO_MANY_SIMULTANEOUS_QUERIES: 'It has too many queries at once.',
};
const SAME: Readonly<Record<string, string>> = {
  REQUIRED_PASSWORD: 'AUTHENTICATION_FAILED',
  WRONG_PASSWORD: 'AUTHENTICATION_FAILED',
  UNKNOWN_USER: 'AUTHENTICATION_FAILED',
  UNKNOWN_DATABASE: 'UNKNOWN_TABLE',
};

/** Why ClickHouse cannot be used, in a sentence without values or addresses. */
export function explainHistory(error: unknown): string {
  const { type, code, message, name } = error as { type?: string; code?: string; message?: string; name?: string };
  if (type) return REASONS[SAME[type] ?? type] ?? `It refuses what Weir asks (${type}).`;
  if (name === 'TimeoutError' || name === 'AbortError' || /\btimeout\b|\baborted\b/i.test(message ?? ''))
    return 'It does not answer in time.';
  return `It cannot be reached (${code ?? name}).`;
}

/** With these, nobody could use ClickHouse: the watch says so. `code`: of the system, or of ClickHouse (user and password). */
const OF_ALL = new Set([
  'ECONNREFUSED',
  'ENOTFOUND',
  'EAI_AGAIN',
  'EHOSTUNREACH',
  'ENETUNREACH',
  '192',
  '193',
  '194',
  '516',
]);

/** How loud the failure of a request is that is tried again: that ClickHouse is away is said once, by the watch. */
export const loudness = (error: unknown): 'debug' | 'warn' =>
  OF_ALL.has((error as { code?: string }).code ?? '') ? 'debug' : 'warn';

/** Asks for no row of the largest table. Undefined: ClickHouse can be used; else why not, in a sentence. */
export async function troubleOf(client: HistoryClient, ms: number): Promise<string | undefined> {
  try {
    const abort_signal = AbortSignal.timeout(ms);
    await (await client.query({ query: 'SELECT 1 FROM items LIMIT 0', format: 'JSONEachRow', abort_signal })).text();
    return undefined;
  } catch (error) {
    return explainHistory(error);
  }
}

/**
 * Looks every five seconds, and once a second while ClickHouse is away. Says loss and return once each. Returns what ends it. `registry`: has a
 * metric that says whether it is there.
 */
export function watchHistory(address: HistoryAddress, logger: Logger, registry?: Registry): () => void {
  const client = createHistoryClient({ ...address, connections: 1 });
  let away = false;
  let ended = false;
  let turn = 0;
  if (registry)
    metersOf(registry).gauge('weir_clickhouse_up', 'Whether ClickHouse answers this process (1) or not (0)', () =>
      away ? 0 : 1,
    );
  const stop = repeat(LOOK_MS, async () => {
    if (!away && turn++ % SELDOM > 0) return;
    const why = await troubleOf(client, ANSWER_MS);
    if (ended || away === (why !== undefined)) return;
    away = why !== undefined;
    if (away) logger.warn({ why }, 'ClickHouse is away');
    else logger.info('ClickHouse is back');
  });
  return () => {
    ended = true;
    stop();
    void client.close();
  };
}

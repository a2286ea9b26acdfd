/** The client of ClickHouse, with the same settings for all readers and writers of history. */
import { type ClickHouseClient, ClickHouseLogLevel, createClient } from '@clickhouse/client';
import { readTextAtMost } from '../files.js';
import { type SettingName, type Settings, SettingsError } from '../settings.js';

export type HistoryClient = ClickHouseClient;

/** Settings that say where ClickHouse is. */
export const HISTORY_SETTINGS = [
  'clickhouseUrl',
  'clickhousePasswordFile',
  'clickhouseDatabase',
] as const satisfies readonly SettingName[];

/** Where the rows of history are. */
export interface HistoryAddress {
  /** http(s) address, with user and password if needed */
  url: string;
  database: string;
  /** file with the password, in place of one in the address; absent or empty: there is none */
  passwordFile?: string;
}

export const historyAddressOf = (settings: Settings<(typeof HISTORY_SETTINGS)[number]>): HistoryAddress => ({
  url: settings.clickhouseUrl,
  database: settings.clickhouseDatabase,
  passwordFile: settings.clickhousePasswordFile,
});

export interface HistoryClientOptions extends HistoryAddress {
  /** longest a request may take, default 60 s */
  timeoutMs?: number;
  /** most connections, default 10 */
  connections?: number;
  /** replicas that must have what is inserted, or `auto` for more than half of all; tables without replicas ignore it */
  quorum?: string;
}

/** How long an insert waits for its quorum: less than a request takes, so that it is known to have failed. */
const QUORUM_MS = 30_000;

/**
 * Of every insert: a table that is spread over shards acknowledges rows once the shards have them. By default it keeps them in a queue
 * of its own, and what is acknowledged leaves Redis.
 */
export const FOREGROUND = { distributed_foreground_insert: 1 } as const;

/** What ClickHouse says of rows that come before `weir migrate` has made all that stores them (`migrate.ts`). */
export const UNFINISHED = 'weir migrate has not finished';

const LOOPBACK = new Set(['127.0.0.1', 'localhost', '[::1]']);

/** Answers are compressed only over a network: on loopback that costs more than it saves. */
const isLoopback = (url: URL): boolean => LOOPBACK.has(url.hostname);

/**
 * How long a connection may be idle: shorter than the limit of any server (10 s), so that the server never closes one that is about to
 * be used.
 */
const IDLE_MS = 2500;

export function createHistoryClient(options: HistoryClientOptions): HistoryClient {
  const client = createClient({
    url: options.url,
    database: options.database,
    application: 'weir',
    request_timeout: options.timeoutMs ?? 60_000,
    max_open_connections: options.connections ?? 10,
    compression: { request: false, response: !isLoopback(new URL(options.url)) },
    ...(options.quorum === undefined
      ? {}
      : { clickhouse_settings: { insert_quorum: options.quorum, insert_quorum_timeout: QUORUM_MS } }),
    keep_alive: { enabled: true, idle_socket_ttl: IDLE_MS },
    // The caller handles errors. The client's own report would put addresses into the log.
    log: { level: ClickHouseLogLevel.OFF },
  });
  if (options.passwordFile) identifyByFile(client, new URL(options.url), options.passwordFile);
  return client;
}

const MOST_PASSWORD_BYTES = 4096;

/**
 * Reads the password anew for each request, so that one that was replaced takes effect. While the file cannot be read it stays what it was.
 * Throws {@link SettingsError} where it cannot be read at first.
 */
function identifyByFile(client: HistoryClient, { username, password }: URL, path: string): void {
  if (password !== '') {
    throw new SettingsError(
      'WEIR_CLICKHOUSE_URL has a password, and WEIR_CLICKHOUSE_PASSWORD_FILE names another: leave one out.',
    );
  }
  const read = (): string => readTextAtMost(path, MOST_PASSWORD_BYTES).replace(/\r?\n$/, '');
  const auth = { username: decodeURIComponent(username) || 'default', password: '' };
  try {
    auth.password = read();
  } catch (error) {
    const why = (error as Error).message;
    throw new SettingsError(`WEIR_CLICKHOUSE_PASSWORD_FILE: ${path}: ${why}. Name a file that this process may read.`);
  }
  const now = (): typeof auth => {
    try {
      auth.password = read();
    } catch {
      // It is being replaced, or was taken away: the next request looks again.
    }
    return auth;
  };
  const asking = <P extends object, R>(ask: (asked: P) => R) => {
    const bound = ask.bind(client);
    return (asked: P): R => bound({ ...asked, auth: now() });
  };
  Object.assign(client, {
    query: asking(client.query),
    insert: asking(client.insert),
    command: asking(client.command),
    exec: asking(client.exec),
  });
}

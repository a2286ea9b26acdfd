/** The client of ClickHouse, with the same settings for all readers and writers of history. */
import { type ClickHouseClient, ClickHouseLogLevel, createClient } from '@clickhouse/client';

export type HistoryClient = ClickHouseClient;

export interface HistoryClientOptions {
  /** http(s) address, with user and password if needed */
  url: string;
  database: string;
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

const LOOPBACK = new Set(['127.0.0.1', 'localhost', '[::1]']);

/** Answers are compressed only over a network: on loopback that costs more than it saves. */
const isLoopback = (url: URL): boolean => LOOPBACK.has(url.hostname);

/**
 * How long a connection may be idle: shorter than the limit of any server (10 s), so that the server never closes one that is about to
 * be used.
 */
const IDLE_MS = 2500;

export function createHistoryClient(options: HistoryClientOptions): HistoryClient {
  return createClient({
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
}

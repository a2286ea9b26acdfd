/** The client of ClickHouse, set up once for all who read or write history. */
import { type ClickHouseClient, ClickHouseLogLevel, createClient } from '@clickhouse/client';

export type HistoryClient = ClickHouseClient;

export interface HistoryClientOptions {
  /** http(s) address, with user and password if it needs them */
  url: string;
  database: string;
  /** longest a request may take, default 60 s */
  timeoutMs?: number;
  /** most connections, default 10 */
  connections?: number;
}

const LOOPBACK = new Set(['127.0.0.1', 'localhost', '[::1]']);

/** Answers are compressed only where they cross a network: on loopback that costs more than it saves. */
export function createHistoryClient(options: HistoryClientOptions): HistoryClient {
  return createClient({
    url: options.url,
    database: options.database,
    application: 'weir',
    request_timeout: options.timeoutMs ?? 60_000,
    max_open_connections: options.connections ?? 10,
    compression: { request: false, response: !LOOPBACK.has(new URL(options.url).hostname) },
    // Shorter than any server's own limit (the embedded one and ClickHouse: 10 s), so that it is us who hang up.
    keep_alive: { enabled: true, idle_socket_ttl: 2500 },
    // Errors are thrown to the caller, who knows what they mean; a second report would name addresses in the log.
    log: { level: ClickHouseLogLevel.OFF },
  });
}

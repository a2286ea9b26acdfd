/**
 * What the stores of the measured installation say: how much work is unread, how much of the log is not archived yet,
 * and how many rows the benchmark has in ClickHouse.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import { type ClickHouseClient, createClient } from '@clickhouse/client';
import { connectCommands, type Redis } from '../../shared/streams/client.js';
import { keys, LANES } from '../../shared/streams/keys.js';
import { readPartitions } from '../../shared/streams/partitions.js';
import { sendTogether } from '../../shared/streams/send.js';
import { slope } from './processes.js';
import { clickhouseSource, type RemoteSource, redisSources } from './remote.js';

export interface StoreAddresses {
  redisUrl: string;
  clickhouseUrl: string;
  database: string;
}

/** Entries in all partitions. */
export interface BacklogSample {
  /** seconds since the watch began */
  at: number;
  /** `checks`: accepted and not committed */
  unread: number;
  /** `results`: committed and not archived */
  unarchived: number;
}

export interface BacklogTrend {
  unreadMax: number;
  unarchivedMax: number;
  /** entries a second by which each grew over the watch, by least squares */
  unreadGrowth: number;
  unarchivedGrowth: number;
}

export interface Drained {
  rows: number;
  /** distinct ids: fewer than `rows` while a repeated block is not merged yet */
  ids: number;
  /** seconds from the last answer until every row was there, at most the limit */
  lagSeconds: number;
  complete: boolean;
}

export interface StoreVersions {
  redis: string;
  /** appendfsync, or `off` without an append-only file */
  fsync: string;
  clickhouse: string;
}

export interface WatchedStores {
  watchBacklog(everyMs?: number): { stop(): BacklogTrend };
  /** Waits at most `limitSeconds` until `tag` has at least `expected` rows. */
  drained(tag: string, expected: number, limitSeconds: number): Promise<Drained>;
  /** Waits at most `limitSeconds` until no accepted work is unread, or `archived`, until all is archived, too; false when some is left. */
  quiet(limitSeconds: number, archived?: 'archived'): Promise<boolean>;
  versions(): Promise<StoreVersions>;
  /** what the processes of the stores say of themselves */
  sources(): RemoteSource[];
  close(): Promise<void>;
}

/** Connections to the stores. */
interface Open {
  redis: Redis;
  clickhouse: ClickHouseClient;
  partitions: number;
}

export async function openStores(addresses: StoreAddresses): Promise<WatchedStores> {
  const redis = connectCommands(addresses, 'weir-bench');
  // The command that meets a failure reports it. Without a listener a failure would end the process.
  redis.on('error', () => {});
  await redis.connect();
  const clickhouse = createClient({ url: addresses.clickhouseUrl, database: addresses.database });
  const partitions = (await readPartitions(redis)) || 1;
  const open = { redis, clickhouse, partitions };
  return {
    watchBacklog: (everyMs = 1000) => watchBacklog(open, everyMs),
    drained: (tag, expected, limitSeconds) => drained(open, { tag, expected, limitSeconds }),
    quiet: (limitSeconds, archived) => quiet(open, limitSeconds, archived !== undefined),
    versions: () => versionsOf(open),
    sources: () => [...redisSources(redis), clickhouseSource(clickhouse, addresses.clickhouseUrl)],
    close: async () => {
      redis.disconnect();
      await clickhouse.close();
    },
  };
}

/** Lengths of all work streams and of all logs. */
async function lengths({ redis, partitions }: Open): Promise<{ unread: number; unarchived: number }> {
  const streams = Array.from({ length: partitions }, (_, p) => [
    keys.results(p),
    ...LANES.map((lane) => keys.checks(p, lane)),
  ]);
  const answers = await sendTogether(
    redis,
    streams.flat().map((stream) => ['XLEN', stream]),
  );
  const replies = answers.map((length) => Number(length) || 0);
  const all = replies.reduce((sum, length) => sum + length, 0);
  const unarchived = replies.filter((_, i) => i % (1 + LANES.length) === 0).reduce((sum, length) => sum + length, 0);
  return { unread: all - unarchived, unarchived };
}

async function queryOne<T>({ clickhouse }: Open, sql: string, params: Record<string, unknown> = {}): Promise<T> {
  const rows = await clickhouse.query({ query: sql, query_params: params, format: 'JSONEachRow' });
  return (await rows.json<T>())[0] as T;
}

/** Counts what this benchmark sent: its ids of runs and sessions start with the tag, and where there is neither, those of users. */
async function count(open: Open, what: 'count()' | 'uniqExact(id)', tag: string): Promise<number> {
  const found = await queryOne<{ n: string | number }>(
    open,
    `SELECT ${what} AS n FROM items
     WHERE startsWith(run_id, {prefix:String}) OR startsWith(external_session_id, {prefix:String})
       OR startsWith(user_id, {prefix:String})`,
    { prefix: `bench-${tag}-` },
  );
  return Number(found.n);
}

async function drained(
  open: Open,
  { tag, expected, limitSeconds }: { tag: string; expected: number; limitSeconds: number },
): Promise<Drained> {
  const started = performance.now();
  for (;;) {
    const rows = await count(open, 'count()', tag);
    const lagSeconds = Math.min(limitSeconds, (performance.now() - started) / 1000);
    const over = lagSeconds >= limitSeconds;
    // Ids are counted last: this takes time of the engine, which the archiver needs to catch up.
    if (rows >= expected || over) {
      const ids = await count(open, 'uniqExact(id)', tag);
      if (ids >= expected || over) return { rows, ids, lagSeconds, complete: ids >= expected };
    }
    await sleep(500);
  }
}

async function quiet(open: Open, limitSeconds: number, archived: boolean): Promise<boolean> {
  const until = performance.now() + limitSeconds * 1000;
  while (performance.now() < until) {
    const { unread, unarchived } = await lengths(open);
    if (unread === 0 && !(archived && unarchived > 0)) return true;
    await sleep(200);
  }
  return false;
}

async function versionsOf(open: Open): Promise<StoreVersions> {
  const { redis } = open;
  const info = await redis.info('server');
  const [, appendOnly] = (await redis.config('GET', 'appendonly')) as string[];
  const [, fsync] = (await redis.config('GET', 'appendfsync')) as string[];
  const { version } = await queryOne<{ version: string }>(open, 'SELECT version() AS version');
  return {
    redis: /redis_version:(\S+)/.exec(info)?.[1] ?? 'unknown',
    fsync: appendOnly === 'yes' ? (fsync ?? 'unknown') : 'off',
    clickhouse: version,
  };
}

function watchBacklog(open: Open, everyMs: number): { stop(): BacklogTrend } {
  const points: BacklogSample[] = [];
  const started = performance.now();
  let asking = false;
  const timer = setInterval(() => {
    if (asking) return;
    asking = true;
    lengths(open)
      .then((found) => points.push({ at: (performance.now() - started) / 1000, ...found }))
      // The trend then misses a point.
      .catch(() => {})
      .finally(() => {
        asking = false;
      });
  }, everyMs);
  return {
    stop: () => {
      clearInterval(timer);
      return trendOf(points);
    },
  };
}

/** Highest values and growth of a series. */
export function trendOf(points: readonly BacklogSample[]): BacklogTrend {
  const growth = (of: 'unread' | 'unarchived'): number =>
    points.length < 2 ? 0 : slope(points.map((point) => [point.at, point[of]] as const));
  return {
    unreadMax: Math.max(0, ...points.map((point) => point.unread)),
    unarchivedMax: Math.max(0, ...points.map((point) => point.unarchived)),
    unreadGrowth: growth('unread'),
    unarchivedGrowth: growth('unarchived'),
  };
}

/**
 * A look into the stores of the installation that is measured: how much work is unread, how much of the log is not
 * archived yet, and how many rows the benchmark has in ClickHouse.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import { createClient } from '@clickhouse/client';
import { Redis } from 'ioredis';
import { keys, LANES } from '../../shared/streams/keys.js';
import { slope } from './processes.js';

export interface StoreAddresses {
  redisUrl: string;
  clickhouseUrl: string;
  database: string;
}

/** Entries in all partitions. */
export interface Backlog {
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
  /** rows with different ids: fewer than `rows` while a repeated block is not merged yet */
  ids: number;
  /** seconds from the last answer until every row was there; the limit when they never were */
  lagSeconds: number;
  complete: boolean;
}

export interface StoreVersions {
  redis: string;
  /** appendfsync, or `off` without an append-only file */
  fsync: string;
  clickhouse: string;
}

export interface Stores {
  watchBacklog(everyMs?: number): { stop(): BacklogTrend };
  /** Waits until the rows of `tag` are at least `expected`, at most `limitSeconds`. */
  drained(tag: string, expected: number, limitSeconds: number): Promise<Drained>;
  /** Waits until no accepted work is left unread, at most `limitSeconds`; whether it came to that. */
  quiet(limitSeconds: number): Promise<boolean>;
  versions(): Promise<StoreVersions>;
  close(): Promise<void>;
}

export async function openStores(addresses: StoreAddresses): Promise<Stores> {
  const redis = new Redis(addresses.redisUrl, { maxRetriesPerRequest: 1, lazyConnect: true });
  // Failures are seen by the command that meets them; without a listener they would end the process.
  redis.on('error', () => {});
  await redis.connect();
  const clickhouse = createClient({ url: addresses.clickhouseUrl, database: addresses.database });
  const partitions = Number((await redis.get(keys.partitions())) ?? 1);

  const query = async <T>(sql: string, params: Record<string, unknown> = {}): Promise<T> => {
    const rows = await clickhouse.query({ query: sql, query_params: params, format: 'JSONEachRow' });
    return (await rows.json<T>())[0] as T;
  };

  const lengths = async (): Promise<[number, number]> => {
    const pipeline = redis.pipeline();
    for (let p = 0; p < partitions; p++) {
      pipeline.xlen(keys.results(p));
      for (const lane of LANES) pipeline.xlen(keys.checks(p, lane));
    }
    const replies = ((await pipeline.exec()) ?? []).map(([, length]) => Number(length ?? 0));
    const all = replies.reduce((sum, length) => sum + length, 0);
    const log = replies.filter((_, i) => i % (1 + LANES.length) === 0).reduce((sum, length) => sum + length, 0);
    return [all - log, log];
  };

  // A run's or session's id starts with the tag; only what this benchmark sent is counted.
  const count = async (what: 'count()' | 'uniqExact(id)', tag: string): Promise<number> => {
    const found = await query<{ n: string | number }>(
      `SELECT ${what} AS n FROM items
       WHERE startsWith(run_id, {prefix:String}) OR startsWith(external_session_id, {prefix:String})`,
      { prefix: `bench-${tag}-` },
    );
    return Number(found.n);
  };

  return {
    watchBacklog: (everyMs = 1000) => watchBacklog(lengths, everyMs),
    drained: async (tag, expected, limitSeconds) => {
      const started = performance.now();
      for (;;) {
        const rows = await count('count()', tag);
        const lagSeconds = Math.min(limitSeconds, (performance.now() - started) / 1000);
        // Ids are counted last and seldom: it takes the engine's time, which the archiver needs to catch up.
        const over = lagSeconds >= limitSeconds;
        if (rows >= expected || over) {
          const ids = await count('uniqExact(id)', tag);
          if (ids >= expected || over) return { rows, ids, lagSeconds, complete: ids >= expected };
        }
        await sleep(500);
      }
    },
    quiet: async (limitSeconds) => {
      const until = performance.now() + limitSeconds * 1000;
      while (performance.now() < until) {
        const [unread] = await lengths();
        if (unread === 0) return true;
        await sleep(200);
      }
      return false;
    },
    versions: async () => {
      const info = await redis.info('server');
      const [, appendOnly] = (await redis.config('GET', 'appendonly')) as string[];
      const [, fsync] = (await redis.config('GET', 'appendfsync')) as string[];
      const { version } = await query<{ version: string }>('SELECT version() AS version');
      return {
        redis: /redis_version:(\S+)/.exec(info)?.[1] ?? 'unknown',
        fsync: appendOnly === 'yes' ? (fsync ?? 'unknown') : 'off',
        clickhouse: version,
      };
    },
    close: async () => {
      redis.disconnect();
      await clickhouse.close();
    },
  };
}

function watchBacklog(lengths: () => Promise<[number, number]>, everyMs: number): { stop(): BacklogTrend } {
  const points: Backlog[] = [];
  const started = performance.now();
  let asking = false;
  const timer = setInterval(() => {
    if (asking) return;
    asking = true;
    lengths()
      .then(([unread, unarchived]) => points.push({ at: (performance.now() - started) / 1000, unread, unarchived }))
      // A missed look is a missing point of the trend, nothing more.
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

/** What a series of looks says: highest values and growth. */
export function trendOf(points: readonly Backlog[]): BacklogTrend {
  const growth = (of: 'unread' | 'unarchived'): number =>
    points.length < 2 ? 0 : slope(points.map((point) => [point.at, point[of]] as const));
  return {
    unreadMax: Math.max(0, ...points.map((point) => point.unread)),
    unarchivedMax: Math.max(0, ...points.map((point) => point.unarchived)),
    unreadGrowth: growth('unread'),
    unarchivedGrowth: growth('unarchived'),
  };
}

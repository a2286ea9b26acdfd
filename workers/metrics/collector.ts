/**
 * Computes the metrics of finished checks from the log, after their verdicts, and stores them in `weir.metrics`.
 *
 *     off ──metrics are in use──> following ──none are in use for a minute, and all is read──> off
 *      └──────────stop()──> stopped <──stop()──┘
 *
 * - *off*: no configuration asks for a metric. Nothing reads the log, and it is trimmed as it is archived. Left when the active
 *   configuration lists one, or at the start when an earlier process left a place in the log.
 * - *following*: a hash in Redis says for each partition which id is read next (`places.ts`), and the archiver keeps what is not read
 *   yet, up to a bound. Rounds of at least a second: read the own partitions up to the bytes of a batch, compute on threads, insert all
 *   rows as one block, move the places. Each live worker with this role has its share of the partitions.
 * - *stopped*: what was read and not moved is read again by the next one.
 *
 * A crash between insert and move repeats rows. They have the same sorting key, and the table replaces by it: once per item and metric.
 * A step that fails is repeated for ever, as those of the archiver.
 */
import { createPause, inTime } from '../../shared/async.js';
import { liveMetrics } from '../../shared/configuration/metrics.js';
import type { Configuration } from '../../shared/configuration/types.js';
import type { HistoryClient } from '../../shared/history/client.js';
import type { Logger } from '../../shared/log.js';
import type { Redis } from '../../shared/streams/client.js';
import { type Identity, readConfiguration } from '../../shared/streams/configuration.js';
import { liveMembers } from '../../shared/streams/fleet.js';
import { keys } from '../../shared/streams/keys.js';
import { nextId } from '../archiver/archive-scripts.js';
import { createPages, type LogEntry, logEntry } from '../archiver/read-log.js';
import { configOf } from '../rows/read-rows.js';
import { insertMetrics } from './insert.js';
import type { FailureKind, MetricMeters } from './meters.js';
import { leavePlace, movePlace, placeOf, type Read } from './places.js';
import type { MetricsPool, Work } from './pool.js';

export interface CollectorOptions {
  /** connection of its own; no blocking commands are sent on it */
  redis: Redis;
  clickhouse: HistoryClient;
  partitions(): number;
  /** this worker among the live ones with the role */
  name: string;
  /** the active configuration, as the last heartbeat said */
  active(): Identity | undefined;
  pool: MetricsPool;
  meters: MetricMeters;
  logger: Logger;
}

export interface Collector {
  start(): void;
  stop(): Promise<void>;
  /** ms of the steady clock of the last sign of progress */
  lastProgress(): number;
}

const ROUND_MS = 1000;
const OFF_MS = 500;
const REDIS_MS = 10_000;
const STOP_MS = 5000;
/** Entries of an earlier configuration may still be under way. */
const LEAVE_MS = 60_000;
const MEMBERS_MS = 2000;
const FIRST_RETRY_MS = 100;
const LAST_RETRY_MS = 10_000;
/** Bytes of the log that a round reads; at least one page of each partition that it comes to. */
const BATCH_BYTES = 8 * 1024 * 1024;

/** What a round has read. */
interface Batch {
  reads: Read[];
  work: Work[];
  bytes: number;
  oldestMs: number | undefined;
  /** there may be more to read now */
  full: boolean;
}

export function createCollector(options: CollectorOptions): Collector {
  const { redis, pool, meters, logger } = options;
  const pause = createPause();
  const aborting = new AbortController();
  const configurations = createConfigurations(redis);
  const share = createShare(options);
  const asked = <T>(answer: Promise<T>): Promise<T> => inTime(answer, REDIS_MS, 'Redis did not answer in time');
  const drops = new Map<number, number>();
  let progress = performance.now();
  /** threads are at work, which have a limit of their own */
  let computing = false;
  let stopping = false;
  let following = false;
  let wantedAt = performance.now();
  let running: Promise<void> = Promise.resolve();
  /** the partition that a round begins with, so that none waits for ever behind others */
  let turn = 0;

  async function wanted(): Promise<boolean> {
    const active = options.active();
    return active !== undefined && (await configurations.of(active.version, active.id))?.metrics === true;
  }

  async function leftBehind(): Promise<boolean> {
    const places = Array.from({ length: options.partitions() }, (_, p) => redis.exists(keys.metricsPlace(p)));
    return (await Promise.all(places)).includes(1);
  }

  async function read(partition: number, make: boolean, batch: Batch): Promise<void> {
    const place = await placeOf(redis, partition, make);
    if (!place) return;
    drops.set(partition, place.dropped);
    const pages = createPages((after, count) => page(partition, after, count));
    const read: Read = { partition, from: place.next, to: place.next, bytes: 0, entries: 0 };
    // The first id itself is read, too.
    let entry = await pages.fetch(`[${place.next}`);
    while (entry) {
      batch.oldestMs = Math.min(batch.oldestMs ?? entry.ms, entry.ms);
      await take(entry, batch);
      batch.bytes += entry.bytes;
      read.bytes += entry.bytes;
      read.entries++;
      read.to = nextId(entry.id);
      pages.advance();
      if (batch.bytes >= BATCH_BYTES) {
        batch.full = true;
        break;
      }
      entry = pages.current() ?? (await pages.fetch(''));
    }
    if (read.entries > 0) batch.reads.push(read);
  }

  async function page(partition: number, after: string, count: number): Promise<LogEntry[]> {
    const from = after.startsWith('[') ? after.slice(1) : `(${after}`;
    const found = await asked(redis.xrangeBuffer(keys.results(partition), from, '+', 'COUNT', count));
    return (found as unknown as [Buffer, Buffer[]][]).map(logEntry);
  }

  async function take({ format, rows }: LogEntry, batch: Batch): Promise<void> {
    const version = configOf(rows);
    const configuration = version === undefined ? undefined : await configurations.of(version);
    if (configuration?.metrics) batch.work.push({ format, rows, configuration });
  }

  /** Reads, computes, stores, and moves the places. Undefined where there was nothing to read. */
  async function round(make: boolean): Promise<Batch | undefined> {
    const batch: Batch = { reads: [], work: [], bytes: 0, oldestMs: undefined, full: false };
    const own = await share.own();
    for (let i = 0; i < own.length && !batch.full; i++) await read(own[(turn + i) % own.length]!, make, batch);
    if (batch.full) turn++;
    for (const partition of drops.keys()) if (!own.includes(partition)) drops.delete(partition);
    meters.dropped([...drops.values()].reduce((sum, count) => sum + count, 0));
    meters.oldest(batch.oldestMs);
    if (batch.reads.length === 0) return undefined;
    computing = true;
    const made = await pool.compute(batch.work).finally(() => {
      computing = false;
    });
    if (made.rows > 0) {
      await persist('clickhouse', () => insertMetrics(options.clickhouse, made.parts, aborting.signal));
    }
    for (const moved of batch.reads) await asked(movePlace(redis, moved));
    meters.made(made);
    if (!batch.full) meters.oldest(undefined);
    return batch;
  }

  /** Repeats `step` until it succeeds or the collector stops. */
  async function persist(kind: FailureKind, step: () => Promise<void>): Promise<void> {
    for (let attempt = 0; ; attempt++) {
      progress = performance.now();
      try {
        return await step();
      } catch (error) {
        if (stopping) throw error;
        meters.failed(kind);
        const { message, code } = error as Error & { code?: string };
        logger.warn({ kind, attempt, code, error: message.slice(0, 300) }, 'metrics wait and repeat');
        await pause.sleep(Math.min(LAST_RETRY_MS, FIRST_RETRY_MS * 2 ** Math.min(attempt, 10)) * (0.5 + Math.random()));
        if (stopping) throw error;
      }
    }
  }

  async function leave(): Promise<void> {
    for (const partition of await share.own()) await leavePlace(redis, partition);
    meters.dropped(0);
    following = false;
    logger.info('no metrics are in use; the log is not read for them any more');
  }

  async function step(): Promise<void> {
    const started = performance.now();
    const use = await wanted();
    if (use && !following) logger.info('metrics are in use; the log is read for them');
    if (use) [following, wantedAt] = [true, started];
    if (!following) return await pause.sleep(OFF_MS);
    const batch = await round(use);
    if (batch?.full) return;
    if (batch === undefined && !use && started - wantedAt > LEAVE_MS) return await leave();
    await pause.sleep(Math.max(1, ROUND_MS - (performance.now() - started)));
  }

  async function run(): Promise<void> {
    await persist('redis', async () => {
      following = await asked(leftBehind());
    });
    while (!stopping) await persist('redis', step);
  }

  return {
    start() {
      running = run().catch(() => undefined);
    },
    async stop() {
      stopping = true;
      pause.end();
      const limit = setTimeout(() => aborting.abort(), STOP_MS);
      await Promise.all([running, pool.end()]);
      clearTimeout(limit);
    },
    lastProgress: () => (computing ? performance.now() : progress),
  };
}

interface Known {
  id: string;
  text: string;
  /** a deployment or an active condition lists one */
  metrics: boolean;
}

/** Configurations by number. Numbers are used again after Redis has lost its data, and then the active one has another id. */
function createConfigurations(redis: Redis) {
  const known = new Map<number, Known | null>();
  return {
    /** `id`: that of the active one, where it is known. Null: it is no longer kept. */
    async of(version: number, id?: string): Promise<Known | null> {
      const found = known.get(version);
      if (found !== undefined && (id === undefined || found?.id === id)) return found;
      if (id !== undefined) known.clear();
      const stored = await readConfiguration(redis, version);
      const metrics = stored !== undefined && liveMetrics(JSON.parse(stored.text) as Configuration).size > 0;
      const made = stored ? { id: stored.id, text: metrics ? stored.text : '', metrics } : null;
      known.set(version, made);
      return made;
    },
  };
}

/** The partitions of this worker: they are dealt out among the live workers with the role, in the order of their names. */
function createShare({ redis, partitions, name }: CollectorOptions) {
  let names: string[] = [];
  let askedAt = Number.NEGATIVE_INFINITY;
  return {
    /** Two workers may have the same one for a moment: only one of them moves its place. */
    async own(): Promise<number[]> {
      if (performance.now() - askedAt > MEMBERS_MS || !names.includes(name)) {
        names = (await liveMembers(redis, 'metrics')).map((member) => member.name).sort();
        askedAt = performance.now();
      }
      const place = names.indexOf(name);
      const all = Array.from({ length: partitions() }, (_, p) => p);
      return place < 0 ? [] : all.filter((p) => p % names.length === place);
    },
  };
}

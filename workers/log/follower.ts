/**
 * A role that reads the log behind the evaluators, beside the archiver, where the configuration asks for what it makes of it.
 *
 *     off ──it is in use──> following ──it is not in use for a minute, and all is read──> off
 *      └──────────stop()──> stopped <──stop()──┘
 *
 * - *off*: no configuration asks for it. It does not read the log, which is trimmed as it is archived. Left when the active
 *   configuration asks, or at the start when an earlier process left a place in the log.
 * - *following*: a hash in Redis says for each partition which id is read next (`places.ts`), and the archiver keeps what is not read
 *   yet, up to a bound. Rounds of at least a second: read the own partitions up to the bytes of a batch, handle what was read, move the
 *   places. Each live worker with this role has its share of the partitions.
 * - *stopped*: what was read and not moved is read again by the next one.
 *
 * A crash between handling and moving repeats entries, so handling one twice must be as good as once. A step that fails is repeated for
 * ever, as those of the archiver.
 */
import { createPause, inTime } from '../../shared/async.js';
import type { Configuration } from '../../shared/configuration/types.js';
import { loudness } from '../../shared/history/watch.js';
import type { Logger } from '../../shared/log.js';
import { isAway, type Redis } from '../../shared/streams/client.js';
import { type Identity, readConfiguration } from '../../shared/streams/configuration.js';
import { type Follower, keys } from '../../shared/streams/keys.js';
import { nextId } from '../archiver/archive-scripts.js';
import { AHEAD_MS } from '../archiver/block.js';
import { createPages, type LogEntry, msOf, readPage } from '../archiver/read-log.js';
import { configOf } from '../rows/read-rows.js';
import { isNewerFormat } from '../rows/unpack-rows.js';
import { createShare } from '../share.js';
import { type LogLook, type LogRead, leavePlace, lookAtLogs, movePlace, placeOf } from './places.js';
import { createNewerNotice, type LogReader } from './reader.js';

export interface FollowerMeters {
  failed(kind: 'redis'): void;
  /** Unix ms of the oldest entry that was found and is not done; undefined: there is none */
  oldest(ms: number | undefined): void;
  /** entries that were dropped unread in the partitions that this worker reads */
  dropped(count: number): void;
}

/** What a follower is made with, beside what its role makes of the log. */
export interface FollowerTools {
  /** connection of its own; no blocking commands are sent on it */
  redis: Redis;
  /** the connection by which the roles of a process ask for the fleet; default: `redis` */
  fleet?: Redis;
  partitions(): number;
  /** this worker among the live ones with the role */
  name: string;
  /** the active configuration, as the last heartbeat said */
  active(): Identity | undefined;
  logger: Logger;
}

/** An entry of the log that was judged by a configuration with a use of it. */
export interface Followed<U> {
  partition: number;
  format: string;
  rows: Buffer;
  use: U;
}

export interface FollowerOptions<U> extends FollowerTools {
  kind: Follower;
  meters: FollowerMeters;
  /** how old an entry is before it is read; 0: at once. What Redis may still lose is younger. */
  delayMs: number;
  /** what a configuration asks for; undefined: nothing */
  useOf(configuration: Configuration, stored: { id: string; text: string }): U | undefined;
  /** Handles entries, partition by partition in their order. Rejects where they must be read again. */
  handle(work: readonly Followed<U>[], steps: FollowerSteps): Promise<void>;
}

export interface FollowerSteps {
  /** aborted some seconds after the follower began to stop */
  signal: AbortSignal;
  /** Repeats `step` until it succeeds or the follower stops; `failed` is told of each failure. */
  persist(failed: () => void, step: () => Promise<void>): Promise<void>;
  /** Awaits work that has a time limit of its own: meanwhile the follower is not stuck. */
  during<T>(work: Promise<T>): Promise<T>;
}

export interface LogFollower<U> extends LogReader {
  following(): boolean;
  /** the partitions of this worker now */
  own(): Promise<number[]>;
  /** what the active configuration asks for; null: nothing; undefined: it is not known now */
  inUse(): Promise<U | null | undefined>;
}

const ROUND_MS = 1000;
const OFF_MS = 500;
/** Until the first heartbeat has told what is active: the log is kept for nobody meanwhile. */
const UNKNOWN_MS = 20;
const REDIS_MS = 10_000;
const STOP_MS = 5000;
/** Entries of an earlier configuration may still be under way. */
const LEAVE_MS = 60_000;
const FIRST_RETRY_MS = 100;
const LAST_RETRY_MS = 10_000;
/** Bytes of the log that a round reads; at least one page of each partition that it comes to. */
const BATCH_BYTES = 8 * 1024 * 1024;

/** What a round has read. */
interface FollowerBatch<U> {
  reads: LogRead[];
  work: Followed<U>[];
  bytes: number;
  oldestMs: number | undefined;
  /** there may be more to read now */
  full: boolean;
}

export function createFollower<U>(options: FollowerOptions<U>): LogFollower<U> {
  const { redis, meters, logger, kind } = options;
  const pause = createPause();
  const aborting = new AbortController();
  const configurations = createConfigurations(redis, options.useOf);
  const share = createShare(kind, options);
  const asked = <T>(answer: Promise<T>): Promise<T> => inTime(answer, REDIS_MS, 'Redis did not answer in time');
  const newer = createNewerNotice(logger, kind);
  const drops = new Map<number, number>();
  let progress = performance.now();
  let busy = false;
  let stopping = false;
  let following = false;
  let wantedAt = performance.now();
  /** entries are there that are too young to be read */
  let young = false;
  let running: Promise<void> = Promise.resolve();
  /** the partition that a round begins with, so that none waits for ever behind others */
  let turn = 0;

  async function inUse(): Promise<U | null | undefined> {
    const active = options.active();
    const known = active && (await configurations.of(active.version, active.id));
    return known && (known.use ?? null);
  }

  async function leftBehind(): Promise<boolean> {
    const all = Array.from({ length: options.partitions() }, (_, p) => keys.place(kind, p));
    const there = all.filter((place) => !isAway(redis, place));
    return (await Promise.all(there.map((place) => redis.exists(place)))).includes(1);
  }

  /** Without a place the log is not kept for this follower, so `make` makes one also where there is nothing to read yet. */
  async function read(look: LogLook, make: boolean, batch: FollowerBatch<U>): Promise<void> {
    const { partition } = look;
    if (!look.placed && !make) return;
    if (look.placed) drops.set(partition, look.dropped);
    if (look.placed && look.entries === 0) return;
    const place = await placeOf(redis, kind, partition);
    drops.set(partition, place.dropped);
    if (place.oldest === '') return;
    const until = place.now - options.delayMs;
    // An entry that is ahead of the clock is not waited for.
    const all = options.delayMs === 0 || msOf(place.oldest) > place.now + AHEAD_MS;
    if (!all && msOf(place.oldest) > until) {
      young = true;
      return;
    }
    const pages = createPages((after, count) => {
      const from = after.startsWith('[') ? after.slice(1) : `(${after}`;
      return readPage(redis, partition, { from, to: all ? '+' : until, count }, asked);
    });
    const read: LogRead = { partition, from: place.next, to: place.next, bytes: 0, entries: 0 };
    // The first id itself is read, too.
    let entry = await pages.fetch(`[${place.next}`);
    while (entry) {
      if (isNewerFormat(entry.format)) {
        newer(partition, entry);
        break;
      }
      batch.oldestMs = Math.min(batch.oldestMs ?? entry.ms, entry.ms);
      await take(partition, entry, batch);
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

  async function take(partition: number, { format, rows, again }: LogEntry, batch: FollowerBatch<U>): Promise<void> {
    // It was read before.
    if (again) return;
    const version = configOf(rows);
    const use = version === undefined ? undefined : (await configurations.of(version))?.use;
    if (use !== undefined) batch.work.push({ partition, format, rows, use });
  }

  /** Reads, handles, and moves the places. Undefined where there was nothing to read. */
  async function round(make: boolean): Promise<FollowerBatch<U> | undefined> {
    const batch: FollowerBatch<U> = { reads: [], work: [], bytes: 0, oldestMs: undefined, full: false };
    const own = await share.own();
    young = false;
    const logs = await asked(lookAtLogs(redis, kind, own));
    for (let i = 0; i < logs.length && !batch.full; i++) await read(logs[(turn + i) % logs.length]!, make, batch);
    if (batch.full) turn++;
    for (const partition of drops.keys()) if (!own.includes(partition)) drops.delete(partition);
    meters.dropped([...drops.values()].reduce((sum, count) => sum + count, 0));
    meters.oldest(batch.oldestMs);
    if (batch.reads.length === 0) return undefined;
    await options.handle(batch.work, { signal: aborting.signal, persist, during });
    for (const moved of batch.reads) await asked(movePlace(redis, kind, moved));
    if (!batch.full) meters.oldest(undefined);
    return batch;
  }

  async function during<T>(work: Promise<T>): Promise<T> {
    busy = true;
    return await work.finally(() => {
      busy = false;
      progress = performance.now();
    });
  }

  async function persist(failed: () => void, step: () => Promise<void>): Promise<void> {
    for (let attempt = 0; ; attempt++) {
      progress = performance.now();
      try {
        return await step();
      } catch (error) {
        if (stopping) throw error;
        failed();
        const { message, code } = error as Error & { code?: string };
        logger[loudness(error)]({ kind, attempt, code, error: message.slice(0, 300) }, `${kind} wait and repeat`);
        await pause.sleep(Math.min(LAST_RETRY_MS, FIRST_RETRY_MS * 2 ** Math.min(attempt, 10)) * (0.5 + Math.random()));
        if (stopping) throw error;
      }
    }
  }

  async function leave(): Promise<void> {
    for (const partition of await share.own()) await leavePlace(redis, kind, partition);
    meters.dropped(0);
    following = false;
    logger.info(`no ${kind} are in use; the log is not read for them any more`);
  }

  async function step(): Promise<void> {
    const started = performance.now();
    const wanted = (await inUse()) != null;
    if (wanted && !following) logger.info(`${kind} are in use; the log is read for them`);
    if (wanted) [following, wantedAt] = [true, started];
    if (!following) return await pause.sleep(options.active() ? OFF_MS : UNKNOWN_MS);
    const batch = await round(wanted);
    if (batch?.full) return;
    if (batch === undefined && !young && !wanted && started - wantedAt > LEAVE_MS) return await leave();
    await pause.sleep(Math.max(1, ROUND_MS - (performance.now() - started)));
  }

  async function run(): Promise<void> {
    const failed = (): void => meters.failed('redis');
    await persist(failed, async () => {
      following = await asked(leftBehind());
    });
    while (!stopping) await persist(failed, step);
  }

  return {
    start() {
      running = run().catch(() => undefined);
    },
    async stop() {
      stopping = true;
      pause.end();
      const limit = setTimeout(() => aborting.abort(), STOP_MS);
      await running;
      clearTimeout(limit);
    },
    lastProgress: () => (busy ? performance.now() : progress),
    following: () => following,
    own: share.own,
    inUse,
  };
}

/** Configurations by number. Numbers are used again after Redis has lost its data, and then the active one has another id. */
function createConfigurations<U>(redis: Redis, useOf: FollowerOptions<U>['useOf']) {
  const known = new Map<number, { id: string; use: U | undefined } | null>();
  return {
    /** `id`: that of the active one, where it is known. Undefined: it is no longer kept. */
    async of(version: number, id?: string): Promise<{ id: string; use: U | undefined } | undefined> {
      const found = known.get(version);
      if (found !== undefined && (id === undefined || found?.id === id)) return found ?? undefined;
      if (id !== undefined) known.clear();
      const stored = await readConfiguration(redis, version);
      const made = stored ? { id: stored.id, use: useOf(JSON.parse(stored.text) as Configuration, stored) } : null;
      known.set(version, made);
      return made ?? undefined;
    },
  };
}

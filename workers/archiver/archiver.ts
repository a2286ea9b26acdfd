/**
 * The archiver: the log in Redis → rows in ClickHouse → what is archived may leave Redis.
 *
 * Each partition is in one of these states, in a loop of its own:
 *
 * - `waiting`: another archiver holds the lease; ask again in a second. The lease only saves work: two that do the same
 *   make the same blocks, and only one of them moves the position.
 * - `reading`: take the next part of the oldest span that is closed (`read-log.ts`). Nothing there: sleep until there can
 *   be. Left with a part.
 * - `inserting`: send the part under its token (`insert.ts`). Any error that is not about the bytes themselves stays
 *   here: wait, longer each time, and repeat for ever. Left when ClickHouse has acknowledged it.
 * - `releasing`: set aside what could not be read, let index keys and results expire, move the position and trim the
 *   log below it. Every step may run again; the position is last. Left for `reading`, whose next part was read
 *   meanwhile.
 * - `stopped`: `stop` was called. A part that is not released yet is read and inserted again by whoever comes next,
 *   and its token makes that count once.
 */
import { randomUUID } from 'node:crypto';
import type { Cluster, Redis } from 'ioredis';
import { createPause, createSemaphore, inTime } from '../../shared/async.js';
import type { HistoryClient } from '../../shared/history/client.js';
import type { Logger } from '../../shared/log.js';
import type { Settings } from '../../shared/settings.js';
import { keys } from '../../shared/streams/keys.js';
import type { Registry } from '../../shared/telemetry.js';
import { insertPart } from './insert.js';
import { createMetrics, type FailureKind } from './metrics.js';
import { createForgetting } from './purge.js';
import { createPartReader, type LogEntry, logEntry, type Part, type Reading, type Refusal } from './read-log.js';
import { createRelease } from './release.js';

export interface ArchiverOptions {
  /** connection of the archiver's own; no blocking commands are sent on it */
  redis: Redis | Cluster;
  clickhouse: HistoryClient;
  /** how many partitions there are now; it only grows, and each is archived from 0 on */
  partitions(): number;
  settings: Settings<
    'blockDelayMs' | 'blockRows' | 'blockBytes' | 'hotSeconds' | 'rewriteSeconds' | 'maxMemoryPercent'
  >;
  logger: Logger;
  registry: Registry;
  /** inserts at a time, default 2: each holds up to two parts in memory */
  parallel?: number;
}

export interface Archiver {
  start(): void;
  /** Ends every loop; an insert under way has a few seconds to finish. Never rejects. */
  stop(): Promise<void>;
  /** `lastAdvance`: ms of the steady clock at which each loop had last archived something, found nothing to do, or tried again */
  progress(): { lastAdvance: number };
}

/** A span of the log that makes one block, unless it is cut (rule 7). Kept with the position from the first block on. */
const SPAN_MS = 1000;
const LEASE_MS = 10_000;
const RENEW_MS = 3000;
const IDLE_MS = 500;
const REDIS_MS = 10_000;
const STOP_MS = 5000;
const HEADROOM_MS = 5000;
/** How often new partitions are looked for. */
const FOLLOW_MS = 2000;
const FIRST_RETRY_MS = 100;
const LAST_RETRY_MS = 10_000;
const PARALLEL = 2;
/** Parts that a partition archives before another has its turn. */
const TURN_PARTS = 8;

export function createArchiver(options: ArchiverOptions): Archiver {
  const { redis, clickhouse, settings, logger } = options;
  const scripts = createArchiveScripts(redis);
  const metrics = createMetrics(options.registry, options.settings.maxMemoryPercent);
  const reads = createSemaphore(options.parallel ?? PARALLEL);
  const pause = createPause();
  const aborting = new AbortController();
  const owner = randomUUID();
  const advances = new Map<number, number>();
  const loops: Promise<unknown>[] = [];
  let stopping = false;
  let followed = 0;

  const asked = <T>(answer: Promise<T>): Promise<T> => inTime(answer, REDIS_MS, 'Redis did not answer in time');
  const release = createRelease({ scripts, logger, hotMs: settings.hotSeconds * 1000, asked });

  /** Repeats `step` until it succeeds; false when it was stopped before. */
  async function persist(kind: FailureKind, partition: number, step: () => Promise<void>): Promise<boolean> {
    for (let attempt = 0; !stopping; attempt++) {
      try {
        await step();
        return true;
      } catch (error) {
        if (stopping) return false;
        metrics.failed(kind);
        // A loop that repeats is alive: a restart would not bring ClickHouse back.
        advances.set(partition, performance.now());
        const wait = Math.min(LAST_RETRY_MS, FIRST_RETRY_MS * 2 ** Math.min(attempt, 10)) * (0.5 + Math.random());
        const { message, code } = error as Error & { code?: string };
        logger.warn({ partition, kind, attempt, code, error: message.slice(0, 300) }, 'archiving waits and repeats');
        await pause.sleep(wait);
      }
    }
    return false;
  }

  async function page(partition: number, after: string, count: number): Promise<LogEntry[]> {
    const from = after === '' ? '-' : `(${after}`;
    const found = await asked(redis.xrangeBuffer(keys.results(partition), from, '+', 'COUNT', count));
    return (found as unknown as [Buffer, Buffer[]][]).map(logEntry);
  }

  function createLoop(partition: number) {
    const reader = createPartReader({
      partition,
      span: SPAN_MS,
      blockRows: settings.blockRows,
      blockBytes: settings.blockBytes,
      page: (after, count) => page(partition, after, count),
      seal: async (endMs, aheadMs) =>
        asked(scripts.sealSpan(partition, endMs, { delayMs: settings.blockDelayMs, aheadMs })),
    });
    const moved = (): unknown => advances.set(partition, performance.now());

    /** Archives `part`; returns the reading after it, or undefined when the position has to be asked for again. */
    async function archive(part: Part): Promise<Reading | undefined> {
      let refused: Refusal[] = [...part.refused];
      // The next part is read while this one is inserted. Its error, if any, will come again.
      const ahead = reader.next(part.to).catch(() => undefined);
      const inserted = await persist('clickhouse', partition, async () => {
        const started = performance.now();
        refused = [...part.refused, ...(await insertPart(clickhouse, part, aborting.signal))];
        metrics.inserted((performance.now() - started) / 1000);
      });
      let current = true;
      const released =
        inserted &&
        (await persist('redis', partition, async () => {
          current = await release(partition, part, refused);
        }));
      const next = await ahead;
      if (!released || !current) return undefined;
      moved();
      metrics.archived(part, refused.length);
      return next;
    }

    /** Archives what is closed, for a few parts at most; returns what it found after that. */
    async function drain(): Promise<Reading | undefined> {
      moved();
      reader.reset();
      let reading: Reading | undefined = await reader.next(await asked(scripts.position(partition)));
      for (let parts = 0; parts < TURN_PARTS && !stopping && reading?.status === 'part'; parts++) {
        metrics.oldest(partition, reading.part.firstMs);
        reading = await archive(reading.part);
      }
      reader.reset();
      return reading;
    }

    /** One turn: only who has one holds entries in memory, so that is bounded whatever the number of partitions. */
    async function turn(): Promise<void> {
      // Waiting for one's turn is no sign of being stuck.
      advances.delete(partition);
      const reading = await reads.run(drain);
      if (stopping || reading === undefined || reading.status === 'part') return;
      moved();
      const open = reading.status === 'open' ? reading : undefined;
      metrics.oldest(partition, open?.oldestMs);
      const wait = open ? open.endMs + settings.blockDelayMs - open.now : IDLE_MS;
      await pause.sleep(Math.min(Math.max(wait, 1), SPAN_MS + IDLE_MS));
    }

    return async (): Promise<void> => {
      let holds = false;
      const renewal = setInterval(() => {
        if (holds) asked(scripts.holdLease(partition, owner, LEASE_MS)).catch(() => {});
      }, RENEW_MS);
      try {
        while (!stopping) {
          await persist('redis', partition, async () => {
            holds = await asked(scripts.holdLease(partition, owner, LEASE_MS));
            if (holds) return turn();
            moved();
            // Who holds the lease says how far behind it is: what was known here would only grow old.
            metrics.oldest(partition, undefined);
            await pause.sleep(1000);
          });
        }
        if (holds) await asked(scripts.holdLease(partition, owner, 0)).catch(() => {});
      } finally {
        clearInterval(renewal);
      }
    };
  }

  async function watchHeadroom(): Promise<void> {
    while (!stopping) {
      await asked(metrics.measureHeadroom(redis)).catch(() => {});
      await pause.sleep(HEADROOM_MS);
    }
  }

  const forgetting = createForgetting({ ...options, everySeconds: settings.rewriteSeconds });

  async function forget(): Promise<void> {
    const { pauseMs } = forgetting;
    while (!stopping && pauseMs !== undefined) {
      await asked(forgetting.turn()).catch(() => {});
      await pause.sleep(pauseMs);
    }
  }

  /** Starts a loop for each partition that has none yet. */
  async function followPartitions(): Promise<void> {
    while (!stopping) {
      for (; followed < options.partitions(); followed++) {
        advances.set(followed, performance.now());
        loops.push(createLoop(followed)());
      }
      await pause.sleep(FOLLOW_MS);
    }
  }

  return {
    start() {
      if (loops.length === 0) loops.push(followPartitions(), watchHeadroom(), forget());
    },
    async stop() {
      stopping = true;
      pause.end();
      const limit = setTimeout(() => aborting.abort(), STOP_MS);
      await Promise.allSettled(loops);
      clearTimeout(limit);
    },
    progress: () => ({ lastAdvance: Math.min(performance.now(), ...advances.values()) }),
  };
}

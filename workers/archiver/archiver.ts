/**
 * The archiver moves finished requests from the log in Redis into ClickHouse, and lets what is archived leave Redis.
 *
 *     following partitions ──stop()──> stopping ──> stopped
 *
 * - *following*: entered by `start`. Every partition has a loop of its own (`partition-loop.ts`); a partition that is new gets one
 *   within two seconds. Beside the loops, timers measure how long Redis can do without ClickHouse, and purge deleted content
 *   (`purge.ts`) and write what was applied (`configurations.ts`).
 * - *stopping*: entered by `stop`. No step is repeated any more. An insert under way has a few seconds, then it is cut off.
 * - *stopped*: a part that is not released yet is archived again by the next archiver. Its token makes that count once.
 */
import { randomUUID } from 'node:crypto';
import type { Cluster, Redis } from 'ioredis';
import { createPause, createSemaphore, inTime } from '../../shared/async.js';
import type { HistoryClient } from '../../shared/history/client.js';
import type { Logger } from '../../shared/log.js';
import type { Settings } from '../../shared/settings.js';
import type { Registry } from '../../shared/telemetry.js';
import { createArchiveScripts } from './archive-scripts.js';
import { createConfigurationRows } from './configurations.js';
import { createMetrics } from './metrics.js';
import { archivePartition, type LoopTools } from './partition-loop.js';
import { createProgress } from './progress.js';
import { createPurge } from './purge.js';
import { createRelease } from './release.js';

export interface ArchiverOptions {
  /** connection of the archiver's own; no blocking commands are sent on it */
  redis: Redis | Cluster;
  clickhouse: HistoryClient;
  /** how many partitions there are now; it only grows, and each is archived from 0 on */
  partitions(): number;
  settings: Settings<
    | 'blockDelayMs'
    | 'blockRows'
    | 'blockBytes'
    | 'hotSeconds'
    | 'rewriteSeconds'
    | 'maxMemoryPercent'
    | 'metricsBacklogBytes'
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

const REDIS_MS = 10_000;
const STOP_MS = 5000;
const HEADROOM_MS = 5000;
/** How often new configurations are looked for. */
const CONFIGURATIONS_MS = 5000;
/** How often new partitions are looked for. */
const FOLLOW_MS = 2000;
const PARALLEL = 2;

export function createArchiver(options: ArchiverOptions): Archiver {
  const { redis, clickhouse, settings, logger, registry } = options;
  const scripts = createArchiveScripts(redis, () => settings.metricsBacklogBytes / options.partitions());
  const metrics = createMetrics(registry, settings.maxMemoryPercent);
  const configurations = createConfigurationRows(options);
  const pause = createPause();
  const aborting = new AbortController();
  const progress = createProgress();
  const purge = createPurge({ ...options, everySeconds: settings.rewriteSeconds });
  const asked = <T>(answer: Promise<T>): Promise<T> => inTime(answer, REDIS_MS, 'Redis did not answer in time');
  const loops: Promise<unknown>[] = [];
  let stopping = false;
  const tools: LoopTools = {
    redis,
    clickhouse,
    scripts,
    settings,
    owner: randomUUID(),
    reads: createSemaphore(options.parallel ?? PARALLEL),
    release: createRelease({ scripts, logger, hotMs: settings.hotSeconds * 1000, asked }),
    progress,
    metrics,
    logger,
    pause,
    asked,
    signal: aborting.signal,
    stopping: () => stopping,
  };

  async function followPartitions(): Promise<void> {
    for (let followed = 0; !stopping; ) {
      for (; followed < options.partitions(); followed++) {
        progress.moved(followed);
        loops.push(archivePartition(tools, followed));
      }
      await pause.sleep(FOLLOW_MS);
    }
  }

  return {
    start() {
      if (loops.length > 0) return;
      loops.push(followPartitions());
      loops.push(every(HEADROOM_MS, () => metrics.measureHeadroom(redis), tools));
      loops.push(every(CONFIGURATIONS_MS, configurations.writeNew, tools));
      if (purge.pauseMs !== undefined) loops.push(every(purge.pauseMs, purge.runIfDue, tools));
    },
    async stop() {
      stopping = true;
      pause.end();
      const limit = setTimeout(() => aborting.abort(), STOP_MS);
      await Promise.allSettled(loops);
      clearTimeout(limit);
    },
    progress: () => ({ lastAdvance: progress.oldest() }),
  };
}

/** Repeats `work` until the archiver stops; its errors are left to the next time. */
async function every(ms: number, work: () => Promise<void>, { asked, pause, stopping }: LoopTools): Promise<void> {
  while (!stopping()) {
    await asked(work()).catch(() => {});
    await pause.sleep(ms);
  }
}

/**
 * The archiver moves finished requests from the log in Redis into ClickHouse, and lets what is archived leave Redis.
 *
 *     archiving ──stop()──> stopping ──> stopped
 *
 * - *archiving*: entered by `start`. Two loops archive this archiver's share of the partitions (`loop.ts`). Beside them, timers measure how
 *   long Redis can do without ClickHouse, purge deleted content (`purge.ts`), write what was applied (`configurations.ts`) and move the
 *   audit log on (`audit.ts`). One archiver of all
 *   takes the steps of erasures (`erasures/eraser.ts`).
 * - *stopping*: entered by `stop`. No step is repeated any more. An insert under way has a few seconds, then it is cut off.
 * - *stopped*: a block that is not released yet is archived again by the next archiver. Its rows replace themselves.
 */

import { createPause, inTime } from '../../shared/async.js';
import type { HistoryClient } from '../../shared/history/client.js';
import type { Logger } from '../../shared/log.js';
import type { Settings } from '../../shared/settings.js';
import { isCluster, type Redis } from '../../shared/streams/client.js';
import type { Registry } from '../../shared/telemetry.js';
import type { Traces } from '../../shared/traces/spans.js';
import { createErasedWatch } from '../erasures/erased.js';
import type { Eraser } from '../erasures/eraser.js';
import { createNewerNotice, type LogReader } from '../log/reader.js';
import type { PartitionShare } from '../share.js';
import { createArchiveScripts } from './archive-scripts.js';
import { createAuditRows } from './audit.js';
import { createBlockReader } from './block.js';
import { createConfigurationRows } from './configurations.js';
import { archiveShare } from './loop.js';
import { createMetrics } from './meters.js';
import { createPurge } from './purge.js';
import { createRelease } from './release.js';
import { createArchivedTraces, STORE_TRACES_MS } from './traces.js';
import { createWholeHistory } from './whole.js';

export interface ArchiverOptions {
  /** connection of the archiver's own; no blocking commands are sent on it */
  redis: Redis;
  clickhouse: HistoryClient;
  /** takes the steps of erasures */
  eraser: Eraser;
  /** how many partitions there are now; it only grows */
  partitions(): number;
  share: PartitionShare;
  settings: Settings<
    | 'blockDelayMs'
    | 'blockRows'
    | 'blockBytes'
    | 'hotSeconds'
    | 'rewriteSeconds'
    | 'maxMemoryPercent'
    | 'metricsBacklogBytes'
  >;
  /** undefined: no spans are recorded */
  traces?: Traces | undefined;
  logger: Logger;
  registry: Registry;
}

const REDIS_MS = 10_000;
const STOP_MS = 5000;
const MEASURE_MS = 5000;
/** Bytes of refused entries that Redis keeps, of all partitions. */
const REFUSED_BYTES = 128 * 1024 * 1024;
/** How often new configurations are looked for. */
const CONFIGURATIONS_MS = 5000;
/** How often the audit log is moved on. */
const AUDIT_MS = 1000;

/** When it stops, an insert under way has a few seconds to finish. */
export function createArchiver(options: ArchiverOptions): LogReader {
  const { redis, clickhouse, settings, logger, registry } = options;
  const scripts = createArchiveScripts(redis, {
    backlog: () => settings.metricsBacklogBytes / options.partitions(),
    refused: () => REFUSED_BYTES / options.partitions(),
  });
  const metrics = createMetrics(registry, settings.maxMemoryPercent);
  const traces = createArchivedTraces(clickhouse, options);
  const configurations = createConfigurationRows(options);
  const audit = createAuditRows(options);
  const pause = createPause();
  const aborting = new AbortController();
  const purge = createPurge({ ...options, everySeconds: settings.rewriteSeconds });
  const asked = <T>(answer: Promise<T>): Promise<T> => inTime(answer, REDIS_MS, 'Redis did not answer in time');
  const newer = createNewerNotice(logger, 'archiving and all that follows');
  const erased = createErasedWatch(redis, { logger, asked });
  const createReader = () =>
    createBlockReader({ redis, scripts, limits: settings, oldest: metrics.oldest, newer, asked, erased });
  const release = createRelease({ scripts, logger, hotMs: settings.hotSeconds * 1000, asked });
  const loops: Promise<unknown>[] = [];
  let stopping = false;
  let progress = performance.now();

  /** Repeats `work` until the archiver stops; its errors are left to the next time. */
  async function every(ms: number, work: () => Promise<void>): Promise<void> {
    while (!stopping) {
      await asked(work()).catch(() => {});
      await pause.sleep(ms);
    }
  }

  async function erase(): Promise<void> {
    while (!stopping) await pause.sleep(await options.eraser.step());
  }

  return {
    start() {
      if (loops.length > 0) return;
      const stopped = (): boolean => stopping;
      const moved = (): void => {
        progress = performance.now();
      };
      const { signal } = aborting;
      const { share } = options;
      const tools = {
        clickhouse,
        whole: createWholeHistory(clickhouse),
        inCluster: isCluster(redis),
        share,
        createReader,
        release,
        metrics,
        traces,
        logger,
        pause,
        signal,
        stopping: stopped,
        moved,
      };
      loops.push(archiveShare(tools));
      loops.push(every(MEASURE_MS, () => metrics.measure(redis)));
      loops.push(every(CONFIGURATIONS_MS, configurations.writeNew));
      loops.push(every(AUDIT_MS, audit.store));
      loops.push(every(STORE_TRACES_MS, traces.store));
      loops.push(erase());
      if (purge.pauseMs !== undefined) loops.push(every(purge.pauseMs, purge.runIfDue));
    },
    async stop() {
      stopping = true;
      pause.end();
      const limit = setTimeout(() => aborting.abort(), STOP_MS);
      await options.eraser.stop();
      await Promise.allSettled(loops);
      await traces.store();
      clearTimeout(limit);
    },
    lastProgress: () => progress,
  };
}

/**
 * Archives one partition:
 *
 *     waiting ⇄ reading ──> inserting ──> releasing ──> reading
 *
 * - *waiting*: another archiver holds the lease. Asks again in a second. The lease only saves work: two archivers make the same blocks,
 *   and only one of them moves the position.
 * - *reading*: waits for a turn, then takes the next part of the oldest span that is closed (`read-log.ts`). If there is none, sleeps
 *   until there may be one. Left with a part.
 * - *inserting*: sends the part under its token (`insert.ts`). Left when ClickHouse has acknowledged it.
 * - *releasing*: sets entries aside that could not be read, lets index keys and results expire, moves the position and trims the log
 *   (`release.ts`). Every step may run again; the position moves last. Left for *reading*, whose next part was read meanwhile. A part
 *   that was inserted when the archiver stops is released, too: a token says nothing to a view that has changed.
 *
 * An error does not change the state: the step is repeated for ever, after longer and longer pauses. Rows that ClickHouse cannot read
 * are the exception, see `insert.ts`. After a release that another archiver has outrun, the position is read again.
 */

import type { Cluster, Redis } from 'ioredis';
import type { Pause, Semaphore } from '../../shared/async.js';
import type { HistoryClient } from '../../shared/history/client.js';
import type { Logger } from '../../shared/log.js';
import type { Settings } from '../../shared/settings.js';
import { keys } from '../../shared/streams/keys.js';
import type { ArchiveScripts } from './archive-scripts.js';
import { insertPart } from './insert.js';
import type { ArchiverMetrics, FailureKind } from './metrics.js';
import type { Progress } from './progress.js';
import {
  createPartReader,
  type LogEntry,
  logEntry,
  type Part,
  type PartReader,
  type Reading,
  type Refusal,
} from './read-log.js';
import type { Release } from './release.js';

/** What the loops of an archiver share. */
export interface LoopTools {
  redis: Redis | Cluster;
  clickhouse: HistoryClient;
  scripts: ArchiveScripts;
  settings: Settings<'blockDelayMs' | 'blockRows' | 'blockBytes'>;
  /** this archiver, as the holder of leases */
  owner: string;
  /** Only a loop that has a turn holds entries in memory, which bounds them however many partitions there are. */
  reads: Semaphore;
  release: Release;
  progress: Progress;
  metrics: ArchiverMetrics;
  logger: Logger;
  pause: Pause;
  /** Bounds how long an answer of Redis is awaited. */
  asked<T>(answer: Promise<T>): Promise<T>;
  /** aborted when inserts are cut off */
  signal: AbortSignal;
  stopping(): boolean;
}

/** A span of the log that makes one block, unless it is cut (rule 21 of the architecture). Kept with the position from the first block on. */
const SPAN_MS = 1000;
const LEASE_MS = 10_000;
const RENEW_MS = 3000;
const NOT_MINE_MS = 1000;
const IDLE_MS = 500;
const FIRST_RETRY_MS = 100;
const LAST_RETRY_MS = 10_000;
/** Parts that a partition archives before another one has its turn. */
const TURN_PARTS = 8;

/** Resolves once the archiver stops. */
export async function archivePartition(tools: LoopTools, partition: number): Promise<void> {
  const { scripts, owner, asked, stopping } = tools;
  const reader = readerOf(tools, partition);
  const lease = (ms: number): Promise<boolean> => asked(scripts.holdLease(partition, owner, ms));
  let holds = false;
  const renewal = setInterval(() => {
    if (holds) lease(LEASE_MS).catch(() => {});
  }, RENEW_MS);
  try {
    while (!stopping()) {
      await persist(tools, 'redis', partition, async () => {
        holds = await lease(LEASE_MS);
        if (holds) return takeTurn(tools, partition, reader);
        tools.progress.moved(partition);
        // The holder of the lease reports how far behind it is. What was known here would only grow old.
        tools.metrics.oldest(partition, undefined);
        await tools.pause.sleep(NOT_MINE_MS);
      });
    }
    if (holds) await lease(0).catch(() => {});
  } finally {
    clearInterval(renewal);
  }
}

function readerOf({ redis, scripts, settings, asked }: LoopTools, partition: number): PartReader {
  const { blockRows, blockBytes, blockDelayMs: delayMs } = settings;
  async function page(after: string, count: number): Promise<LogEntry[]> {
    const from = after === '' ? '-' : `(${after}`;
    const found = await asked(redis.xrangeBuffer(keys.results(partition), from, '+', 'COUNT', count));
    return (found as unknown as [Buffer, Buffer[]][]).map(logEntry);
  }
  const seal = (endMs: number, aheadMs: number) => asked(scripts.sealSpan(partition, endMs, { delayMs, aheadMs }));
  return createPartReader({ partition, span: SPAN_MS, blockRows, blockBytes, page, seal });
}

/** Archives what is closed, up to a few parts; then sleeps until there may be more. */
async function takeTurn(tools: LoopTools, partition: number, reader: PartReader): Promise<void> {
  const { progress, metrics, settings } = tools;
  progress.waits(partition);
  const reading = await tools.reads.run(() => drain(tools, partition, reader));
  if (tools.stopping() || reading === undefined || reading.status === 'part') return;
  progress.moved(partition);
  const open = reading.status === 'open' ? reading : undefined;
  metrics.oldest(partition, open?.oldestMs);
  const wait = open ? open.endMs + settings.blockDelayMs - open.now : IDLE_MS;
  await tools.pause.sleep(Math.min(Math.max(wait, 1), SPAN_MS + IDLE_MS));
}

/** Archives parts from the stored position on; returns the reading after the last of them, as {@link archive}. */
async function drain(tools: LoopTools, partition: number, reader: PartReader): Promise<Reading | undefined> {
  tools.progress.moved(partition);
  reader.reset();
  let reading: Reading | undefined = await reader.next(await tools.asked(tools.scripts.position(partition)));
  for (let parts = 0; parts < TURN_PARTS && !tools.stopping() && reading?.status === 'part'; parts++) {
    tools.metrics.oldest(partition, reading.part.firstMs);
    reading = await archive(tools, partition, reader, reading.part);
  }
  reader.reset();
  return reading;
}

/** Archives `part`; returns the reading after it, or undefined when the position has to be read again. */
async function archive(
  tools: LoopTools,
  partition: number,
  reader: PartReader,
  part: Part,
): Promise<Reading | undefined> {
  const { clickhouse, metrics, signal } = tools;
  let refused: Refusal[] = [...part.refused];
  // The next part is read while this one is inserted. An error here is not lost: it comes again with the next reading.
  const ahead = reader.next(part.to).catch(() => undefined);
  const inserted = await persist(tools, 'clickhouse', partition, async () => {
    const started = performance.now();
    refused = [...part.refused, ...(await insertPart(clickhouse, part, signal))];
    metrics.inserted((performance.now() - started) / 1000);
  });
  let current = true;
  const released =
    inserted &&
    (await persist(tools, 'redis', partition, async () => {
      current = await tools.release(partition, part, refused);
    }));
  const next = await ahead;
  if (!released || !current) return undefined;
  tools.progress.moved(partition);
  metrics.archived(part, refused.length);
  return next;
}

/** Repeats `step` until it succeeds; false when the archiver stopped before. It is tried once in any case. */
async function persist(
  { metrics, progress, logger, pause, stopping }: LoopTools,
  kind: FailureKind,
  partition: number,
  step: () => Promise<void>,
): Promise<boolean> {
  for (let attempt = 0; attempt === 0 || !stopping(); attempt++) {
    try {
      await step();
      return true;
    } catch (error) {
      if (stopping()) return false;
      metrics.failed(kind);
      // A loop that repeats is alive: a restart would not bring ClickHouse back.
      progress.moved(partition);
      const wait = Math.min(LAST_RETRY_MS, FIRST_RETRY_MS * 2 ** Math.min(attempt, 10)) * (0.5 + Math.random());
      const { message, code } = error as Error & { code?: string };
      logger.warn({ partition, kind, attempt, code, error: message.slice(0, 300) }, 'archiving waits and repeats');
      await pause.sleep(wait);
    }
  }
  return false;
}

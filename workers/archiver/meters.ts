/** What the archiver tells about itself, and how long an outage of ClickHouse can last. */
import { nodesOf, type Redis } from '../../shared/streams/client.js';
import { keys } from '../../shared/streams/keys.js';
import { metersOf, type Registry } from '../../shared/telemetry.js';
import type { LogPiece } from './block.js';
import { createLogGrowth } from './log-growth.js';

/** `full`: no room for refused entries. */
const FAILURE_KINDS = ['redis', 'clickhouse', 'full'] as const;
export type ArchiveFailureKind = (typeof FAILURE_KINDS)[number];

export interface ArchiverMetrics {
  /** This archiver has these partitions, and reports on no others. */
  own(partitions: readonly number[]): void;
  archived(piece: LogPiece): void;
  /** A block is in ClickHouse. */
  stored(): void;
  inserted(seconds: number): void;
  failed(kind: ArchiveFailureKind): void;
  /** Unix ms of the oldest entry of a partition that is not archived; undefined: none */
  oldest(partition: number, ms: number | undefined): void;
  /** Measures how long Redis has room for the log while nothing leaves it, and counts the refused entries that it keeps. */
  measure(redis: Redis): Promise<void>;
}

const OUTAGE =
  "How long ClickHouse may be away, at the present rate of this worker's partitions, until checks are refused (WEIR_MAX_MEMORY_PERCENT)";

/** Streams and strings take more than their payload. */
const OVERHEAD = 1.15;

/** `maxMemoryPercent`: the share of Redis's memory above which ingress refuses checks. */
export function createMetrics(registry: Registry, maxMemoryPercent: number): ArchiverMetrics {
  const meters = metersOf(registry);
  const { counter, counterBy, gauge, histogram } = meters;
  const rows = counter('weir_archived_rows_total', 'Rows that went to ClickHouse');
  const blocks = counter(
    'weir_archived_blocks_total',
    'Blocks that went to ClickHouse: about one a second, for all partitions of the worker',
  );
  const insert = histogram('weir_archive_insert_seconds', 'Time of an insert that succeeded');
  const failures = 'Failed attempts, which are repeated for ever; full: there is no room for refused rows';
  const errors = counterBy('kind', FAILURE_KINDS, 'weir_archive_errors_total', failures);
  const refusals = counter('weir_archive_refused_total', 'Requests set aside because ClickHouse refuses their rows');
  let own: readonly number[] = [];
  let secondsLeft = 0;
  gauge('weir_outage_seconds_left', OUTAGE, () => secondsLeft);
  let refused = 0;
  gauge('weir_archive_refused_entries', "Requests that are set aside now, in this worker's partitions", () => refused);
  const lag = createLag(meters);
  const growth = createLogGrowth();
  /** a result that is still in Redis, and its size */
  const sample = { key: '', bytes: 0 };

  return {
    own(partitions) {
      for (const partition of own) {
        if (partitions.includes(partition)) continue;
        lag.oldest(partition, undefined);
        growth.drop(partition);
      }
      own = partitions;
    },
    archived(piece) {
      rows.inc(piece.rows);
      if (piece.refused.length > 0) refusals.inc(piece.refused.length);
      growth.archived(piece);
      const request = piece.requests.at(-1);
      if (request !== undefined) sample.key = keys.result(piece.partition, request);
    },
    stored: () => blocks.inc(),
    inserted: (seconds) => insert.observe(seconds),
    failed: (kind) => errors.inc({ kind }),
    oldest(partition, ms) {
      lag.oldest(partition, ms);
      if (ms === undefined) growth.idle(partition);
      else growth.busy(partition);
    },
    async measure(redis) {
      const kept = await Promise.all(own.map((partition) => redis.xlen(keys.refused(partition))));
      refused = kept.reduce((sum, length) => sum + length, 0);
      const infos = await Promise.all(nodesOf(redis).map((node) => node.info('memory')));
      const sum = (name: string): number =>
        infos.reduce((all, info) => all + Number(new RegExp(`^${name}:(\\d+)`, 'm').exec(info)?.[1] ?? 0), 0);
      const limit = (sum('maxmemory') * maxMemoryPercent) / 100;
      if (sample.key !== '') {
        const bytes = await redis.memory('USAGE', sample.key);
        if (bytes) sample.bytes = bytes;
      }
      const perMs = growth.bytesPerMs(sample.bytes) * OVERHEAD;
      const bytesLeft = Math.max(0, limit - sum('used_memory'));
      secondsLeft = limit === 0 || perMs === 0 ? Number.POSITIVE_INFINITY : bytesLeft / perMs / 1000;
    },
  };
}

/** The age of the oldest entry that is not archived. It is computed when it is read: it grows while an insert waits for ClickHouse. */
function createLag({ gauge }: ReturnType<typeof metersOf>) {
  const oldestMs = new Map<number, number>();
  gauge('weir_archive_lag_seconds', 'Age of the oldest result of this worker that is not archived', () => {
    const oldest = Math.min(...oldestMs.values());
    return oldest === Number.POSITIVE_INFINITY ? 0 : Math.max(0, Date.now() - oldest) / 1000;
  });
  return {
    oldest(partition: number, ms: number | undefined): void {
      if (ms === undefined) oldestMs.delete(partition);
      else oldestMs.set(partition, ms);
    },
  };
}

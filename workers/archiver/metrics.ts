/** What the archiver tells about itself, and how long an outage of ClickHouse can last. */
import type { Cluster, Redis } from 'ioredis';
import { keys } from '../../shared/streams/keys.js';
import { Counter, Gauge, Histogram, LATENCY_BUCKETS, type Registry } from '../../shared/telemetry.js';
import type { Part } from './parts.js';

export type FailureKind = 'redis' | 'clickhouse';

export interface ArchiverMetrics {
  archived(part: Part, refused: number): void;
  inserted(seconds: number): void;
  failed(kind: FailureKind): void;
  /** Unix ms of the oldest entry of a partition that is not archived; undefined: none */
  oldest(partition: number, ms: number | undefined): void;
  /** Measures how long Redis can take in the log without giving any of it away. */
  measureHeadroom(redis: Redis | Cluster): Promise<void>;
}

/** Half of a rate's memory is forgotten in about this time. */
const RATE_MS = 30_000;
/** Streams and strings take more than their payload. */
const OVERHEAD = 1.15;

export function createMetrics(registry: Registry): ArchiverMetrics {
  const registers = [registry];
  const rows = new Counter({ name: 'weir_archived_rows_total', help: 'Rows stored in ClickHouse', registers });
  const blocks = new Counter({ name: 'weir_archived_blocks_total', help: 'Blocks stored in ClickHouse', registers });
  const insert = new Histogram({
    name: 'weir_archive_insert_seconds',
    help: 'Time of one insert that succeeded',
    buckets: LATENCY_BUCKETS,
    registers,
  });
  const oldestMs = new Map<number, number>();
  new Gauge({
    name: 'weir_archive_lag_seconds',
    help: 'Age of the oldest entry of this worker that is not archived',
    registers,
    // Computed when it is asked for: it has to grow while an insert waits for ClickHouse.
    collect() {
      const oldest = Math.min(...oldestMs.values());
      this.set(oldest === Number.POSITIVE_INFINITY ? 0 : Math.max(0, Date.now() - oldest) / 1000);
    },
  });
  const errors = new Counter({
    name: 'weir_archive_errors_total',
    help: 'Failed attempts; each is repeated until it succeeds',
    labelNames: ['kind'],
    registers,
  });
  const refusals = new Counter({
    name: 'weir_archive_refused_total',
    help: 'Entries set aside because ClickHouse cannot read their rows',
    registers,
  });
  const outage = new Gauge({
    name: 'weir_outage_seconds_left',
    help: "How long Redis's memory lasts without ClickHouse, at the present rate of this worker's partitions",
    registers,
  });
  const rate = { bytesPerMs: 0, requestsPerMs: 0, spanEnd: 0, sample: '', sampleBytes: 0 };

  // The rate of the log is that of the log's own time, so that it stays right while a backlog is worked off.
  function count(part: Part): void {
    const { span } = part.to;
    const elapsed = Math.max(span, Math.min(RATE_MS, part.archivedMs - rate.spanEnd));
    if (part.archivedMs <= rate.spanEnd) return;
    const weight = rate.spanEnd === 0 ? 1 : 1 - 2 ** (-elapsed / RATE_MS);
    rate.bytesPerMs += weight * (part.bytes / elapsed - rate.bytesPerMs);
    rate.requestsPerMs += weight * (part.requests.length / elapsed - rate.requestsPerMs);
    rate.spanEnd = part.archivedMs;
  }

  return {
    archived(part, refused) {
      rows.inc(part.rows);
      if (part.entries.length > 0) blocks.inc();
      if (refused > 0) refusals.inc(refused);
      count(part);
      const request = part.requests.at(-1);
      if (request !== undefined) rate.sample = keys.result(Number(part.token.split(':')[0]), request);
    },
    inserted: (seconds) => insert.observe(seconds),
    failed: (kind) => errors.inc({ kind }),
    oldest(partition, ms) {
      if (ms === undefined) oldestMs.delete(partition);
      else oldestMs.set(partition, ms);
    },
    async measureHeadroom(redis) {
      const info = await redis.info('memory');
      const number = (name: string): number => Number(new RegExp(`^${name}:(\\d+)`, 'm').exec(info)?.[1] ?? 0);
      const limit = number('maxmemory');
      if (rate.sample !== '') {
        const bytes = await redis.memory('USAGE', rate.sample);
        if (bytes) rate.sampleBytes = bytes;
      }
      const perMs = (rate.bytesPerMs + rate.requestsPerMs * rate.sampleBytes) * OVERHEAD;
      if (limit === 0 || perMs === 0) outage.set(Number.POSITIVE_INFINITY);
      else outage.set(Math.max(0, limit - number('used_memory')) / perMs / 1000);
    },
  };
}

/** What the archiver tells about itself, and how long an outage of ClickHouse can last. */
import type { Cluster, Redis } from 'ioredis';
import { keys } from '../../shared/streams/keys.js';
import { Counter, Gauge, Histogram, LATENCY_BUCKETS, type Registry } from '../../shared/telemetry.js';
import type { Part } from './read-log.js';

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

/** How fast the log of a partition grows. */
interface Rate {
  bytesPerMs: number;
  requestsPerMs: number;
  /** of parts that are not in the rate yet, as their span is not over */
  bytes: number;
  requests: number;
  /** Unix ms of the log up to which it is known */
  untilMs: number;
  /** `performance.now()` since when there was nothing to archive */
  idleSince: number | undefined;
}

/** `maxMemoryPercent`: the share of Redis's memory above which ingress refuses checks. */
export function createMetrics(registry: Registry, maxMemoryPercent: number): ArchiverMetrics {
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
    help: "How long it takes without ClickHouse until checks are refused for want of memory in Redis, at the present rate of this worker's partitions",
    registers,
  });
  const rates = new Map<number, Rate>();
  const sample = { key: '', bytes: 0 };

  // The rate of the log is that of the log's own time, so that it stays right while a backlog is worked off. A span may come in
  // several parts: they count together.
  function count(partition: number, part: Part): void {
    const { span } = part.to;
    const known = rates.get(partition);
    const rate = known ?? { bytesPerMs: 0, requestsPerMs: 0, bytes: 0, requests: 0, untilMs: 0, idleSince: undefined };
    rates.set(partition, rate);
    rate.bytes += part.bytes;
    rate.requests += part.requests.length;
    const elapsed = known ? Math.min(RATE_MS, part.archivedMs - rate.untilMs) : span;
    if (elapsed < span) return;
    const weight = known ? 1 - 2 ** (-elapsed / RATE_MS) : 1;
    rate.bytesPerMs += weight * (rate.bytes / elapsed - rate.bytesPerMs);
    rate.requestsPerMs += weight * (rate.requests / elapsed - rate.requestsPerMs);
    rate.bytes = 0;
    rate.requests = 0;
    rate.untilMs = part.archivedMs;
  }

  /** A partition that has had nothing for long, or went to another archiver, has no rate here. */
  function forget(partition: number): void {
    const rate = rates.get(partition);
    if (rate === undefined) return;
    rate.idleSince ??= performance.now();
    if (performance.now() - rate.idleSince > RATE_MS) rates.delete(partition);
  }

  return {
    archived(part, refused) {
      rows.inc(part.rows);
      if (part.entries.length > 0) blocks.inc();
      if (refused > 0) refusals.inc(refused);
      const partition = Number(part.token.split(':')[0]);
      count(partition, part);
      const request = part.requests.at(-1);
      if (request !== undefined) sample.key = keys.result(partition, request);
    },
    inserted: (seconds) => insert.observe(seconds),
    failed: (kind) => errors.inc({ kind }),
    oldest(partition, ms) {
      if (ms === undefined) {
        oldestMs.delete(partition);
        forget(partition);
        return;
      }
      oldestMs.set(partition, ms);
      const rate = rates.get(partition);
      if (rate) rate.idleSince = undefined;
    },
    async measureHeadroom(redis) {
      const info = await redis.info('memory');
      const number = (name: string): number => Number(new RegExp(`^${name}:(\\d+)`, 'm').exec(info)?.[1] ?? 0);
      const limit = (number('maxmemory') * maxMemoryPercent) / 100;
      if (sample.key !== '') {
        const bytes = await redis.memory('USAGE', sample.key);
        if (bytes) sample.bytes = bytes;
      }
      let perMs = 0;
      for (const { bytesPerMs, requestsPerMs } of rates.values()) perMs += bytesPerMs + requestsPerMs * sample.bytes;
      perMs *= OVERHEAD;
      if (limit === 0 || perMs === 0) outage.set(Number.POSITIVE_INFINITY);
      else outage.set(Math.max(0, limit - number('used_memory')) / perMs / 1000);
    },
  };
}

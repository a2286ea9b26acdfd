/** How fast the logs of this archiver's partitions grow. */
import type { LogPiece } from './block.js';

export interface LogGrowth {
  archived(piece: LogPiece): void;
  /** The partition has entries that are not archived. */
  busy(partition: number): void;
  /** The partition has nothing to archive. Its rate is dropped after a while. */
  idle(partition: number): void;
  /** Another archiver has the partition. */
  drop(partition: number): void;
  /** bytes of Redis that all of them together take in a ms, where each request also takes `bytesPerRequest` */
  bytesPerMs(bytesPerRequest: number): number;
}

/** After this time a rate is half forgotten; after this time without entries it is dropped. */
const RATE_MS = 30_000;
/** A rate is known for so long a time at least. */
const SPAN_MS = 1000;

interface Rate {
  bytesPerMs: number;
  requestsPerMs: number;
  /** of less than a span: not in the rate yet */
  bytes: number;
  requests: number;
  /** Unix ms of the log up to which the rate is known */
  untilMs: number;
  /** `performance.now()` since when there was nothing to archive */
  idleSince: number | undefined;
}

export function createLogGrowth(): LogGrowth {
  const rates = new Map<number, Rate>();
  return {
    // Measured by the time of the log, not of this process, so that it stays right while a backlog is worked off. A span may come in
    // several pieces: they count together.
    archived({ partition, bytes, requests, lastMs }) {
      const known = rates.get(partition);
      const rate = known ?? {
        bytesPerMs: 0,
        requestsPerMs: 0,
        bytes: 0,
        requests: 0,
        untilMs: 0,
        idleSince: undefined,
      };
      rates.set(partition, rate);
      rate.bytes += bytes;
      rate.requests += requests.length;
      const elapsed = known ? Math.min(RATE_MS, lastMs - rate.untilMs) : SPAN_MS;
      if (elapsed < SPAN_MS) return;
      const weight = known ? 1 - 2 ** (-elapsed / RATE_MS) : 1;
      rate.bytesPerMs += weight * (rate.bytes / elapsed - rate.bytesPerMs);
      rate.requestsPerMs += weight * (rate.requests / elapsed - rate.requestsPerMs);
      rate.bytes = 0;
      rate.requests = 0;
      rate.untilMs = lastMs;
    },
    busy(partition) {
      const rate = rates.get(partition);
      if (rate) rate.idleSince = undefined;
    },
    idle(partition) {
      const rate = rates.get(partition);
      if (rate === undefined) return;
      rate.idleSince ??= performance.now();
      if (performance.now() - rate.idleSince > RATE_MS) rates.delete(partition);
    },
    drop: (partition) => void rates.delete(partition),
    bytesPerMs(bytesPerRequest) {
      let sum = 0;
      for (const { bytesPerMs, requestsPerMs } of rates.values()) sum += bytesPerMs + requestsPerMs * bytesPerRequest;
      return sum;
    },
  };
}

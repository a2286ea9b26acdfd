/** Bytes of the checks that wait for their verdict, by lane, and which teams hold more than their share of them. */
import { LANES, type Lane } from '../../shared/streams/keys.js';
import { metersOf, type Registry } from '../../shared/telemetry.js';
import { createShares, type Shares } from '../admission/memory-shares.js';
import type { CheckRequest } from './types.js';

/** Part of all bytes that the teams share in the fast lane. A worker reads as much ahead (`FAST_AHEAD` in `workers/evaluator/start.ts`). */
const FAST_SHARE = 1 / 8;
/** Part of all bytes that the teams share in the slow lane. */
const SLOW_SHARE = 1 / 2;
/** Counted for a request beside its bytes: many small requests fill slots of workers, too. */
const REQUEST_BYTES = 4096;

export interface PendingBytes {
  /** bytes of bodies, by lane */
  readonly byLane: Readonly<Record<Lane, number>>;
  /** Whether the team of `request` holds more of its lane than is free there. */
  isOver(request: CheckRequest): boolean;
  add(request: CheckRequest): void;
  remove(request: CheckRequest): void;
}

/** Counts nothing at first. `most`: bytes that may be pending in all. */
export function createPendingBytes(most: number, registry: Registry): PendingBytes {
  const byLane: Record<Lane, number> = { fast: 0, slow: 0 };
  const shares: Record<Lane, Shares> = { fast: createShares(most * FAST_SHARE), slow: createShares(most * SLOW_SHARE) };
  const help = 'Bytes of the bodies of waiting requests, by lane';
  metersOf(registry).gaugeBy('lane', LANES, 'weir_pending_bytes', help, (lane) => byLane[lane]);
  return {
    byLane,
    isOver: (request) => shares[request.lane].over(request),
    add(request) {
      byLane[request.lane] += request.body.length;
      shares[request.lane].add(request, request.body.length + REQUEST_BYTES);
    },
    remove(request) {
      byLane[request.lane] -= request.body.length;
      shares[request.lane].remove(request, request.body.length + REQUEST_BYTES);
    },
  };
}

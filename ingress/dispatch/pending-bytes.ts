/**
 * Bytes of the checks that wait for their verdict, by lane, and which teams hold more than their share of them. A check that was answered 504
 * is still under way: its memory is free, but its team has it until its result is there. Else a team could pile up without end what others
 * then wait behind.
 */
import { LANES, type Lane } from '../../shared/streams/keys.js';
import { metersOf, type Registry } from '../../shared/telemetry.js';
import { createShares, type Shares } from '../admission/memory-shares.js';
import type { CheckRequest } from './types.js';

/** Part of all bytes that the teams share in the fast lane. A worker reads as much ahead (`FAST_AHEAD` in `workers/evaluator/start.ts`). */
const FAST_SHARE = 1 / 8;
/** Part of all bytes that the teams share in the slow lane: one of them piles up no more than a worker reads ahead (`WEIR_SLOW_BYTES`). */
const SLOW_SHARE = 1 / 4;
/** Counted for a request beside its bytes: many small requests fill slots of workers, too. */
const REQUEST_BYTES = 4096;

export interface PendingBytes {
  /** bytes of bodies, by lane */
  readonly byLane: Readonly<Record<Lane, number>>;
  /** Whether the team of `request` holds more of its lane than is free there. */
  isOver(request: CheckRequest): boolean;
  add(request: CheckRequest): void;
  remove(request: CheckRequest): void;
  /** Its caller does not wait any more. It counts for its team until the returned function is called. */
  leave(request: CheckRequest): () => void;
}

/** Counts nothing at first. `most`: bytes that may be pending in all. */
export function createPendingBytes(most: number, registry: Registry): PendingBytes {
  const byLane: Record<Lane, number> = { fast: 0, slow: 0 };
  const shares: Record<Lane, Shares> = { fast: createShares(most * FAST_SHARE), slow: createShares(most * SLOW_SHARE) };
  const help = 'Bytes of the bodies of checks that wait for their verdict';
  metersOf(registry).gaugeBy('lane', LANES, 'weir_pending_bytes', help, (lane) => byLane[lane]);
  const leave: PendingBytes['leave'] = ({ team, lane, body }) => {
    const bytes = body.length + REQUEST_BYTES;
    byLane[lane] -= body.length;
    return () => shares[lane].remove({ team }, bytes);
  };
  return {
    byLane,
    isOver: ({ team, lane }) => shares[lane].over({ team }),
    add({ team, lane, body }) {
      byLane[lane] += body.length;
      shares[lane].add({ team }, body.length + REQUEST_BYTES);
    },
    remove: (request) => leave(request)(),
    leave,
  };
}

/**
 * Work entries whose connection broke while they were added. Those of artifacts and of checks with an Idempotency-Key are added once, however
 * often it is tried. So they are added again until it is known that they are there:
 *
 *     sent ──added──> its reply is awaited ──the connection broke, and Redis is back──> sent again, where Redis has lost it
 *      ├── refused ──> failed
 *      ├── the connection broke ──> doubtful ──Redis is back──> sent again
 *      └── deadline ──> of an artifact 503, since `processing` would promise a check; its id is barred
 *                       of another check 504
 */
import { setTimeout as sleep } from 'node:timers/promises';
import { ApiError } from '../../shared/api/errors.js';
import { partitionOf } from '../../shared/ids.js';
import { isFateUnknown, isOutOfMemory, isPassing, isReady, type Redis } from '../../shared/streams/client.js';
import { keys } from '../../shared/streams/keys.js';
import type { DispatchConnections } from './add-entry.js';
import { type Added, addCheck, barCheck } from './idempotency/claims.js';
import type { PendingCheck } from './pending-checks.js';
import type { CheckRequest } from './types.js';

/** How often it is tried, and how often and many times a bar is. */
const AGAIN_MS = 100;
const BAR_AGAIN_MS = 200;
const BAR_TIMES = 300;
/** How long beyond the deadline of an artifact its entry is remembered as added. */
const SPARE_MS = 60_000;

const DOUBT =
  'Redis did not answer while this image was handed over, so nobody can say whether the check was accepted. Try again, best with an Idempotency-Key.';

/** Whether the entry of a request may be added again. */
export const canBeAddedAgain = (request: CheckRequest): boolean => Boolean(request.artifact ?? request.retry);

/** Adds a work entry, unless it was added before. */
export function addOnce(
  connections: DispatchConnections,
  request: CheckRequest,
  id: string,
  header: string,
): Promise<Added> {
  const { lane, body, retry, deadlineMs } = request;
  const work = { stream: { partition: partitionOf(id), lane }, requestId: id, header, body };
  return addCheck(connections, work, retry ? {} : { lifeMs: deadlineMs + SPARE_MS });
}

/** Doubts that an artifact was added, until that is known. `undo` takes back what was noted of it. */
export function doubt(redis: Redis, check: PendingCheck, undo: () => void): void {
  const { id, request } = check;
  if (!request.artifact) return;
  check.doubt = () => {
    // A retry with the same key finds out what became of it.
    if (!request.retry) void barLater(redis, id, undo);
    return new ApiError('unavailable', DOUBT);
  };
}

export interface Doubtful {
  check: PendingCheck;
  header: string;
  /** whether its caller still waits */
  waits(): boolean;
}

/** Adds a check again until it is known to be there, or its caller no longer waits. Rejects when Redis refuses it. */
export async function addAgain(connections: DispatchConnections, { check, header, waits }: Doubtful): Promise<void> {
  const { id, request } = check;
  const { redis } = connections;
  for (;;) {
    await sleep(AGAIN_MS);
    if (!waits()) return;
    if (!isReady(redis, keys.entry(check.partition, id))) continue;
    try {
      // Its body need not be sent again where its entry is known.
      const entry = await redis.get(keys.entry(check.partition, id));
      const added = entry ?? (await addOnce(connections, request, id, header));
      if (added === 'barred')
        throw new ApiError('overloaded', 'A retry of this request found the queue full. Try again.');
      check.doubt = undefined;
      return;
    } catch (error) {
      const passing = isFateUnknown(error) || (isPassing(error) && !isOutOfMemory(error));
      if (error instanceof ApiError || !passing) throw error;
    }
  }
}

/** Bars an artifact that its caller was told of as not accepted, unless it was. Never rejects. */
async function barLater(redis: Redis, id: string, undo: () => void): Promise<void> {
  for (let i = 0; i < BAR_TIMES; i++) {
    try {
      if (await barCheck(redis, partitionOf(id), id)) undo();
      return;
    } catch {
      // This process is stopping.
      if (redis.status === 'end') return;
      await sleep(BAR_AGAIN_MS);
    }
  }
}

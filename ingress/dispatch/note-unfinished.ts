/** What is noted in Redis of a check that is not finished, so that look-ups know that it is under way (4.4). */

import { generatedId, itemId, partitionOf } from '../../shared/ids.js';
import type { Logger } from '../../shared/log.js';
import { loudness, type Redis } from '../../shared/streams/client.js';
import { type Accepting, forgetAccepted, noteAccepted } from '../lookups/hot/artifacts.js';
import {
  type AwaitedItem,
  type LateEvent,
  markAwaited,
  markLateEvents,
  unmarkSession,
} from '../lookups/hot/awaited.js';
import { loggedIds } from './check-request.js';
import type { CheckRequest } from './types.js';

/** How long an artifact that is answered in time stays noted beyond its deadline. */
const SPARE_MS = 60_000;
/** How long a late check may delay its own 504 by what is done for it. */
export const LAST_WORDS_MS = 300;

/** What a look-up needs of a request that is not finished. */
function awaitedOf({ team, scope, kind, affinity, artifact }: CheckRequest): AwaitedItem {
  const awaited: AwaitedItem = { team, scope, kind: kind === 'events' ? 'event' : kind };
  if (artifact) awaited.artifact = artifact;
  // An artifact may be linked to this session while it is under way, and needs both of its ids (2.5).
  if (kind === 'session' && affinity !== '') awaited.session = affinity;
  return awaited;
}

/** The events of a request by the caller's ids. Ids that the caller left out are derived from the request's. */
function lateEventsOf({ events }: CheckRequest, requestId: string): LateEvent[] {
  if (!events) return [];
  return events.eventIds.flatMap((eventId, i) => {
    // A reference makes no result of its own.
    if (eventId === null) return [];
    const item = i + 1;
    const run = events.runIds[i] || generatedId('run', requestId);
    return [{ item, run, event: eventId || generatedId('evt', itemId(requestId, item)) }];
  });
}

/** Notes a check that is about to be answered 504. Never rejects. */
export async function noteLate(redis: Redis, logger: Logger, id: string, request: CheckRequest): Promise<void> {
  // Nobody looks for a look.
  if (request.look) return;
  try {
    await Promise.all([
      markAwaited(redis, partitionOf(id), id, awaitedOf(request)),
      markLateEvents(redis, id, request, lateEventsOf(request, id)),
    ]);
  } catch (error) {
    logger[loudness(error)](
      { error: String(error), ...loggedIds(id, request) },
      'a late request could not be marked as awaited',
    );
  }
}

/**
 * Notes an artifact as accepted, and a session with an id of the caller's; does nothing for other checks. Sends its commands before it
 * returns, so that they run before the entry is added. `undo`: it was refused.
 */
export function noteAdded(redis: Redis, logger: Logger, requestId: string, request: CheckRequest): { undo(): void } {
  const { artifact } = request;
  const awaited = awaitedOf(request);
  const place = { requestId, partition: partitionOf(requestId) };
  const warn = (error: unknown): void =>
    logger[loudness(error)](
      { error: String(error), ...loggedIds(requestId, request) },
      'a check could not be noted as accepted',
    );
  if (awaited.session !== undefined) {
    // The commit shortens its life: a result says more.
    markAwaited(redis, place.partition, requestId, awaited).catch(warn);
    return { undo: () => void unmarkSession(redis, place.partition, requestId, awaited).catch(warn) };
  }
  if (!artifact) return NOTHING;
  const accepting: Accepting = { ...place, awaited: { ...awaited, artifact } };
  noteAccepted(redis, accepting, Math.ceil((request.deadlineMs + SPARE_MS) / 1000)).catch(warn);
  return { undo: () => void forgetAccepted(redis, accepting).catch(warn) };
}

const NOTHING = { undo: () => undefined };

/** What is noted of an artifact while it is added, so that it can be looked up before it is finished (4.4). */
import { generatedId, itemId } from '../../shared/ids.js';
import type { Logger } from '../../shared/log.js';
import type { Redis } from '../../shared/streams/client.js';
import { type Accepting, forgetAccepted, noteAccepted } from '../lookups/hot/artifacts.js';
import type { Awaited, LateEvent } from '../lookups/hot/awaited.js';
import type { CheckRequest } from './types.js';

/** How long an artifact that is answered in time is noted beyond its deadline. */
const SPARE_MS = 60_000;

/** What a look-up needs of a request that is not finished. */
export function awaitedOf({ team, scope, kind, affinity, artifact }: CheckRequest): Awaited {
  const awaited: Awaited = { team, scope, kind: kind === 'events' ? 'event' : kind };
  if (artifact) awaited.artifact = artifact;
  // An artifact may be linked to it while it is under way, and is to have both ids of it (2.5).
  if (kind === 'session' && affinity !== '') awaited.session = affinity;
  return awaited;
}

/** The events of a request by the caller's ids, also those that are generated, which are made of the request's. */
export function lateEventsOf({ events }: CheckRequest, requestId: string): LateEvent[] {
  if (!events) return [];
  return events.eventIds.flatMap((eventId, i) => {
    // A reference makes no result of its own.
    if (eventId === null) return [];
    const item = i + 1;
    const run = events.runIds[i] || generatedId('run', requestId);
    return [{ item, run, event: eventId || generatedId('evt', itemId(requestId, item)) }];
  });
}

/** Notes a request, when it is an artifact; the commands are sent before this returns. `undo`: it was not accepted. */
export function accept(
  redis: Redis,
  logger: Logger,
  place: { requestId: string; partition: number },
  request: CheckRequest,
): { undo(): void } {
  const { artifact } = request;
  if (!artifact) return NOTHING;
  const accepting: Accepting = { ...place, awaited: { ...awaitedOf(request), artifact } };
  const warn = (error: unknown): void =>
    logger.warn({ error: String(error), request: place.requestId }, 'an artifact could not be noted as accepted');
  noteAccepted(redis, accepting, Math.ceil((request.deadlineMs + SPARE_MS) / 1000)).catch(warn);
  return { undo: () => void forgetAccepted(redis, accepting).catch(warn) };
}

const NOTHING = { undo: () => undefined };

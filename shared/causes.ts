/**
 * Declared causes that are looked for. What is found when an event is checked is pinned in its record; what is not is looked
 * for again when the run graph is read (4.12). Either way only what stands before the event can be its cause.
 */
import { type Cause, causeKey } from './api/validate/issues.js';
import type { Place } from './latest.js';

/** A cause, and the place that it is before; without one the latest is meant. */
export interface Sought extends Cause {
  before?: Place;
}

/** The event that is a cause. */
export interface Found extends Place {
  /** as of a stored result: history may have a later one */
  late?: true | undefined;
}

/** The same for the same cause before the same place. */
export function soughtKey({ run_id, event_id, internal_event_id, before }: Sought): string {
  const key = causeKey(run_id, event_id, internal_event_id);
  return before === undefined ? key : `${key}\0${before.sequence}\0${before.id}`;
}

/**
 * Declared causes that are looked for. A cause that is found when its event is checked is pinned in the record. Others are looked
 * for again when the run graph is read (4.12). Only what stands before an event can be its cause.
 */
import { type Cause, causeKey } from './api/validate/issues.js';
import type { ResultPlace } from './latest.js';

/** A cause, and the place that it must stand before; without a place the latest is meant. */
export interface SoughtCause extends Cause {
  before?: ResultPlace;
}

/** An event that is a cause. */
export interface FoundCause extends ResultPlace {
  /** as of a stored result: history may have a later one */
  late?: true | undefined;
}

/** Equal for the same cause before the same place. */
export function soughtKey({ run_id, event_id, internal_event_id, before }: SoughtCause): string {
  const key = causeKey(run_id, event_id, internal_event_id);
  return before === undefined ? key : `${key}\0${before.sequence}\0${before.id}`;
}

/** Turns what a look-up found into the stored item, or into its error. */
import { ApiError } from '../../shared/api/errors.js';
import type { StoredError, StoredItem } from '../../shared/api/results/record.js';
import { notFound } from '../http/auth.js';
import type { ItemAnswer, LookupAnswer } from '../lookups/types.js';

/** What was asked for: the parameters that name its scope and its id, and whether the key was granted that scope. */
export interface RequestedItem {
  scope: 'environment_id' | 'deployment_id';
  id: string;
  visible: boolean;
}

/**
 * The item, or throws 404, 409, 503. Call it after the look-up also for what is not visible, so that this takes the same time as
 * an absent id. The 404 then names the scope, whether or not that exists.
 */
export function foundItem(found: ItemAnswer, { scope, id, visible }: RequestedItem): StoredItem {
  if (found.status === 'unavailable') throw unavailable();
  if (!visible) throw notFound(scope);
  if (found.status === 'absent') throw notFound(id);
  if (found.status === 'pending') {
    throw new ApiError('result_not_ready', 'The check was accepted and is not finished yet. Try again.');
  }
  if (found.item.kind === 'session' && found.item.error) throw noVerdict(found.item.error);
  return found.item;
}

/**
 * The error of a session without a verdict, for whoever looks it up later. Its check may have been answered 400 or 503. Here
 * these would speak of the look-up, and invite to send it again; but the session stays as it is, so it is a 500. A 422 speaks of the
 * content, and stays.
 */
function noVerdict({ status, message }: StoredError): ApiError {
  if (status === 422) return new ApiError('not_evaluable', message);
  return new ApiError('internal_error', status === 500 ? message : `This check ended without a verdict: ${message}`);
}

/** What was found, or throws 404, 503. `param`: the parameter that named it. */
export function foundValue<T>(answer: LookupAnswer<T>, param: string): T {
  if (answer.status === 'unavailable') throw unavailable();
  if (answer.status === 'absent') throw notFound(param);
  return answer.value;
}

/** The 503 of history that cannot be asked. */
export function unavailable(message = 'Stored results cannot be read at the moment. Try again.'): ApiError {
  return new ApiError('unavailable', message);
}

/** What a question about history finds, which is always there, or throws 503. */
export function known<T>(answer: LookupAnswer<T>): T {
  if (answer.status === 'found') return answer.value;
  throw unavailable(
    'History cannot be asked at the moment, or not in five seconds. Try again, or ask for a shorter time.',
  );
}

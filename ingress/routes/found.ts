/** What a look-up found, as a stored item or as the error it amounts to. */
import { ApiError } from '../../shared/api/errors.js';
import type { StoredError, StoredItem } from '../../shared/api/results/record.js';
import { notFound } from '../http/auth.js';
import type { Answer, Found } from '../lookups/types.js';

/** What was asked for: the parameters that name its scope and itself, and whether the key was granted that scope. */
export interface Asked {
  scope: 'environment_id' | 'deployment_id';
  id: string;
  visible: boolean;
}

/**
 * The item, or throws 404, 409, 503. What is not visible is looked up all the same and then treated as absent, so that both take
 * the same time. A scope that the key was not granted is what was not found, whether or not there is one.
 */
export function foundItem(found: Found, { scope, id, visible }: Asked): StoredItem {
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
 * A session without a verdict, to whoever asks for it later. Its check may have been answered 400 or 503, which would speak
 * of this request, and invite to send it again: but this is how it stays, like one that was given up.
 */
function noVerdict({ status, message }: StoredError): ApiError {
  return new ApiError('internal_error', status === 500 ? message : `This check ended without a verdict: ${message}`);
}

/** What was found, or throws 404, 503. `param`: what named it. */
export function foundValue<T>(answer: Answer<T>, param: string): T {
  if (answer.status === 'unavailable') throw unavailable();
  if (answer.status === 'absent') throw notFound(param);
  return answer.value;
}

function unavailable(): ApiError {
  return new ApiError('unavailable', 'Stored results cannot be read at the moment. Try again.');
}

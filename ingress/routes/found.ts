/** What a look-up found, as a stored item or as the error it amounts to. */
import { ApiError, storedError } from '../../shared/api/errors.js';
import type { StoredItem } from '../../shared/api/record.js';
import type { Answer, Found } from '../../shared/lookup-types.js';
import { notFound } from '../auth.js';

/**
 * The item, or throws 404, 409, 503. `visible`: the key was granted the scope that was asked for. What is not visible
 * is looked up all the same and then treated as absent, so that both take the same time.
 */
export function foundItem(found: Found, visible: boolean): StoredItem {
  if (found.status === 'unavailable') throw unavailable();
  if (found.status === 'absent' || !visible) throw notFound();
  if (found.status === 'pending') {
    throw new ApiError('result_not_ready', 'The check was accepted and is not finished yet. Try again.');
  }
  if (found.item.kind === 'session' && found.item.error) throw storedError(found.item.error);
  return found.item;
}

/** What was found, or throws 404, 503. */
export function foundValue<T>(answer: Answer<T>): T {
  if (answer.status === 'unavailable') throw unavailable();
  if (answer.status === 'absent') throw notFound();
  return answer.value;
}

function unavailable(): ApiError {
  return new ApiError('unavailable', 'Stored results cannot be read at the moment. Try again.');
}

/** What a look-up found, as a stored item or as the error it amounts to. */
import { ApiError, storedError } from '../../shared/api/errors.js';
import type { StoredItem } from '../../shared/api/record.js';
import type { Found } from '../../shared/lookup-types.js';
import { notFound } from '../auth.js';

/**
 * The item, or throws 404, 409, 503. `visible`: the key was granted the scope that was asked for. What is not visible
 * is looked up all the same and then treated as absent, so that both take the same time.
 */
export function foundItem(found: Found, visible: boolean): StoredItem {
  if (found.status === 'unavailable') {
    throw new ApiError('unavailable', 'Stored results cannot be read at the moment. Try again.');
  }
  if (found.status === 'absent' || !visible) throw notFound();
  if (found.status === 'pending') {
    throw new ApiError('result_not_ready', 'The check was accepted and is not finished yet. Try again.');
  }
  if (found.item.kind === 'session' && found.item.error) throw storedError(found.item.error);
  return found.item;
}

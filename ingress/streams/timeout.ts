/** What a caller is told whose stream is checked for too long. */
import { ApiError } from '../../shared/api/errors.js';
import { itemId } from '../../shared/ids.js';
import type { StreamName } from './state.js';

const AGAIN = 'Send the same piece again for its answer.';

/** The 504 of the check of the whole text; its result can be fetched as well. */
export function timeoutOf(requestId: string, { kind, scope }: StreamName): ApiError {
  const id = itemId(requestId, 1);
  const at = encodeURIComponent(scope);
  const result =
    kind === 'deployment'
      ? { internal_session_id: id, result_url: `/api/session/${id}?deployment_id=${at}` }
      : { internal_event_id: id, result_url: `/api/event/${id}?environment_id=${at}` };
  return new ApiError('evaluation_timeout', `The check of the text was not finished in time. It goes on. ${AGAIN}`, {
    result,
  });
}

/** The 504 of a look, of which nothing is stored. */
export const lookTimeout = (): ApiError =>
  new ApiError('evaluation_timeout', `The piece was added, and was not looked at in time. ${AGAIN}`);

/** Asks an evaluator to look at a stream. A look is pure and leaves nothing behind, so a piece that is sent again has another. */
import { ApiError } from '../../shared/api/errors.js';
import { type LookAnswer, type LookHeader, lookAnswerOf } from '../../shared/streams/looks.js';
import type { Scope } from '../admission/directory.js';
import { laneOf } from '../admission/lane.js';
import { type CheckCaller, type LookSubject, lookRequest } from '../dispatch/check-request.js';
import type { Edge } from '../http/exchange.js';
import { LARGE_BODY } from '../parse/body-parser.js';
import type { StreamName } from './state.js';
import { lookTimeout } from './timeout.js';

export interface StreamWindowBytes {
  name: StreamName;
  scope: Scope;
  /** UTF-8 */
  window: Buffer;
  look: LookHeader;
}

/** What large texts cost beside small ones, for the lane. */
const VALUES = { values: 0, cost: 0 };

/** Rejects with 503 or 504. */
export async function lookAt(edge: Edge, caller: CheckCaller, of: StreamWindowBytes): Promise<LookAnswer> {
  const { name, scope, window, look } = of;
  const subject: LookSubject = {
    kind: name.kind === 'deployment' ? 'session' : 'event',
    scope,
    body: window,
    lane: window.length > LARGE_BODY ? 'slow' : laneOf({ images: 0, bytes: window.length, ...VALUES }),
    images: 0,
    look,
  };
  const outcome = await edge.dispatcher.check(lookRequest(edge, caller, subject));
  if (outcome.status === 'timeout' || !outcome.stored) throw lookTimeout();
  const answer = lookAnswerOf(outcome.stored);
  if ('failed' in answer) throw new ApiError('internal_error', `${answer.failed}.`);
  return answer;
}

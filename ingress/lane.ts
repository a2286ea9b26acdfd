/** Which of the two streams of work a check goes to (rule 18 of the architecture). */
import type { Lane } from '../shared/streams/keys.js';
import type { CheckRequest } from './dispatch-types.js';

/** Bodies above this many bytes take long enough to read that small ones should not wait behind them. */
const LARGEST_FAST = 256 * 1024;

/** A function of what was sent alone: a retry with an Idempotency-Key looks for its check where the first one put it. */
export function laneOf({ images, body }: Pick<CheckRequest, 'images' | 'body'>): Lane {
  return images > 0 || body.length > LARGEST_FAST ? 'slow' : 'fast';
}

/** Which of the two streams of work a check goes to (rule 18 of the architecture). */
import type { Lane } from '../shared/streams/keys.js';
import type { CheckRequest } from './dispatch-types.js';

/** What takes a thread long enough that others should not wait behind it: bodies above so many bytes, or JSON values and names. */
const MOST_FAST = { bytes: 256 * 1024, values: 16_384 };

/** A function of what was sent alone: a retry with an Idempotency-Key looks for its check where the first one put it. */
export function laneOf({ images, body, values = 0 }: Pick<CheckRequest, 'images' | 'body' | 'values'>): Lane {
  return images > 0 || body.length > MOST_FAST.bytes || values > MOST_FAST.values ? 'slow' : 'fast';
}

/** Which of the two streams of work a check goes to (rule 12 of the architecture). */
import type { Lane } from '../../shared/streams/keys.js';

/** Limits of the fast lane. A larger body takes a thread so long that others should not wait behind it. */
const MOST_FAST = { bytes: 256 * 1024, values: 16_384 };

/** The lane of a check with so many images, bytes of body, and JSON values and names (0 for small bodies, which are not counted). */
export function laneOf({ images, bytes, values }: { images: number; bytes: number; values: number }): Lane {
  return images > 0 || bytes > MOST_FAST.bytes || values > MOST_FAST.values ? 'slow' : 'fast';
}

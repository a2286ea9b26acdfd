/** Which of the two streams of work a check goes to (rule 18 of the architecture). */
import type { Lane } from '../../shared/streams/keys.js';

/** What takes a thread long enough that others should not wait behind it: bodies above so many bytes, or JSON values and names. */
const MOST_FAST = { bytes: 256 * 1024, values: 16_384 };

/** The lane of a check with so many images, and bytes, JSON values and names in its body; those of small bodies are not counted. */
export function laneOf({ images, bytes, values }: { images: number; bytes: number; values: number }): Lane {
  return images > 0 || bytes > MOST_FAST.bytes || values > MOST_FAST.values ? 'slow' : 'fast';
}

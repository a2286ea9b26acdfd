/** Which of the two streams of work a check goes to (rule 12 of the architecture). It depends on what was sent and nothing else. */
import type { Lane } from '../../shared/streams/keys.js';

/**
 * Limits of the fast lane. A larger body takes a thread so long that others should not wait behind it. So does a smaller one of digits: the
 * cost is in letters of English, of which a body of the most bytes has fewer.
 */
export const MOST_FAST = { bytes: 256 * 1024, values: 16_384, cost: 384 * 1024 };

/** What tells how long a check takes. Values and cost are 0 for small bodies, which are not counted, and cost for those of too many bytes. */
export interface CheckLoad {
  images: number;
  /** of the body */
  bytes: number;
  /** JSON values and names */
  values: number;
  /** of its texts, estimated (`ingress/parse/cost.ts`) */
  cost: number;
}

export function laneOf({ images, bytes, values, cost }: CheckLoad): Lane {
  const isFast = images === 0 && bytes <= MOST_FAST.bytes && values <= MOST_FAST.values && cost <= MOST_FAST.cost;
  return isFast ? 'fast' : 'slow';
}

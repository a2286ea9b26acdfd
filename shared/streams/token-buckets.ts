/** Token buckets in Redis, for all processes together. */
import type { Redis } from './client.js';
import { script } from './script.js';

const take = script('rates/take-tokens');

export interface TokenBucket {
  /** its key in Redis */
  name: string;
  /** tokens that it holds, and that come in evenly in a window */
  tokens: number;
  windowMs: number;
  /** tokens that were used already; they are taken whether or not it holds them */
  owed?: number;
}

/** The outcome of {@link takeFrom}; of several buckets the one counts that has least left, or needs longest. */
export interface Lease {
  /** from each bucket */
  taken: number;
  left: number;
  /** ms until they are full */
  fullIn: number;
  /** ms until each holds a token; 0 when they do */
  emptyFor: number;
}

/**
 * Takes up to `wanted` tokens, the same number from each bucket: where one is empty, nothing is taken from the others. A token that is taken
 * is gone, used or not. The names have one hash tag.
 */
export async function takeFrom(redis: Redis, buckets: readonly TokenBucket[], wanted: number): Promise<Lease> {
  const names = buckets.map(({ name }) => name);
  const each = buckets.flatMap(({ tokens, owed = 0, windowMs }) => [tokens, owed, windowMs]);
  const reply = await take(redis, names, [wanted, ...each]);
  const [taken, left, fullIn, emptyFor] = (reply as unknown[]).map(Number);
  return { taken: taken!, left: left!, fullIn: fullIn!, emptyFor: emptyFor! };
}

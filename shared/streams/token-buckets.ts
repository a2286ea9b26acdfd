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
}

/** The outcome of {@link takeFrom}. */
export interface Lease {
  taken: number;
  left: number;
  /** ms until the bucket is full */
  fullIn: number;
  /** ms until it holds a token; 0 when it does */
  emptyFor: number;
}

/**
 * Takes up to `wanted` tokens. Also takes the `owed` tokens, which were used already, whether or not the bucket holds them. A
 * token that is taken is gone, used or not.
 */
export async function takeFrom(redis: Redis, bucket: TokenBucket, wanted: number, owed = 0): Promise<Lease> {
  const reply = await take(redis, [bucket.name], [bucket.tokens, wanted, owed, bucket.windowMs]);
  const [taken, left, fullIn, emptyFor] = (reply as unknown[]).map(Number);
  return { taken: taken!, left: left!, fullIn: fullIn!, emptyFor: emptyFor! };
}

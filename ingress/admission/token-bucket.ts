/** The token bucket of an API key. It is in Redis, for all ingress processes together. */
import type { Redis } from '../../shared/streams/client.js';
import { keys } from '../../shared/streams/keys.js';
import { script } from '../../shared/streams/script.js';

/** An empty bucket is full again after this time. */
export const WINDOW_SECONDS = 60;

const take = script('rates/take-tokens');

/** The outcome of {@link takeTokens}. */
export interface Lease {
  taken: number;
  left: number;
  /** ms until the bucket is full */
  fullIn: number;
  /** ms until it holds a token; 0 when it does */
  emptyFor: number;
}

export interface Bucket {
  team: string;
  /** id of the API key */
  key: string;
  requestsPerMinute: number;
}

/**
 * Takes up to `wanted` tokens. Also takes the `owed` tokens, which were used already, whether or not the bucket holds them. A
 * token that is taken is gone, used or not.
 */
export async function takeTokens(redis: Redis, bucket: Bucket, wanted: number, owed = 0): Promise<Lease> {
  const name = keys.rate(bucket.team, bucket.key);
  const reply = await take(redis, [name], [bucket.requestsPerMinute, wanted, owed]);
  const [taken, left, fullIn, emptyFor] = (reply as unknown[]).map(Number);
  return { taken: taken!, left: left!, fullIn: fullIn!, emptyFor: emptyFor! };
}

/** The bucket of tokens that an API key's requests are taken from, kept in Redis for all ingress processes together. */
import type { Redis } from '../../shared/streams/client.js';
import { keys } from '../../shared/streams/keys.js';
import { script } from '../../shared/streams/script.js';

/** Time in which an empty bucket is full again. */
export const WINDOW_SECONDS = 60;

const takeScript = script('rates/take-tokens');

export interface Lease {
  taken: number;
  left: number;
  /** ms until the bucket is full */
  fullIn: number;
  /** ms until it holds a token again; 0 when it does */
  emptyFor: number;
}

export interface Bucket {
  team: string;
  /** id of the API key */
  key: string;
  requestsPerMinute: number;
}

/**
 * Takes up to `wanted` tokens, and `owed` ones that were used already, whether or not the bucket holds them. What is taken is gone,
 * used or not.
 */
export async function lease(redis: Redis, bucket: Bucket, wanted: number, owed = 0): Promise<Lease> {
  const name = keys.rate(bucket.team, bucket.key);
  const reply = await takeScript(redis, [name], [bucket.requestsPerMinute, wanted, owed]);
  const [taken, left, fullIn, emptyFor] = (reply as unknown[]).map(Number);
  return { taken: taken!, left: left!, fullIn: fullIn!, emptyFor: emptyFor! };
}

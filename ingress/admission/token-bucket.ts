/** The token bucket of an API key. */
import type { Redis } from '../../shared/streams/client.js';
import { keys } from '../../shared/streams/keys.js';
import { type Lease, takeFrom } from '../../shared/streams/token-buckets.js';

export type { Lease };

/** An empty bucket is full again after this time. */
export const WINDOW_SECONDS = 60;

export interface Bucket {
  team: string;
  /** id of the API key */
  key: string;
  requestsPerMinute: number;
}

/** As {@link takeFrom}; `owed`: tokens that were used already. */
export function takeTokens(
  redis: Redis,
  { team, key, requestsPerMinute }: Bucket,
  wanted: number,
  owed = 0,
): Promise<Lease> {
  const bucket = { name: keys.rate(team, key), tokens: requestsPerMinute, windowMs: WINDOW_SECONDS * 1000, owed };
  return takeFrom(redis, [bucket], wanted);
}

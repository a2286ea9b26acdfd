/**
 * Requests of an API key, so many a minute over all ingress processes. Tokens are leased from the key's bucket in Redis
 * (`rate-tokens.ts`), several at a time where a process needs many: a busy key costs about ten calls a second, and a slow one is
 * counted exactly. The bucket holds a minute's worth. So up to twice the rate may pass in the minute that begins with a full
 * bucket; over a longer time it evens out. A request:
 *
 *     take ──a token is held──> goes on
 *       ├── the bucket is known to be empty ──> 429
 *       ├── Redis is away ──> goes on uncounted
 *       └── waits while Redis is asked ──granted──> goes on
 *                                        ├── none granted ──> 429
 *                                        └── no answer in 1 s ──> goes on uncounted
 *
 * The state of a key belongs to its object in the configuration in force: a new configuration starts anew.
 */

import { ApiError } from '../../shared/api/errors.js';
import { LIMITS } from '../../shared/api/limits.js';
import { inTime } from '../../shared/async.js';
import type { Logger } from '../../shared/log.js';
import { isReady, type Redis } from '../../shared/streams/client.js';
import { keys } from '../../shared/streams/keys.js';
import { type Counter, metersOf, type Registry } from '../../shared/telemetry.js';
import type { ApiKey } from './directory.js';
import { grant, noTokens, type RateTokens, rateHeaders, resizeLease, spendHeld, spendOne } from './rate-tokens.js';
import { type Lease, takeTokens } from './token-bucket.js';

/** The 429 of a request, or undefined when it may go on. */
export type RateRefusal = ApiError | undefined;

export interface RateLimits {
  /**
   * Counts a request of a key that has a rate as so many tokens. It may go on if one is there; missing ones are owed. Returns a
   * promise when Redis has to be asked; it never rejects.
   */
  take(key: ApiKey, tokens?: number): RateRefusal | Promise<RateRefusal>;
  /** Takes further tokens for a request that has gone on. */
  charge(key: ApiKey, tokens: number): void;
  /** What the answers of such a key say; `limit` is '' while nothing is known. */
  headers(key: ApiKey): { policy: string; limit: string };
}

/** Bytes of a body that count as one request. */
const TOKEN_BYTES = 256 * 1024;

/** Tokens of a request with so many bytes of body (0, NaN: none, or not known yet). A body that is too large is not read: 1. */
export function tokensOf(bytes: number): number {
  return bytes > TOKEN_BYTES && bytes <= LIMITS.bodyBytes ? Math.ceil(bytes / TOKEN_BYTES) : 1;
}

/** Counts the bytes of a body that did not announce them. */
export function chargeBody(rates: RateLimits, key: ApiKey, body: { announced: number; length: number }): void {
  const more = tokensOf(body.length) - tokensOf(body.announced);
  if (more > 0 && key.requestsPerMinute !== null) rates.charge(key, more);
}

interface BucketState {
  tokens: RateTokens;
  /** tokens used that Redis has not been told of yet */
  owed: number;
  waiting: ((refusal: RateRefusal) => void)[];
  asking: boolean;
}

/** How long a request waits for Redis. */
const PATIENCE_MS = 1000;

/** What the functions below work with. */
interface RateLimitParts {
  redis: Redis;
  logger: Logger;
  refusals: Counter;
  uncounted: Counter;
  leases: Counter;
}

export function createRateLimits(redis: Redis, tools: { logger: Logger; registry: Registry }): RateLimits {
  const { counter } = metersOf(tools.registry);
  const parts: RateLimitParts = {
    redis,
    logger: tools.logger,
    refusals: counter('weir_rate_refused_total', "Requests refused because their API key's rate is used up"),
    uncounted: counter('weir_rate_uncounted_total', 'Requests let through because Redis could not count them'),
    leases: counter('weir_rate_leases_total', 'Calls to Redis to count requests'),
  };
  const states = new WeakMap<ApiKey, BucketState>();

  function stateOf(key: ApiKey): BucketState {
    let state = states.get(key);
    if (!state) {
      state = { tokens: noTokens(), owed: 0, waiting: [], asking: false };
      states.set(key, state);
    }
    return state;
  }

  return {
    charge: (key, tokens) => charge(parts, key, stateOf(key), tokens),
    take: (key, tokens = 1) => take(parts, key, stateOf(key), tokens),
    headers: (key) => rateHeaders(stateOf(key).tokens, key.requestsPerMinute!),
  };
}

function take(
  parts: RateLimitParts,
  key: ApiKey,
  state: BucketState,
  tokens: number,
): RateRefusal | Promise<RateRefusal> {
  if (state.waiting.length === 0) {
    const now = performance.now();
    if (spendOne(state.tokens, now)) {
      charge(parts, key, state, tokens - 1);
      return undefined;
    }
    if (now < state.tokens.emptyUntil) return refusal(parts, key, state);
    if (!isReady(parts.redis, keys.rate(key.team, key.id))) {
      state.tokens.last = undefined;
      parts.uncounted.inc();
      return undefined;
    }
  }
  return new Promise((resolve) => {
    state.waiting.push((refusal) => {
      if (!refusal) charge(parts, key, state, tokens - 1);
      resolve(refusal);
    });
    if (!state.asking) void ask(parts, key, state);
  });
}

function charge(parts: RateLimitParts, key: ApiKey, state: BucketState, tokens: number): void {
  if (tokens === 0 || !isReady(parts.redis, keys.rate(key.team, key.id))) return;
  state.owed += tokens - spendHeld(state.tokens, tokens, performance.now());
  if (state.owed > 0 && !state.asking) void ask(parts, key, state);
}

async function ask(parts: RateLimitParts, key: ApiKey, state: BucketState): Promise<void> {
  state.asking = true;
  const requestsPerMinute = key.requestsPerMinute!;
  const bucket = { team: key.team, key: key.id, requestsPerMinute };
  resizeLease(state.tokens, requestsPerMinute, performance.now());
  while (state.waiting.length > 0 || state.owed > 0) {
    parts.leases.inc();
    const wanted = state.waiting.length > 0 ? Math.max(state.tokens.size, state.waiting.length) : 0;
    const { owed } = state;
    state.owed = 0;
    try {
      const got = await inTime(takeTokens(parts.redis, bucket, wanted, owed), PATIENCE_MS, 'no answer in time');
      deal(parts, key, state, got);
    } catch (error) {
      parts.logger.debug({ error: String(error) }, 'the requests of a key could not be counted');
      letAllGo(parts, state);
    }
  }
  state.asking = false;
}

function deal(parts: RateLimitParts, key: ApiKey, state: BucketState, got: Lease): void {
  const served = state.waiting.splice(0, got.taken);
  grant(state.tokens, got, served.length, performance.now());
  for (const next of served) next(undefined);
  if (got.left > 0) return;
  for (const next of state.waiting.splice(0)) next(refusal(parts, key, state));
}

/** Lets all waiting requests go on: rate limits are not enforced while Redis cannot count. */
function letAllGo(parts: RateLimitParts, state: BucketState): void {
  state.tokens.last = undefined;
  parts.uncounted.inc(state.waiting.length);
  for (const next of state.waiting.splice(0)) next(undefined);
}

function refusal(parts: RateLimitParts, key: ApiKey, { tokens }: BucketState): ApiError {
  parts.refusals.inc();
  const seconds = Math.max(1, Math.ceil((tokens.emptyUntil - performance.now()) / 1000));
  const message = `This API key may make ${key.requestsPerMinute} requests a minute. Try again in ${seconds} s.`;
  return new ApiError('rate_limited', message, { retryAfter: seconds });
}

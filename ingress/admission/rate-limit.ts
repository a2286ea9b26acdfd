/**
 * Requests of an API key, so many a minute over all ingress processes. Tokens are taken from the key's bucket in Redis, a
 * few at a time where a process needs many, so that a busy key costs about ten calls a second and a slow one is counted
 * exactly. The bucket holds a minute's worth: in the minute that begins with a full one up to twice the rate may pass,
 * over a longer time it evens out. For one key in one process:
 *
 *     holding ──no token left, or they are too old──> asking ──granted──> holding
 *                                                       ├── none granted ──> empty, until there is a token again
 *                                                       └── no answer ──> everybody who waits may go on
 *
 * State belongs to the key as the configuration in force has it: another configuration begins anew.
 */
import { ApiError } from '../../shared/api/errors.js';
import { LIMITS } from '../../shared/api/limits.js';
import { inTime } from '../../shared/async.js';
import type { Logger } from '../../shared/log.js';
import type { Redis } from '../../shared/streams/client.js';
import { Counter, type Registry } from '../../shared/telemetry.js';
import type { ApiKey } from './directory.js';
import { type Lease, takeTokens, WINDOW_SECONDS } from './token-bucket.js';

/** undefined: the request may go on */
export type Turn = ApiError | undefined;

export interface RateLimits {
  /**
   * Counts a request of a key that has a rate, as so many. It may go on if there is a token; those that it costs beyond what is
   * there are owed. A promise when Redis has to be asked; it never rejects.
   */
  take(key: ApiKey, tokens?: number): Turn | Promise<Turn>;
  /** Takes further tokens for a request that has gone on. */
  charge(key: ApiKey, tokens: number): void;
  /** What the answers of such a key say; `limit` is '' while nothing is known. */
  headers(key: ApiKey): { policy: string; limit: string };
}

/** Bytes of a body that count as one request. */
export const TOKEN_BYTES = 256 * 1024;

/** What a request with a body of this length counts as (0, NaN: no body, or nobody knows yet). What is too large is not read. */
export function tokensOf(bytes: number): number {
  return bytes > TOKEN_BYTES && bytes <= LIMITS.bodyBytes ? Math.ceil(bytes / TOKEN_BYTES) : 1;
}

/** Counts the bytes of a body that had not announced them. */
export function chargeBody(rates: RateLimits, key: ApiKey, body: { announced: number; length: number }): void {
  const more = tokensOf(body.length) - tokensOf(body.announced);
  if (more > 0 && key.requestsPerMinute !== null) rates.charge(key, more);
}

interface State {
  /** tokens in hand, and until when (ms of the steady clock) */
  tokens: number;
  until: number;
  /** the last lease, and when it was made; undefined: nothing is known */
  last: Lease | undefined;
  leased: number;
  /** tokens used since */
  spent: number;
  /** how many are asked for when one is needed */
  size: number;
  emptyUntil: number;
  /** tokens used that Redis has not been told of yet */
  owed: number;
  waiting: ((turn: Turn) => void)[];
  asking: boolean;
}

/** A lease is for about this long at the present pace. */
const LEASE_MS = 100;
/** What is not used by then is lost. */
const LIFE_MS = 1000;
/** How long a caller waits for Redis to say. */
const PATIENCE_MS = 1000;
const MINUTE_MS = WINDOW_SECONDS * 1000;

export function createRateLimits(redis: Redis, tools: { logger: Logger; registry: Registry }): RateLimits {
  const states = new WeakMap<ApiKey, State>();
  const counter = (name: string, help: string): Counter => new Counter({ name, help, registers: [tools.registry] });
  const refusals = counter('weir_rate_refused_total', 'Requests refused because their API key had no more left');
  const uncounted = counter('weir_rate_uncounted_total', 'Requests let through because Redis could not count them');
  const leases = counter('weir_rate_leases_total', 'Calls to Redis for the requests of keys that have a rate');

  function stateOf(key: ApiKey): State {
    let state = states.get(key);
    if (!state) {
      state = {
        tokens: 0,
        until: 0,
        last: undefined,
        leased: 0,
        spent: 0,
        size: 1,
        emptyUntil: 0,
        owed: 0,
        waiting: [],
        asking: false,
      };
      states.set(key, state);
    }
    return state;
  }

  function refusal(key: ApiKey, state: State): ApiError {
    refusals.inc();
    const seconds = Math.max(1, Math.ceil((state.emptyUntil - performance.now()) / 1000));
    const message = `This API key may make ${key.requestsPerMinute} requests a minute. Try again in ${seconds} s.`;
    return new ApiError('rate_limited', message, { retryAfter: seconds });
  }

  /** As many as were used in the time of a lease, growing by doubling: what is asked for is hardly ever lost. */
  function resize(rate: number, state: State): void {
    const passed = Math.max(1, performance.now() - state.leased);
    const most = Math.max(1, Math.floor((rate * LEASE_MS) / MINUTE_MS));
    const pace = Math.ceil((state.spent * LEASE_MS) / passed);
    state.size = Math.max(1, Math.min(pace, state.size * 2, most));
  }

  /** Lets everybody go on who waits: when nobody can count, nobody is refused for it. */
  function letGo(state: State): void {
    state.last = undefined;
    uncounted.inc(state.waiting.length);
    for (const next of state.waiting.splice(0)) next(undefined);
  }

  function deal(key: ApiKey, state: State, got: Lease): void {
    const now = performance.now();
    state.last = got;
    state.leased = now;
    state.emptyUntil = now + got.emptyFor;
    const served = state.waiting.splice(0, got.taken);
    state.spent = served.length;
    state.tokens = got.taken - served.length;
    state.until = now + LIFE_MS;
    for (const next of served) next(undefined);
    if (got.left > 0) return;
    for (const next of state.waiting.splice(0)) next(refusal(key, state));
  }

  async function ask(key: ApiKey, state: State): Promise<void> {
    state.asking = true;
    const requestsPerMinute = key.requestsPerMinute!;
    resize(requestsPerMinute, state);
    while (state.waiting.length > 0 || state.owed > 0) {
      leases.inc();
      const wanted = state.waiting.length > 0 ? Math.max(state.size, state.waiting.length) : 0;
      const { owed } = state;
      state.owed = 0;
      try {
        deal(
          key,
          state,
          await inTime(
            takeTokens(redis, { team: key.team, key: key.id, requestsPerMinute }, wanted, owed),
            PATIENCE_MS,
            'no answer in time',
          ),
        );
      } catch (error) {
        tools.logger.debug({ error: String(error) }, 'the requests of a key could not be counted');
        letGo(state);
      }
    }
    state.asking = false;
  }

  function charge(key: ApiKey, tokens: number): void {
    if (tokens === 0 || redis.status !== 'ready') return;
    const state = stateOf(key);
    const inHand = performance.now() < state.until ? Math.min(state.tokens, tokens) : 0;
    state.tokens -= inHand;
    state.owed += tokens - inHand;
    if (state.owed > 0 && !state.asking) void ask(key, state);
  }

  return {
    charge,
    take(key, tokens = 1) {
      const state = stateOf(key);
      const now = performance.now();
      if (state.waiting.length === 0) {
        if (state.tokens > 0 && now < state.until) {
          state.tokens--;
          state.spent++;
          charge(key, tokens - 1);
          return undefined;
        }
        if (now < state.emptyUntil) return refusal(key, state);
        if (redis.status !== 'ready') {
          state.last = undefined;
          uncounted.inc();
          return undefined;
        }
      }
      return new Promise((resolve) => {
        state.waiting.push((turn) => {
          if (!turn) charge(key, tokens - 1);
          resolve(turn);
        });
        if (!state.asking) void ask(key, state);
      });
    },
    headers(key) {
      const rate = key.requestsPerMinute!;
      const policy = `"default";q=${rate};w=${WINDOW_SECONDS}`;
      const { last, leased, tokens, until } = stateOf(key);
      if (!last) return { policy, limit: '' };
      const now = performance.now();
      const passed = now - leased;
      const held = now < until ? tokens : 0;
      const left = Math.min(rate, Math.floor(last.left + held + (passed * rate) / MINUTE_MS));
      const seconds = Math.max(0, Math.ceil((last.fullIn - passed) / 1000));
      return { policy, limit: `"default";r=${left};t=${seconds}` };
    },
  };
}

/**
 * Tokens of one API key that this process holds: leased from the key's bucket in Redis, a few at a time where many are used.
 *
 *     unknown ──lease──> holding ──all used, or 1 s old──> used up ──lease──> holding
 *                                                             ├──lease without a token──> empty, until the bucket has one again
 *                                                             └──no answer──> unknown
 *
 * All times are ms of the steady clock.
 */
import { type Lease, WINDOW_SECONDS } from './token-bucket.js';

export interface RateTokens {
  held: number;
  /** when held tokens are lost */
  until: number;
  /** the last lease, and when it was made; undefined: nothing is known */
  last: Lease | undefined;
  leased: number;
  /** tokens used since the last lease */
  spent: number;
  /** how many are asked for when one is needed */
  size: number;
  /** when an empty bucket has a token again */
  emptyUntil: number;
}

/** A lease is for about this long at the present pace. */
const LEASE_MS = 100;
/** Tokens that are not used by then are lost. */
const LIFE_MS = 1000;
const MINUTE_MS = WINDOW_SECONDS * 1000;

export const noTokens = (): RateTokens => ({
  held: 0,
  until: 0,
  last: undefined,
  leased: 0,
  spent: 0,
  size: 1,
  emptyUntil: 0,
});

/** Uses one; false when none is held. */
export function spendOne(tokens: RateTokens, now: number): boolean {
  if (tokens.held === 0 || now >= tokens.until) return false;
  tokens.held--;
  tokens.spent++;
  return true;
}

/** Uses up to `most` without counting them for the pace; returns how many. */
export function spendHeld(tokens: RateTokens, most: number, now: number): number {
  const taken = now < tokens.until ? Math.min(tokens.held, most) : 0;
  tokens.held -= taken;
  return taken;
}

/** The next lease is for what the time of one needs at the present pace, at most twice the last: little of it is ever lost. */
export function resizeLease(tokens: RateTokens, requestsPerMinute: number, now: number): void {
  const passed = Math.max(1, now - tokens.leased);
  const most = Math.max(1, Math.floor((requestsPerMinute * LEASE_MS) / MINUTE_MS));
  const pace = Math.ceil((tokens.spent * LEASE_MS) / passed);
  tokens.size = Math.max(1, Math.min(pace, tokens.size * 2, most));
}

/** Takes over a lease, of which so many tokens are used at once. */
export function grant(tokens: RateTokens, lease: Lease, used: number, now: number): void {
  tokens.last = lease;
  tokens.leased = now;
  tokens.emptyUntil = now + lease.emptyFor;
  tokens.spent = used;
  tokens.held = lease.taken - used;
  tokens.until = now + LIFE_MS;
}

/** What answers say of the key's rate; `limit` is '' while nothing is known. */
export function rateHeaders(
  { last, leased, held, until }: RateTokens,
  requestsPerMinute: number,
): { policy: string; limit: string } {
  const policy = `"default";q=${requestsPerMinute};w=${WINDOW_SECONDS}`;
  if (!last) return { policy, limit: '' };
  const now = performance.now();
  const passed = now - leased;
  const inHand = now < until ? held : 0;
  const left = Math.min(requestsPerMinute, Math.floor(last.left + inHand + (passed * requestsPerMinute) / MINUTE_MS));
  const seconds = Math.max(0, Math.ceil((last.fullIn - passed) / 1000));
  return { policy, limit: `"default";r=${left};t=${seconds}` };
}

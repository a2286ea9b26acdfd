/**
 * What a backend may be asked: calls a minute and tokens a day, over all workers together. Each is a bucket in Redis that fills evenly.
 *
 *     call ──both buckets hold a token──> is made; what it cost beyond that is owed
 *       ├── one of them is empty ──> is not made, nor further ones until it holds a token again
 *       └── Redis does not answer in time ──> is made uncounted
 *
 * Nothing is leased ahead: a call takes far longer than asking Redis does.
 */
import { inTime } from '../../shared/async.js';
import type { BackendConfiguration } from '../../shared/configuration/backend.js';
import type { Redis } from '../../shared/streams/client.js';
import { keys } from '../../shared/streams/keys.js';
import { type TokenBucket, takeFrom } from '../../shared/streams/token-buckets.js';
import { type Counter, metersOf, type Registry } from '../../shared/telemetry.js';

export interface Budget {
  /** Whether it is known that no call may be made now. */
  isSpent(): boolean;
  /** Takes a call from the budget; false when none is left. Never rejects. */
  take(): Promise<boolean>;
  /** Counts the tokens that a call has cost. Does not wait. */
  used(tokens: number): void;
}

/** The budget of a backend; undefined: it has none. */
export type Budgets = (backend: BackendConfiguration) => Budget | undefined;

const MINUTE_MS = 60_000;
const DAY_MS = 86_400_000;
/** How long a call waits for Redis. */
const PATIENCE_MS = 1000;

export function createBudgets(redis: Redis, registry: Registry): Budgets {
  const help = 'Calls of backends that were made though Redis could not count them';
  const uncounted = metersOf(registry).counter('weir_backend_uncounted_total', help);
  return ({ team, id, budget }) => {
    if (!budget) return undefined;
    const { requests_per_minute: calls, tokens_per_day: tokens } = budget;
    const minute = calls === null ? undefined : { name: keys.budget(team, id, 'minute'), tokens: calls };
    const day = tokens === null ? undefined : { name: keys.budget(team, id, 'day'), tokens };
    const callsLeft = minute && accountOf({ ...minute, windowMs: MINUTE_MS }, redis, uncounted);
    const tokensLeft = day && accountOf({ ...day, windowMs: DAY_MS }, redis, uncounted);
    const accounts = [callsLeft, tokensLeft].flatMap((account) => account ?? []);
    return {
      isSpent: () => accounts.some((account) => account.isEmpty()),
      take: async () => (await Promise.all(accounts.map((account) => account.takeOne()))).every(Boolean),
      // One was taken before the call.
      used: (cost) => tokensLeft?.owe(Math.max(0, cost - 1)),
    };
  };
}

/** One bucket, as this process knows it. */
function accountOf(bucket: TokenBucket, redis: Redis, uncounted: Counter) {
  let owed = 0;
  /** ms of the steady clock */
  let emptyUntil = 0;

  /** Undefined: Redis has not said so in time. What is owed stays so then. */
  async function ask(wanted: number): Promise<number | undefined> {
    const paid = owed;
    owed = 0;
    try {
      if (redis.status !== 'ready') throw new Error('Redis is away');
      const lease = await inTime(takeFrom(redis, bucket, wanted, paid), PATIENCE_MS, 'no answer in time');
      emptyUntil = performance.now() + lease.emptyFor;
      return lease.taken;
    } catch {
      owed += paid;
      return undefined;
    }
  }

  return {
    isEmpty: () => performance.now() < emptyUntil,
    async takeOne(): Promise<boolean> {
      const taken = await ask(1);
      if (taken === undefined) uncounted.inc();
      return taken !== 0;
    },
    owe(tokens: number): void {
      owed += tokens;
      if (owed > 0) void ask(0);
    },
  };
}

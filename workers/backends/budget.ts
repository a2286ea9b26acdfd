/**
 * What a backend may be asked: calls a minute and tokens a day, over all workers together. Each is a bucket in Redis that fills evenly.
 *
 *     call ──both buckets hold a token──> takes one of each and is made; what it cost beyond that is owed
 *       ├── one of them is empty ──> takes nothing and is not made, nor further ones until it holds a token again
 *       └── Redis does not answer in time ──> is made; what Redis says later counts
 *
 * Nothing is leased ahead: a call takes far longer than asking Redis does.
 */
import { within } from '../../shared/async.js';
import type { BackendConfiguration } from '../../shared/configuration/backend.js';
import { isFateUnknown, isReady, type Redis } from '../../shared/streams/client.js';
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
  const help = 'Calls of backends with a budget that Redis could not count';
  const uncounted = metersOf(registry).counter('weir_backend_uncounted_total', help);
  return ({ team, id, budget }) => {
    if (!budget) return undefined;
    const { requests_per_minute: calls, tokens_per_day: tokens } = budget;
    const minute =
      calls === null ? [] : [{ name: keys.budget(team, id, 'minute'), tokens: calls, windowMs: MINUTE_MS }];
    const day = tokens === null ? [] : [{ name: keys.budget(team, id, 'day'), tokens, windowMs: DAY_MS }];
    return budgetOf(redis, { minute, day }, uncounted);
  };
}

/** The buckets of a budget, at most one of each kind. */
type Buckets = Record<'minute' | 'day', readonly TokenBucket[]>;

function budgetOf(redis: Redis, { minute, day }: Buckets, uncounted: Counter): Budget {
  /** tokens of the day */
  let owed = 0;
  /** ms of the steady clock */
  let emptyUntil = 0;

  /** Takes `wanted` of each bucket, and what is owed. Rejects when Redis has not said whether it did. */
  async function draw(wanted: number): Promise<number> {
    const [bucket] = [...minute, ...day];
    if (bucket && !isReady(redis, bucket.name)) throw new Error('Redis is away');
    const paid = owed;
    owed = 0;
    try {
      const lease = await takeFrom(redis, [...minute, ...day.map((bucket) => ({ ...bucket, owed: paid }))], wanted);
      emptyUntil = performance.now() + lease.emptyFor;
      return lease.taken;
    } catch (error) {
      // What may have been paid is not paid twice.
      if (!isFateUnknown(error)) owed += paid;
      throw error;
    }
  }

  return {
    isSpent: () => performance.now() < emptyUntil,
    async take() {
      let isMade = false;
      const drawn = draw(1).then(
        (taken) => {
          if (taken === 0 && isMade) uncounted.inc();
          return taken > 0;
        },
        () => {
          uncounted.inc();
          return true;
        },
      );
      const granted = await within(drawn, { ms: PATIENCE_MS });
      isMade = granted ?? true;
      return isMade;
    },
    used(cost) {
      if (day.length === 0) return;
      // One was taken before the call.
      owed += Math.max(0, cost - 1);
      if (owed > 0) void draw(0).catch(() => undefined);
    },
  };
}

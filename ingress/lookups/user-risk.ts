/**
 * User risk (4.11): the sum over distinct session checks in the window. Each counts with the weight of its highest severity by
 * today's configuration, and once, in its newest version, however often it was delivered, replayed or inserted.
 */
import { HistoryUnavailable } from '../../shared/history/read/breaker.js';
import type { RiskQueries, UserIdentity } from '../../shared/history/read/risk.js';
import type { Redis } from '../../shared/streams/client.js';
import { wholeFrom } from '../../shared/streams/hot/losses.js';
import { keys } from '../../shared/streams/keys.js';
import { hasLost } from './hot/results.js';
import { hotUser } from './hot/users.js';

export interface RiskQuestion {
  user: UserIdentity;
  /** Unix ms: earlier checks do not count */
  since: number;
  /** weight of a violation of the policy; 0 when it does not count (any more) */
  weight(policy: string): number;
  /** a score at which counting may stop */
  enough: number;
}

/** The score, exact below `enough`; undefined for a user that was never seen. Rejects when a store cannot be asked. */
export async function riskScore(
  redis: Redis,
  history: RiskQueries,
  { user, since, weight, enough }: RiskQuestion,
): Promise<number | undefined> {
  let score = 0;
  const heaviest = (policies: readonly string[]): number =>
    policies.reduce((most, policy) => Math.max(most, weight(policy)), 0);
  // Redis first: a check that leaves it meanwhile is in ClickHouse by then, and is recognised by its id.
  const hot = await hotUser(redis, user, ({ time, policies }) => {
    if (time >= since) score += heaviest(policies);
    return score < enough;
  });
  if (score >= enough && hot.seen) return score;
  const index = keys.user(user.team, user.kind, user.user);
  if (await hasLost(redis, index)) {
    throw new HistoryUnavailable('the archive is behind, and the user has more checks than Redis keeps of them');
  }
  await wholeFrom(redis, index);
  const question = { user, since, except: hot.taken, known: hot.seen };
  const known = await history.userViolations(question, ({ policies, checks }) => {
    score += heaviest(policies) * checks;
    return score < enough;
  });
  return known ? score : undefined;
}

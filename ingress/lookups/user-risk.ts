/**
 * User risk (4.11): over distinct session checks in the window, the weight of each one's highest severity by today's
 * configuration. A check counts once, in its newest version, however often it was delivered, replayed or inserted.
 */
import { HistoryUnavailable } from '../../shared/history/read/breaker.js';
import type { RiskQueries, UserIdentity } from '../../shared/history/read/risk.js';
import type { Redis } from '../../shared/streams/client.js';
import { keys } from '../../shared/streams/keys.js';
import { hasLost } from './hot/results.js';
import { hotUser } from './hot/users.js';

export interface RiskQuestion {
  user: UserIdentity;
  /** Unix ms: checks received before that do not count */
  since: number;
  /** weight of a violation of the policy, 0 when it does not count (any more) */
  weight(policy: string): number;
  /** a score that need not be told from a higher one */
  enough: number;
}

/** The score, or `enough` and more; undefined for a user nobody has seen. Rejects when a store cannot be asked. */
export async function riskScore(
  redis: Redis,
  history: RiskQueries,
  { user, since, weight, enough }: RiskQuestion,
): Promise<number | undefined> {
  let score = 0;
  const heaviest = (policies: readonly string[]): number =>
    policies.reduce((most, policy) => Math.max(most, weight(policy)), 0);
  // Hot ones first: what leaves Redis meanwhile is in history by then, and is told by its id.
  const hot = await hotUser(redis, user, ({ time, policies }) => {
    if (time >= since) score += heaviest(policies);
    return score < enough;
  });
  if (score >= enough && hot.seen) return score;
  if (await hasLost(redis, keys.user(user.team, user.kind, user.user))) {
    throw new HistoryUnavailable('the archive is behind, and the user has more checks than Redis keeps of them');
  }
  if (!hot.seen && !(await history.knowsUser(user))) return undefined;
  await history.userViolations({ user, since, except: hot.taken }, ({ policies, checks }) => {
    score += heaviest(policies) * checks;
    return score < enough;
  });
  return score;
}

/** Queries of user risk (4.11): the violations in a user's session checks. */
import type { Ask } from './ask.js';
import { HistoryUnavailable } from './breaker.js';
import { createJoined } from './joined.js';

/** Ids in one bound parameter, which may have 128 KiB. */
const IDS = 2500;
/** Sets of violated policies per query, and most queries of one look-up. */
const SETS = 1000;
const PAGES = 20;

/** How a user was identified. */
export interface UserIdentity {
  team: string;
  kind: 'id' | 'email';
  /** e-mail in lower case */
  user: string;
}

export interface UserChecks {
  user: UserIdentity;
  /** Unix ms; earlier checks do not count */
  since: number;
  /** ids of checks that were counted already */
  except: readonly string[];
}

/** How many session checks violated the same policies. */
export interface ViolatedSet {
  policies: string[];
  checks: number;
}

export interface RiskQueries {
  /** whether any session check of the user is stored */
  knowsUser(user: UserIdentity): Promise<boolean>;
  /** Hands `take` each set of policies that checks violated in their newest versions. Stops when `take` returns false. */
  userViolations(checks: UserChecks, take: (set: ViolatedSet) => boolean): Promise<void>;
}

const USER = 'team = {team:String} AND kind = {kind:String} AND user = {user:String}';

const SEEN = `SELECT DISTINCT user FROM user_checks
  WHERE team = {team:String} AND kind = {kind:String} AND user IN {users:Array(String)}`;

// A check that was inserted again or replayed is there more than once until it is merged.
const violations = (exceptions: number): string => `SELECT policies, count() AS checks FROM (
    SELECT arraySort(arrayDistinct(arrayMap(one -> toString(one), argMax(violations, version)))) AS policies
    FROM user_checks WHERE ${USER} AND ts >= fromUnixTimestamp64Milli({since:Int64}, 'UTC')
    ${Array.from({ length: exceptions }, (_, i) => `AND id NOT IN (SELECT arrayJoin({except${i}:Array(UUID)}))`).join(' ')}
    GROUP BY id
  ) WHERE notEmpty(policies) GROUP BY policies ORDER BY policies LIMIT {sets:UInt32} OFFSET {from:UInt32}`;

export function riskQueries(ask: Ask): RiskQueries {
  const { select, bounded } = ask;
  const known = createJoined<string, true>(ask, {
    texts: (user) => [user],
    async ask({ team, kind }, users, signal) {
      const rows = await select<{ user: string }>(SEEN, { team, kind, users }, signal);
      const seen = new Set(rows.map(({ user }) => user));
      return users.map((user) => (seen.has(user) ? true : undefined));
    },
  });
  return {
    knowsUser: async ({ team, kind, user }) => (await known.find(team, kind, user)) === true,
    async userViolations({ user, since, except }, take) {
      const parameters: Record<string, unknown> = { ...user, since: Math.floor(since), sets: SETS };
      const exceptions = Math.ceil(except.length / IDS);
      for (let i = 0; i < exceptions; i++) parameters[`except${i}`] = except.slice(i * IDS, (i + 1) * IDS);
      for (let page = 0; page < PAGES; page++) {
        const rows = await bounded(user.team, (signal) =>
          select<{ policies: string[]; checks: string }>(
            violations(exceptions),
            { ...parameters, from: page * SETS },
            signal,
          ),
        );
        for (const { policies, checks } of rows) if (!take({ policies, checks: Number(checks) })) return;
        if (rows.length < SETS) return;
      }
      throw new HistoryUnavailable('the user has too many different violations to be added up');
    },
  };
}

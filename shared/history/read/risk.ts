/** Queries of user risk (4.11): the violations in a user's session checks. */
import { TupleParam } from '@clickhouse/client';
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
  /**
   * Hands `take` each set of policies that checks violated in their newest versions. Stops when `take` returns false. Resolves to whether any
   * session check of the user is stored, which is not asked where it is `known`: many users that do not exist cost one query together.
   */
  userViolations(checks: UserChecks & { known: boolean }, take: (set: ViolatedSet) => boolean): Promise<boolean>;
}

const USER = '(team, kind, user) IN {user:Array(Tuple(String, String, String))}';

const SEEN = `SELECT DISTINCT user FROM user_checks
  WHERE team = {team:String} AND kind = {kind:String} AND user IN {users:Array(String)}`;

// A check that was inserted again or replayed is there more than once until it is merged. Sets come in any order of their policies, but in
// one order: they are read page by page. That of the checks without a violation is the first: it says that the user has checks.
const violations = (exceptions: number): string => `SELECT policies, count() AS checks FROM (
    SELECT arraySort(argMax(violations, version)) AS policies
    FROM user_checks PREWHERE ${USER} AND ts >= fromUnixTimestamp64Milli({since:Int64}, 'UTC')
    ${Array.from({ length: exceptions }, (_, i) => `AND id NOT IN (SELECT arrayJoin({except${i}:Array(UUID)}))`).join(' ')}
    GROUP BY id
  ) GROUP BY policies ORDER BY policies LIMIT {sets:UInt32} OFFSET {from:UInt32}`;

interface SetRow {
  policies: string[];
  checks: string | number;
}

/** That a user has checks. `sets` are the first page of `checks`, where the user was asked for alone. */
interface Sighted {
  checks?: UserChecks | undefined;
  sets?: SetRow[];
}

const parametersOf = ({ user, since, except }: UserChecks, from: number): Record<string, unknown> => ({
  user: [new TupleParam([user.team, user.kind, user.user])],
  since: Math.floor(since),
  sets: SETS,
  from,
  ...Object.fromEntries(
    Array.from({ length: exceptionsOf(except) }, (_, i) => [`except${i}`, except.slice(i * IDS, (i + 1) * IDS)]),
  ),
});

const exceptionsOf = (except: readonly string[]): number => Math.ceil(except.length / IDS);

export function riskQueries(ask: Ask): RiskQueries {
  const { select, bounded } = ask;
  const users = createJoined<UserChecks, Sighted>(ask, {
    texts: ({ user }) => [user.user],
    async ask({ team, kind }, asked, signal) {
      let sighted: Sighted = {};
      if (asked.length === 1) {
        const [checks] = asked;
        const sets = await select<SetRow>(violations(exceptionsOf(checks!.except)), parametersOf(checks!, 0), signal);
        sighted = { checks, sets };
        if (sets.length > 0) return [sighted];
      }
      const names = asked.map(({ user }) => user.user);
      const rows = await select<{ user: string }>(SEEN, { team, kind, users: names }, signal);
      const seen = new Set(rows.map(({ user }) => user));
      return names.map((user) => (seen.has(user) ? sighted : undefined));
    },
  });

  const readPage = (checks: UserChecks, page: number): Promise<SetRow[]> =>
    bounded(checks.user.team, (signal) =>
      select<SetRow>(violations(exceptionsOf(checks.except)), parametersOf(checks, page * SETS), signal),
    );

  return {
    async userViolations({ known, ...checks }, take) {
      const { team, kind } = checks.user;
      const found = known ? {} : await users.find(team, kind, checks);
      if (found === undefined) return false;
      // Callers that ask for one user share the name, but not what counts.
      const first = found.checks === checks ? found.sets : undefined;
      for (let page = 0; page < PAGES; page++) {
        const rows = (page === 0 ? first : undefined) ?? (await readPage(checks, page));
        for (const { policies, checks: n } of rows) {
          if (policies.length > 0 && !take({ policies, checks: Number(n) })) return true;
        }
        if (rows.length < SETS) return true;
      }
      throw new HistoryUnavailable('the user has too many different violations to be added up');
    },
  };
}

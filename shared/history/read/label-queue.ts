/**
 * What reviewers look at first: flagged verdicts with an open appeal, the oldest first, whatever was said of them before. Then those without a label,
 * those first of which a label says most.
 *
 * - *uncertain*: the score is among the lowest of the policy, so it is near the threshold. From 0, the highest, to 1, the lowest. Where all are
 *   alike none is.
 * - *new rule*: what the policy detects was applied within a week. From 1, just now, to 0.
 * - *many of a user*: the user, by id or e-mail address, has three flagged verdicts or more. Towards 1, the more there are.
 *
 * The sum orders; of equal ones the newest is first. Only the newest items of the window are looked at. Appeals are of any time.
 */
import type { ItemKind } from '../../api/results/record.js';
import { kindOf } from '../../api/results/record.js';
import type { CheckKind, QueueReason, Severity } from '../../api/types.js';
import { openAppeals, type SeenScopes, type StoredAppeal, seenParameters } from './appeals.js';
import type { Ask, SelectRows } from './ask.js';
import { GIVEN } from './labels.js';

export interface QueueQuestion {
  /** '': all teams */
  team: string;
  /** where events, sessions and images may be seen; undefined: everywhere */
  seen?: SeenScopes;
  /** Unix ms */
  since: number;
  /** id or name; '': all policies */
  policy: string;
  /** verdicts that this reviewer has not labelled; '': that nobody has */
  reviewer: string;
  /** most verdicts */
  limit: number;
  /** newest flagged items that are looked at */
  newest: number;
}

export interface QueuedVerdict {
  item: ItemKind;
  id: string;
  team: string;
  scope: string;
  /** Unix ms */
  time: number;
  policy_id: string;
  policy_name: string;
  severity: Severity;
  /** null: its detectors have none */
  score: number | null;
  /** why it is here, strongest first; may be empty */
  reasons: QueueReason[];
  /** null: there is no open one */
  appeal: Pick<StoredAppeal, 'note' | 'reference' | 'at'> | null;
}

interface QueueRow {
  id: string;
  team: string;
  scope: string;
  kind: CheckKind;
  type: string;
  ms: string | number;
  /** '': the item does not say it */
  user: string;
  email: string;
  policy_id: string;
  policy_name: string;
  severity: Severity;
  score: number;
}

const WEEK_MS = 7 * 86_400_000;
/** Flagged verdicts of a user that are many. */
const MANY = 3;
/** What a reason must weigh to be told. */
const TOLD = 0.5;

/** Flagged verdicts. `items`: the places of their items; `which`: a condition on `id` and `v`. */
const verdicts = (items: string, which: string): string =>
  `SELECT toString(id) AS id, team, scope, kind, type, toUnixTimestamp64Milli(ts) AS ms, ifNull(user_id, '') AS user,
    ifNull(user_email, '') AS email,
    toString(v.id) AS policy_id, v.name AS policy_name, v.severity AS severity,
    arrayMax(arrayMap(find -> JSONExtractFloat(find, 'score'),
      JSONExtractArrayRaw(JSONExtractRaw(ifNull(explained, ''), 2, toString(v.id))))) AS score
  FROM (
    SELECT id, team, scope, kind, type, ts, user_id, user_email, explained, violation.id, violation.name, violation.severity FROM items FINAL
    WHERE (team, scope, ts, id) IN (${items}) AND notEmpty(violation.id)
  ) ARRAY JOIN violation AS v WHERE ${which}`;

/** The newest are looked for by their places alone: what is read of an item may be long. */
const FLAGGED = verdicts(
  `SELECT team, scope, ts, id FROM items
      WHERE ts >= fromUnixTimestamp64Milli({since:Int64}, 'UTC') AND ({team:String} = '' OR team = {team:String})
        AND ({everywhere:Bool} OR scope IN {scopes:Array(String)}) AND notEmpty(violation.id)
        AND ({everywhere:Bool} OR if(kind IN ('event', 'events'), scope IN {environments:Array(String)}, scope IN {deployments:Array(String)}))
      ORDER BY ts DESC, id LIMIT {newest:UInt32}`,
  `({policy:String} = '' OR toString(v.id) = lower({policy:String}) OR v.name = {policy:String})
    AND (id, v.id) NOT IN (
      SELECT id, policy_id FROM labels FINAL
      WHERE ts >= fromUnixTimestamp64Milli({since:Int64}, 'UTC') AND ${GIVEN} AND ({reviewer:String} = '' OR reviewer = {reviewer:String})
    )`,
);

/** Those of appeals. */
const APPEALED = verdicts(
  `SELECT team, scope, ts, id FROM appeals WHERE ({team:String} = '' OR team = {team:String}) AND id IN {ids:Array(UUID)}`,
  `(id, v.id) IN (SELECT id, policy_id FROM appeals WHERE ({team:String} = '' OR team = {team:String}) AND id IN {ids:Array(UUID)})`,
);

/** When what a policy detects was applied first. */
const RULES = `SELECT policy_id, toUnixTimestamp64Milli(argMax(first, last)) AS ms FROM (
    SELECT policy_id, detect, min(applied) AS first, max(applied) AS last FROM configuration_policies
    WHERE policy_id IN {policies:Array(String)} GROUP BY policy_id, detect
  ) GROUP BY policy_id`;

/** Policies whose age is asked for. */
const MOST_POLICIES = 1000;

/** The verdicts in their order. `now`: Unix ms. */
export async function labelQueue(select: SelectRows, question: QueueQuestion, now: number): Promise<QueuedVerdict[]> {
  const { limit, seen, ...rest } = question;
  const { team, policy } = rest;
  const appeals = new Map(
    (await openAppeals(select, { team, seen, policy, limit })).map((one) => [keyOf(one), one] as const),
  );
  const ids = [...new Set([...appeals.values()].map(({ id }) => id))];
  const appealed = ids.length === 0 ? [] : await select<QueueRow>(APPEALED, { team, ids });
  const places = seenParameters(seen);
  const scopes = [...(seen?.environments ?? []), ...(seen?.deployments ?? [])];
  const flagged = await select<QueueRow>(FLAGGED, { ...rest, ...places, scopes, since: Math.floor(question.since) });
  const rows = [
    ...appealed.filter((row) => appeals.has(keyOf(row))),
    ...flagged.filter((row) => !appeals.has(keyOf(row))),
  ];
  const policies = [...new Set(rows.map(({ policy_id }) => policy_id))].slice(0, MOST_POLICIES);
  const rules =
    policies.length === 0 ? [] : await select<{ policy_id: string; ms: string | number }>(RULES, { policies });
  const applied = new Map(rules.map(({ policy_id, ms }) => [policy_id, Number(ms)]));
  return ranked(rows, { appeals, applied, now }).slice(0, limit);
}

const keyOf = ({ id, policy_id }: { id: string; policy_id: string }): string => `${id} ${policy_id}`;

interface QueueFacts {
  /** by `keyOf` */
  appeals: ReadonlyMap<string, StoredAppeal>;
  /** by policy: Unix ms at which what it detects was applied first */
  applied: ReadonlyMap<string, number>;
  now: number;
}

function ranked(rows: readonly QueueRow[], { appeals, applied, now }: QueueFacts): QueuedVerdict[] {
  const scores = new Map<string, { low: number; high: number }>();
  const users = new Map<string, number>();
  const userOf = usersOf(rows);
  for (const row of rows) {
    const { policy_id, score } = row;
    if (score > 0) {
      const { low, high } = scores.get(policy_id) ?? { low: score, high: score };
      scores.set(policy_id, { low: Math.min(low, score), high: Math.max(high, score) });
    }
    const user = userOf(row);
    if (user !== '') users.set(user, (users.get(user) ?? 0) + 1);
  }
  const weighed = rows.map((row) => {
    const of = users.get(userOf(row)) ?? 0;
    const age = now - (applied.get(row.policy_id) ?? 0);
    const weights: [QueueReason, number][] = [
      ['uncertain', row.score > 0 ? 1 - placeOf(row.score, scores.get(row.policy_id)!) : 0],
      ['new_rule', Math.max(0, 1 - age / WEEK_MS)],
      ['many_of_user', of >= MANY ? 1 - 1 / of : 0],
    ];
    const sum = weights.reduce((sum, [, weight]) => sum + weight, 0);
    return { row, weights, sum, ms: Number(row.ms), appeal: appeals.get(keyOf(row)) };
  });
  const since = ({ appeal }: { appeal: StoredAppeal | undefined }): number => appeal?.at ?? Number.MAX_SAFE_INTEGER;
  weighed.sort((a, b) => since(a) - since(b) || b.sum - a.sum || b.ms - a.ms || (a.row.id < b.row.id ? -1 : 1));
  return weighed.map(({ row: { kind, type, ms, user: _, email: __, score, ...row }, weights, appeal }) => ({
    item: kindOf({ kind, type }),
    ...row,
    time: Number(ms),
    score: score > 0 ? score : null,
    reasons: [
      ...(appeal ? (['appeal'] as const) : []),
      ...weights
        .filter(([, weight]) => weight >= TOLD)
        .sort((a, b) => b[1] - a[1])
        .map(([reason]) => reason),
    ],
    appeal: appeal ? { note: appeal.note, reference: appeal.reference, at: appeal.at } : null,
  }));
}

/** Whose an item is: by id, else by e-mail address, which stands for an id that it was seen with, if that is one alone. '': nobody is named. */
function usersOf(rows: readonly QueueRow[]): (row: QueueRow) => string {
  const idsOf = new Map<string, Set<string>>();
  for (const { team, user, email } of rows) {
    if (user === '' || email === '') continue;
    const key = `${team} ${email}`;
    idsOf.set(key, (idsOf.get(key) ?? new Set()).add(user));
  }
  return ({ team, user, email }) => {
    if (user !== '') return `id ${team} ${user}`;
    if (email === '') return '';
    const [only, ...more] = idsOf.get(`${team} ${email}`) ?? [];
    return only !== undefined && more.length === 0 ? `id ${team} ${only}` : `email ${team} ${email}`;
  };
}

/** Where a score stands among those of its policy: from 0, the lowest, to 1, the highest. Where all are alike it says nothing, as the highest. */
const placeOf = (score: number, { low, high }: { low: number; high: number }): number =>
  high === low ? 1 : (score - low) / (high - low);

export interface LabelQueueQueries {
  /** Flagged verdicts without a label in their order. `now`: Unix ms. Throws `HistoryUnavailable`. */
  labelQueue(question: QueueQuestion, now: number): Promise<QueuedVerdict[]>;
}

export function labelQueueQueries({ bounded, select }: Ask): LabelQueueQueries {
  return {
    labelQueue: (question, now) =>
      bounded(question.team, (signal) =>
        labelQueue((query, parameters) => select(query, parameters, signal), question, now),
      ),
  };
}

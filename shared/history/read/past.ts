/**
 * What people ask of the past: items by what they have in common, figures over time, users by risk. Each question reads the rows of its time
 * within the scopes that a key may see. Of an item that is stored more than once, the row with the highest version counts.
 */
import { type ItemKind, kindOf } from '../../api/results/record.js';
import type { CheckKind, Severity } from '../../api/types.js';
import { partsOf } from '../../ids.js';
import type { Ask } from './ask.js';
import { placesOf } from './items.js';

/** Which items. '': any. */
export interface PastFilter {
  team: string;
  /** where events, and where sessions and images may be seen */
  seen: { environments: readonly string[]; deployments: readonly string[] };
  /** Unix ms; `to` is not in it */
  from: number;
  to: number;
  /** of a violation: id or name, `text` or `image`, id of the condition that chose its policy */
  policy: string;
  source: string;
  condition: string;
  /** id or e-mail address */
  user: string;
  run: string;
  session: string;
}

export interface ItemsQuestion extends PastFilter {
  verdict: '' | 'flagged' | 'clean' | 'not_evaluated';
  /** id of an item: only those that came before it; '': from the newest on */
  before: string;
  limit: number;
}

export interface PastItem {
  item: ItemKind;
  id: string;
  scope: string;
  type: string;
  role: string | null;
  name: string | null;
  run_id: string | null;
  event_id: string | null;
  external_session_id: string | null;
  external_artifact_id: string | null;
  user_id: string | null;
  user_email: string | null;
  flagged: boolean | null;
  not_evaluated: number;
  note: string | null;
  violations: { policy_id: string; policy_name: string; severity: Severity; sources: ('text' | 'image')[] }[];
  /** Unix ms */
  created: number;
  duration_ms: number;
}

export const SPLITS = ['policy', 'source', 'condition', 'user', 'shadow'] as const;
export type Split = (typeof SPLITS)[number];

export interface FiguresQuestion extends PastFilter {
  /** of `from` a multiple */
  stepMs: number;
  by: Split | undefined;
}

export interface StepFigures {
  checks: number;
  flagged: number;
  not_evaluated: number;
  p50_ms: number | null;
  p99_ms: number | null;
}

export interface PastFigures {
  total: StepFigures;
  /** by number of the step, from 0 on; without those in which nothing was checked */
  steps: ReadonlyMap<number, StepFigures>;
  /** those with the most violations first; `steps` by number */
  groups: { id: string; name: string; flagged: number; steps: ReadonlyMap<number, number> }[];
}

export interface UsersQuestion {
  team: string;
  /** Unix ms */
  since: number;
  /** weight of each policy that counts */
  weights: ReadonlyMap<string, number>;
  /** lowest score */
  least: number;
  limit: number;
}

export interface PastUser {
  kind: 'id' | 'email';
  user: string;
  score: number;
  checks: number;
  flagged: number;
  /** policies with the checks that they flagged, the most first */
  violations: [policy: string, checks: number][];
  /** Unix ms */
  last: number;
}

/** All throw `HistoryUnavailable`. */
export interface PastQueries {
  /** The newest that the filter takes. `next`: there may be more before this item. */
  pastItems(question: ItemsQuestion): Promise<{ items: PastItem[]; next: string | undefined }>;
  pastFigures(question: FiguresQuestion): Promise<PastFigures>;
  pastUsers(question: UsersQuestion): Promise<PastUser[]>;
}

const GROUPS = 20;

const AT = `team = {team:String} AND ts >= fromUnixTimestamp64Milli({from:Int64}, 'UTC') AND ts < fromUnixTimestamp64Milli({to:Int64}, 'UTC')
  AND if(kind IN ('events', 'event'), scope IN {environments:Array(String)}, scope IN {deployments:Array(String)})
  AND scope IN {scopes:Array(String)}`;
/** The names of conditions that chose a policy stand in the map that was answered alone. */
const CONDITIONS = (policy: string, map: string): string =>
  `JSONExtract(toString(${map}), toString(${policy}), 'enabled_by_conditions', 'Array(Tuple(id String, name String))')`;
const VIOLATIONS = 'violation.id, violation.name, violation.sources';

/**
 * What is asked of a violation: its policy `v`, the name `n` of that, and the sources `s`. Few maps of policies differ, and JSON is parsed once for
 * those that are alike: `map` is one of them, or `chosenBy` finds them by their hashes.
 */
const matches = (filter: PastFilter, map?: string): string =>
  [
    filter.policy === '' ? [] : '(toString(v) = lower({policy:String}) OR n = {policy:String})',
    filter.source === '' ? [] : 'has(s, {source:String})',
    filter.condition === ''
      ? []
      : map === undefined
        ? `(cityHash64(policies), v) IN (${chosenBy(filter)})`
        : isChosen('v', map),
  ]
    .flat()
    .join(' AND ') || 'true';

const isChosen = (policy: string, map: string): string =>
  `has(tupleElement(${CONDITIONS(policy, map)}, 1), {condition:String})`;

/** Hashes of the maps that have the id of the condition somewhere, with each violated policy that it chose. */
const chosenBy = (
  filter: PastFilter,
): string => `SELECT hash, arrayJoin(arrayFilter(one -> ${isChosen('one', 'judged')}, ids))
  FROM (
    SELECT cityHash64(policies) AS hash, any(policies) AS judged, any(violation.id) AS ids FROM items
    WHERE ${chosen(filter)} AND notEmpty(violation.id) AND position(policies, {condition_json:String}) > 0 GROUP BY hash
  )`;

/** Items with such a violation. */
const violated = (filter: PastFilter): string =>
  ofViolation(filter)
    ? `notEmpty(violation.id) AND arrayExists((v, n, s) -> ${matches(filter)}, ${VIOLATIONS})`
    : 'notEmpty(violation.id)';

const NOT_EVALUATED = '(not_evaluated > 0 OR flagged IS NULL)';
const VERDICTS = { flagged: 'flagged', clean: 'flagged = 0 AND not_evaluated = 0', not_evaluated: NOT_EVALUATED };

/** Where each item is: all but the violation and the verdict. */
function chosen({ user, run, session }: PastFilter): string {
  return [
    AT,
    user === '' ? [] : '(user_id = {user:String} OR user_email = {email:String})',
    run === '' ? [] : 'run_id = {run:String}',
    session === '' ? [] : 'external_session_id = {session:String}',
  ]
    .flat()
    .join(' AND ');
}

/** Which items a list has, but for its cursor. */
export const wanted = ({ verdict, ...filter }: PastFilter & Pick<ItemsQuestion, 'verdict'>): string =>
  [
    chosen(filter),
    ...(ofViolation(filter) ? [violated(filter)] : []),
    ...(verdict === '' ? [] : [VERDICTS[verdict]]),
  ].join(' AND ');

const ofViolation = ({ policy, source, condition }: PastFilter): boolean => `${policy}${source}${condition}` !== '';

export const parametersOf = (filter: PastFilter): Record<string, unknown> => {
  const { seen, ...rest } = filter;
  const condition_json = JSON.stringify(filter.condition);
  // As it is stored.
  const email = filter.user.trim().toLowerCase();
  return { ...rest, ...seen, scopes: [...seen.environments, ...seen.deployments], condition_json, email };
};

/** Newest places first: what is read of an item may be long, so it is read of those alone. One that is stored twice is there twice. */
export const newest = (
  conditions: string,
): string => `SELECT toUnixTimestamp64Milli(ts) AS ms, scope, toString(id) AS id FROM items
  WHERE ${conditions} ORDER BY ts DESC, toUInt128(items.id) DESC LIMIT {most:UInt32}`;

/** Of `items`. The time of an item is that of its id. */
export const BEFORE = `(ts, toUInt128(items.id)) < (fromUnixTimestamp64Milli({before_ms:Int64}, 'UTC'), toUInt128({before:UUID}))`;

export const itemsAt = (
  conditions: string,
): string => `SELECT toString(id) AS id, scope, kind, type, role, name, run_id, event_id,
    external_session_id, external_artifact_id, user_id, user_email, flagged, not_evaluated, note,
    toUnixTimestamp64Milli(ts) AS created,
    greatest(0, toUnixTimestamp64Milli(completed) - toUnixTimestamp64Milli(received)) AS duration_ms,
    arrayMap(v -> toString(v), violation.id) AS ids, violation.name AS names, violation.severity AS severities,
    violation.sources AS sources
  FROM items FINAL
  WHERE (team, scope, ts, items.id) IN {places:Array(Tuple(String, String, DateTime64(3, 'UTC'), UUID))} AND ${conditions}
  ORDER BY ts DESC, toUInt128(items.id) DESC`;

export interface PastItemRow extends Omit<PastItem, 'item' | 'violations' | 'created' | 'duration_ms'> {
  kind: CheckKind;
  created: string | number;
  duration_ms: string | number;
  ids: string[];
  names: string[];
  severities: Severity[];
  sources: ('text' | 'image')[][];
}

const SEVERITY_ORDER: readonly Severity[] = ['high', 'medium', 'low'];

export function pastItem({
  kind,
  ids,
  names,
  severities,
  sources,
  created,
  duration_ms,
  ...rest
}: PastItemRow): PastItem {
  const violations = ids.map((policy_id, i) => ({
    policy_id,
    policy_name: names[i]!,
    severity: severities[i]!,
    sources: sources[i]!,
  }));
  violations.sort((a, b) => SEVERITY_ORDER.indexOf(a.severity) - SEVERITY_ORDER.indexOf(b.severity));
  return {
    ...rest,
    item: kindOf({ kind, type: rest.type }),
    violations,
    created: Number(created),
    duration_ms: Number(duration_ms),
  };
}

const STEP = 'intDiv(toUnixTimestamp64Milli(ts) - {from:Int64}, {step:Int64})';

/** A row a step, and one of all, which has no step. */
const totals = (
  conditions: string,
  flagged: string,
): string => `SELECT ${STEP} AS step, grouping(step) AS all, count() AS checks, countIf(${flagged}) AS hits,
    countIf(${NOT_EVALUATED}) AS gaps,
    quantilesTDigest(0.5, 0.99)(greatest(0, toUnixTimestamp64Milli(completed) - toUnixTimestamp64Milli(received))) AS quantiles
  FROM items FINAL WHERE ${conditions} GROUP BY step WITH ROLLUP`;

interface TotalRow {
  step: string | number;
  /** 1: of all steps */
  all: number;
  checks: string | number;
  hits: string | number;
  gaps: string | number;
  quantiles: [number, number];
}

const USER = "ifNull(user_id, ifNull(user_email, ''))";
const KEYED = 'SELECT step, key.1 AS key_id, any(key.2) AS key_name, sum(items) AS of_step';

/** For each split a query of `step`, `key_id`, `key_name` and `of_step`, the items of it. */
const COUNTED: Record<Split, (filter: PastFilter) => string> = {
  policy: (filter) => `SELECT ${STEP} AS step, toString(v) AS key_id, any(n) AS key_name, count() AS of_step
    FROM items FINAL ARRAY JOIN violation.id AS v, violation.name AS n, violation.sources AS s
    WHERE ${chosen(filter)} AND ${violated(filter)} AND ${matches(filter)} GROUP BY step, v`,
  source: (filter) => `SELECT ${STEP} AS step, toString(arrayJoin(arrayDistinct(arrayFlatten(
      arrayMap((v, n, s) -> if(${matches(filter)}, s, []), ${VIOLATIONS}))))) AS key_id, key_id AS key_name, count() AS of_step
    FROM items FINAL WHERE ${chosen(filter)} AND ${violated(filter)} GROUP BY step, key_id`,
  // Few maps of policies differ, so JSON is parsed once for those that are alike. They say which policies are violated, and may not say where.
  condition: (filter) => `${KEYED} FROM (
      SELECT step, items, arrayDistinct(arrayFlatten(arrayMap((v, n, s) -> if(${matches(filter, 'judged')}, ${CONDITIONS('v', 'judged')}, []), ids, names, places))) AS keys
      FROM (
        SELECT ${STEP} AS step, any(items.policies) AS judged, any(violation.id) AS ids, any(violation.name) AS names,
          any(violation.sources) AS places, count() AS items
        FROM items FINAL WHERE ${chosen(filter)} AND ${violated(filter)}
        GROUP BY step, cityHash64(items.policies)${filter.source === '' ? '' : ', violation.sources'}
      )
    ) ARRAY JOIN keys AS key GROUP BY step, key_id`,
  user: (filter) => `SELECT ${STEP} AS step, ${USER} AS key_id, key_id AS key_name, count() AS of_step
    FROM items FINAL WHERE ${chosen(filter)} AND ${violated(filter)} AND key_id != '' GROUP BY step, key_id`,
  // Rows of the shadow have no user.
  shadow: ({ user, ...rest }) => `SELECT ${STEP} AS step, toString(v) AS key_id, any(n) AS key_name, count() AS of_step
    FROM shadow_checks FINAL ARRAY JOIN violation.id AS v, violation.name AS n, violation.sources AS s
    WHERE ${chosen({ ...rest, user: '' })} AND ${matches({ ...rest, user, condition: '' })}
      ${user === '' ? '' : `AND id IN (SELECT id FROM items WHERE ${chosen({ ...rest, user })})`} GROUP BY step, v`,
};

const groups = (
  by: Split,
  filter: PastFilter,
): string => `SELECT key_id AS id, any(key_name) AS name, sum(of_step) AS flagged,
    groupArray((step, of_step)) AS steps
  FROM (${COUNTED[by](filter)}) GROUP BY id ORDER BY flagged DESC, id LIMIT ${GROUPS}`;

interface GroupRow {
  id: string;
  name: string;
  flagged: string | number;
  steps: [step: string | number, items: string | number][];
}

const USERS = `SELECT kind, user, checks, flagged, last, score, arrayMap(v -> toString(v), counted.1) AS policies, counted.2 AS counts
  FROM (
    SELECT kind, user, count() AS checks, countIf(notEmpty(violations)) AS flagged, toUnixTimestamp64Milli(maxIf(ts, notEmpty(violations))) AS last,
      sum(arrayMax(arrayConcat([0.], arrayMap(v -> transform(toString(v), {policies:Array(String)}, {weights:Array(Float64)}, 0.), violations)))) AS score,
      sumMap(violations, arrayMap(v -> 1, violations)) AS counted
    FROM user_checks FINAL WHERE team = {team:String} AND ts >= fromUnixTimestamp64Milli({since:Int64}, 'UTC')
    GROUP BY kind, user
  ) WHERE flagged > 0 AND score >= {least:Float64} ORDER BY score DESC, last DESC, kind, user LIMIT {limit:UInt32}`;

interface UserRow extends Pick<PastUser, 'kind' | 'user' | 'score'> {
  checks: string | number;
  flagged: string | number;
  last: string | number;
  policies: string[];
  counts: (string | number)[];
}

const NOTHING: StepFigures = { checks: 0, flagged: 0, not_evaluated: 0, p50_ms: null, p99_ms: null };

const figuresOf = ({ checks, hits, gaps, quantiles: [p50, p99] }: TotalRow): StepFigures => ({
  checks: Number(checks),
  flagged: Number(hits),
  not_evaluated: Number(gaps),
  p50_ms: Math.round(p50),
  p99_ms: Math.round(p99),
});

export function pastQueries({ bounded, select }: Ask): PastQueries {
  return {
    pastItems: ({ before, limit, verdict, ...filter }) =>
      bounded(filter.team, async (signal) => {
        const conditions = wanted({ ...filter, verdict });
        const parameters = parametersOf(filter);
        const cursor = before === '' ? {} : { before, before_ms: partsOf(before)!.time };
        const places = await select<{ ms: string | number; scope: string; id: string }>(
          newest(before === '' ? conditions : `${conditions} AND ${BEFORE}`),
          { ...parameters, ...cursor, most: limit + 1 },
          signal,
        );
        const page = places.slice(0, limit);
        const next = places.length > limit ? page.at(-1)!.id : undefined;
        if (page.length === 0) return { items: [], next };
        const at = page.flatMap(({ ms, scope, id }) => placesOf([{ ms: Number(ms), id }], [filter.team, scope]));
        const rows = await select<PastItemRow>(itemsAt(conditions), { ...parameters, places: at }, signal);
        return { items: rows.map(pastItem), next };
      }),
    pastFigures: ({ stepMs: step, by, ...filter }) =>
      bounded(filter.team, async (signal) => {
        const parameters = { ...parametersOf(filter), step };
        const flagged = ofViolation(filter) ? violated(filter) : 'flagged';
        const rows = await select<TotalRow>(totals(chosen(filter), flagged), parameters, signal);
        const split = by === undefined ? [] : await select<GroupRow>(groups(by, filter), parameters, signal);
        const all = rows.find(({ all }) => Number(all) === 1);
        return {
          total: all && Number(all.checks) > 0 ? figuresOf(all) : NOTHING,
          steps: new Map(
            rows.flatMap((row) => (Number(row.all) === 1 ? [] : [[Number(row.step), figuresOf(row)] as const])),
          ),
          groups: split.map(({ id, name, flagged, steps }) => ({
            id,
            name,
            flagged: Number(flagged),
            steps: new Map(steps.map(([at, items]) => [Number(at), Number(items)])),
          })),
        };
      }),
    pastUsers: ({ team, since, weights, least, limit }) =>
      bounded(team, async (signal) => {
        const asked = {
          team,
          since: Math.floor(since),
          least,
          limit,
          policies: [...weights.keys()],
          weights: [...weights.values()],
        };
        const rows = await select<UserRow>(USERS, asked, signal);
        return rows.map(({ kind, user, score, checks, flagged, last, policies, counts }) => ({
          kind,
          user,
          score,
          checks: Number(checks),
          flagged: Number(flagged),
          violations: policies
            .map((policy, i): [string, number] => [policy, Number(counts[i])])
            .sort((a, b) => b[1] - a[1]),
          last: Number(last),
        }));
      }),
  };
}

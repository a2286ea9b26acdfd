/** Which items of the past are asked for, and what that is in SQL. */
import { isUuid } from '../../ids.js';

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

export type PastVerdict = 'flagged' | 'clean' | 'not_evaluated';

const AT = `team = {team:String} AND ts >= fromUnixTimestamp64Milli({from:Int64}, 'UTC') AND ts < fromUnixTimestamp64Milli({to:Int64}, 'UTC')
  AND if(kind IN ('events', 'event'), scope IN {environments:Array(String)}, scope IN {deployments:Array(String)})
  AND scope IN {scopes:Array(String)}`;

/** Where each item is: all but the violation and the verdict. */
export function chosen({ user, run, session }: PastFilter): string {
  return [
    AT,
    user === '' ? [] : '(user_id = {user:String} OR user_email = {email:String})',
    run === '' ? [] : 'run_id = {run:String}',
    session === '' ? [] : 'external_session_id = {session:String}',
  ]
    .flat()
    .join(' AND ');
}

export const parametersOf = (filter: PastFilter): Record<string, unknown> => {
  const { seen, ...rest } = filter;
  const condition_json = JSON.stringify(filter.condition);
  // As it is stored.
  const email = filter.user.trim().toLowerCase();
  return { ...rest, ...seen, scopes: [...seen.environments, ...seen.deployments], condition_json, email };
};

export const ofViolation = ({ policy, source, condition }: PastFilter): boolean =>
  `${policy}${source}${condition}` !== '';

const allOf = (...conditions: (string | undefined)[]): string =>
  conditions.filter((one) => one !== undefined).join(' AND ') || 'true';

/** Items, and rows of a violation each, may be told apart by its policy `v`, the name `n` of that, and the sources `s`, but for conditions. */
export const matches = ({ policy, source }: PastFilter): string =>
  allOf(
    policy === '' ? undefined : isUuid(policy) ? '(v = {policy:UUID} OR n = {policy:String})' : 'n = {policy:String}',
    source === '' ? undefined : 'has(s, {source:String})',
  );

/** A policy of a map that was answered. An entry of a chat has no conditions. */
const JUDGED = 'Tuple(flagged Bool, name String, enabled_by_conditions Array(Tuple(id String, name String)))';

/**
 * The violations that a map of policies tells, of the policy and the condition that are asked for: `.1` is the id of the policy, `.2` a {@link JUDGED}.
 * Which conditions chose a policy stands in the map alone. Few maps differ, so JSON is parsed once for those that are alike.
 */
export const toldBy = (map: string, { policy, condition }: PastFilter): string =>
  `arrayFilter(p -> ${allOf(
    'p.2.1',
    policy === '' ? undefined : '(p.1 = lower({policy:String}) OR p.2.2 = {policy:String})',
    condition === '' ? undefined : 'has(tupleElement(p.2.3, 1), {condition:String})',
  )}, JSONExtractKeysAndValues(toString(${map}), '${JUDGED}'))`;

/** Items that may have such a violation, by what costs little: all that have one are among them. */
export const mayBeToldBy = ({ condition }: PastFilter): string =>
  // The engine looks into each map once, where rows have the same.
  condition === '' ? 'flagged' : 'flagged AND position(policies, {condition_json:String}) > 0';

/**
 * Of each such violation that maps tell what is asked for. Maps that tell none are left out by an array that is joined: a condition would be moved to
 * where the engine reads, and JSON be parsed for each row.
 */
const told = (
  asked: string,
  filter: PastFilter,
): string => `SELECT arrayJoin(arrayMap(p -> ${asked}, ${toldBy('judged', filter)})) FROM (
    SELECT policies AS judged FROM items WHERE ${chosen(filter)} AND ${mayBeToldBy(filter)} GROUP BY judged
  )`;

const VIOLATIONS = 'violation.id, violation.name, violation.sources';

/** A violation has two sources at most: to look at both costs half as much as to make one array of all. */
export const HAS_SOURCE = 'arrayExists(s -> s[1] = {source:String} OR s[2] = {source:String}, violation.sources)';

/** Items with such a violation. */
export function violated(filter: PastFilter): string {
  const { policy, source, condition } = filter;
  if (condition !== '' && source === '')
    return `${mayBeToldBy(filter)} AND cityHash64(policies) IN (${told('cityHash64(judged)', filter)})`;
  if (condition !== '') {
    const pairs = told('(cityHash64(judged), toUUIDOrZero(p.1))', filter);
    return `${mayBeToldBy(filter)} AND arrayExists((v, n, s) -> ${matches(filter)} AND (cityHash64(policies), v) IN (${pairs}), ${VIOLATIONS})`;
  }
  // Of one thing alone an array is searched without calling anything for each violation.
  if (source === '' && policy !== '')
    return isUuid(policy)
      ? '(has(violation.id, {policy:UUID}) OR has(violation.name, {policy:String}))'
      : 'has(violation.name, {policy:String})';
  if (policy === '' && source !== '') return HAS_SOURCE;
  return ofViolation(filter) ? `arrayExists((v, n, s) -> ${matches(filter)}, ${VIOLATIONS})` : 'notEmpty(violation.id)';
}

export const NOT_EVALUATED = '(not_evaluated > 0 OR flagged IS NULL)';
const VERDICTS = { flagged: 'flagged', clean: 'flagged = 0 AND not_evaluated = 0', not_evaluated: NOT_EVALUATED };

/** Which items a list has, but for its cursor. */
export const wanted = ({ verdict, ...filter }: PastFilter & { verdict: '' | PastVerdict }): string =>
  allOf(
    chosen(filter),
    ofViolation(filter) ? violated(filter) : undefined,
    verdict === '' ? undefined : VERDICTS[verdict],
  );

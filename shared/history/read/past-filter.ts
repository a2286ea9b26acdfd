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
  // As it is stored.
  const email = filter.user.trim().toLowerCase();
  return { ...rest, ...seen, scopes: [...seen.environments, ...seen.deployments], line: lineOf(filter), email };
};

export const ofViolation = ({ policy, source, condition }: PastFilter): boolean =>
  `${policy}${source}${condition}` !== '';

const allOf = (...conditions: (string | undefined)[]): string =>
  conditions.filter((one) => one !== undefined).join(' AND ') || 'true';

/**
 * A violation of those that are asked for, as an expression for a line of `violation_set`. The engine looks at each word of its dictionary once, so this
 * takes hardly more than a column without it.
 */
function lineOf({ policy, source, condition }: PastFilter): string {
  const named = `${FIELD}\\t${literal(policy)}`;
  return [
    '\\n',
    policy === '' ? `${FIELD}\\t${FIELD}` : isUuid(policy) ? `(?:${policy.toLowerCase()}\\t${FIELD}|${named})` : named,
    `\\t${FIELD}${literal(source)}${FIELD}`,
    condition === '' ? '' : `(?:\\t${FIELD}\\t${FIELD})*\\t${literal(condition)}\\t`,
  ].join('');
}
const FIELD = '[^\\t\\n]*';
/** Tabs and ends of lines stand for themselves there, so those of names are stored as spaces. */
const literal = (text: string): string =>
  text.replaceAll(/[\t\n]/g, ' ').replaceAll(/[\\^$.*+?()[\]{}|-]/g, (special) => `\\${special}`);

/** Of a text with a line, whether that is such a violation: of `violation_set`, or of one of its lines with what stands before it. */
export const tells = (text: string, filter: PastFilter): string =>
  ofViolation(filter) ? `match(${text}, {line:String})` : `${text} != ''`;

/** Items with such a violation. */
export const violated = (filter: PastFilter): string => tells('violation_set', filter);

export const NOT_EVALUATED = '(not_evaluated > 0 OR flagged IS NULL)';
const VERDICTS = { flagged: 'flagged', clean: 'flagged = 0 AND not_evaluated = 0', not_evaluated: NOT_EVALUATED };

/** Which items a list has, but for its cursor. */
export const wanted = ({ verdict, ...filter }: PastFilter & { verdict: '' | PastVerdict }): string =>
  allOf(
    chosen(filter),
    ofViolation(filter) ? violated(filter) : undefined,
    verdict === '' ? undefined : VERDICTS[verdict],
  );

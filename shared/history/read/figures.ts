/**
 * Figures of the past: how many items there are, and what their violations are split by, over time. The rows are read twice at most: for the totals, and for
 * what they are split by. That has an array of numbers of steps for each thing: those of all of them would be more groups than the engine has time for.
 */
import type { Ask } from './ask.js';
import {
  chosen,
  HAS_SOURCE,
  matches,
  mayBeToldBy,
  NOT_EVALUATED,
  ofViolation,
  type PastFilter,
  parametersOf,
  toldBy,
  violated,
} from './past-filter.js';

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

/** Throws `HistoryUnavailable`. */
export interface FiguresQueries {
  pastFigures(question: FiguresQuestion): Promise<PastFigures>;
}

const GROUPS = 20;

const STEP = 'intDiv(toUnixTimestamp64Milli(ts) - {from:Int64}, {step:Int64})';
/** As it is collected. */
const NTH = `toUInt16(${STEP})`;

/** A row a step, and one of all, which has no step. */
const totals = (
  conditions: string,
  flagged: string,
): string => `SELECT ${STEP} AS step, grouping(step) AS all, count() AS checks, countIf(${flagged}) AS hits,
    countIf(${NOT_EVALUATED}) AS gaps,
    quantilesBFloat16(0.5, 0.99)(duration_ms) AS quantiles
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
/**
 * Rows with the same map are one, and what is asked of each of them is `collected`. `told`: the violations that the map tells. Maps that tell none
 * are left out by arrays that are joined: a condition on them would be moved to where the engine reads, and JSON be parsed for each row.
 */
const byMap = (collected: string, filter: PastFilter): string => `SELECT *, ${toldBy('judged', filter)} AS told FROM (
    SELECT policies AS judged, ${collected} FROM items FINAL
    WHERE ${chosen(filter)} AND ${mayBeToldBy(filter)}${filter.source === '' ? '' : ` AND ${HAS_SOURCE}`} GROUP BY judged
  )`;

/**
 * The same with `sources` of the violations `ids`, which no map tells. Few differ, so the steps of a map are divided among them by their hashes.
 */
const byMapAndSources = (
  filter: PastFilter,
): string => `SELECT ids, sources, arrayFilter((step, of) -> of = hash, steps, hashes) AS at,
    ${filter.source === '' ? 'of_map' : `arrayFilter(p -> has(${SOURCES}, {source:String}), of_map)`} AS told
  FROM (
    SELECT told AS of_map, ids, steps, hashes, sources, cityHash64(sources) AS hash FROM (${byMap(
      `any(violation.id) AS ids, groupArray(${NTH}) AS steps, groupArray(cityHash64(violation.sources)) AS hashes, groupUniqArray(violation.sources) AS all_sources`,
      filter,
    )}) ARRAY JOIN all_sources AS sources
  )`;
const SOURCES = 'sources[indexOf(ids, toUUIDOrZero(p.1))]';

/** Ids and names of what the violations that a map tells are split by. */
const KEYS = {
  policy: 'arrayMap(p -> (0, p.1, p.2.2), told)',
  source: `arrayMap(s -> (0, toString(s), toString(s)), arrayDistinct(arrayFlatten(arrayMap(p -> ${SOURCES}, told))))`,
  condition: 'arrayMap(c -> (0, c.1, c.2), arrayDistinct(arrayFlatten(arrayMap(p -> p.2.3, told))))',
};
/** The key of all items with such a violation, where the totals do not count them. */
const OF_ALL = "[(1, '', '')]";

/** The groups by what maps tell. */
function bySameMap(by: keyof typeof KEYS | undefined, filter: PastFilter): string {
  const keys = [countsApart(by, filter) ? OF_ALL : [], by === undefined ? [] : KEYS[by]].flat();
  const rows =
    by === 'source' || filter.source !== '' ? byMapAndSources(filter) : byMap(`groupArray(${NTH}) AS at`, filter);
  return `SELECT key.1 AS of_all, key.2 AS key_id, any(key.3) AS key_name, groupArrayArray(rows.at) AS at
    FROM (${rows}) AS rows ARRAY JOIN if(empty(told), [], arrayConcat(${keys.join(', ')})) AS key GROUP BY of_all, key_id`;
}

/** The users of the violations that a condition chose. */
const usersBySameMap = (
  filter: PastFilter,
): string => `SELECT key.1 AS of_all, key.2 AS key_id, key_id AS key_name, groupArray(step) AS at
  FROM (SELECT step, user FROM (${byMap(`groupArray(${NTH}) AS steps, groupArray(${USER}) AS users`, filter)}) 
    ARRAY JOIN if(empty(told), [], steps) AS step, if(empty(told), [], users) AS user)
  ARRAY JOIN if(user = '', [(1, '')], [(1, ''), (0, user)]) AS key GROUP BY of_all, key_id`;

/** For each split a query of its groups, with the number of the step of each item. */
const SPLIT: Record<Split, (filter: PastFilter) => string> = {
  // Which policies were violated stands in the map, which takes less reading than the arrays of violations.
  policy: (filter) =>
    filter.source === ''
      ? bySameMap('policy', filter)
      : `SELECT 0 AS of_all, toString(v) AS key_id, any(n) AS key_name, groupArray(${NTH}) AS at
    FROM items FINAL ARRAY JOIN violation.id AS v, violation.name AS n, violation.sources AS s
    WHERE ${chosen(filter)} AND ${matches(filter)}${filter.policy === '' ? '' : ` AND ${violated(filter)}`} GROUP BY v`,
  source: (filter) => `SELECT 0 AS of_all, toString(source) AS key_id, key_id AS key_name, groupArray(${NTH}) AS at
    FROM items FINAL ARRAY JOIN arrayDistinct(arrayFlatten(${sourcesOf(filter)})) AS source
    WHERE ${chosen(filter)}${filter.policy === '' ? '' : ` AND ${violated(filter)}`} GROUP BY source`,
  condition: (filter) => bySameMap('condition', filter),
  user: (filter) => `SELECT 0 AS of_all, ${USER} AS key_id, key_id AS key_name, groupArray(${NTH}) AS at
    FROM items FINAL WHERE ${chosen(filter)} AND ${violated(filter)} AND key_id != '' GROUP BY key_id`,
  // Rows of the shadow have no user.
  shadow: ({
    user,
    ...rest
  }) => `SELECT 0 AS of_all, toString(v) AS key_id, any(n) AS key_name, groupArray(${NTH}) AS at
    FROM shadow_checks FINAL ARRAY JOIN violation.id AS v, violation.name AS n, violation.sources AS s
    WHERE ${chosen({ ...rest, user: '' })} AND ${matches({ ...rest, user })}
      ${user === '' ? '' : `AND id IN (SELECT id FROM items WHERE ${chosen({ ...rest, user })})`} GROUP BY v`,
};

function sourcesOf(filter: PastFilter): string {
  const { policy, source } = filter;
  if (policy !== '')
    return `arrayFilter((s, v, n) -> ${matches(filter)}, violation.sources, violation.id, violation.name)`;
  return source === '' ? 'violation.sources' : `arrayFilter(s -> ${matches(filter)}, violation.sources)`;
}

/** Whether the totals leave it to the groups to count what is flagged: maps tell it, and are read for them alone. */
const countsApart = (by: Split | undefined, filter: PastFilter): boolean =>
  filter.condition !== '' || (ofViolation(filter) && (by === 'condition' || (by === 'policy' && filter.source === '')));

/** The queries of groups that a question has. */
function splitsOf(by: Split | undefined, filter: PastFilter): string[] {
  const { source, condition } = filter;
  if (condition === '') return by === undefined ? [] : [SPLIT[by](filter)];
  if (by === 'user' && source === '') return [usersBySameMap(filter)];
  return by === 'user' || by === 'shadow' ? [bySameMap(undefined, filter), SPLIT[by](filter)] : [bySameMap(by, filter)];
}

const groups = (
  split: string,
  steps: number,
): string => `SELECT of_all, key_id AS id, key_name AS name, length(at) AS flagged,
    arrayReduce('countResample(0, ${steps}, 1)', at) AS steps
  FROM (${split}) ORDER BY of_all DESC, flagged DESC, id LIMIT ${GROUPS} BY of_all`;

interface GroupRow {
  /** 1: not a group, but all items that count */
  of_all: number;
  id: string;
  name: string;
  flagged: string | number;
  /** items of each step */
  steps: (string | number)[];
}

const NOTHING: StepFigures = { checks: 0, flagged: 0, not_evaluated: 0, p50_ms: null, p99_ms: null };

const figuresOf = ({ checks, gaps, quantiles: [p50, p99] }: TotalRow, flagged: number): StepFigures => ({
  checks: Number(checks),
  flagged,
  not_evaluated: Number(gaps),
  p50_ms: Math.round(p50),
  p99_ms: Math.round(p99),
});

export function figuresQueries({ bounded, select }: Ask): FiguresQueries {
  return {
    pastFigures: ({ stepMs: step, by, ...filter }) =>
      bounded(filter.team, async (signal) => {
        const parameters = { ...parametersOf(filter), step };
        const apart = countsApart(by, filter);
        const hits = apart ? 'false' : ofViolation(filter) ? violated(filter) : 'flagged';
        const rows = await select<TotalRow>(totals(chosen(filter), hits), parameters, signal);
        const count = Math.max(1, Math.ceil((filter.to - filter.from) / step));
        const found: GroupRow[] = [];
        for (const split of splitsOf(by, filter))
          found.push(...(await select<GroupRow>(groups(split, count), parameters, signal)));
        const counting = found.find(({ of_all }) => Number(of_all) === 1);
        const flaggedOf = (row: TotalRow): number => {
          if (!apart) return Number(row.hits);
          return Number((Number(row.all) === 1 ? counting?.flagged : counting?.steps[Number(row.step)]) ?? 0);
        };
        const all = rows.find((row) => Number(row.all) === 1);
        const ofSteps = rows.filter((row) => Number(row.all) === 0);
        return {
          total: all && Number(all.checks) > 0 ? figuresOf(all, flaggedOf(all)) : NOTHING,
          steps: new Map(ofSteps.map((row) => [Number(row.step), figuresOf(row, flaggedOf(row))])),
          groups: found.filter((one) => one !== counting).map(groupOf),
        };
      }),
  };
}

const groupOf = ({ id, name, flagged, steps }: GroupRow): PastFigures['groups'][number] => ({
  id,
  name,
  flagged: Number(flagged),
  steps: new Map(steps.flatMap((items, at) => (Number(items) > 0 ? [[at, Number(items)] as const] : []))),
});

/**
 * Figures of the past: how many items there are, and what their violations are split by, over time. The rows are read once, since to merge those that are
 * stored more than once takes most of the time: the engine groups them by step, by what they are split by, and all together. What violations are
 * split by is told by their set (`violation_set`), so rows with the same one are a group first.
 */
import { isUuid } from '../../ids.js';
import type { Ask } from './ask.js';
import { chosen, NOT_EVALUATED, ofViolation, type PastFilter, parametersOf, tells, violated } from './past-filter.js';

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

const USER = "ifNull(user_id, ifNull(user_email, ''))";
type ItemSplit = Exclude<Split, 'shadow'>;

/** By what items are grouped first: '' of those that no group has. */
const keyOf = (by: ItemSplit, filter: PastFilter): string =>
  by === 'user' ? `if(${violated(filter)}, ${USER}, '')` : 'violation_set';

/** Violations of a set that are asked for, as fields: id and name of the policy, sources, id and name of each condition. */
const fieldsOf = (filter: PastFilter): string => `arrayMap(line -> splitByChar('\\t', substring(line, 2)),
    arrayFilter(line -> ${tells('line', filter)}, arrayMap(line -> concat('\\n', line), arraySlice(splitByChar('\\n', toString(key)), 2))))`;

/** Id and name of each group that an item with a key counts in. */
const groupsOf = (by: ItemSplit, filter: PastFilter): string => {
  if (by === 'user') return "if(key = '', [], [(key, key)])";
  const ofLine = {
    policy: '[(of[1], of[2])]',
    source: 'arrayMap(source -> (source, source), alphaTokens(of[3]))',
    condition: 'arrayMap(at -> (of[at], of[at + 1]), range(4, length(of) + 1, 2))',
  }[by];
  return `arrayDistinct(arrayFlatten(arrayMap(of -> ${ofLine}, ${fieldsOf(filter)})))`;
};

const QUANTILES = 'quantilesBFloat16(0.5, 0.99)';

/** Of each step, of all steps, and of each key the steps of its items. */
const counted = (by: ItemSplit | undefined, filter: PastFilter): string => {
  const hit = ofViolation(filter) ? violated(filter) : 'flagged';
  const figures = 'count() AS checks, countIf(hit) AS hits, countIf(gap) AS gaps';
  const key = by === undefined ? '' : `, ${keyOf(by, filter)} AS key`;
  const items = `SELECT ${NTH} AS step, ${hit} AS hit, ${NOT_EVALUATED} AS gap, duration_ms${key} FROM items FINAL WHERE ${chosen(filter)}`;
  return by === undefined
    ? `SELECT if(grouping(step) = 0, 'step', 'all') AS part, step, ${figures}, ${QUANTILES}(duration_ms) AS quantiles
      FROM (${items}) GROUP BY step WITH ROLLUP`
    : // Quantiles of each of many keys would take as long as all the rest, so durations are only collected, and left out of keys.
      `SELECT multiIf(grouping(step) = 0, 'step', grouping(key) = 0, 'group', 'all') AS part, step, key, ${figures},
        groupArray(step) AS at, groupArray(duration_ms) AS durations
      FROM (${items}) GROUP BY GROUPING SETS ((step), (), (key))`;
};

/** Steps and the sum of all of them, without groups. */
const totals = (filter: PastFilter): string => counted(undefined, filter);

/** The same with the groups. */
const split = (by: ItemSplit, filter: PastFilter, steps: number): string =>
  `SELECT part, step, id, name, checks, hits, gaps, quantiles, flagged, if(part = 'group', ${ofSteps(steps)}, []) AS steps FROM (
    SELECT part, step, of.1 AS id, any(of.2) AS name, any(checks) AS checks, any(hits) AS hits, any(gaps) AS gaps, any(quantiles) AS quantiles,
      groupArrayArray(at) AS at, if(part = 'group', length(at), 0) AS flagged
    FROM (
      SELECT * EXCEPT (at, durations), if(part = 'group', at, []) AS at, if(part = 'group', [], arrayReduce('${QUANTILES}', durations)) AS quantiles
      FROM (${counted(by, filter)})
    )
    ARRAY JOIN if(part = 'group', ${groupsOf(by, filter)}, [('', '')]) AS of GROUP BY part, step, id
  ) ORDER BY part, flagged DESC, id LIMIT ${GROUPS} BY part, step`;
const ofSteps = (steps: number): string => `arrayReduce('countResample(0, ${steps}, 1)', at)`;

/** Of one row for each violation: that of a policy `v` with the name `n` and the sources `s`. */
const matches = ({ policy, source }: PastFilter): string =>
  [
    'true',
    policy === '' ? [] : isUuid(policy) ? '(v = {policy:UUID} OR n = {policy:String})' : 'n = {policy:String}',
    source === '' ? [] : 'has(s, {source:String})',
  ]
    .flat()
    .join(' AND ');

/** Groups of the policies in the shadow. Their rows have no user, and few items have some. */
const shadow = (filter: PastFilter, steps: number): string => {
  const { user } = filter;
  return `SELECT 'group' AS part, id, name, length(at) AS flagged, ${ofSteps(steps)} AS steps FROM (
    SELECT toString(v) AS id, any(n) AS name, groupArray(${NTH}) AS at
    FROM shadow_checks FINAL ARRAY JOIN violation.id AS v, violation.name AS n, violation.sources AS s
    WHERE ${chosen({ ...filter, user: '' })} AND ${matches(filter)}
      ${user === '' ? '' : `AND shadow_checks.id IN (SELECT items.id FROM items WHERE ${chosen(filter)})`} GROUP BY v
  ) ORDER BY flagged DESC, id LIMIT ${GROUPS}`;
};

interface TotalRow {
  part: 'step' | 'all';
  step: string | number;
  checks: string | number;
  hits: string | number;
  gaps: string | number;
  quantiles: [number, number];
}

interface GroupRow {
  part: 'group';
  id: string;
  name: string;
  flagged: string | number;
  /** items of each step */
  steps: (string | number)[];
}

const NOTHING: StepFigures = { checks: 0, flagged: 0, not_evaluated: 0, p50_ms: null, p99_ms: null };

const figuresOf = ({ checks, hits, gaps, quantiles: [p50, p99] }: TotalRow): StepFigures => ({
  checks: Number(checks),
  flagged: Number(hits),
  not_evaluated: Number(gaps),
  p50_ms: Math.round(p50),
  p99_ms: Math.round(p99),
});

export function figuresQueries({ bounded, select }: Ask): FiguresQueries {
  return {
    pastFigures: ({ stepMs: step, by, ...filter }) =>
      bounded(filter.team, async (signal) => {
        const parameters = { ...parametersOf(filter), step };
        const count = Math.max(1, Math.ceil((filter.to - filter.from) / step));
        const queries =
          by === undefined
            ? [totals(filter)]
            : by === 'shadow'
              ? [totals(filter), shadow(filter, count)]
              : [split(by, filter, count)];
        const rows: (TotalRow | GroupRow)[] = [];
        for (const query of queries) rows.push(...(await select<TotalRow | GroupRow>(query, parameters, signal)));
        const all = rows.find((row): row is TotalRow => row.part === 'all');
        const steps = rows.filter((row): row is TotalRow => row.part === 'step');
        const groups = rows.filter((row): row is GroupRow => row.part === 'group');
        return {
          total: all && Number(all.checks) > 0 ? figuresOf(all) : NOTHING,
          steps: new Map(steps.map((row) => [Number(row.step), figuresOf(row)])),
          groups: groups.map(groupOf),
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

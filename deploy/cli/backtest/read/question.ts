/** What a backtest is asked, and how its work is cut into slices. */

import type { Configuration } from '../../../../shared/configuration/configuration.js';
import type { HistoryClient } from '../../../../shared/history/client.js';
import { contextOf } from '../../../../shared/policy/detect-expression.js';
import { ask } from './ask.js';

/** Which stored items are evaluated. */
export interface BacktestWindow {
  /** Unix ms: from the first to before the last */
  since: number;
  until: number;
  /** absent: all */
  team?: string;
  environment?: string;
}

/** An environment or a deployment of a team, with the number of its rows in the window. */
export interface StoredScope {
  team: string;
  scope: string;
  rows: number;
}

/** Rows of one scope from `from` to before `to`, in Unix ms. */
export interface BacktestSlice {
  team: string;
  scope: string;
  from: number;
  to: number;
}

/** Rows of a slice. It is read as a whole, so this bounds what a thread holds. */
const SLICE_ROWS = 10_000;
const MINUTE_MS = 60_000;
/** Intervals that the rows of a scope are counted in, at most. */
const MOST_INTERVALS = 10_000;

const WITHIN = `ts >= fromUnixTimestamp64Milli({from:Int64}, 'UTC') AND ts < fromUnixTimestamp64Milli({to:Int64}, 'UTC')`;
/** Of one slice: its parameters are those of {@link BacktestSlice}. */
export const OF_SLICE = `team = {team:String} AND scope = {scope:String} AND ${WITHIN}`;

/** Items that are no sessions and artifacts: an environment and a deployment may have the same id. */
export const EVENTS = `kind IN ('event', 'events')`;

/** The scopes that have rows in the window, in the order of the sorting key. */
export async function scopesOf(
  client: HistoryClient,
  { since, until, team, environment }: BacktestWindow,
): Promise<StoredScope[]> {
  const of = [
    WITHIN,
    ...(team === undefined ? [] : ['team = {team:String}']),
    ...(environment === undefined ? [] : [`scope = {scope:String} AND ${EVENTS}`]),
  ].join(' AND ');
  const rows = await ask<{ team: string; scope: string; rows: string }>(
    client,
    `SELECT team, scope, count() AS rows FROM items WHERE ${of} GROUP BY team, scope ORDER BY team, scope`,
    { from: since, to: until, team, scope: environment },
  );
  return rows.map((row) => ({ ...row, rows: Number(row.rows) }));
}

/** The slices of a scope between two times, the earliest first. */
export async function slicesOf(
  client: HistoryClient,
  { team, scope }: Pick<StoredScope, 'team' | 'scope'>,
  { from, to }: Pick<BacktestSlice, 'from' | 'to'>,
): Promise<BacktestSlice[]> {
  const interval = Math.max(MINUTE_MS, Math.ceil((to - from) / MOST_INTERVALS));
  const counted = await ask<{ n: string; rows: string }>(
    client,
    `SELECT intDiv(toUnixTimestamp64Milli(ts) - {from:Int64}, {interval:Int64}) AS n, count() AS rows
     FROM items WHERE ${OF_SLICE} GROUP BY n ORDER BY n`,
    { team, scope, from, to, interval },
  );
  const slices: BacktestSlice[] = [];
  let open: (BacktestSlice & { rows: number }) | undefined;
  for (const row of counted) {
    const [n, rows] = [Number(row.n), Number(row.rows)];
    const start = from + n * interval;
    const end = Math.min(to, start + interval);
    if (open && open.rows + rows > SLICE_ROWS) {
      slices.push(...cut(open));
      open = undefined;
    }
    open = { team, scope, from: open?.from ?? start, to: end, rows: (open?.rows ?? 0) + rows };
  }
  if (open) slices.push(...cut(open));
  return slices;
}

/** Cuts a slice that has too many rows into equal times. */
function cut({ rows, ...slice }: BacktestSlice & { rows: number }): BacktestSlice[] {
  const length = slice.to - slice.from;
  const parts = Math.min(length, Math.ceil(rows / SLICE_ROWS));
  const at = (part: number): number => slice.from + Math.floor((length * part) / parts);
  return Array.from({ length: parts }, (_, part) => ({ ...slice, from: at(part), to: at(part + 1) }));
}

/** Both halves of a slice that was too large to be read; undefined: it is one millisecond. */
export function halves(slice: BacktestSlice): readonly [BacktestSlice, BacktestSlice] | undefined {
  const middle = Math.floor((slice.from + slice.to) / 2);
  return middle > slice.from
    ? [
        { ...slice, to: middle },
        { ...slice, from: middle },
      ]
    : undefined;
}

/** Earlier texts that policies look at for events of an environment; 0: none. */
export function contextDepth({ policies, environments }: Configuration, team: string, environment: string): number {
  const found = environments.find((each) => each.team === team && each.id === environment);
  const used = new Set(found?.conditions.filter(({ active }) => active).flatMap((condition) => condition.policies));
  return Math.max(0, ...policies.filter(({ id }) => used.has(id)).map(({ detect }) => contextOf(detect)));
}

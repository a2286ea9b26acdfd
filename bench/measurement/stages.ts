/**
 * One stage of a benchmark: a load on the service while processes and backlog are watched. And what follows from its
 * figures: cost per event, rows that arrived, medians of interleaved rounds.
 */
import type { Generator, LoadPlan } from '../generator/process.js';
import type { LoadResult } from '../generator/types.js';
import { type ProcessCost, type WatchedProcess, watchProcesses } from './processes.js';
import { type RemoteSource, watchRemote } from './remote.js';
import type { BacklogTrend, Drained, WatchedStores } from './stores.js';

export interface Stage {
  name: string;
  load: LoadResult;
  processes: ProcessCost[];
  /** undefined where Redis cannot be asked */
  backlog?: BacklogTrend;
}

/** What a stage runs on. */
export interface Bench {
  generator: Generator;
  /** everything that stays the same from stage to stage */
  base: Omit<LoadPlan, 'mode' | 'connections' | 'seconds' | 'firstStamp'>;
  processes: readonly WatchedProcess[];
  /** those of a running installation; absent: none are known */
  remote?: readonly RemoteSource[];
  stores: WatchedStores | undefined;
  /** number of the next request: goes up through all stages, so that no id repeats */
  stamp: number;
  /** rows of what was accepted, and rows that may be stored although their request failed, in all stages so far */
  rows: number;
  unknown: number;
}

export interface StageLoad {
  name: string;
  mode: LoadPlan['mode'];
  connections: number;
  seconds: number;
  pictures?: LoadPlan['pictures'];
  gets?: LoadPlan['gets'];
  /** The stage ends when all of it is archived, so that its costs are whole, and none of them counts for the next one. */
  archived?: boolean;
}

/** How long archiving may take. */
const ARCHIVE_SECONDS = 30;

/** Runs one load and watches what it costs. */
export async function runStage(bench: Bench, load: StageLoad): Promise<Stage> {
  const { name, archived, ...plan } = load;
  const remote = await watchRemote(bench.remote ?? []);
  const processes = watchProcesses(bench.processes);
  const backlog = bench.stores?.watchBacklog();
  try {
    const result = await bench.generator.run({ ...bench.base, ...plan, firstStamp: bench.stamp });
    bench.stamp = result.nextStamp;
    bench.rows += result.rows;
    bench.unknown += result.unknown;
    const trend = backlog?.stop();
    if (archived) await bench.stores?.quiet(ARCHIVE_SECONDS, 'archived');
    return {
      name,
      load: result,
      processes: [...processes.stop(), ...(await remote.stop())],
      ...(trend === undefined ? {} : { backlog: trend }),
    };
  } finally {
    processes.stop();
    await remote.stop();
    backlog?.stop();
  }
}

export interface CostRow {
  name: string;
  /** how many processes share the name */
  count: number;
  /** CPU seconds per million accepted items */
  perMillion: number;
  /** CPU milliseconds per megabyte of accepted bodies; 0 where they are empty */
  perMegabyte: number;
  /** share of one core over the stage */
  cores: number;
  rssMin: number;
  rssMax: number;
  rssSlope: number;
}

/** What each kind of process cost in a stage, in the order given; the last row is all together. */
export function costsOf(stage: Stage): CostRow[] {
  const rows = new Map<string, CostRow>();
  const all = emptyRow('all');
  const { accepted, ok, bodyBytes, seconds } = stage.load;
  const megabytes = (ok * bodyBytes) / 1e6;
  for (const { name, cpuSeconds, rssMin, rssMax, rssSlope } of stage.processes) {
    const row = rows.get(name) ?? emptyRow(name);
    rows.set(name, row);
    for (const sum of [row, all]) {
      sum.count++;
      sum.perMillion += accepted === 0 ? 0 : (cpuSeconds / accepted) * 1e6;
      sum.perMegabyte += megabytes === 0 ? 0 : (cpuSeconds / megabytes) * 1e3;
      sum.cores += cpuSeconds / seconds;
      sum.rssMin += rssMin;
      sum.rssMax += rssMax;
      sum.rssSlope += rssSlope;
    }
  }
  return rows.size === 0 ? [] : [...rows.values(), all];
}

function emptyRow(name: string): CostRow {
  return { name, count: 0, perMillion: 0, perMegabyte: 0, cores: 0, rssMin: 0, rssMax: 0, rssSlope: 0 };
}

/** How many requests failed, of whatever kind. */
export function errorCount(load: LoadResult): number {
  return Object.values(load.errors).reduce((sum, n) => sum + n, 0);
}

export function median(values: readonly number[]): number {
  if (values.length === 0) return 0;
  const sorted = [...values].sort((a, b) => a - b);
  const middle = Math.floor(sorted.length / 2);
  return sorted.length % 2 === 1 ? sorted[middle]! : (sorted[middle - 1]! + sorted[middle]!) / 2;
}

/** Rows in ClickHouse compared with what was answered. */
export interface RowCheck extends Drained {
  /** rows that are to be there */
  accepted: number;
  /** rows of requests that failed but may be stored */
  unknown: number;
  /** every accepted item with content has its row, no row is there twice, and no row is of an item that was never sent */
  exact: boolean;
}

export async function checkRows(bench: Bench, limitSeconds: number): Promise<RowCheck | undefined> {
  if (bench.stores === undefined) return undefined;
  const { rows: accepted, unknown } = bench;
  const drained = await bench.stores.drained(bench.base.tag, accepted, limitSeconds);
  const { rows, ids } = drained;
  return { ...drained, accepted, unknown, exact: rows === ids && ids >= accepted && ids <= accepted + unknown };
}

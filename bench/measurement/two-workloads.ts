/** Two workloads on one stack in turn: what an event of each costs, and what a byte. */
import type { Options } from '../options.js';
import {
  figuresOf,
  type InTurn,
  type InTurnPair,
  type InTurnSide,
  measureInTurn,
  processNames,
  ratioInTurn,
  type SideFigures,
} from './in-turn.js';
import { type Bench, checkRows, costsOf, median, type RowCheck, type Stage } from './stages.js';

const CONNECTIONS = 32;
const SHARE_OF_CAPACITY = 0.7;
/** How long rows may take to arrive after the last answer. */
const ROWS_SECONDS = 60;

export interface WorkloadFigures extends SideFigures {
  /** of bodies, for one event */
  bytesPerEvent: number;
  /** CPU milliseconds for a megabyte of bodies, by process */
  perMegabyte: Record<string, number>;
}

export interface WorkloadsReport {
  rounds: number;
  /** the load by which events a second and CPU were measured, and the one of the latencies, in words */
  load: string;
  latencies: string;
  figures: InTurnPair<WorkloadFigures>;
  /** by process: medians of the ratios of the rounds, of CPU for a byte of bodies, the second workload to the first */
  perByte: Record<string, number>;
  /** of the second workload; undefined where ClickHouse cannot be asked */
  rows: RowCheck | undefined;
}

export interface TwoWorkloads {
  benches: InTurnPair<Bench>;
  options: Options;
  say(line: string): void;
}

interface MeasuredPair {
  stages: InTurnPair<Stage[]>;
  load: string;
}

/** Rounds of the load that was chosen; else closed ones, and then open ones at a share of what each workload reached in them. */
export async function runTwo({ benches, options, say }: TwoWorkloads): Promise<{
  stages: Stage[];
  workloads: WorkloadsReport;
}> {
  const { run, rounds, seconds, connections } = options;
  const how = { rounds, seconds, say, oneStack: true };
  const sides = [sideOf(benches[0]), sideOf(benches[1])] as const;
  const most = run.kind === 'closed' ? run.connections : CONNECTIONS;
  const [load, text]: [InTurn['load'], string] =
    run.kind === 'open'
      ? [{ mode: run, connections }, `${run.rate} requests/s`]
      : [
          { mode: { kind: 'closed' }, connections: most },
          `${most} connections that each send as soon as they have their answer`,
        ];
  const stages = await measureInTurn(sides, { ...how, load, warmup: options.warmup });
  const measured: MeasuredPair = { stages, load: text };
  const open =
    run.kind === 'default' ? await measureOpen(measured, sides, { ...how, load: { ...load, connections } }) : undefined;
  const rows = await checkRows(benches[1], ROWS_SECONDS);
  return {
    stages: [...stages, ...(open?.stages ?? [])].flat(),
    workloads: { ...reportOf(sides, measured, open ?? measured), rounds, rows },
  };
}

const sideOf = (bench: Bench): InTurnSide => ({ name: bench.base.workload.name, bench });

/** Each workload at a share of its own capacity. */
async function measureOpen(
  { stages }: MeasuredPair,
  sides: InTurnPair<InTurnSide>,
  how: Omit<InTurn, 'warmup'>,
): Promise<MeasuredPair> {
  const at = (i: 0 | 1): InTurnSide => {
    const capacity = median(stages[i].map(({ load }) => load.requestsPerSecond));
    const rate = Math.max(1, Math.round(capacity * SHARE_OF_CAPACITY));
    const { name, bench } = sides[i];
    return { name: `${name} at ${rate} requests/s`, bench, load: { ...how.load, mode: { kind: 'open', rate } } };
  };
  const open = await measureInTurn([at(0), at(1)], { ...how, warmup: 0 });
  return { stages: open, load: `${SHARE_OF_CAPACITY * 100} % of these requests, at a fixed rate` };
}

function reportOf(
  sides: InTurnPair<InTurnSide>,
  measured: MeasuredPair,
  timed: MeasuredPair,
): Omit<WorkloadsReport, 'rounds' | 'rows'> {
  const figures = (i: 0 | 1): WorkloadFigures => {
    const { p50, p99 } = figuresOf('', timed.stages[i]);
    return { ...workloadFigures(sides[i].name, measured.stages[i]), p50, p99 };
  };
  const ratios = processNames(measured.stages[0]).map((name) => [
    name,
    ratioInTurn([measured.stages[1], measured.stages[0]], (stage) => perMegabyteOf(stage, name)),
  ]);
  return {
    load: measured.load,
    latencies: timed === measured ? 'the same load' : timed.load,
    figures: [figures(0), figures(1)],
    perByte: Object.fromEntries(ratios) as Record<string, number>,
  };
}

function workloadFigures(name: string, stages: readonly Stage[]): WorkloadFigures {
  const costs = processNames(stages).map((process) => [
    process,
    median(stages.map((stage) => perMegabyteOf(stage, process))),
  ]);
  return {
    ...figuresOf(name, stages),
    bytesPerEvent: median(stages.map(({ load }) => (load.bodyBytes * load.ok) / Math.max(1, load.accepted))),
    perMegabyte: Object.fromEntries(costs) as Record<string, number>,
  };
}

const perMegabyteOf = (stage: Stage, process: string): number =>
  costsOf(stage).find(({ name }) => name === process)?.perMegabyte ?? 0;

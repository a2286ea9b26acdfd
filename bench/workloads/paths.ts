/**
 * Measures the way of a batch through ingress and worker without a stack, and without evaluating it: what each shape of batch costs for a
 * byte of its body, beside that of the first workload. All workloads take turns in one process.
 */
import { startChild } from '../child.js';
import { median } from '../measurement/stages.js';
import type { BenchEnvironment } from '../report/environment.js';
import { fixed, table, whole } from '../report/table.js';
import {
  PATH_WORKLOADS,
  PATHS_URL,
  type PathFigures,
  type PathStep,
  type PathTurn,
  type PathTurned,
  STEPS,
} from './paths/turns.js';

/** After fewer, V8 has not compiled all of it. */
const WARMUP_PASSES = 40;
const PASSES = 10;
const LEAST_ROUNDS = 5;
/** Only ends what hangs: on a busy machine a turn takes long. */
const TURN_MS = 300_000;

export interface PathRow extends PathFigures {
  name: string;
  /** CPU for a byte, to that of the first workload: medians of the ratios of the rounds */
  perByte: { ingress: number; worker: number };
}

export interface PathsReport {
  rounds: number;
  rows: PathRow[];
}

/** Takes rounds for `seconds`, and at least five. */
export async function measurePaths(seconds: number): Promise<PathsReport> {
  const child = startChild<PathTurn, PathTurned>(PATHS_URL, 'The measurement of paths');
  const turn = (passes: number): Promise<PathTurned> => child.ask({ passes }, TURN_MS);
  const turns: PathTurned[] = [];
  try {
    await turn(WARMUP_PASSES);
    const end = performance.now() + seconds * 1000;
    while (turns.length < LEAST_ROUNDS || performance.now() < end) turns.push(await turn(PASSES));
  } finally {
    child.close();
  }
  return pathsOf(turns);
}

export function pathsOf(turns: readonly PathTurned[]): PathsReport {
  const rows = PATH_WORKLOADS.map((name): PathRow => {
    const { size } = turns[0]![name];
    const micros = STEPS.map((step) => [step, median(turns.map((turn) => turn[name].micros[step]))]);
    const ratio = (of: (figures: PathFigures) => number): number =>
      median(turns.map((turn) => of(turn[name]) / of(turn[PATH_WORKLOADS[0]])));
    return {
      name,
      size,
      micros: Object.fromEntries(micros) as Record<PathStep, number>,
      perByte: {
        ingress: ratio((figures) => ingress(figures) / figures.size),
        worker: ratio((figures) => figures.micros.worker / figures.size),
      },
    };
  });
  return { rounds: turns.length, rows };
}

const ingress = ({ micros }: PathFigures): number => micros.read + micros.answer;

export function renderPaths({ rounds, rows }: PathsReport, environment: BenchEnvironment): string {
  const { commit, dirty, cores, cpu, node } = environment;
  const cells = rows.map((row) => {
    const { read, answer, workerRead, worker } = row.micros;
    const perKilobyte = (micros: number): string => fixed((micros * 1000) / row.size, 2);
    return [
      row.name,
      whole(row.size),
      ...[read, answer, workerRead, worker].map((micros) => fixed(micros)),
      perKilobyte(ingress(row)),
      perKilobyte(worker),
      fixed(row.perByte.ingress, 2),
      fixed(row.perByte.worker, 2),
    ];
  });
  const head = [
    ...['Workload', 'bytes', 'ingress: read, µs', 'answer, µs', 'worker: read, µs', 'all, µs'],
    ...['ingress, µs a KB', 'worker, µs a KB', 'ingress, ratio', 'worker, ratio'],
  ];
  return `${table(head, cells)}

CPU time of a batch of 50 events, without evaluation, medians of ${rounds} rounds in turn in one process. "All" has reading, rows and record.
Ratios are of CPU for a byte, to ${PATH_WORKLOADS[0]}: medians of those of the rounds.
Commit ${commit.slice(0, 12)}${dirty ? ' (with local changes)' : ''}, ${cores} × ${cpu}, Node ${node}.
`;
}

/** The same load on two services in turn, so that a machine that changes its pace changes it for both. */
import { type Bench, costsOf, median, runStage, type Stage, type StageLoad } from './stages.js';

export interface InTurnSide {
  name: string;
  bench: Bench;
  /** in place of the load of both */
  load?: InTurn['load'];
}

export type InTurnPair<T> = readonly [T, T];

export interface InTurn {
  load: Pick<StageLoad, 'mode' | 'connections'>;
  rounds: number;
  /** of each stage, in seconds */
  seconds: number;
  /** of each side before the first round, in seconds */
  warmup: number;
  /** both are on one stack, so a stage must not leave work to the next one */
  oneStack?: boolean;
  say(line: string): void;
}

/** How long what a stage has left may take: it would slow the next one. */
const QUIET_SECONDS = 30;

/** The stages of each side. Who is first changes from round to round. */
export async function measureInTurn(sides: InTurnPair<InTurnSide>, how: InTurn): Promise<InTurnPair<Stage[]>> {
  const { load, rounds, seconds, warmup, oneStack, say } = how;
  const stageOf = async ({ name, bench, ...own }: InTurnSide, what: string, length: number): Promise<Stage> => {
    say(`${name}, ${what}: ${length} s`);
    const stage = await runStage(bench, {
      ...(own.load ?? load),
      name: `${name}, ${what}`,
      seconds: length,
      ...(oneStack ? { archived: true } : {}),
    });
    const { itemsPerSecond, latency } = stage.load;
    say(
      `  ${Math.round(itemsPerSecond)} events/s, p50 ${latency.p50.toFixed(1)} ms, p99 ${latency.p99.toFixed(1)} ms, ${cpuPerMillion(stage).toFixed(1)} CPU s per million`,
    );
    await bench.stores?.quiet(QUIET_SECONDS);
    return stage;
  };
  if (warmup > 0) for (const side of sides) await stageOf(side, 'warm-up', warmup);
  const stages: InTurnPair<Stage[]> = [[], []];
  for (let round = 1; round <= rounds; round++) {
    for (const at of round % 2 === 1 ? ([0, 1] as const) : ([1, 0] as const)) {
      stages[at].push(await stageOf(sides[at], `round ${round}`, seconds));
    }
  }
  return stages;
}

export interface SideFigures {
  name: string;
  /** medians of the rounds */
  eventsPerSecond: number;
  p50: number;
  p99: number;
  /** of all processes but the generator */
  cpuPerMillion: number;
  /** of each of them */
  processes: Record<string, number>;
}

/** Of all but the generator. */
export const processNames = (stages: readonly Stage[]): string[] => [
  ...new Set(stages.flatMap((stage) => ownCosts(stage).map((cost) => cost.name))),
];

/** Medians of the stages of one side. */
export function figuresOf(name: string, stages: readonly Stage[]): SideFigures {
  const middle = (of: (stage: Stage) => number): number => median(stages.map(of));
  return {
    name,
    eventsPerSecond: middle(({ load }) => load.itemsPerSecond),
    p50: middle(({ load }) => load.latency.p50),
    p99: middle(({ load }) => load.latency.p99),
    cpuPerMillion: middle(cpuPerMillion),
    processes: Object.fromEntries(
      processNames(stages).map((process) => [
        process,
        middle((stage) => ownCosts(stage).find((cost) => cost.name === process)?.perMillion ?? 0),
      ]),
    ),
  };
}

/** The median of the ratios of the rounds, the first side to the second. */
export const ratioInTurn = ([own, other]: InTurnPair<readonly Stage[]>, of: (stage: Stage) => number): number =>
  median(own.map((stage, i) => of(stage) / of(other[i]!)));

const ownCosts = (stage: Stage) => costsOf(stage).filter(({ name }) => name !== 'all' && name !== 'generator');

/** CPU seconds of all processes but the generator for a million events. */
export const cpuPerMillion = (stage: Stage): number =>
  ownCosts(stage).reduce((sum, { perMillion }) => sum + perMillion, 0);

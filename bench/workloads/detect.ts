/**
 * Measures detectors by themselves, without a stack: one thread, texts of about 250 characters in which nothing is to be found. Each
 * plan has a process of its own, as one of a service has: code that has served several plans is slower for all of them. They take turns,
 * so that other work of the machine slows all of them alike.
 */
import { type BenchChild, startChild } from '../child.js';
import { latencyHistogram } from '../measurement/histogram.js';
import type { BenchEnvironment } from '../report/environment.js';
import { table } from '../report/table.js';
import { ASKED_URL, type AskedTurn, type AskedTurned, SHARE_NAMES, type ShareName, WAYS } from './detect/asked.js';
import { CHILD_URL, type Turned, type VariantTurn } from './detect/turns.js';
import { CHARACTERS, KINDS, TEXTS, type TextKind, type Variant, variants } from './detect/variants.js';

const WARMUP_ROUNDS = 60;
/** Rounds of a turn. After the first, what the turns of others put into the caches is gone. */
const ROUNDS = 10;
/** The same where a round is over batches. */
const ASKED_ROUNDS = 4;
/** Only ends what hangs: on a busy machine a turn takes long. */
const TURN_MS = 300_000;

export interface DetectFigures {
  /** by detector, or group of detectors: median microseconds of a text, by kind of text */
  rows: { name: string; micros: Record<TextKind, number> }[];
}

export interface AskedFigures {
  /** by way of asking: CPU microseconds of an event, by share of flagged ones */
  rows: { name: string; micros: Record<ShareName, { engine: number; answer: number }> }[];
}

interface VariantRun extends Variant {
  child: BenchChild<VariantTurn, Turned>;
  histograms: Record<TextKind, ReturnType<typeof latencyHistogram>>;
}

/** Evaluates texts by each of `measured` for `seconds`. Rejects when a rule finds something, as that would cost more than a clean text. */
export async function measureDetect(
  seconds: number,
  measured: readonly Variant[] = variants(),
): Promise<DetectFigures> {
  const runs = measured.map((variant): VariantRun => {
    const histograms = KINDS.map((kind) => [kind, latencyHistogram()] as const);
    return {
      ...variant,
      child: startChild(CHILD_URL, `The measurement of ${variant.name}`),
      histograms: Object.fromEntries(histograms) as VariantRun['histograms'],
    };
  });
  try {
    for (const run of runs) warm(run, await turn(run, WARMUP_ROUNDS));
    const end = performance.now() + seconds * 1000;
    do {
      for (const run of runs) record(run, await turn(run, ROUNDS));
    } while (performance.now() < end);
  } finally {
    for (const { child } of runs) child.close();
  }
  return { rows: runs.map(({ name, histograms }) => ({ name, micros: microsOf(histograms) })) };
}

const turn = ({ child, name }: VariantRun, rounds: number): Promise<Turned> =>
  child.ask({ variant: name, rounds }, TURN_MS);

function warm({ name, models }: VariantRun, { flagged }: Turned): void {
  // A model scores every text, whatever the score.
  if (models) return;
  for (const kind of KINDS) {
    if (flagged[kind] > 0) throw new Error(`${name} finds something in ${flagged[kind]} texts that are ${kind}.`);
  }
}

function record({ histograms }: VariantRun, { millis }: Turned): void {
  for (const kind of KINDS) for (const ms of millis[kind]) histograms[kind].record(ms);
}

function microsOf(histograms: VariantRun['histograms']): Record<TextKind, number> {
  const micros = KINDS.map((kind) => [kind, (histograms[kind].summary().p50 * 1000) / TEXTS]);
  return Object.fromEntries(micros) as Record<TextKind, number>;
}

/** Measures what is asked beside the verdict for `seconds`, in `ways`, which take turns. */
export async function measureAsked(
  seconds: number,
  ways: readonly string[] = Object.keys(WAYS),
): Promise<AskedFigures> {
  const runs = ways.map((name) => {
    const child = startChild<AskedTurn, AskedTurned>(ASKED_URL, `The measurement of ${name}`);
    const turned: AskedTurned[] = [];
    return { name, child, turned, turn: (rounds: number) => child.ask({ way: name, rounds }, TURN_MS) };
  });
  try {
    for (const { turn } of runs) await turn(ASKED_ROUNDS);
    const end = performance.now() + seconds * 1000;
    do {
      for (const { turn, turned } of runs) turned.push(await turn(ASKED_ROUNDS));
    } while (performance.now() < end);
  } finally {
    for (const { child } of runs) child.close();
  }
  return { rows: runs.map(({ name, turned }) => ({ name, micros: askedMicros(turned) })) };
}

/** Of each body the round that an eighth of them beat: others slow rounds down, and none is faster than the code is. */
function askedMicros(turned: readonly AskedTurned[]): AskedFigures['rows'][number]['micros'] {
  const of = (share: ShareName, part: 'engine' | 'answer'): number => {
    const bodies = turned[0]![share].map((_, i) => {
      const rounds = turned.flatMap((one) => one[share][i]![part]).sort((a, b) => a - b);
      return rounds[rounds.length >> 3]!;
    });
    return bodies.reduce((sum, micros) => sum + micros, 0) / bodies.length;
  };
  const micros = SHARE_NAMES.map((share) => [share, { engine: of(share, 'engine'), answer: of(share, 'answer') }]);
  return Object.fromEntries(micros) as AskedFigures['rows'][number]['micros'];
}

/** What each way adds to the first one, in percent of the time that the engine takes there. */
export function renderAsked({ rows }: AskedFigures): string {
  const first = rows[0]!.micros;
  const cells = rows.map(({ name, micros }) => [
    name,
    ...SHARE_NAMES.flatMap((share) => {
      const [{ engine, answer }, base] = [micros[share], first[share]];
      const more = ((engine + answer - base.engine - base.answer) / base.engine) * 100;
      return [engine.toFixed(2), answer.toFixed(2), `${more.toFixed(1)} %`];
    }),
  ]);
  const head = SHARE_NAMES.flatMap((share) => [`${share}: engine, µs`, 'answer, µs', 'more']);
  return `${table(['Asked beside the verdict', ...head], cells)}

An event of a batch of 50, on one thread, with bench/policies.yaml: CPU time, of each batch the round that an eighth of them beat.
"More" is what is added to the first line, in percent of its engine.
`;
}

export function renderDetect({ rows }: DetectFigures, { commit, dirty, cores, cpu, node }: BenchEnvironment): string {
  const cells = rows.map(({ name, micros }) => [name, ...KINDS.map((kind) => micros[kind].toFixed(2))]);
  return `${table(['Detector, with all it has', ...KINDS.map((kind) => `${kind}, µs`)], cells)}

Median of a clean text of ${CHARACTERS} characters, on one thread, each plan in a process of its own.
Commit ${commit.slice(0, 12)}${dirty ? ' (with local changes)' : ''}, ${cores} × ${cpu}, Node ${node}.
`;
}

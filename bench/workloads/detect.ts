/**
 * Measures detectors by themselves, without a stack: one thread, texts of about 250 characters in which nothing is to be found. Each
 * plan has a process of its own, as one of a service has: code that has served several plans is slower for all of them. They take turns,
 * so that other work of the machine slows all of them alike.
 */
import { type Child, startChild } from '../child.js';
import { latencyHistogram } from '../measurement/histogram.js';
import type { Environment } from '../report/environment.js';
import { table } from '../report/table.js';
import { CHILD_URL, type Turn, type Turned } from './detect/turns.js';
import { CHARACTERS, KINDS, type Kind, TEXTS, type Variant, variants } from './detect/variants.js';

const WARMUP_ROUNDS = 60;
/** Rounds of a turn. After the first, what the turns of others put into the caches is gone. */
const ROUNDS = 10;
const TURN_MS = 60_000;

export interface DetectFigures {
  /** by detector, or group of detectors: median microseconds of a text, by kind of text */
  rows: { name: string; micros: Record<Kind, number> }[];
}

interface Run extends Variant {
  child: Child<Turn, Turned>;
  histograms: Record<Kind, ReturnType<typeof latencyHistogram>>;
}

/** Evaluates texts by each of `measured` for `seconds`. Rejects when a rule finds something, as that would cost more than a clean text. */
export async function measureDetect(
  seconds: number,
  measured: readonly Variant[] = variants(),
): Promise<DetectFigures> {
  const runs = measured.map((variant): Run => {
    const histograms = KINDS.map((kind) => [kind, latencyHistogram()] as const);
    return {
      ...variant,
      child: startChild(CHILD_URL, `The measurement of ${variant.name}`),
      histograms: Object.fromEntries(histograms) as Run['histograms'],
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

const turn = ({ child, name }: Run, rounds: number): Promise<Turned> => child.ask({ variant: name, rounds }, TURN_MS);

function warm({ name, models }: Run, { flagged }: Turned): void {
  // A model scores every text, whatever the score.
  if (models) return;
  for (const kind of KINDS) {
    if (flagged[kind] > 0) throw new Error(`${name} finds something in ${flagged[kind]} texts that are ${kind}.`);
  }
}

function record({ histograms }: Run, { millis }: Turned): void {
  for (const kind of KINDS) for (const ms of millis[kind]) histograms[kind].record(ms);
}

function microsOf(histograms: Run['histograms']): Record<Kind, number> {
  const micros = KINDS.map((kind) => [kind, (histograms[kind].summary().p50 * 1000) / TEXTS]);
  return Object.fromEntries(micros) as Record<Kind, number>;
}

export function renderDetect({ rows }: DetectFigures, { commit, dirty, cores, cpu, node }: Environment): string {
  const cells = rows.map(({ name, micros }) => [name, ...KINDS.map((kind) => micros[kind].toFixed(2))]);
  return `${table(['Detector, with all it has', ...KINDS.map((kind) => `${kind}, µs`)], cells)}

Median of a clean text of ${CHARACTERS} characters, on one thread, each plan in a process of its own.
Commit ${commit.slice(0, 12)}${dirty ? ' (with local changes)' : ''}, ${cores} × ${cpu}, Node ${node}.
`;
}

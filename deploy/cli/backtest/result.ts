/** What a backtest has found so far. It is plain data, so that it goes between threads and into a file. */

import {
  addCounts,
  type PolicyTally,
  type Tallies,
  tallyOf,
  type VerdictChange,
} from '../../../workers/evaluator/backtest/compare.js';
import { addTallies, type LabelledTallies } from '../../../workers/evaluator/backtest/labelled.js';

/** Counts of items. */
export interface BacktestCounts {
  /** chosen items of the window */
  items: number;
  evaluated: number;
  /** at least one policy judges them otherwise */
  changed: number;
  /** content that has expired */
  expired: number;
  /** content that was never kept: `content_days: 0` */
  not_kept: number;
  /** images, and sessions with images: bytes of images are not stored */
  images: number;
  /** checks that had no verdict */
  failed: number;
  /** of an environment or a deployment that the configuration does not have */
  no_scope: number;
  /** sessions and events whose content may have been read in two ways that differ; the one that agrees with the stored verdict counts */
  two_readings: number;
}

const NO_COUNTS: BacktestCounts = {
  items: 0,
  evaluated: 0,
  changed: 0,
  expired: 0,
  not_kept: 0,
  images: 0,
  failed: 0,
  no_scope: 0,
  two_readings: 0,
};

/** An item that a policy judges otherwise. */
export interface BacktestExample {
  policy: string;
  change: VerdictChange;
  id: string;
  team: string;
  scope: string;
  /** RFC 3339 */
  time: string;
  type: string;
  /** the beginning of its content */
  text: string;
  /** where detectors fired, of one that is newly flagged */
  evidence?: { detector: string; view: string; start: number; end: number }[];
}

export interface BacktestResult {
  counts: BacktestCounts;
  tallies: [id: string, tally: PolicyTally][];
  examples: BacktestExample[];
  /** with labels: what becomes of labelled items */
  labelled?: LabelledTallies;
  /** by number of the configuration: items that it judged */
  versions: Record<string, number>;
  /** µs that the engine took for all */
  microseconds: number;
  /** some texts, to measure each policy by */
  texts: string[];
}

export const emptyResult = (): BacktestResult => ({
  counts: { ...NO_COUNTS },
  tallies: [],
  examples: [],
  versions: {},
  microseconds: 0,
  texts: [],
});

/** Texts that policies are measured by. */
export const MOST_TEXTS = 400;

/** Adds `more` to `sum`; keeps at most `examples` of each policy and change. */
export function addResult(sum: BacktestResult, more: BacktestResult, examples: number): void {
  addCounts(sum.counts, more.counts);
  addCounts(sum.versions, more.versions);
  const tallies: Tallies = new Map(sum.tallies);
  for (const [id, tally] of more.tallies) addCounts(tallyOf(tallies, id, tally.name), tally);
  sum.tallies = [...tallies];
  sum.examples = fewOfEach([...sum.examples, ...more.examples], examples);
  if (more.labelled) {
    sum.labelled ??= [];
    addTallies(sum.labelled, more.labelled);
  }
  sum.microseconds += more.microseconds;
  sum.texts.push(...more.texts.slice(0, MOST_TEXTS - sum.texts.length));
}

function fewOfEach(examples: readonly BacktestExample[], most: number): BacktestExample[] {
  const seen = new Map<string, number>();
  return examples.filter(({ policy, change }) => {
    const key = `${policy} ${change}`;
    const count = (seen.get(key) ?? 0) + 1;
    seen.set(key, count);
    return count <= most;
  });
}

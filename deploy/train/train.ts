/**
 * Trains a model: fits it without a part of the examples, so that these get scores by weights that did not see them; calibrates and
 * sets thresholds by these scores; and packs the weights. With folds, each part is held out in turn, and the weights learn from all in the
 * end. The same input and seed give the same bytes.
 */

import { BUCKETS, FEATURES_VERSION } from '../../shared/policy/models/features.js';
import { type ModelFile, writeModel } from '../../shared/policy/models/format.js';
import { buildLexicon, type LexiconEntries } from '../../shared/policy/models/lexicon.js';
import { chanceOf, LANES, type Label } from '../../shared/policy/models/model.js';
import type { TrainingExample } from './example.js';
import { calibrate, type Raw } from './fit/calibrate.js';
import { type Corpus, readCorpus } from './fit/corpus.js';
import type { LabelOptions } from './fit/fit.js';
import { fitParts } from './fit/parts.js';
import { quantise, rounded } from './fit/quantise.js';

export interface LabelPlan extends LabelOptions {
  name: string;
  /** sets the threshold by scores of examples that were held out */
  threshold(held: readonly HeldOutScore[], aside: readonly HeldOutScore[]): number;
}

export interface TrainPlan {
  name: string;
  labels: readonly LabelPlan[];
  examples: readonly TrainingExample[];
  entries: LexiconEntries;
  seed: number;
  folds: number;
  /** by name of a file of the data: its SHA-256 */
  hashes: Record<string, string>;
}

/** The score, 0 to 1, of an example by weights that did not see its group. */
export interface HeldOutScore {
  score: number;
  value: 0 | 1;
  weight: number;
  source: string;
}

export interface Trained {
  file: ModelFile;
  bytes: Uint8Array;
  /** by label */
  held: HeldOutScore[][];
}

/** Shares of the largest weight at which larger ones may be cut off. */
const CLIPS = [1, 0.8, 0.65, 0.5, 0.4, 0.32, 0.25, 0.2, 0.16, 0.12];

export function train(plan: TrainPlan, report: (line: string) => void): Trained {
  const { examples, entries, labels, seed } = plan;
  const started = performance.now();
  const say = (line: string): void =>
    report(`${((performance.now() - started) / 1000).toFixed(1).padStart(6)} s  ${line}`);
  const corpus = readCorpus(examples, buildLexicon(entries.hashes, entries.packed));
  say(
    `${examples.length} texts, ${corpus.starts[examples.length]} features, ${entries.hashes.length} words of the lexicon`,
  );
  const fitted = fitParts(corpus, { ...plan, isAside: ({ aside }) => aside === true, learnsAside: true }, say);
  const { weights } = fitted;
  say('fitted');
  const { bytes, scales } = quantise(weights.values, {
    lanes: LANES,
    labels: labels.length,
    clips: CLIPS,
    uses: (lane) => usesOf(corpus, lane),
  });
  const held: HeldOutScore[][] = [];
  const scaled = labels.map((label, lane): Label => {
    const scores = rawOf(corpus, fitted.raw, fitted.scored, lane);
    const { slope, offset } = calibrate(scores);
    const scored = ({ raw: sum, chance, ...rest }: RawOfText): HeldOutScore => ({
      ...rest,
      score: 1 / (1 + Math.exp(chance - slope * sum - offset)),
    });
    const own = scores.map(scored);
    const aside = rawOf(corpus, fitted.raw, fitted.aside, lane).map(scored);
    held.push(own);
    return {
      name: label.name,
      scale: rounded(slope * scales[lane]!),
      bias: rounded(slope * weights.bias[lane]! + offset),
      threshold: Math.round(label.threshold(own, aside) * 1e4) / 1e4,
    };
  });
  say('calibrated');
  const file: ModelFile = {
    header: {
      name: plan.name,
      version: 1,
      features: FEATURES_VERSION,
      labels: scaled,
      words: entries.hashes.length,
      seed,
      data: plan.hashes,
    },
    ...entries,
    weights: bytes,
  };
  return { file, bytes: writeModel(file), held };
}

interface RawOfText extends Raw {
  source: string;
  /** what its calibrated sum is less by */
  chance: number;
}

/** What is calibrated by one label: the sums of the examples that say something of it. */
function rawOf({ examples }: Corpus, raw: Float32Array, rows: Int32Array, lane: number): RawOfText[] {
  return Array.from(rows).flatMap((row) => {
    const { targets, source, text } = examples[row]!;
    const target = targets.find((each) => each.lane === lane);
    if (!target) return [];
    const { value, weight } = target;
    return [{ raw: raw[row * LANES + lane]!, value, weight, source, chance: chanceOf(text.length) }];
  });
}

/** How often each bucket occurs in what says something of a label. */
function usesOf({ examples, starts, features }: Corpus, lane: number): Float32Array {
  const uses = new Float32Array(BUCKETS);
  for (const [row, { targets }] of examples.entries()) {
    if (!targets.some((target) => target.lane === lane)) continue;
    for (let i = starts[row]!; i < starts[row + 1]!; i++) uses[features[i]!] = uses[features[i]!]! + 1;
  }
  return uses;
}

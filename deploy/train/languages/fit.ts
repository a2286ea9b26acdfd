/**
 * Fits the weights of all languages at once, in one table: what two of them share a bucket for by chance is learned as such. Logistic
 * loss by AdaGrad, label after label.
 */
import { BUCKETS, buckets, extract, seedOf } from '../../../shared/policy/models/languages/features.js';
import { LABELS, LANES } from '../../../shared/policy/models/languages/format.js';
import { rootOf } from '../../../shared/policy/models/languages/score.js';
import { WINDOW } from '../../../shared/policy/models/normalise.js';
import { createRandom, shuffle } from '../random.js';
import { LANGUAGES } from './list.js';
import type { LanguageExample } from './targets.js';

/** The features of all examples, in a row. Of a long text, its beginning is read. */
export interface LanguageCorpus {
  examples: readonly LanguageExample[];
  starts: Int32Array;
  features: Int32Array;
}

export function readCorpus(examples: readonly LanguageExample[]): LanguageCorpus {
  const starts = new Int32Array(examples.length + 1);
  const parts: Int32Array[] = [];
  for (const [i, { language, text }] of examples.entries()) {
    const n = extract(seedOf(language), LANGUAGES[language]!.reading, text, 0, Math.min(text.length, WINDOW));
    parts.push(buckets.slice(0, n));
    starts[i + 1] = starts[i]! + n;
  }
  const features = new Int32Array(starts[examples.length]!);
  for (const [i, part] of parts.entries()) features.set(part, starts[i]);
  return { examples, starts, features };
}

export interface LanguageWeights {
  /** by bucket and label, {@link LANES} side by side */
  values: Float32Array;
  /** by language and label */
  bias: Float32Array;
}

const RATE = 0.3;
const EPOCHS = 8;
/** What the sum of squared gradients begins at. */
const START = 0.005;
/** By label. */
const L2 = [3e-4, 3e-4, 2e-3];
/** Errors below this are not learned from. */
const KNOWN = 0.005;

/** `rows`: numbers of the examples to learn from. */
export function fit(corpus: LanguageCorpus, rows: Int32Array, seed: number): LanguageWeights {
  const values = new Float32Array(BUCKETS * LANES);
  const bias = new Float32Array(LANGUAGES.length * LANES);
  for (let lane = 0; lane < LABELS.length; lane++) {
    const own = rows.filter((row) => (corpus.examples[row]!.targets[lane]?.[1] ?? 0) > 0);
    fitLabel(corpus, own, lane, { values, bias, seed });
  }
  return { values, bias };
}

function fitLabel(
  { examples, starts, features }: LanguageCorpus,
  rows: Int32Array,
  lane: number,
  { values, bias, seed }: LanguageWeights & { seed: number },
): void {
  const decay = L2[lane]!;
  const state = new Float32Array(2 * BUCKETS);
  for (let at = 1; at < state.length; at += 2) state[at] = START;
  const random = createRandom(seed);
  const steps = rows.length * EPOCHS;
  let step = 0;
  for (let epoch = 0; epoch < EPOCHS; epoch++) {
    for (const row of shuffle(rows, random)) {
      const rate = RATE * (1 - step++ / steps);
      const { language, targets } = examples[row]!;
      const [value, weight] = targets[lane]!;
      const [from, to] = [starts[row]!, starts[row + 1]!];
      const root = rootOf(to - from);
      const biasAt = language * LANES + lane;
      let sum = 0;
      for (let i = from; i < to; i++) sum += state[2 * features[i]!]!;
      const error = (1 / (1 + Math.exp(-(sum * root + bias[biasAt]!))) - value) * weight;
      bias[biasAt]! -= 0.1 * rate * error;
      // What is known by heart teaches nothing.
      if (error < KNOWN && error > -KNOWN) continue;
      for (let i = from; i < to; i++) {
        const at = 2 * features[i]!;
        const gradient = error * root + decay * state[at]!;
        const square = state[at + 1]! + gradient * gradient;
        state[at + 1] = square;
        state[at]! -= (rate * gradient) / Math.sqrt(square);
      }
    }
  }
  for (let bucket = 0; bucket < BUCKETS; bucket++) values[bucket * LANES + lane] = state[2 * bucket]!;
}

/** The sum of weights of example `row` over the root of the number of its features, with the bias. */
export function rawScore(
  { examples, starts, features }: LanguageCorpus,
  row: number,
  { values, bias }: LanguageWeights,
  lane: number,
): number {
  const [from, to] = [starts[row]!, starts[row + 1]!];
  let sum = 0;
  for (let i = from; i < to; i++) sum += values[features[i]! * LANES + lane]!;
  return sum * rootOf(to - from) + bias[examples[row]!.language * LANES + lane]!;
}

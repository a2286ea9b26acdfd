/**
 * Fits the weights: logistic loss of every label that an example has, by AdaGrad. For all labels but those in `plain`, a feature counts
 * by its log-ratio between the two sides (as naive Bayes would weigh it), so that rare features of one side count more.
 */
import { BUCKETS } from '../../../shared/policy/models/features.js';
import { LANES } from '../../../shared/policy/models/model.js';
import { createRandom, shuffle } from '../random.js';
import type { Corpus } from './corpus.js';

export interface FitOptions {
  labels: number;
  seed: number;
  /** labels whose features all count alike */
  plain: ReadonlySet<number>;
  /** by label: what the sum of squared gradients begins at; less means larger first steps */
  start: readonly number[];
  epochs: number;
}

export interface Weights {
  /** by bucket and label, {@link LANES} side by side */
  values: Float32Array;
  bias: Float32Array;
}

const RATE = 0.3;
const L2 = 1e-6;
/** Errors below this are not learned from. */
const KNOWN = 0.005;
/** Added to the counts of both sides. */
const SMOOTHING = 1;

/** Of each weight, side by side so that a step touches one line of the cache: its value, sum of squared gradients, log-ratio. */
const FIELDS = 4;
const SQUARES = 1;
const RATIO = 2;

/** `rows`: numbers of the examples to learn from. */
export function fit(corpus: Corpus, rows: Int32Array, options: FitOptions): Weights {
  const state = new Float32Array(BUCKETS * LANES * FIELDS);
  for (let i = 0; i < BUCKETS * LANES; i++) state[i * FIELDS + SQUARES] = options.start[i % LANES] ?? 1;
  setRatios(state, corpus, rows, options);
  const bias = new Float32Array(LANES);
  const random = createRandom(options.seed);
  const order = rows.slice();
  const steps = order.length * options.epochs;
  let step = 0;
  for (let epoch = 0; epoch < options.epochs; epoch++) {
    shuffle(order, random);
    for (const row of order) learn(corpus, row, { state, bias, rate: RATE * (1 - step++ / steps) });
  }
  const values = new Float32Array(BUCKETS * LANES);
  for (let i = 0; i < values.length; i++) values[i] = state[i * FIELDS]! * state[i * FIELDS + RATIO]!;
  return { values, bias };
}

interface Step {
  state: Float32Array;
  bias: Float32Array;
  rate: number;
}

const sums = new Float64Array(LANES);

function learn({ examples, starts, features }: Corpus, row: number, { state, bias, rate }: Step): void {
  const [from, to] = [starts[row]!, starts[row + 1]!];
  const { targets } = examples[row]!;
  if (from === to) return;
  const root = 1 / Math.sqrt(to - from);
  sums.fill(0);
  for (let i = from; i < to; i++) {
    const bucket = features[i]! * LANES;
    for (let t = 0; t < targets.length; t++) {
      const { lane } = targets[t]!;
      const at = (bucket + lane) * FIELDS;
      sums[lane] = sums[lane]! + state[at]! * state[at + RATIO]!;
    }
  }
  for (const { lane, value, weight } of targets) {
    const error = (1 / (1 + Math.exp(-(sums[lane]! * root + bias[lane]!))) - value) * weight;
    bias[lane] = bias[lane]! - 0.1 * rate * error;
    // What is known by heart teaches nothing.
    if (error < KNOWN && error > -KNOWN) continue;
    for (let i = from; i < to; i++) {
      const at = (features[i]! * LANES + lane) * FIELDS;
      const gradient = error * state[at + RATIO]! * root + L2 * state[at]!;
      const square = state[at + SQUARES]! + gradient * gradient;
      state[at + SQUARES] = square;
      state[at] = state[at]! - (rate * gradient) / Math.sqrt(square);
    }
  }
}

/** Writes the log-ratios, 1 for labels whose features count alike. */
function setRatios(
  state: Float32Array,
  { examples, starts, features }: Corpus,
  rows: Int32Array,
  options: FitOptions,
): void {
  const sides = new Float32Array(BUCKETS * LANES * 2).fill(SMOOTHING);
  const totals = [new Float64Array(LANES), new Float64Array(LANES)] as const;
  for (const row of rows) {
    const [from, to] = [starts[row]!, starts[row + 1]!];
    for (const { lane, value, weight } of examples[row]!.targets) {
      if (options.plain.has(lane)) continue;
      for (let i = from; i < to; i++) {
        const at = (features[i]! * LANES + lane) * 2 + value;
        sides[at] = sides[at]! + weight;
      }
      totals[value][lane] = totals[value][lane]! + weight * (to - from);
    }
  }
  for (let i = 0; i < BUCKETS * LANES; i++) {
    const lane = i % LANES;
    const offset = Math.log((totals[0][lane]! + BUCKETS) / (totals[1][lane]! + BUCKETS));
    state[i * FIELDS + RATIO] = options.plain.has(lane) ? 1 : Math.log(sides[2 * i + 1]! / sides[2 * i]!) + offset;
  }
}

/** The sum of weights of example `row` over the root of the number of its features, with the bias. */
export function rawScore({ starts, features }: Corpus, row: number, { values, bias }: Weights, lane: number): number {
  const [from, to] = [starts[row]!, starts[row + 1]!];
  if (from === to) return bias[lane]!;
  let sum = 0;
  for (let i = from; i < to; i++) sum += values[features[i]! * LANES + lane]!;
  return sum / Math.sqrt(to - from) + bias[lane]!;
}

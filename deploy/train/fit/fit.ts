/**
 * Fits the weights: logistic loss of every label that an example has, by AdaGrad. Of a long text, the window that has the highest score
 * learns: it is the one that decides. In the first epoch, all of a text with the label learns, since no window is higher yet. For all labels but those that are `plain`, a feature
 * counts by its log-ratio between the two sides (as naive Bayes would weigh it), so that rare features of one side count more.
 */
import { createRandom, shuffle, type TrainingRandom } from '../random.js';
import {
  type Corpus,
  type CorpusFeatures,
  type CorpusWindow,
  eachWindow,
  highestWindow,
  type WeightTable,
} from './corpus.js';

export interface FitOptions {
  seed: number;
  /** how each label is learned */
  labels: readonly LabelOptions[];
}

export interface LabelOptions {
  /** its features all count alike; absent: by their log-ratio */
  plain?: boolean;
  /** of a text without it, the highest window teaches alone; absent: each does */
  highestOnly?: boolean;
  /** what the sum of squared gradients begins at; less means larger first steps */
  start: number;
  epochs: number;
  /** pulls the weights of what is learned from towards 0 */
  decay: number;
  /** how often it is learned from the beginning, each time in another order: the weights are the mean; absent: once */
  runs?: number;
}

export interface Weights {
  /** by bucket and label */
  values: Float32Array;
  /** by group and label */
  bias: Float32Array;
}

const RATE = 0.3;
/** Runs of seeds that lie near each other have no order in common. */
const BETWEEN_RUNS = 1000;
/** Errors below this are not learned from. */
const KNOWN = 0.005;
/** Added to the counts of both sides. */
const SMOOTHING = 1;

/** Of each weight, side by side so that a step touches one line of the cache: its value, sum of squared gradients, log-ratio. */
const SQUARES = 1;
const RATIO = 2;
const FIELDS = 4;
/** of one that has no log-ratio */
const PLAIN_FIELDS = 2;

/**
 * `rows`: numbers of the examples to learn from. Labels are learned one after another: what one needs stays in the cache. What says
 * nothing of a label changes neither its order nor its rate, so that texts of one label leave the weights of the others as they are.
 */
export function fit<Example>(corpus: Corpus<Example>, rows: Int32Array, { seed, labels }: FitOptions): Weights {
  const { buckets, lanes, groups } = corpus.kind;
  const values = new Float32Array(buckets * lanes);
  const bias = new Float32Array(groups * lanes);
  for (const [lane, label] of labels.entries()) {
    const column = columnOf(corpus, rows, lane);
    const own = rows.filter((row) => column.weights[row]! > 0);
    const runs = label.runs ?? 1;
    for (let run = 0; run < runs; run++) {
      const random = createRandom(seed + run * BETWEEN_RUNS);
      const learned = learnLabel(corpus, { column, order: own.slice(), random }, label);
      for (let at = lane; at < bias.length; at += lanes) bias[at] = bias[at]! + learned.bias[at]! / runs;
      for (let bucket = 0; bucket < buckets; bucket++) {
        const at = bucket * lanes + lane;
        values[at] = values[at]! + learned.valueOf(bucket) / runs;
      }
    }
  }
  return { values, bias };
}

interface LabelRows {
  column: LabelColumn;
  /** those that say something of the label; shuffled in each epoch */
  order: Int32Array;
  random: TrainingRandom;
}

/** Learns one label from the beginning. */
function learnLabel<Example>(
  corpus: Corpus<Example>,
  { column, order, random }: LabelRows,
  { plain, highestOnly, start, epochs, decay }: LabelOptions,
): { bias: Float32Array; valueOf: (bucket: number) => number } {
  const { buckets, lanes, groups } = corpus.kind;
  const table = tableOf(buckets, start, plain === true);
  if (!plain) setRatios(table.values, corpus, column);
  const bias = new Float32Array(groups * lanes);
  const fitting = { ...column, table, bias, decay, highestOnly, first: true };
  const steps = order.length * epochs;
  let step = 0;
  for (let epoch = 0; epoch < epochs; epoch++) {
    fitting.first = epoch === 0;
    shuffle(order, random);
    for (const row of order) learn(corpus, row, fitting, RATE * (1 - step++ / steps));
  }
  const { values: state, stride } = table;
  return {
    bias,
    valueOf: (bucket) => state[bucket * stride]! * (plain ? 1 : state[bucket * stride + RATIO]!),
  };
}

function tableOf(buckets: number, start: number, plain: boolean): WeightTable {
  const stride = plain ? PLAIN_FIELDS : FIELDS;
  const values = new Float32Array(buckets * stride);
  for (let at = SQUARES; at < values.length; at += stride) values[at] = start;
  return { values, stride, offset: 0, ratio: plain ? -1 : RATIO };
}

/** By row of the corpus: what it says of one label, and where its bias is. A weight of 0: nothing. */
interface LabelColumn {
  targets: Uint8Array;
  weights: Float64Array;
  biases: Uint16Array;
}

function columnOf<Example>({ kind, examples }: Corpus<Example>, rows: Int32Array, lane: number): LabelColumn {
  const size = examples.length;
  const column = { targets: new Uint8Array(size), weights: new Float64Array(size), biases: new Uint16Array(size) };
  for (const row of rows) {
    const target = kind.targetOf(examples[row]!, lane);
    if (!target) continue;
    column.targets[row] = target.value;
    column.weights[row] = target.weight;
    column.biases[row] = kind.groupOf(examples[row]!) * kind.lanes + lane;
  }
  return column;
}

interface Fitting extends LabelColumn {
  table: WeightTable;
  bias: Float32Array;
  decay: number;
  highestOnly: boolean | undefined;
  /** whether it is the first epoch */
  first: boolean;
}

const found: CorpusWindow = { from: 0, to: 0, value: 0 };

/** Of a text without the label, each window says so; of a text with it, the highest does, and at first all of it. */
function learn(corpus: CorpusFeatures, row: number, fitting: Fitting, rate: number): void {
  const { table, targets, weights, biases, bias, highestOnly, first } = fitting;
  const [value, weight, own] = [targets[row]!, weights[row]!, biases[row]!];
  const { starts, firsts } = corpus;
  if (weight === 0 || starts[row] === starts[row + 1]) return;
  if (value === 0 && !highestOnly) {
    const sentences = firsts[row + 1]! - firsts[row]!;
    eachWindow(corpus, row, table, (from, to, sum) => {
      const error = logistic(sum + bias[own]!) * weight;
      bias[own] = bias[own]! - (0.1 * rate * error) / sentences;
      step(corpus, { from, to, error }, fitting, rate);
    });
    return;
  }
  highestWindow(corpus, row, table, found);
  const error = (logistic(found.value + bias[own]!) - value) * weight;
  bias[own] = bias[own]! - 0.1 * rate * error;
  const whole = first && value === 1;
  const [from, to] = whole ? [starts[row]!, starts[row + 1]!] : [found.from, found.to];
  step(corpus, { from, to, error }, fitting, rate);
}

const logistic = (value: number): number => 1 / (1 + Math.exp(-value));

interface WindowError {
  from: number;
  to: number;
  error: number;
}

function step(
  { kind, features }: CorpusFeatures,
  { from, to, error }: WindowError,
  { table, decay }: Fitting,
  rate: number,
): void {
  // What is known by heart teaches nothing.
  if (error < KNOWN && error > -KNOWN) return;
  const { values, stride, ratio } = table;
  const root = kind.rootOf(to - from);
  for (let i = from; i < to; i++) {
    const at = features[i]! * stride;
    const own = ratio < 0 ? error : error * values[at + ratio]!;
    const gradient = own * root + decay * values[at]!;
    const square = values[at + SQUARES]! + gradient * gradient;
    values[at + SQUARES] = square;
    values[at] = values[at]! - (rate * gradient) / Math.sqrt(square);
  }
}

/** Writes the log-ratios. */
function setRatios(state: Float32Array, { kind, starts, features }: CorpusFeatures, column: LabelColumn): void {
  const { targets, weights } = column;
  const { buckets } = kind;
  const sides = new Float32Array(buckets * 2).fill(SMOOTHING);
  const totals: [number, number] = [0, 0];
  for (let row = 0; row < weights.length; row++) {
    const weight = weights[row]!;
    if (weight === 0) continue;
    const value = targets[row] as 0 | 1;
    const [from, to] = [starts[row]!, starts[row + 1]!];
    for (let i = from; i < to; i++) {
      const at = features[i]! * 2 + value;
      sides[at] = sides[at]! + weight;
    }
    totals[value] += weight * (to - from);
  }
  const offset = Math.log((totals[0] + buckets) / (totals[1] + buckets));
  for (let bucket = 0; bucket < buckets; bucket++) {
    state[bucket * FIELDS + RATIO] = Math.log(sides[2 * bucket + 1]! / sides[2 * bucket]!) + offset;
  }
}

/** The sum of weights of the highest window of example `row` over the root of the number of its features, with the bias. */
export function rawScore<Example>(
  corpus: Corpus<Example>,
  row: number,
  { values, bias }: Weights,
  lane: number,
): number {
  const { kind, examples, starts } = corpus;
  const own = bias[kind.groupOf(examples[row]!) * kind.lanes + lane]!;
  if (starts[row] === starts[row + 1]) return own;
  highestWindow(corpus, row, { values, stride: kind.lanes, offset: lane, ratio: -1 }, found);
  return found.value + own;
}

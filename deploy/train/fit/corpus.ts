/** The features of all examples, in one array, and the windows that a model scores. */

import { prepareCharacters } from '../../../shared/policy/models/characters.js';
import { BUCKETS, buckets, extract } from '../../../shared/policy/models/features.js';
import type { ClassLexicon } from '../../../shared/policy/models/lexicon.js';
import { LANES, rootOf, TOGETHER } from '../../../shared/policy/models/model.js';
import { endOfSegment } from '../../../shared/policy/models/segments.js';
import type { LabelTarget, TrainingExample } from '../example.js';

/** UTF-16 units of a text that are read. */
const MAX_UNITS = 4000;

/** The table of weights of a model. */
export interface TableKind {
  buckets: number;
  /** labels side by side in a bucket */
  lanes: number;
  /** what the sum of so many weights is multiplied by */
  rootOf: (features: number) => number;
}

export interface CorpusKind<Example> extends TableKind {
  /** what an example says of a label */
  targetOf: (example: Example, lane: number) => Omit<LabelTarget, 'lane'> | undefined;
  /** groups of examples that each have a bias, and the group of one */
  groups: number;
  groupOf: (example: Example) => number;
}

export interface CorpusFeatures {
  kind: TableKind;
  /** the features of example `i` are `features` from `starts[i]` to `starts[i + 1]` */
  starts: Int32Array;
  features: Int32Array;
  /** the features of sentence `i` begin at `sentences[i]`; the first sentence of example `i` is `firsts[i]` */
  sentences: Int32Array;
  firsts: Int32Array;
}

export interface Corpus<Example = TrainingExample> extends CorpusFeatures {
  kind: CorpusKind<Example>;
  examples: readonly Example[];
}

/** `read` adds the features of each sentence of an example. */
export function collect<Example>(
  kind: CorpusKind<Example>,
  examples: readonly Example[],
  read: (example: Example, add: (features: Int32Array) => void) => void,
): Corpus<Example> {
  const starts = new Int32Array(examples.length + 1);
  const firsts = new Int32Array(examples.length + 1);
  const sentences: number[] = [];
  let features = new Int32Array(1 << 22);
  let count = 0;
  const add = (more: Int32Array): void => {
    while (count + more.length > features.length) {
      const larger = new Int32Array(features.length * 2);
      larger.set(features);
      features = larger;
    }
    features.set(more, count);
    if (more.length > 0) sentences.push(count);
    count += more.length;
  };
  examples.forEach((example, i) => {
    read(example, add);
    starts[i + 1] = count;
    firsts[i + 1] = sentences.length;
  });
  sentences.push(count);
  const corpus = { kind, examples, starts, firsts, sentences: Int32Array.from(sentences) };
  return { ...corpus, features: features.subarray(0, count) };
}

const ENGLISH: CorpusKind<TrainingExample> = {
  buckets: BUCKETS,
  lanes: LANES,
  rootOf,
  targetOf: ({ targets }, lane) => targets.find((target) => target.lane === lane),
  groups: 1,
  groupOf: () => 0,
};

export function readCorpus(examples: readonly TrainingExample[], lexicon: ClassLexicon): Corpus {
  prepareCharacters();
  return collect(ENGLISH, examples, ({ text }, add) => {
    for (let from = 0; from < text.length && from < MAX_UNITS; ) {
      const to = endOfSegment(text, from);
      add(buckets.subarray(0, extract(lexicon, text, from, to)));
      from = to;
    }
  });
}

/** A window of an example: its features, and the sum of their weights over the root of their number. */
export interface CorpusWindow {
  from: number;
  to: number;
  value: number;
}

/** Sums of the sentences of the example at hand. A text has fewer sentences than units. */
const sums = new Float64Array(MAX_UNITS);

/** Calls `visit` with each window of example `row` that a model scores, and what it is worth by the weights of that moment. */
export function eachWindow(
  { kind, firsts, sentences, features }: CorpusFeatures,
  row: number,
  { values, stride, offset, ratio }: WeightTable,
  visit: (from: number, to: number, value: number) => void,
): void {
  const { rootOf } = kind;
  const [first, end] = [firsts[row]!, firsts[row + 1]!];
  for (let sentence = first; sentence < end; sentence++) {
    let sum = 0;
    for (let i = sentences[sentence]!; i < sentences[sentence + 1]!; i++) {
      const at = features[i]! * stride + offset;
      sum += ratio < 0 ? values[at]! : values[at]! * values[at + ratio]!;
    }
    sums[sentence - first] = sum;
    let together = 0;
    for (let from = sentence; from >= first && from > sentence - TOGETHER; from--) {
      together += sums[from - first]!;
      const [start, to] = [sentences[from]!, sentences[sentence + 1]!];
      visit(start, to, together * rootOf(to - start));
    }
  }
}

/** Writes the window of example `row` that a model would score highest into `found`. */
export function highestWindow(corpus: CorpusFeatures, row: number, table: WeightTable, found: CorpusWindow): void {
  found.value = Number.NEGATIVE_INFINITY;
  eachWindow(corpus, row, table, (from, to, value) => {
    if (value <= found.value) return;
    found.from = from;
    found.to = to;
    found.value = value;
  });
}

/** Where the weight of a bucket stands: at `bucket * stride + offset`, and what it is multiplied by at `ratio` behind it, if not negative. */
export interface WeightTable {
  values: Float32Array;
  stride: number;
  offset: number;
  ratio: number;
}

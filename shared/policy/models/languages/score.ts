/**
 * Scores of texts in other languages than English. A score means what one of an English text does: at the default threshold of a label the
 * detector fires, by sentence and at every length: of many sentences, one has to say more.
 */
import { raise, TOGETHER } from '../model.js';
import { endOfSegment, isOfLines, readSaid, said } from '../segments.js';
import { buckets, extract } from './features.js';
import { LABELS, LANES, type LanguageEntry, type LanguagesModel } from './format.js';

/** A text with fewer features counts as one with so many: one word alone has to mean a lot. */
const LEAST_FEATURES = 100;
export const rootOf = (features: number): number => 1 / Math.sqrt(Math.max(features, LEAST_FEATURES));

/** Units of a text that are scored at a time. */
const STEP = 64 * 1024;

const sums = new Int32Array(LANES);
/** Those of neighbouring sentences together. */
const joined = new Int32Array(LANES);

/** Distances to the default threshold, by label. A label that the language lacks has none (`NaN`). */
export function* scoreLanguage(
  model: LanguagesModel,
  language: LanguageEntry,
  text: string,
): Generator<undefined, Float64Array> {
  const own = model.header.languages.indexOf(language);
  const best = new Float64Array(LANES).fill(Number.NEGATIVE_INFINITY);
  const highest = { best, most: mostOfCode(language) };
  const recent = new Int32Array(LANES * TOGETHER);
  const features = new Int32Array(TOGETHER);
  const starts = new Int32Array(TOGETHER);
  let sentences = 0;
  let next = STEP;
  for (let from = 0; from < text.length; ) {
    const to = endOfSegment(text, from);
    readSaid(text, from, to);
    const n = extract(own, language.reading, text, said[0]!, said[1]!);
    if (n > 0) {
      sum(model.weights, n);
      const place = sentences % TOGETHER;
      features[place] = n;
      starts[place] = from;
      recent.set(sums, place * LANES);
      raise(highest, sums, rootOf(n), text, from, to);
      for (let lane = 0; lane < LANES; lane++)
        joined[lane] = recent[lane]! + recent[LANES + lane]! + recent[2 * LANES + lane]!;
      const first = starts[sentences < TOGETHER ? 0 : (place + 1) % TOGETHER]!;
      raise(highest, joined, rootOf(features[0]! + features[1]! + features[2]!), text, first, to);
      sentences++;
    }
    from = to;
    if (from < next) continue;
    next = from + STEP;
    yield;
  }
  if (sentences > 1 && isOfLines(text)) {
    // As in `model.ts`. A short text has no more chances to be wrong for its lines.
    sentences = 1;
    const n = extract(own, language.reading, text, 0, text.length);
    sum(model.weights, n);
    raise(highest, sums, rootOf(n), text, 0, text.length);
  }
  return calibrated(language, best, sentences);
}

/** How far below the threshold code stays. */
const CODE = -2;
const mostOfCode = ({ labels }: LanguageEntry): Float64Array =>
  Float64Array.from({ length: LANES }, (_, lane) => {
    const scale = LABELS[lane] && labels[LABELS[lane]];
    return scale ? (CODE - scale.bias) / scale.scale : 0;
  });

function calibrated({ labels }: LanguageEntry, best: Float64Array, sentences: number): Float64Array {
  const many = logSentences(sentences);
  return best.map((value, lane) => {
    const label = LABELS[lane];
    const scale = label && labels[label];
    return scale ? value * scale.scale + scale.bias - scale.rise * many : Number.NaN;
  });
}

/** Sentences of a text that is short, and of one beyond which nothing more is taken off: padding does not hide without end. */
const FEW = 3;
const MANY = 1000;
/** 0 for a short text, and 1 more with each factor *e* of sentences. */
export const logSentences = (sentences: number): number => Math.log(Math.min(MANY, Math.max(FEW, sentences)) / FEW);

/** Sums the weights of the first `n` buckets by lane. */
function sum(weights: Int32Array, n: number): void {
  let [a, b, c] = [0, 0, 0];
  for (let i = 0; i < n; i++) {
    const four = weights[buckets[i]!]!;
    a += four & 255;
    b += (four >>> 8) & 255;
    c += (four >>> 16) & 255;
  }
  sums[0] = a - 128 * n;
  sums[1] = b - 128 * n;
  sums[2] = c - 128 * n;
}

/** Figures of a classifier. */
import { createRandom } from '../random.js';

/** A score, and whether the label holds. */
export interface ScoredExample {
  score: number;
  value: 0 | 1;
}

/** Texts in the order of their scores, the highest first. */
export interface Ranked {
  /** by rank: place of the text */
  places: Int32Array;
  /** by rank: whether the label holds */
  values: Uint8Array;
  /** behind the last rank of each score: texts that score alike are one step */
  ends: readonly number[];
}

export function ranked(scored: readonly ScoredExample[]): Ranked {
  const places = Int32Array.from(scored, (_, i) => i).sort((a, b) => scored[b]!.score - scored[a]!.score);
  const values = Uint8Array.from(places, (place) => scored[place]!.value);
  const ends: number[] = [];
  places.forEach((place, i) => {
    if (i + 1 === places.length || scored[places[i + 1]!]!.score !== scored[place]!.score) ends.push(i + 1);
  });
  return { places, values, ends };
}

/** Positives and negatives with a score, and all with a higher one or this. */
export interface ThresholdStep {
  positives: number;
  negatives: number;
  tp: number;
  fp: number;
}

/** The steps of the curves, from the highest score down. `counts`: by place, how often a text counts; absent: once. */
export function stepsOf({ places, values, ends }: Ranked, counts?: Int32Array): ThresholdStep[] {
  let [rank, tp, fp] = [0, 0, 0];
  return ends.map((end) => {
    const before = { tp, fp };
    for (; rank < end; rank++) {
      const count = counts ? counts[places[rank]!]! : 1;
      if (values[rank] === 1) tp += count;
      else fp += count;
    }
    return { positives: tp - before.tp, negatives: fp - before.fp, tp, fp };
  });
}

/** Area under the ROC curve: how often a positive scores above a negative, ties counted half. */
export const auroc = (scored: readonly ScoredExample[]): number => aurocOf(stepsOf(ranked(scored)));

/** The same of {@link stepsOf}. Not a number without texts of both sides. */
export function aurocOf(steps: readonly ThresholdStep[]): number {
  const { tp, fp } = steps.at(-1) ?? { tp: 0, fp: 0 };
  let pairs = 0;
  for (const step of steps) pairs += step.negatives * (step.tp - step.positives / 2);
  return tp === 0 || fp === 0 ? Number.NaN : pairs / (tp * fp);
}

/**
 * Area under the curve of precision over recall, as average precision: the precision at each step, weighted by the recall that the step
 * adds. Nothing is interpolated, which would be too good (Davis and Goadrich, ICML 2006).
 */
export function auprcOf(steps: readonly ThresholdStep[]): number {
  const { tp: positives } = steps.at(-1) ?? { tp: 0 };
  let area = 0;
  for (const step of steps)
    if (step.positives > 0) area += (step.positives / positives) * (step.tp / (step.tp + step.fp));
  return positives === 0 ? Number.NaN : area;
}

/** The highest recall at a threshold that at most `share` of the negatives reach. */
export function recallAt(steps: readonly ThresholdStep[], share: number): number {
  const { tp, fp } = steps.at(-1) ?? { tp: 0, fp: 0 };
  if (tp === 0 || fp === 0) return Number.NaN;
  let most = 0;
  for (const step of steps) if (step.fp / fp <= share) most = step.tp / tp;
  return most;
}

export interface ConfusionCounts {
  tp: number;
  fp: number;
  tn: number;
  fn: number;
}

export function countsAt(scored: readonly ScoredExample[], threshold: number): ConfusionCounts {
  const counts = { tp: 0, fp: 0, tn: 0, fn: 0 };
  for (const { score, value } of scored) {
    if (score >= threshold) counts[value === 1 ? 'tp' : 'fp']++;
    else counts[value === 1 ? 'fn' : 'tn']++;
  }
  return counts;
}

export const recallOf = ({ tp, fn }: ConfusionCounts): number => tp / (tp + fn);
export const falsePositivesOf = ({ fp, tn }: ConfusionCounts): number => fp / (fp + tn);

/** Mean of the F1 of both sides. */
export function macroF1({ tp, fp, tn, fn }: ConfusionCounts): number {
  const f1 = (hit: number, miss: number): number => (hit === 0 ? 0 : (2 * hit) / (2 * hit + miss));
  return (f1(tp, fp + fn) + f1(tn, fp + fn)) / 2;
}

/** The upper end of Wilson's interval of a share, at 95 % (Wilson 1927). */
export function upperEnd(hits: number, of: number): number {
  const z = 1.96;
  const share = hits / of;
  const half = z * Math.sqrt((share * (1 - share)) / of + (z * z) / (4 * of * of));
  return Math.min(1, (share + (z * z) / (2 * of) + half) / (1 + (z * z) / of));
}

/** How often samples are drawn again, and by which seed. `onDraw` is called before each. */
export interface Drawing {
  draws: number;
  seed: number;
  onDraw?: (draw: number) => void;
}

/**
 * Figures of `draws` samples that are drawn again with replacement, each as large as the first one: the bootstrap. `figures` is told how
 * often each of `size` texts was drawn. Returns a list of values for each figure.
 */
export function bootstrap(
  size: number,
  figures: (counts: Int32Array) => readonly number[],
  { draws, seed, onDraw }: Drawing,
): number[][] {
  const random = createRandom(seed);
  const counts = new Int32Array(size);
  const values: number[][] = [];
  for (let draw = 0; draw < draws; draw++) {
    onDraw?.(draw);
    counts.fill(0);
    for (let i = 0; i < size; i++) counts[random.below(size)]!++;
    figures(counts).forEach((figure, i) => {
      values[i] ??= [];
      values[i].push(figure);
    });
  }
  return values;
}

/**
 * A 95 % interval of drawn values by their percentiles (Efron and Tibshirani, An Introduction to the Bootstrap, 1993, chapter 13).
 * Samples that have no value, such as those without a positive, are left out.
 */
export function percentiles(values: readonly number[]): [low: number, high: number] {
  const sorted = values.filter((value) => !Number.isNaN(value)).sort((a, b) => a - b);
  const at = (share: number): number =>
    sorted[Math.min(sorted.length - 1, Math.floor(share * sorted.length))] ?? Number.NaN;
  return [at(0.025), at(0.975)];
}

/** A 95 % interval of a figure of scores, by drawing again with a seed. */
export function intervalOf(
  scored: readonly ScoredExample[],
  figure: (scored: ScoredExample[]) => number,
  draws = 100,
): [number, number] {
  const drawn = (counts: Int32Array): ScoredExample[] =>
    scored.flatMap((each, i) => Array.from({ length: counts[i]! }, () => each));
  const [values = []] = bootstrap(scored.length, (counts) => [figure(drawn(counts))], { draws, seed: 1 });
  return percentiles(values);
}

export interface ReliabilityBin {
  texts: number;
  /** how often the label holds where both sides are equally likely; undefined without texts */
  share: number | undefined;
}

/** By tenth of the score: how often the label holds (a reliability diagram: DeGroot and Fienberg 1983). */
export function reliabilityOf(scored: readonly (ScoredExample & { weight: number })[]): ReliabilityBin[] {
  const bins = Array.from({ length: 10 }, () => ({ texts: 0, sides: [0, 0] as [number, number] }));
  const totals: [number, number] = [0, 0];
  for (const { score, value, weight } of scored) {
    const bin = bins[Math.min(9, Math.floor(score * 10))]!;
    bin.texts++;
    bin.sides[value] += weight;
    totals[value] += weight;
  }
  return bins.map(({ texts, sides: [without, having] }) => {
    const [quiet, found] = [without / totals[0], having / totals[1]];
    return { texts, share: texts === 0 ? undefined : found / (found + quiet) };
  });
}

/** The figures of a policy or a detector on labelled texts, with 95 % intervals. */
import {
  auprcOf,
  aurocOf,
  bootstrap,
  type ConfusionCounts,
  type Drawing,
  percentiles,
  type Ranked,
  ranked,
  recallAt,
  recallOf,
  stepsOf,
  type ThresholdStep,
} from '../../train/figures/measure.js';

/** What was said of a text, and what its label says. */
export interface JudgedText {
  value: 0 | 1;
  flagged: boolean;
  /** 0 to 1; absent: what judges has no score */
  score?: number;
}

/** The share of negatives that `recall_at_1` allows. */
const FALSE_POSITIVES = 0.01;

/** Figures that need no score. */
const DECIDED = ['precision', 'recall', 'f1'] as const;
const SCORED = ['auroc', 'auprc', 'recall_at_1'] as const;
export type FigureName = (typeof DECIDED)[number] | (typeof SCORED)[number];

export const FIGURE_TITLES: Readonly<Record<FigureName, string>> = {
  precision: 'precision',
  recall: 'recall',
  f1: 'F1',
  auroc: 'AUROC',
  auprc: 'AUPRC',
  recall_at_1: 'recall at 1 % false positives',
};

/** A figure with its 95 % interval; null: it has no value, such as the precision where nothing is flagged. */
export interface EvaluationFigure {
  value: number | null;
  low: number | null;
  high: number | null;
}

export type EvaluationFigures = Partial<Record<FigureName, EvaluationFigure>>;

export interface Evaluation {
  confusion: ConfusionCounts;
  figures: EvaluationFigures;
  /** from the highest score down; absent: there are no scores */
  steps?: readonly ThresholdStep[];
}

/** One that judged all texts. `counts`, by place of the text: how often it counts; absent: once. */
type Measure = (counts?: Int32Array) => number[];

export function evaluationOf(judged: readonly JudgedText[], drawing: Drawing): Evaluation {
  const { names, measure, rank } = measureOf(judged);
  const drawn = bootstrap(judged.length, measure, drawing);
  return {
    confusion: confusionOf(outcomesOf(judged)),
    figures: figuresOf(names, measure(), drawn),
    ...(rank && { steps: stepsOf(rank) }),
  };
}

/**
 * The figures of `after` less those of `before`, on the same texts in the same order. Both are measured on the same drawn samples, so the
 * intervals are of the difference (a paired bootstrap).
 */
export function differenceOf(
  before: readonly JudgedText[],
  after: readonly JudgedText[],
  drawing: Drawing,
): EvaluationFigures {
  const [one, other] = [measureOf(before), measureOf(after)];
  const names = one.names.length < other.names.length ? one.names : other.names;
  const measure: Measure = (counts) => {
    const [was, is] = [one.measure(counts), other.measure(counts)];
    return names.map((_, i) => is[i]! - was[i]!);
  };
  return figuresOf(names, measure(), bootstrap(before.length, measure, drawing));
}

function measureOf(judged: readonly JudgedText[]): { names: readonly FigureName[]; measure: Measure; rank?: Ranked } {
  const outcomes = outcomesOf(judged);
  const decided: Measure = (counts) => {
    const { tp, fp, fn } = confusionOf(outcomes, counts);
    return [tp / (tp + fp), recallOf({ tp, fp, fn, tn: 0 }), (2 * tp) / (2 * tp + fp + fn)];
  };
  const scored = judged.flatMap(({ score, value }) => (score === undefined ? [] : [{ score, value }]));
  if (scored.length < judged.length) return { names: DECIDED, measure: decided };
  const rank = ranked(scored);
  return {
    names: [...DECIDED, ...SCORED],
    rank,
    measure(counts) {
      const steps = stepsOf(rank, counts);
      return [...decided(counts), aurocOf(steps), auprcOf(steps), recallAt(steps, FALSE_POSITIVES)];
    },
  };
}

/** By text: 1 if it has the label, and 2 more if it is flagged. */
const outcomesOf = (judged: readonly JudgedText[]): Uint8Array =>
  Uint8Array.from(judged, ({ value, flagged }) => value + (flagged ? 2 : 0));

function confusionOf(outcomes: Uint8Array, counts?: Int32Array): ConfusionCounts {
  const all = [0, 0, 0, 0];
  for (let i = 0; i < outcomes.length; i++) all[outcomes[i]!]! += counts ? counts[i]! : 1;
  const [tn, fn, fp, tp] = all as [number, number, number, number];
  return { tp, fp, tn, fn };
}

function figuresOf(
  names: readonly FigureName[],
  values: readonly number[],
  drawn: readonly number[][],
): EvaluationFigures {
  return Object.fromEntries(
    names.map((name, i) => {
      const [low, high] = percentiles(drawn[i]!);
      return [name, { value: orNull(values[i]!), low: orNull(low), high: orNull(high) }];
    }),
  );
}

const orNull = (value: number): number | null => (Number.isNaN(value) ? null : value);

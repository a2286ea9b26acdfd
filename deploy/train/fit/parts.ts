/** Fits weights, and gives examples scores by weights that did not see their group. */
import { hashOf } from '../random.js';
import type { Corpus } from './corpus.js';
import { type FitOptions, fit, rawScore, type Weights } from './fit.js';

/** Examples of a group are in one part. */
export interface PartedExample {
  group: string;
}

export interface HeldOutOptions<Example> extends FitOptions {
  /** 1: one part is held out for good */
  folds: number;
  /** what is learned from last, or never */
  isAside: (example: Example) => boolean;
  learnsAside: boolean;
}

/** Weights, and sums of examples by weights that did not see them, side by side by label. */
export interface Fitted {
  weights: Weights;
  raw: Float32Array;
  /** numbers of the examples that have sums */
  scored: Int32Array;
  /** numbers of those that are set aside */
  aside: Int32Array;
}

/** One part of this many is held out for good where there are no folds. */
const PARTS = 6;

/**
 * Holds out each part in turn, then what is set aside, then learns from all; without folds, holds out one and what is set aside, and never
 * learns from them.
 */
export function fitParts<Example extends PartedExample>(
  corpus: Corpus<Example>,
  options: HeldOutOptions<Example>,
  say: (line: string) => void,
): Fitted {
  const { folds, isAside, learnsAside } = options;
  const { examples, kind } = corpus;
  const parts = folds === 1 ? PARTS : folds;
  const partOf = examples.map(({ group }) => hashOf(group) % parts);
  const rows = Int32Array.from(partOf.keys());
  const all = rows.filter((row) => !isAside(examples[row]!));
  const aside = rows.filter((row) => isAside(examples[row]!));
  const raw = new Float32Array(rows.length * kind.lanes);
  const score = (scored: Int32Array, weights: Weights): void => {
    for (const row of scored) {
      for (let lane = 0; lane < options.labels.length; lane++)
        if (kind.targetOf(examples[row]!, lane)) raw[row * kind.lanes + lane] = rawScore(corpus, row, weights, lane);
    }
  };
  const without = (part: number): Omit<Fitted, 'raw' | 'aside'> => {
    const learned = all.filter((row) => partOf[row] !== part);
    const scored = all.filter((row) => partOf[row] === part);
    const weights = fit(corpus, learned, options);
    score(scored, weights);
    return { weights, scored };
  };
  if (folds === 1) {
    const { weights, scored } = without(0);
    score(aside, weights);
    return { weights, raw, scored, aside };
  }
  for (let part = 0; part < parts; part++) {
    without(part);
    say(`fitted without fold ${part + 1} of ${parts}`);
  }
  const weights = fit(corpus, all, options);
  score(aside, weights);
  if (aside.length === 0 || !learnsAside) return { weights, raw, scored: all, aside };
  say('fitted without what was set aside');
  return { weights: fit(corpus, rows, options), raw, scored: all, aside };
}

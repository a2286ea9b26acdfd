/** The figures of a model for its card, from scores of texts that were held out. */

import type { HeldOutScore, Trained } from '../train.js';
import { auroc, countsAt, falsePositivesOf, intervalOf, macroF1, recallOf, type ScoredExample } from './measure.js';

export interface TrainingFigure {
  label: string;
  source: string;
  positives: number;
  negatives: number;
  auroc?: readonly [value: number, low: number, high: number];
  macroF1?: readonly [value: number, low: number, high: number];
  /** at the default threshold */
  recall?: number;
  falsePositives?: number;
}

/** Texts that an interval is drawn from, at most. */
const MAX_DRAWN = 1000;

/** A row for each label and source; kinds of templates are one source. */
export function figuresOf({ file, held }: Trained): TrainingFigure[] {
  return file.header.labels.flatMap(({ name, threshold }, lane) => {
    const groups = new Map<string, HeldOutScore[]>([['all', held[lane]!]]);
    for (const one of held[lane]!) {
      const source = sourceName(one.source);
      const known = groups.get(source);
      if (known) known.push(one);
      else groups.set(source, [one]);
    }
    return [...groups]
      .sort(([a], [b]) => (a < b ? -1 : 1))
      .map(([source, scored]) => figureOf(name, source, scored, threshold));
  });
}

/** Ordinary texts are one source: `ordinary.ts` has them by kind. */
const sourceName = (source: string): string =>
  source.startsWith('ordinary:') ? 'ordinary' : source.split(':').slice(0, 2).join(' ');

function figureOf(label: string, source: string, scored: readonly ScoredExample[], threshold: number): TrainingFigure {
  const positives = scored.filter(({ value }) => value === 1).length;
  const negatives = scored.length - positives;
  const counts = countsAt(scored, threshold);
  const sample =
    scored.length <= MAX_DRAWN ? scored : scored.filter((_, i) => i % Math.ceil(scored.length / MAX_DRAWN) === 0);
  const both = positives >= 20 && negatives >= 20;
  return {
    label,
    source,
    positives,
    negatives,
    ...(both && {
      auroc: [auroc(scored), ...intervalOf(sample, (drawn) => auroc(drawn))] as const,
      macroF1: [macroF1(counts), ...intervalOf(sample, (drawn) => macroF1(countsAt(drawn, threshold)))] as const,
    }),
    ...(positives > 0 && { recall: recallOf(counts) }),
    ...(negatives > 0 && { falsePositives: falsePositivesOf(counts) }),
  };
}

/** Scores of texts by a model, as detectors ask for them. */
import type { Find, WholeProbe } from '../engine/probes/probe.js';
import { LANES, type Model, scoreText } from './model.js';

/** Scores of all labels, 0 to 1. The array is written again by the next call. */
export type Scorer = (text: string) => Float64Array;

/** Texts up to this length are remembered. A longer one would be held in memory until the next. */
const MAX_REMEMBERED = 65_536;

/** Several detectors ask for the same text one after another, so the scores of the last one are kept. */
export function createScorer(model: Model): Scorer {
  const scores = new Float64Array(LANES);
  let last: string | undefined;
  return (text) => {
    if (text !== last) {
      scores.set(scoreText(model, text));
      last = text.length <= MAX_REMEMBERED ? text : undefined;
    }
    return scores;
  };
}

/** Finds every text with something in it, with its score. `name`: what the evidence calls the probe. */
export function scoreProbe(name: string, score: (text: string) => number): WholeProbe {
  return {
    kind: 'whole',
    label: name,
    views: ['raw'],
    look(text): Find | undefined {
      return text.length === 0 ? undefined : { start: 0, end: text.length, score: score(text) };
    },
  };
}

/** Place of a label among the scores; -1 where the model does not have it. */
export const laneOf = ({ labels }: Model, label: string): number => labels.findIndex(({ name }) => name === label);

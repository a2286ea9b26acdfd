/** The score that the models of Weir give a text for a label. */
import { createScorer, laneOf, type Scorer } from '../../../shared/policy/models/scorer.js';
import { shippedModel } from '../../../shared/policy/models/shipped.js';
import type { Compute } from './kind.js';

let scorer: Scorer | undefined;

export function classifier(label: string): Compute {
  const lane = laneOf(shippedModel(), label);
  scorer ??= createScorer(shippedModel());
  const scores = scorer;
  return ({ text }) => {
    if (text === '') return { note: 'the text is empty' };
    return { value: Math.round(scores(text)[lane]! * 10_000) / 10_000, label };
  };
}

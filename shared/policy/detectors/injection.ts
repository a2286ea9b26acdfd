/** Prompt injection and jailbreaks, by the score of a linear model that runs in the process. */
import type { Cursor } from '../../configuration/read/fields.js';
import { thresholdOf } from '../models/shipped.js';
import { interestIn, leastScore, optionalThreshold } from './classifier.js';
import type { Detector } from './detector.js';
import { CONTEXT_HELP, parametersAt, readContext } from './parameters.js';

export interface InjectionParameters {
  /** least score, 0 to 1; absent: that of the model */
  threshold?: number | undefined;
  context: number;
}

export const injection: Detector<InjectionParameters> = {
  help: 'texts that try to override, reveal or get around the instructions of a language model',
  parameters: {
    threshold: 'least score, 0 to 1 [the one in the model card]',
    context: CONTEXT_HELP,
  },
  read,
  least: ({ threshold }) => leastScore(threshold, thresholdOf('injection')),
  text: {
    interests: ({ threshold }) => [{ ...interestIn('injection', 'injection', threshold), decoded: 'sentences' }],
    anchored: () => true,
  },
};

function read(cursor: Cursor): InjectionParameters | undefined {
  const fields = parametersAt(cursor, injection);
  if (!fields) return undefined;
  return { threshold: optionalThreshold(fields.get('threshold')), context: readContext(fields) };
}

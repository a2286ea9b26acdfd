/** Texts by the score of a linear model that runs in the process. */
import { type Cursor, choiceOf, isAbsent } from '../../configuration/fields.js';
import type { Interest } from '../engine/probes/probe.js';
import { probeOf, thresholdOf } from '../models/shipped.js';
import type { Detector } from './detector.js';
import { CONTEXT_HELP, parametersAt, readContext, readThreshold } from './parameters.js';

/** What the shipped model scores. The order is the order of messages. */
export const CLASSIFIER_LABELS = ['toxicity', 'hate', 'sexism', 'sexual', 'violence', 'self_harm'] as const;

export interface ClassifierParameters {
  label: (typeof CLASSIFIER_LABELS)[number];
  /** least score, 0 to 1; absent: that of the model */
  threshold?: number | undefined;
  context: number;
}

export const classifier: Detector<ClassifierParameters> = {
  help: 'texts to which a model gives the label at least this score',
  parameters: {
    label: `one of ${CLASSIFIER_LABELS.join(', ')}`,
    threshold: 'least score, 0 to 1 [the one in the model card]',
    context: CONTEXT_HELP,
  },
  read,
  text: {
    interests: ({ label, threshold }) => [interestIn(label, `classifier:${label}`, threshold)],
    anchored: () => true,
  },
};

function read(cursor: Cursor): ClassifierParameters | undefined {
  const fields = parametersAt(cursor, classifier);
  if (!fields) return undefined;
  return {
    label: choiceOf(fields.get('label'), CLASSIFIER_LABELS),
    threshold: optionalThreshold(fields.get('threshold')),
    context: readContext(fields),
  };
}

/** Undefined where the policy leaves it to the model. */
export const optionalThreshold = (cursor: Cursor): number | undefined =>
  isAbsent(cursor) ? undefined : readThreshold(cursor);

/** The interest in texts that score `threshold` or more. */
export function interestIn(label: string, name: string, threshold: number | undefined): Interest {
  const least = threshold ?? thresholdOf(label);
  return { key: `model:${label}`, probe: () => probeOf(label, name), accepts: ({ score }) => score >= least };
}

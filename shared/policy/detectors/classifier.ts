/** Texts by the score of a linear model that runs in the process: that of Weir, or one that `weir train` made. */
import {
  type Cursor,
  choiceOf,
  complain,
  isAbsent,
  type ObjectFields,
  suggestion,
  textOf,
} from '../../configuration/read/fields.js';
import type { Interest } from '../engine/probes/probe.js';
import { interestInOwn } from '../models/own.js';
import { probeOf, thresholdOf } from '../models/shipped.js';
import type { Detector, LeastScore, Resources } from './detector.js';
import { CONTEXT_HELP, FILE_NAME, parametersAt, readContext, readThreshold } from './parameters.js';

/** What the shipped model scores. The order is the order of messages. */
export const CLASSIFIER_LABELS = ['toxicity', 'hate', 'sexism', 'sexual', 'violence', 'self_harm'] as const;

export interface ClassifierParameters {
  /** name of the file of a model, for people; absent: the shipped one */
  file?: string | undefined;
  /** of the bytes of that file: identifies the model. Filled in when the configuration is applied */
  sha256?: string | undefined;
  label: string;
  /** least score, 0 to 1; absent: that of the model */
  threshold?: number | undefined;
  context: number;
}

export const classifier: Detector<ClassifierParameters> = {
  help: 'texts to which a model gives the label at least this score',
  parameters: {
    file: 'name of a file beside the configuration that weir train wrote [the models of Weir]',
    sha256: 'SHA-256 of that file; another file is refused [that of the file when the configuration is applied]',
    label: `one of ${CLASSIFIER_LABELS.join(', ')}; with a file one of its own`,
    threshold: 'least score, 0 to 1 [the one in the model card]',
    context: CONTEXT_HELP,
  },
  read,
  least: ({ file, label, threshold }, fired = nameOf(file, label)) =>
    fired === nameOf(file, label)
      ? leastScore(threshold, file === undefined ? thresholdOf(label) : undefined)
      : undefined,
  text: { interests, anchored: () => true },
};

/** As evidence has it. */
const nameOf = (file: string | undefined, label: string): string =>
  file === undefined ? `classifier:${label}` : `classifier:${file}:${label}`;

function interests({ file, sha256, label, threshold }: ClassifierParameters, { models }: Resources): Interest[] {
  if (file === undefined) return [interestIn(label, nameOf(file, label), threshold)];
  return [interestInOwn({ sha256: sha256!, label, threshold, name: nameOf(file, label) }, models)];
}

function read(cursor: Cursor): ClassifierParameters | undefined {
  const fields = parametersAt(cursor, classifier);
  if (!fields) return undefined;
  return {
    ...(fields.has('file') ? readOwn(fields) : readShipped(fields)),
    threshold: optionalThreshold(fields.get('threshold')),
    context: readContext(fields),
  };
}

type NamedModel = Pick<ClassifierParameters, 'file' | 'sha256' | 'label'>;

function readShipped(fields: ObjectFields): NamedModel {
  const sha256 = fields.get('sha256');
  if (!isAbsent(sha256)) complain(sha256, 'expected a file beside it, whose SHA-256 this is');
  return { file: undefined, sha256: undefined, label: choiceOf(fields.get('label'), CLASSIFIER_LABELS) };
}

const LABEL = { max: 64, expected: 'the name of a label of the model' };
const SHA256 = { pattern: /^[0-9a-f]{64}$/, expected: '64 hexadecimal digits in lower case' };

function readOwn(fields: ObjectFields): NamedModel {
  const cursor = fields.get('file');
  const [label, digits] = [fields.get('label'), fields.get('sha256')];
  const file = textOf(cursor, FILE_NAME);
  const given = isAbsent(digits) ? undefined : textOf(digits, SHA256);
  const named = { file, sha256: given ?? '', label: textOf(label, LABEL) };
  const { files } = cursor.report;
  if (!FILE_NAME.pattern.test(file)) return named;
  // What is stored names the model by its hash alone.
  if (!files) {
    if (given === undefined)
      complain(cursor, 'a file is read by weir apply and weir check-config, beside the configuration');
    return named;
  }
  try {
    const { sha256, labels } = files.model(file);
    if (given !== undefined && SHA256.pattern.test(given) && given !== sha256)
      complain(digits, `the SHA-256 of ${file} is ${sha256}`);
    if (named.label !== '' && !labels.includes(named.label)) {
      complain(label, `${file} has ${labels.join(', ')}${suggestion(named.label, labels)}`);
    }
    return { ...named, sha256 };
  } catch (error) {
    complain(cursor, `${file}: ${(error as Error).message}`);
    return named;
  }
}

/** Undefined where the policy leaves it to the model. */
export const optionalThreshold = (cursor: Cursor): number | undefined =>
  isAbsent(cursor) ? undefined : readThreshold(cursor);

/** `usual`: that of the model, if it is at hand. */
export function leastScore(threshold: number | undefined, usual: number | undefined): LeastScore | undefined {
  const least = threshold ?? usual;
  return least === undefined ? undefined : { least, usual };
}

/** The interest in texts that score `threshold` or more. */
export function interestIn(label: string, name: string, threshold: number | undefined): Interest {
  const least = threshold ?? thresholdOf(label);
  return { key: `model:${label}`, probe: () => probeOf(label, name), accepts: ({ score }) => score >= least };
}

/** Images or texts by the scores of a model that the operator supplies. */
import { type Cursor, choiceOf, textOf } from '../../configuration/read/fields.js';
import type { Source } from '../types.js';
import { COULD_NOT_RUN, type Detector, firedOnImage, firedOnText, type ImageLook, NOT_FOUND } from './detector.js';
import { FILE_NAME, parametersAt, readThreshold } from './parameters.js';

export interface OnnxParameters {
  /** name of a model that the operator supplies */
  model: string;
  /** absent: images. It is here, and not with the model, so that a configuration alone says what each policy looks at */
  source?: 'text' | undefined;
  label: string;
  threshold: number;
}

export const onnx: Detector<OnnxParameters> = {
  help: 'images, or texts, to which a model of yours gives the label at least this score',
  parameters: {
    model: 'name of a model in the folder WEIR_MODELS',
    source: 'what the model is for: text or image [image]',
    label: 'one of its labels',
    threshold: 'least score, 0 to 1 [0.5]',
  },
  read,
  source: ({ source }) => source ?? 'image',
  least: ({ model, label, threshold }, fired) =>
    fired === `onnx:${model}:${label}` ? { least: threshold, usual: undefined } : undefined,
  text: {
    interests: () => [],
    question: ({ model, label, threshold }) => ({
      about: { model, label },
      evidence: (said) => {
        const windows = 'windows' in said ? said.windows : [];
        const firing = windows.filter(({ score }) => score >= threshold);
        return firing.map((window) => firedOnText(`onnx:${model}:${label}`, window));
      },
    }),
  },
  image,
};

const SOURCES = ['image', 'text'] as const satisfies Source[];

function read(cursor: Cursor): OnnxParameters | undefined {
  const fields = parametersAt(cursor, onnx);
  if (!fields) return undefined;
  return {
    model: textOf(fields.get('model'), FILE_NAME),
    source: choiceOf(fields.get('source'), SOURCES, 'image') === 'text' ? 'text' : undefined,
    label: textOf(fields.get('label')),
    threshold: readThreshold(fields.get('threshold')),
  };
}

function image({ model, label, threshold }: OnnxParameters): ImageLook {
  return {
    model,
    look({ scores }) {
      const own = Object.hasOwn(scores, model) ? scores[model]! : {};
      if (!Object.hasOwn(own, label)) return COULD_NOT_RUN;
      const score = own[label]!;
      return score >= threshold ? firedOnImage(`onnx:${model}:${label}`, 'pixels', score) : NOT_FOUND;
    },
  };
}

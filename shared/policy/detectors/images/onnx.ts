/** Images by the scores of a model that the operator supplies. */
import { type Cursor, textOf } from '../../../configuration/read/fields.js';
import { COULD_NOT_RUN, type Detector, firedOnImage, type ImageLook, NOT_FOUND } from '../detector.js';
import { FILE_NAME, parametersAt, readThreshold } from '../parameters.js';

export interface OnnxParameters {
  /** name of a model that the operator supplies */
  model: string;
  label: string;
  threshold: number;
}

export const onnx: Detector<OnnxParameters> = {
  help: 'images to which a model of yours gives the label at least this score',
  parameters: {
    model: 'name of a model in the folder WEIR_MODELS',
    label: 'one of its labels',
    threshold: 'least score, 0 to 1 [0.5]',
  },
  read,
  image,
};

function read(cursor: Cursor): OnnxParameters | undefined {
  const fields = parametersAt(cursor, onnx);
  if (!fields) return undefined;
  return {
    model: textOf(fields.get('model'), FILE_NAME),
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

/** Text that is read from an image, judged by detectors of texts. Offsets of the evidence are into that text. */
import { type Cursor, complain } from '../../../configuration/read/fields.js';
import { contextOf, leavesOf } from '../../detect-expression.js';
import { COULD_NOT_RUN, type Detector, type ImageLook, type TextTree } from '../detector.js';
import { parametersAt } from '../parameters.js';

export interface ImageTextParameters {
  detect: TextTree;
}

export const imageText: Detector<ImageTextParameters> = {
  help: 'text that is read from an image, by the rules of detectors of texts',
  parameters: { detect: 'detectors of texts, also within any, all and not' },
  read,
  image,
};

function read(cursor: Cursor, readTexts: (cursor: Cursor) => TextTree): ImageTextParameters | undefined {
  const fields = parametersAt(cursor, imageText);
  if (!fields) return undefined;
  const inner = fields.get('detect');
  const detect = readTexts(inner);
  if (contextOf(detect) > 0) complain(inner, 'expected no context: a text in an image has no earlier texts');
  const asking = leavesOf(detect).leaves.find((leaf) => 'llm' in leaf || 'onnx' in leaf);
  if (asking) {
    const [name] = Object.keys(asking);
    complain(inner, `expected detectors other than ${name}: it is not asked about the text of an image`);
  }
  return { detect };
}

function image({ detect }: ImageTextParameters): ImageLook {
  return {
    text: detect,
    look({ text }, { judge }) {
      if (text === null) return COULD_NOT_RUN;
      const { evidence, ...outcome } = judge(text);
      const named = evidence.map((each) => {
        return { ...each, detector: `image_text:${each.detector}`, source: 'image' as const };
      });
      return { ...outcome, evidence: named };
    },
  };
}

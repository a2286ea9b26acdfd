/** Images on a list of known ones, by their PDQ hashes. */
import { type Cursor, numberOf, textOf } from '../../../configuration/read/fields.js';
import { COULD_NOT_RUN, type Detector, firedOnImage, type ImageLook, NOT_FOUND } from '../detector.js';
import { FILE_NAME, parametersAt } from '../parameters.js';

export interface ImageHashParameters {
  /** name of a list of known hashes */
  list: string;
  /** largest Hamming distance, of 256 bits, at which two hashes are the same picture */
  max_distance: number;
  /** images whose hash has a lower quality (0 to 100) are too featureless to be compared */
  min_quality: number;
}

/** PDQ hashes of one picture differ in at most this many of their 256 bits. */
const MAX_DISTANCE = 31;
const DEFAULT_QUALITY = 50;

export const imageHash: Detector<ImageHashParameters> = {
  help: 'images that are on a list of known ones, also edited, turned or mirrored',
  parameters: {
    list: 'name of a file in the folder WEIR_HASH_LISTS',
    max_distance: `bits by which the hashes may differ, 0 to ${MAX_DISTANCE} [${MAX_DISTANCE}]`,
    min_quality: `least quality of the hash, 0 to 100 [${DEFAULT_QUALITY}]`,
  },
  read,
  image,
};

function read(cursor: Cursor): ImageHashParameters | undefined {
  const fields = parametersAt(cursor, imageHash);
  if (!fields) return undefined;
  return {
    list: textOf(fields.get('list'), FILE_NAME),
    max_distance: numberOf(fields.get('max_distance'), { default: MAX_DISTANCE, min: 0, max: MAX_DISTANCE }),
    min_quality: numberOf(fields.get('min_quality'), { default: DEFAULT_QUALITY, min: 0, max: 100 }),
  };
}

function image({ list, max_distance: maxDistance, min_quality: minQuality }: ImageHashParameters): ImageLook {
  return {
    list: { name: list, maxDistance, minQuality },
    look({ quality, lists }, { distanceTo }) {
      if (quality === null || !lists.has(list)) return COULD_NOT_RUN;
      const near = quality >= minQuality && distanceTo(list) <= maxDistance;
      return near ? firedOnImage(`image_hash:${list}`, 'pdq') : NOT_FOUND;
    },
  };
}

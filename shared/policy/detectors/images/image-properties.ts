/** Images by kind, size, animation and metadata. */
import {
  type Cursor,
  choiceOf,
  complain,
  flagOf,
  isAbsent,
  listOf,
  noteShape,
  numberOf,
} from '../../../configuration/read/fields.js';
import { IMAGE_KINDS, type ImageContent, type ImageKind } from '../../types.js';
import { type Detector, firedOnImage, NOT_FOUND } from '../detector.js';
import { parametersAt } from '../parameters.js';

/** Fires when everything that is given holds; null: not given. Pixels after orientation, bytes as received. */
export interface ImagePropertiesParameters {
  kinds: ImageKind[] | null;
  min_width: number | null;
  max_width: number | null;
  min_height: number | null;
  max_height: number | null;
  min_bytes: number | null;
  max_bytes: number | null;
  animated: boolean | null;
  has_gps: boolean | null;
}

const MAX_SIDE = 16_384;
const MAX_BYTES = 10 * 1024 * 1024;

const SIDE_HELP = `pixels, 0 to ${MAX_SIDE}`;
const BYTES_HELP = `0 to ${MAX_BYTES}`;

export const imageProperties: Detector<ImagePropertiesParameters> = {
  help: 'images of which all that is given holds',
  parameters: {
    kinds: `of ${IMAGE_KINDS.join(', ')}`,
    min_width: SIDE_HELP,
    max_width: SIDE_HELP,
    min_height: SIDE_HELP,
    max_height: SIDE_HELP,
    min_bytes: BYTES_HELP,
    max_bytes: BYTES_HELP,
    animated: 'true or false',
    has_gps: 'true or false: whether the metadata says where it was taken',
  },
  read,
  image: (parameters) => ({
    look: (image) => (holds(parameters, image) ? firedOnImage('image_properties', 'properties') : NOT_FOUND),
  }),
};

function read(cursor: Cursor): ImagePropertiesParameters | undefined {
  const fields = parametersAt(cursor, imageProperties);
  if (!fields) return undefined;
  const names = Object.keys(imageProperties.parameters);
  noteShape(cursor, { minProperties: 1 });
  if (!names.some(fields.has)) complain(cursor, `expected at least one of ${names.join(', ')}`);
  const given = fields.get('kinds');
  const kinds = listOf(given, IMAGE_KINDS.length, (item) => choiceOf(item, IMAGE_KINDS));
  if (!isAbsent(given) && kinds.length === 0) complain(given, `expected some of ${IMAGE_KINDS.join()}`);
  const bound = (name: string, max: number): number | null =>
    isAbsent(fields.get(name)) ? null : numberOf(fields.get(name), { default: 0, min: 0, max });
  const flag = (name: string): boolean | null => (isAbsent(fields.get(name)) ? null : flagOf(fields.get(name), false));
  return {
    kinds: kinds.length === 0 ? null : [...new Set(kinds)],
    min_width: bound('min_width', MAX_SIDE),
    max_width: bound('max_width', MAX_SIDE),
    min_height: bound('min_height', MAX_SIDE),
    max_height: bound('max_height', MAX_SIDE),
    min_bytes: bound('min_bytes', MAX_BYTES),
    max_bytes: bound('max_bytes', MAX_BYTES),
    animated: flag('animated'),
    has_gps: flag('has_gps'),
  };
}

function holds(asked: ImagePropertiesParameters, image: ImageContent): boolean {
  const within = (value: number, min: number | null, max: number | null): boolean =>
    (min === null || value >= min) && (max === null || value <= max);
  return (
    (asked.kinds === null || asked.kinds.includes(image.kind)) &&
    within(image.width, asked.min_width, asked.max_width) &&
    within(image.height, asked.min_height, asked.max_height) &&
    within(image.bytes, asked.min_bytes, asked.max_bytes) &&
    (asked.animated === null || asked.animated === image.animated) &&
    (asked.has_gps === null || asked.has_gps === image.hasGps)
  );
}

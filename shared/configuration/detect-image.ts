/** Parameters of the detectors that look at images. */

import { IMAGE_KINDS } from '../policy/types.js';
import {
  type Cursor,
  choiceOf,
  complain,
  type Fields,
  fieldsOf,
  flagOf,
  isAbsent,
  listOf,
  numberOf,
  textOf,
} from './fields.js';
import type { Detect } from './types.js';

/** PDQ hashes of one picture differ in at most this many of their 256 bits. */
export const MAX_DISTANCE = 31;
const DEFAULT_QUALITY = 50;
const MAX_SIDE = 16_384;
const MAX_BYTES = 10 * 1024 * 1024;

/** Lists and models are files of this name in a folder of the operator's: a name is no path. */
const NAME = { pattern: /^[a-z0-9][a-z0-9_.-]{0,63}$/, expected: 'a name of a-z, 0-9, ".", "_" and "-", 64 at most' };

export function readImageHash(cursor: Cursor): Detect {
  const fields = fieldsOf(cursor, ['list', 'max_distance', 'min_quality']);
  if (!fields) return { any: [] };
  return {
    image_hash: {
      list: textOf(fields.get('list'), NAME),
      max_distance: numberOf(fields.get('max_distance'), { default: MAX_DISTANCE, min: 0, max: MAX_DISTANCE }),
      min_quality: numberOf(fields.get('min_quality'), { default: DEFAULT_QUALITY, min: 0, max: 100 }),
    },
  };
}

const BOUNDS = {
  min_width: MAX_SIDE,
  max_width: MAX_SIDE,
  min_height: MAX_SIDE,
  max_height: MAX_SIDE,
  min_bytes: MAX_BYTES,
  max_bytes: MAX_BYTES,
} as const;

export function readImageProperties(cursor: Cursor): Detect {
  const names = ['kinds', ...Object.keys(BOUNDS), 'animated', 'has_gps'];
  const fields = fieldsOf(cursor, names);
  if (!fields) return { any: [] };
  if (!names.some((name) => fields.has(name))) complain(cursor, `expected at least one of ${names.join(', ')}`);
  const kinds = listOf(fields.get('kinds'), IMAGE_KINDS.length, (item) => choiceOf(item, IMAGE_KINDS));
  if (fields.has('kinds') && kinds.length === 0)
    complain(fields.get('kinds'), `expected some of ${IMAGE_KINDS.join()}`);
  const bound = (name: keyof typeof BOUNDS): number | null =>
    isAbsent(fields.get(name)) ? null : numberOf(fields.get(name), { default: 0, min: 0, max: BOUNDS[name] });
  return {
    image_properties: {
      kinds: kinds.length === 0 ? null : [...new Set(kinds)],
      min_width: bound('min_width'),
      max_width: bound('max_width'),
      min_height: bound('min_height'),
      max_height: bound('max_height'),
      min_bytes: bound('min_bytes'),
      max_bytes: bound('max_bytes'),
      animated: flag(fields, 'animated'),
      has_gps: flag(fields, 'has_gps'),
    },
  };
}

function flag(fields: Fields, name: string): boolean | null {
  return isAbsent(fields.get(name)) ? null : flagOf(fields.get(name), false);
}

export function readOnnx(cursor: Cursor): Detect {
  const fields = fieldsOf(cursor, ['model', 'label', 'threshold']);
  if (!fields) return { any: [] };
  return {
    onnx: {
      model: textOf(fields.get('model'), NAME),
      label: textOf(fields.get('label')),
      threshold: numberOf(fields.get('threshold'), { default: 0.5, min: 0, max: 1, integer: false }),
    },
  };
}

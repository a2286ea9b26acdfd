/**
 * Reads from the bytes of an image its format, size, animation, orientation and GPS position. Nothing is decoded, so limits
 * reject here what would be expensive to decode. A file that is valid as two formats counts as what it begins as; the
 * decoder opens it as the same. A file of more than 65,536 parts is rejected as damaged. That bounds the time, to about a
 * millisecond.
 *
 * `metadata()` of sharp is no substitute. It runs only in a decoding process, it tells neither GPS positions nor animations
 * of PNG, it ignores the screen size of a GIF, and it goes through any number of parts.
 */

import type { ImageContent, ImageKind } from '../../../shared/policy/types.js';
import { failure, IMAGE_LIMITS, type ImageFailure } from '../failure.js';
import { isGif, readGif } from './formats/gif.js';
import type { ImageHeader } from './formats/header.js';
import { isJpeg, readJpeg } from './formats/jpeg.js';
import { isPng, readPng } from './formats/png.js';
import { isWebp, readWebp } from './formats/webp.js';

/** When a file contradicts itself, the size of what is decoded replaces that of its header. */
export interface ImageProperties
  extends Pick<ImageContent, 'kind' | 'width' | 'height' | 'bytes' | 'animated' | 'hasGps'> {
  /** EXIF orientation as stored, 1 to 8 */
  orientation: number;
}

const FORMATS: readonly {
  kind: ImageKind;
  is(bytes: Buffer): boolean;
  read(bytes: Buffer): ImageHeader | undefined;
}[] = [
  { kind: 'jpeg', is: isJpeg, read: readJpeg },
  { kind: 'png', is: isPng, read: readPng },
  { kind: 'webp', is: isWebp, read: readWebp },
  { kind: 'gif', is: isGif, read: readGif },
];

/** Properties of the image in `bytes`, or why it is not decoded. */
export function sniff(bytes: Buffer): { ok: true; properties: ImageProperties } | ImageFailure {
  if (bytes.length === 0) return failure('empty');
  if (bytes.length > IMAGE_LIMITS.bytes) return failure('too_large');
  const format = FORMATS.find(({ is }) => is(bytes));
  if (!format) return failure('not_an_image');
  const header = format.read(bytes);
  if (!header) return failure('corrupt');
  const { width, height, animated, orientation, hasGps } = header;
  if (width === 0 || height === 0) return failure('dimensions');
  if (width > IMAGE_LIMITS.side || height > IMAGE_LIMITS.side) return failure('side_too_long');
  if (width * height > IMAGE_LIMITS.pixels) return failure('too_many_pixels');
  const turned = orientation >= 5;
  return {
    ok: true,
    properties: {
      kind: format.kind,
      width: turned ? height : width,
      height: turned ? width : height,
      bytes: bytes.length,
      animated,
      hasGps,
      orientation,
    },
  };
}

/** Bytes of an image as it was received, with its pixels as people see it. */
import type { Compute } from './kind.js';

export const imageSize: Compute = ({ image }) =>
  image === null
    ? { note: 'the image could not be looked at' }
    : { value: image.bytes, label: `${image.width}x${image.height}` };

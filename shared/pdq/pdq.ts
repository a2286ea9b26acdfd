/**
 * PDQ, a perceptual hash of images: 256 bits that stay nearly the same when an image is compressed again, scaled or lightly
 * edited. Two hashes are compared by the number of bits that differ (Hamming distance). Up to 31 counts as the same image, if
 * the quality of both is at least 50. Algorithm: "The TMK+PDQF Video-Hashing Algorithm and the PDQ Image-Hashing Algorithm",
 * Facebook, 2019 (hashing.pdf in facebook/ThreatExchange). A pure function of the pixels.
 *
 * Steps:
 * 1. luminance;
 * 2. two passes of a box filter along rows and columns, as wide as half of one of 64 × 64 cells;
 * 3. the values at the centres of the 64 × 64 cells;
 * 4. their discrete cosine transform, of which the 16 × 16 lowest frequencies without the constant ones are kept;
 * 5. a bit for each coefficient, set if it is above the median.
 *
 * For equal pixels it equals the published implementation to the bit. That one computes with floats of 32 bits. So each
 * intermediate result is rounded here as it is there, sums are running sums in the same order, and the median is the 128th
 * smallest of the 256 coefficients. `filter.ts` does steps 1 to 4. An image of 512 × 512 takes 0.7 ms.
 *
 * Pixels must be RGB, or gray if the file was gray (a library's own conversion to gray has other weights). They must not be
 * turned by the EXIF orientation or changed by a colour profile, and alpha is dropped. An image with a side above `PDQ_SIDE` is
 * first scaled to `PDQ_SIDE` × `PDQ_SIDE`, whatever its shape, as the published tool does.
 */
import { type PdqPixels, reduce } from './filter.js';
import { CELLS, KEPT } from './kernels.js';

export type { PdqPixels };

/**
 * Side in pixels to which a larger image is scaled before it is hashed, in both directions. The published tool takes the nearest
 * pixel. A filter that averages changes 0 to 6 bits for scenes, and more for images full of fine writing. The images of a list
 * and the images looked up in it must be scaled alike.
 */
export const PDQ_SIDE = 512;

/** At this distance or below, two hashes are of the same image (the authors' recommendation). */
export const PDQ_MAX_DISTANCE = 31;

/** Hashes of a lower quality should not be compared (the authors' recommendation). */
export const PDQ_MIN_QUALITY = 50;

export interface Pdq {
  /** 32 bytes, the order of the hexadecimal form */
  hash: Uint8Array;
  /** 0 (featureless) to 100 */
  quality: number;
}

/** How an image can be turned and mirrored; turns are counter-clockwise. */
export const TRANSFORMS = [
  'original',
  'rotated_90',
  'rotated_180',
  'rotated_270',
  'flipped_vertically',
  'flipped_horizontally',
  'transposed',
  'anti_transposed',
] as const;
export type Transform = (typeof TRANSFORMS)[number];

export interface DihedralPdq extends Pdq {
  /** the hashes of the image turned and mirrored, in the order of `TRANSFORMS` */
  hashes: readonly Uint8Array[];
}

/** Sides shorter than this are not hashed: the hash is all zeros, the quality 0. */
const MIN_SIDE = 5;

/** Hash and quality of an image. Throws a RangeError if `data` does not have the length that the other fields give. */
export function pdq(pixels: PdqPixels): Pdq {
  const { hash, quality } = pdqDihedral(pixels);
  return { hash, quality };
}

/** Like `pdq`, with the hashes of the eight turned and mirrored images. */
export function pdqDihedral(pixels: PdqPixels): DihedralPdq {
  checkLength(pixels);
  if (pixels.width < MIN_SIDE || pixels.height < MIN_SIDE) {
    const hashes = TRANSFORMS.map(() => new Uint8Array(32));
    return { hash: hashes[0]!, quality: 0, hashes };
  }
  const { cells, coefficients } = reduce(pixels);
  const hashes = dihedralHashes(coefficients);
  return { hash: hashes[0]!, quality: qualityOf(cells), hashes };
}

/** 64 lower-case hexadecimal digits. */
export function pdqToHex(hash: Uint8Array): string {
  let text = '';
  for (const byte of hash) text += byte.toString(16).padStart(2, '0');
  return text;
}

/** The 32 bytes of 64 hexadecimal digits; undefined for any other text. */
export function pdqFromHex(text: string): Uint8Array | undefined {
  if (!/^[0-9a-fA-F]{64}$/.test(text)) return undefined;
  return Uint8Array.from({ length: 32 }, (_, i) => Number.parseInt(text.slice(2 * i, 2 * i + 2), 16));
}

function checkLength({ data, width, height, channels }: PdqPixels): void {
  if (width > 0 && height > 0 && data.length === width * height * channels) return;
  throw new RangeError(
    `PDQ: expected ${width} × ${height} pixels of ${channels} bytes each, got ${data.length} bytes in all`,
  );
}

/** Sum of the steps between neighbouring cells, in whole hundredths of the range, scaled to 0..100. */
function qualityOf(cells: Float32Array): number {
  let sum = 0;
  for (let i = 0; i < CELLS; i++) {
    for (let j = 0; j < CELLS; j++) {
      const value = cells[i * CELLS + j]!;
      if (i + 1 < CELLS) sum += step(value, cells[(i + 1) * CELLS + j]!);
      if (j + 1 < CELLS) sum += step(value, cells[i * CELLS + j + 1]!);
    }
  }
  return Math.min(100, Math.floor(sum / 90));
}

function step(a: number, b: number): number {
  const { fround } = Math;
  return Math.abs(Math.trunc(fround(fround(fround(a - b) * 100) / 255)));
}

/** What each transform does: mirrors left to right, mirrors upside down, then transposes. */
const STEPS: Readonly<Record<Transform, readonly [across: boolean, down: boolean, transposes: boolean]>> = {
  original: [false, false, false],
  rotated_90: [true, false, true],
  rotated_180: [true, true, false],
  rotated_270: [false, true, true],
  flipped_vertically: [false, true, false],
  flipped_horizontally: [true, false, false],
  transposed: [false, false, true],
  anti_transposed: [true, true, true],
};

/**
 * Mirroring left to right negates the odd frequencies across. These are the even columns, since the constant one is left out.
 * Mirroring upside down does the same for rows. Transposing the image transposes the coefficients, which does not change their
 * median.
 */
function dihedralHashes(coefficients: Float32Array): Uint8Array[] {
  const mirrored = [false, true].map((across) => [false, true].map((down) => mirror(coefficients, across, down)));
  return TRANSFORMS.map((name) => {
    const [across, down, transposes] = STEPS[name];
    return bitsOf(mirrored[Number(across)]![Number(down)]!, transposes);
  });
}

interface Mirrored {
  coefficients: Float32Array;
  median: number;
}

function mirror(coefficients: Float32Array, across: boolean, down: boolean): Mirrored {
  const result = new Float32Array(KEPT * KEPT);
  for (let i = 0; i < KEPT; i++) {
    for (let j = 0; j < KEPT; j++) {
      const negative = (down && i % 2 === 0) !== (across && j % 2 === 0);
      const value = coefficients[i * KEPT + j]!;
      result[i * KEPT + j] = negative ? -value : value;
    }
  }
  return { coefficients: result, median: result.slice().sort()[(KEPT * KEPT) / 2 - 1]! };
}

/** One bit for each coefficient, the first one last; set if the coefficient is above the median. */
function bitsOf({ coefficients, median }: Mirrored, transposed: boolean): Uint8Array {
  const hash = new Uint8Array(32);
  for (let k = 0; k < KEPT * KEPT; k++) {
    const bit = transposed ? (k % KEPT) * KEPT + Math.floor(k / KEPT) : k;
    if (coefficients[k]! > median) hash[31 - (bit >> 3)]! |= 1 << (bit & 7);
  }
  return hash;
}

/**
 * PDQ, a perceptual hash of images: 256 bits that stay nearly the same when an image is compressed again, scaled or lightly
 * edited. Two hashes are compared by the number of bits that differ (Hamming distance); up to 31 counts as the same image, where
 * the quality of both is at least 50. Algorithm: "The TMK+PDQF Video-Hashing Algorithm and the PDQ Image-Hashing Algorithm",
 * Facebook, 2019 (hashing.pdf in facebook/ThreatExchange). A pure function of the pixels.
 *
 * Steps: luminance; two passes of a box filter along rows and columns, each as wide as half of what one of 64 × 64 cells covers;
 * the centres of the 64 × 64 cells; their discrete cosine transform, of which the 16 × 16 lowest frequencies without the constant
 * ones are kept; a bit is set where a coefficient is above the median.
 *
 * Equal to the bit to the published implementation for equal pixels. That one computes with floats of 32 bits, so every
 * intermediate result is rounded here where it is rounded there, sums are running sums in the same order, and of the 256
 * coefficients the 128th smallest is the median.
 *
 * What to hand over: RGB, or gray that was gray in the file (a library's own conversion to gray has other weights), without
 * turning it by its EXIF orientation and without a colour profile applied, alpha dropped. Images with a side above `PDQ_SIDE` are
 * first scaled to `PDQ_SIDE` × `PDQ_SIDE`, whatever their shape, as the published tool does; smaller ones come as they are.
 */

/**
 * Side in pixels to which a larger image is scaled before it is hashed, in both directions. The published tool takes the nearest
 * pixel; a filter that averages changes 0 to 6 bits of scenes, and more where an image is full of fine writing. What matters is that
 * the images of a list and the images looked up in it were scaled alike.
 */
export const PDQ_SIDE = 512;

/** At this distance or below, two hashes are of the same image (the authors' recommendation). */
export const PDQ_MAX_DISTANCE = 31;

/** Hashes of a lower quality say too little to be compared (the authors' recommendation). */
export const PDQ_MIN_QUALITY = 50;

/** Decoded pixels, row by row from the top left, one byte a channel: gray, gray + alpha, RGB, RGB + alpha. Alpha is ignored. */
export interface Pixels {
  data: Uint8Array;
  width: number;
  height: number;
  channels: 1 | 2 | 3 | 4;
}

export interface Pdq {
  /** 32 bytes, the order of the hexadecimal form */
  hash: Uint8Array;
  /** 0 (featureless) to 100 */
  quality: number;
}

/** The images that turning and mirroring makes of one; turns are counter-clockwise. */
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
  /** what `hash` would be if the image had been turned or mirrored so, in the order of `TRANSFORMS` */
  hashes: readonly Uint8Array[];
}

/** Sides shorter than this are not hashed: the hash is all zeros, the quality 0. */
const MIN_SIDE = 5;
/** Cells a side of the scaled-down image. */
const CELLS = 64;
/** Frequencies kept in either direction. */
const KEPT = 16;
/** Rows filtered side by side: their running sums do not wait for each other. */
const LANES = 4;

/** Hash and quality of an image. Throws a RangeError when `data` is not as long as the other fields say. */
export function pdq(pixels: Pixels): Pdq {
  const cells = cellsOf(pixels);
  if (!cells) return { hash: new Uint8Array(32), quality: 0 };
  return { hash: bitsOf(transform(cells)), quality: qualityOf(cells) };
}

/** As `pdq`, with the hashes of the eight turned and mirrored images, for some 0.2 ms more. */
export function pdqDihedral(pixels: Pixels): DihedralPdq {
  const cells = cellsOf(pixels);
  if (!cells) {
    const hashes = TRANSFORMS.map(() => new Uint8Array(32));
    return { hash: hashes[0]!, quality: 0, hashes };
  }
  const coefficients = transform(cells);
  const hashes = TRANSFORMS.map((name) => bitsOf(transformed(coefficients, name)));
  return { hash: hashes[0]!, quality: qualityOf(cells), hashes };
}

/** 64 lower-case hexadecimal digits. */
export function pdqToHex(hash: Uint8Array): string {
  let text = '';
  for (const byte of hash) text += byte.toString(16).padStart(2, '0');
  return text;
}

/** The 32 bytes of 64 hexadecimal digits; undefined when they are anything else. */
export function pdqFromHex(text: string): Uint8Array | undefined {
  if (!/^[0-9a-fA-F]{64}$/.test(text)) return undefined;
  return Uint8Array.from({ length: 32 }, (_, i) => Number.parseInt(text.slice(2 * i, 2 * i + 2), 16));
}

/** The luminance at the centres of 64 × 64 cells after filtering; undefined for an image too small to hash. */
function cellsOf(pixels: Pixels): Float32Array | undefined {
  const { data, width, height, channels } = pixels;
  if (!(width > 0 && height > 0 && data.length === width * height * channels)) {
    throw new RangeError(
      `PDQ: expected ${width} × ${height} pixels of ${channels} bytes each, got ${data.length} bytes in all`,
    );
  }
  if (width < MIN_SIDE || height < MIN_SIDE) return undefined;
  if (width === CELLS && height === CELLS) {
    const cells = new Float32Array(CELLS * CELLS);
    for (let y = 0; y < CELLS; y++) readLuminance(pixels, y, cells, y * CELLS);
    return cells;
  }
  return sampledColumns(sampledRows(pixels), height);
}

/** Writes the luminance of row `y` to `into` from `at` on. */
function readLuminance({ data, width, channels }: Pixels, y: number, into: Float32Array, at: number): void {
  let from = y * width * channels;
  if (channels < 3) {
    for (let x = 0; x < width; x++, from += channels) into[at + x] = data[from]!;
    return;
  }
  const { fround } = Math;
  const red = fround(0.299);
  const green = fround(0.587);
  const blue = fround(0.114);
  for (let x = 0; x < width; x++, from += channels) {
    const sum = fround(fround(red * data[from]!) + fround(green * data[from + 1]!));
    into[at + x] = sum + fround(blue * data[from + 2]!);
  }
}

/** A running mean over `length` values: of those around position i, `before` to its left, itself, and `after` to its right. */
interface Box {
  before: number;
  after: number;
  /** how many values there are around each position: fewer at the ends */
  counts: Float32Array;
}

function boxOf(length: number): Box {
  const window = Math.ceil(length / (2 * CELLS));
  const after = Math.floor(window / 2);
  const before = window - 1 - after;
  const counts = Float32Array.from({ length }, (_, i) => Math.min(i + after, length - 1) - Math.max(i - before, 0) + 1);
  return { before, after, counts };
}

/** Where the centres of the cells lie among `length` values. */
function centres(length: number): Int32Array {
  return Int32Array.from({ length: CELLS }, (_, i) => Math.floor(((i + 0.5) * length) / CELLS));
}

/**
 * The first three passes (rows, columns, rows), of which the last is kept at the centres of the cells only: `height` rows of 64.
 * Rows flow through all three, so that memory is in the order of the rows that one box covers, not of the image.
 */
function sampledRows(pixels: Pixels): Float32Array {
  const { width, height } = pixels;
  const across = boxOf(width);
  const down = boxOf(height);
  const stride = across.before + 1 + width + across.after;
  const margin = across.before + 1;
  // Zeros beyond both ends of a row and beyond the first and last row change no sum.
  const blank = new Float32Array(width);
  const source = new Float32Array(LANES * stride);
  const smooth = new Float32Array(LANES * stride);
  const rows = Math.ceil((down.before + down.after + 2) / LANES) * LANES + LANES;
  const ring = new Float32Array(rows * width);
  const sums = new Float32Array(width);
  const sampled = new Float32Array((height + LANES) * CELLS);
  const at = centres(width);
  let read = 0;
  const row = (y: number): Float32Array => {
    if (y < 0 || y >= height) return blank;
    for (; read <= y; read += LANES) {
      for (let lane = 0; lane < LANES && read + lane < height; lane++) {
        readLuminance(pixels, read + lane, source, lane * stride + margin);
      }
      boxRows(source, ring.subarray((read % rows) * width, ((read % rows) + LANES) * width), across);
    }
    const start = (y % rows) * width;
    return ring.subarray(start, start + width);
  };
  for (let y = 0; y < down.after; y++) add(sums, row(y));
  for (let y = 0; y < height; y++) {
    const lane = y % LANES;
    const out = smooth.subarray(lane * stride + margin, lane * stride + margin + width);
    slide(sums, row(y + down.after), row(y - down.before - 1), down.counts[y]!, out);
    if (lane === LANES - 1 || y === height - 1) {
      sampleRows(smooth, sampled.subarray((y - lane) * CELLS, (y - lane + LANES) * CELLS), across, at);
    }
  }
  return sampled;
}

function add(sums: Float32Array, row: Float32Array): void {
  for (let x = 0; x < sums.length; x++) sums[x] = sums[x]! + row[x]!;
}

/** Moves the box down by one row and writes the means. */
function slide(
  sums: Float32Array,
  entering: Float32Array,
  leaving: Float32Array,
  count: number,
  out: Float32Array,
): void {
  const { fround } = Math;
  for (let x = 0; x < sums.length; x++) {
    const sum = fround(fround(sums[x]! + entering[x]!) - leaving[x]!);
    sums[x] = sum;
    out[x] = sum / count;
  }
}

/** Means along four rows, which have `before + 1` zeros before and `after` zeros behind them. */
function boxRows(rows: Float32Array, out: Float32Array, { before, after, counts }: Box): void {
  const { fround } = Math;
  const width = counts.length;
  const stride = before + 1 + width + after;
  let a = 0;
  let b = 0;
  let c = 0;
  let d = 0;
  let entering = before + 1;
  for (; entering < before + 1 + after; entering++) {
    a = fround(a + rows[entering]!);
    b = fround(b + rows[entering + stride]!);
    c = fround(c + rows[entering + 2 * stride]!);
    d = fround(d + rows[entering + 3 * stride]!);
  }
  for (let x = 0; x < width; x++, entering++) {
    a = fround(fround(a + rows[entering]!) - rows[x]!);
    b = fround(fround(b + rows[entering + stride]!) - rows[x + stride]!);
    c = fround(fround(c + rows[entering + 2 * stride]!) - rows[x + 2 * stride]!);
    d = fround(fround(d + rows[entering + 3 * stride]!) - rows[x + 3 * stride]!);
    const count = counts[x]!;
    out[x] = a / count;
    out[x + width] = b / count;
    out[x + 2 * width] = c / count;
    out[x + 3 * width] = d / count;
  }
}

/** As `boxRows`, writing only the means at positions `at`. */
function sampleRows(rows: Float32Array, out: Float32Array, { before, after, counts }: Box, at: Int32Array): void {
  const { fround } = Math;
  const stride = before + 1 + counts.length + after;
  let a = 0;
  let b = 0;
  let c = 0;
  let d = 0;
  let entering = before + 1;
  for (; entering < before + 1 + after; entering++) {
    a = fround(a + rows[entering]!);
    b = fround(b + rows[entering + stride]!);
    c = fround(c + rows[entering + 2 * stride]!);
    d = fround(d + rows[entering + 3 * stride]!);
  }
  let x = 0;
  for (let cell = 0; cell < CELLS; cell++) {
    const centre = at[cell]!;
    for (; x <= centre; x++, entering++) {
      a = fround(fround(a + rows[entering]!) - rows[x]!);
      b = fround(fround(b + rows[entering + stride]!) - rows[x + stride]!);
      c = fround(fround(c + rows[entering + 2 * stride]!) - rows[x + 2 * stride]!);
      d = fround(fround(d + rows[entering + 3 * stride]!) - rows[x + 3 * stride]!);
    }
    const count = counts[centre]!;
    out[cell] = a / count;
    out[cell + CELLS] = b / count;
    out[cell + 2 * CELLS] = c / count;
    out[cell + 3 * CELLS] = d / count;
  }
}

/** The last pass, along the columns of `height` rows of 64: the rows at the centres of the cells. */
function sampledColumns(rows: Float32Array, height: number): Float32Array {
  const { before, after, counts } = boxOf(height);
  const at = centres(height);
  const cells = new Float32Array(CELLS * CELLS);
  const blank = new Float32Array(CELLS);
  const sums = new Float32Array(CELLS);
  const scratch = new Float32Array(CELLS);
  const row = (y: number): Float32Array => (y < 0 || y >= height ? blank : rows.subarray(y * CELLS, (y + 1) * CELLS));
  for (let y = 0; y < after; y++) add(sums, row(y));
  let cell = 0;
  for (let y = 0; y < height; y++) {
    slide(sums, row(y + after), row(y - before - 1), counts[y]!, scratch);
    // A side below 64 pixels has several cells at one position.
    for (; at[cell] === y; cell++) cells.set(scratch, cell * CELLS);
  }
  return cells;
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

/** Rows 1 to 16 of the cosine matrix for 64 values. */
const COSINES = cosines();

function cosines(): Float32Array {
  const scale = Math.fround(Math.sqrt(2 / CELLS));
  const matrix = new Float32Array(KEPT * CELLS);
  for (let i = 0; i < KEPT; i++) {
    for (let j = 0; j < CELLS; j++) {
      matrix[i * CELLS + j] = scale * Math.cos((Math.PI / 2 / CELLS) * (i + 1) * (2 * j + 1));
    }
  }
  return matrix;
}

/** The 16 × 16 coefficients: cosines × cells × cosines, transposed. */
function transform(cells: Float32Array): Float32Array {
  const { fround } = Math;
  const half = new Float32Array(KEPT * CELLS);
  // Sum by sum in the order of k, for 64 columns side by side.
  for (let i = 0; i < KEPT; i++) {
    for (let k = 0; k < CELLS; k++) {
      const factor = COSINES[i * CELLS + k]!;
      for (let j = 0; j < CELLS; j++) {
        half[i * CELLS + j] = half[i * CELLS + j]! + fround(factor * cells[k * CELLS + j]!);
      }
    }
  }
  const coefficients = new Float32Array(KEPT * KEPT);
  for (let i = 0; i < KEPT; i++) {
    for (let j = 0; j < KEPT; j++) {
      let sum = 0;
      for (let k = 0; k < CELLS; k++) sum = fround(sum + fround(half[i * CELLS + k]! * COSINES[j * CELLS + k]!));
      coefficients[i * KEPT + j] = sum;
    }
  }
  return coefficients;
}

/**
 * The coefficients of a turned or mirrored image. Mirroring left to right negates the odd frequencies across, which are the even
 * columns since the constant one is left out; upside down, the same for rows; transposing the image transposes them.
 */
function transformed(coefficients: Float32Array, name: Transform): Float32Array {
  const mirrorAcross = ['rotated_90', 'rotated_180', 'flipped_horizontally', 'anti_transposed'].includes(name);
  const mirrorDown = ['rotated_180', 'rotated_270', 'flipped_vertically', 'anti_transposed'].includes(name);
  const transpose = ['rotated_90', 'rotated_270', 'transposed', 'anti_transposed'].includes(name);
  const result = new Float32Array(KEPT * KEPT);
  for (let i = 0; i < KEPT; i++) {
    for (let j = 0; j < KEPT; j++) {
      const negative = (mirrorDown && i % 2 === 0) !== (mirrorAcross && j % 2 === 0);
      const value = coefficients[i * KEPT + j]!;
      result[transpose ? j * KEPT + i : i * KEPT + j] = negative ? -value : value;
    }
  }
  return result;
}

/** One bit a coefficient, the first one last: set where it is above the median. */
function bitsOf(coefficients: Float32Array): Uint8Array {
  const median = coefficients.slice().sort()[(KEPT * KEPT) / 2 - 1]!;
  const hash = new Uint8Array(32);
  for (let k = 0; k < KEPT * KEPT; k++) {
    if (coefficients[k]! > median) hash[31 - (k >> 3)]! |= 1 << (k & 7);
  }
  return hash;
}

/** Turns pixels into the filtered cells of PDQ and their coefficients: lays out the memory and calls the kernels in order. */
import { CELLS, compileKernels, KEPT, LANES, VECTOR_BYTES } from './kernels.js';

/** Decoded pixels, row by row from the top left, one byte a channel: gray, gray + alpha, RGB, RGB + alpha. Alpha is ignored. */
export interface PdqPixels {
  data: Uint8Array;
  width: number;
  height: number;
  channels: 1 | 2 | 3 | 4;
}

/** Views of memory that the next image overwrites. */
export interface Reduced {
  /** luminance at the centres of 64 × 64 cells after filtering */
  cells: Float32Array;
  /** cosines × cells × cosines, transposed: 16 × 16 */
  coefficients: Float32Array;
}

/** Memory that is kept for the next image. Memory of an image that needs more is freed. */
const MOST_KEPT_BYTES = 4 * 2 ** 20;
const PAGE_BYTES = 65_536;
const CELL_ROW_BYTES = 4 * CELLS;

let kept: Machine | undefined;

/** `pixels` must be at least 5 pixels wide and high, and have data of the right length. */
export function reduce(pixels: PdqPixels): Reduced {
  const machine = kept ?? startMachine();
  // A machine that fails half-way is not used again.
  kept = undefined;
  const { memory, run, fixed } = machine;
  const image = place(machine, pixels);
  if (pixels.width === CELLS && pixels.height === CELLS) copyCells(image);
  else {
    filterRows(image);
    filterColumns(image);
  }
  run.multiply(fixed.cosines, fixed.cells, CELLS / KEPT, fixed.half);
  run.multiply(fixed.half, fixed.transposedCosines, 1, fixed.coefficients);
  if (memory.buffer.byteLength <= MOST_KEPT_BYTES) kept = machine;
  return {
    cells: new Float32Array(memory.buffer, fixed.cells, CELLS * CELLS),
    coefficients: new Float32Array(memory.buffer, fixed.coefficients, KEPT * KEPT),
  };
}

type Machine = ReturnType<typeof startMachine>;

/** The compiled kernels, and the memory that does not depend on the image. */
function startMachine() {
  const { memory, run } = compileKernels();
  const { take, taken } = allocator(0);
  const fixed = {
    cosines: take(4 * KEPT * CELLS),
    transposedCosines: take(4 * KEPT * CELLS),
    half: take(4 * KEPT * CELLS),
    coefficients: take(4 * KEPT * KEPT),
    cells: take(4 * CELLS * CELLS),
  };
  const cosines = new Float32Array(memory.buffer, fixed.cosines, KEPT * CELLS);
  const transposed = new Float32Array(memory.buffer, fixed.transposedCosines, KEPT * CELLS);
  const scale = Math.fround(Math.sqrt(2 / CELLS));
  for (let i = 0; i < KEPT; i++) {
    for (let j = 0; j < CELLS; j++) {
      // Rows 1 to 16 of the cosine matrix for 64 values.
      cosines[i * CELLS + j] = scale * Math.cos((Math.PI / 2 / CELLS) * (i + 1) * (2 * j + 1));
      transposed[j * KEPT + i] = cosines[i * CELLS + j]!;
    }
  }
  return { memory, run, fixed, free: taken() };
}

/** Allocates memory from `start` on, aligned for vectors. */
function allocator(start: number) {
  let next = start;
  const take = (bytes: number): number => {
    const at = next;
    next += Math.ceil(bytes / VECTOR_BYTES) * VECTOR_BYTES;
    return at;
  };
  return { take, taken: () => next };
}

/** A running mean: of the value at a position, `before` values to its left and `after` values to its right. */
interface Box {
  before: number;
  after: number;
  /** number of values for a position: fewer at the ends */
  count(position: number): number;
}

function boxOf(length: number): Box {
  const window = Math.ceil(length / (2 * CELLS));
  const after = Math.floor(window / 2);
  const before = window - 1 - after;
  return { before, after, count: (i) => Math.min(i + after, length - 1) - Math.max(i - before, 0) + 1 };
}

/** The position of the centre of a cell among `length` values. */
function centre(cell: number, length: number): number {
  return Math.floor(((cell + 0.5) * length) / CELLS);
}

function inFours(length: number): number {
  return LANES * Math.ceil(length / LANES);
}

type Image = ReturnType<typeof place>;

/** Lays out the memory for an image. All of it is zeros, except what depends on the size and format of the image. */
function place({ memory, run, fixed, free }: Machine, pixels: PdqPixels) {
  const { width, height, channels } = pixels;
  const across = boxOf(width);
  const down = boxOf(height);
  const wide = inFours(width);
  // Zeros before and after a row, where the box reaches beyond its ends, change no sum.
  const margin = across.before + 1;
  const laneBytes = VECTOR_BYTES * (margin + wide + across.after);
  // Rows from the one that leaves the box to the one that enters it, for four rows, rounded to fours at both ends.
  const ringRows = inFours(down.before + down.after + 11);
  const { take, taken } = allocator(free);
  const at = {
    pixels: take(LANES * width * channels + 2 * VECTOR_BYTES),
    format: take(6 * VECTOR_BYTES),
    source: take(laneBytes),
    smooth: take(laneBytes),
    counts: take(4 * wide),
    steps: take(2 * CELL_ROW_BYTES),
    table: take(3 * VECTOR_BYTES),
    blank: take(4 * Math.max(wide, CELLS)),
    sums: take(4 * wide),
    cellSums: take(CELL_ROW_BYTES),
    cellLanes: take(VECTOR_BYTES * CELLS),
    ring: take(4 * wide * ringRows),
    sampled: take(CELL_ROW_BYTES * inFours(height)),
  };
  const missing = taken() - memory.buffer.byteLength;
  if (missing > 0) memory.grow(Math.ceil(missing / PAGE_BYTES));
  const bytes = new Uint8Array(memory.buffer).fill(0, free, taken());
  const floats = new Float32Array(memory.buffer);
  const ints = new Int32Array(memory.buffer);
  writeFormat(bytes, floats, at.format, channels);
  for (let x = 0; x < wide; x++) floats[at.counts / 4 + x] = across.count(Math.min(x, width - 1));
  for (let cell = 0; cell < CELLS; cell++) {
    const x = centre(cell, width);
    ints[at.steps / 4 + cell] = x - (cell === 0 ? -1 : centre(cell - 1, width));
    floats[at.steps / 4 + CELLS + cell] = across.count(x);
  }
  return { pixels, run, fixed, at, across, down, wide, margin, ringRows, bytes, floats, ints };
}

/** For each colour: which bytes of four pixels it is, as integers, where a byte of 255 means none; then its weight. */
function writeFormat(bytes: Uint8Array, floats: Float32Array, at: number, channels: number): void {
  const weights = channels < 3 ? [1] : [0.299, 0.587, 0.114];
  bytes.fill(255, at, at + 3 * VECTOR_BYTES);
  for (const [colour, weight] of weights.entries()) {
    for (let i = 0; i < LANES; i++) {
      bytes[at + VECTOR_BYTES * colour + 4 * i] = channels * i + colour;
      floats[at / 4 + LANES * (3 + colour) + i] = weight;
    }
  }
}

/** The luminance of four rows from row `y` on, as lanes of `source`. Rows below the image have any values. */
function readLuminance({ pixels, run, at, margin, wide, bytes, floats }: Image, y: number): void {
  const { data, width, height, channels } = pixels;
  const rowBytes = width * channels;
  const from = at.source + VECTOR_BYTES * margin;
  bytes.set(data.subarray(y * rowBytes, Math.min(y + LANES, height) * rowBytes), at.pixels);
  run.luminance(at.pixels, rowBytes, LANES * channels, wide / LANES, from, at.format);
  clearBehind(floats, from, width, wide);
}

/** Clears the positions after a row that were written because four are written at once. */
function clearBehind(floats: Float32Array, lanes: number, width: number, wide: number): void {
  if (wide > width) floats.fill(0, lanes / 4 + LANES * width, lanes / 4 + LANES * wide);
}

/** An image that has the size of the cells is not filtered. */
function copyCells(image: Image): void {
  const { at, margin, fixed, floats } = image;
  for (let y = 0; y < CELLS; y += LANES) {
    readLuminance(image, y);
    for (let lane = 0; lane < LANES; lane++) {
      copyLane(floats, at.source + VECTOR_BYTES * margin, lane, fixed.cells + CELL_ROW_BYTES * (y + lane));
    }
  }
}

/** Copies one row out of the lanes of 64 positions to a row of cells. */
function copyLane(floats: Float32Array, lanes: number, lane: number, row: number): void {
  for (let x = 0; x < CELLS; x++) floats[row / 4 + x] = floats[lanes / 4 + LANES * x + lane]!;
}

/**
 * The first three passes (rows, columns, rows). The result of the third is kept only at the centres of the cells. Four rows at a
 * time go through all three passes, so memory depends on the rows that one box covers, not on the size of the image.
 */
function filterRows(image: Image): void {
  const { pixels, run, at, across, down, wide, margin, ringRows, floats } = image;
  const entering = at.source + VECTOR_BYTES * margin;
  const smooth = at.smooth + VECTOR_BYTES * margin;
  const row = (y: number): number => at.ring + 4 * wide * (y % ringRows);
  let read = 0;
  for (let y = -inFours(down.after); y < pixels.height; y += LANES) {
    for (; read < Math.min(y + LANES + down.after, pixels.height); read += LANES) {
      readLuminance(image, read);
      run.boxRows(at.source, entering, across.after, at.counts, wide / LANES, row(read), 4 * wide);
    }
    writeTable(image, y, row);
    run.boxColumns(at.table, at.sums, wide / LANES, smooth);
    // Above the image, the box only takes in the first rows.
    if (y < 0) continue;
    clearBehind(floats, smooth, pixels.width, wide);
    run.sampleRows(at.smooth, smooth, across.after, at.steps, at.sampled + CELL_ROW_BYTES * y);
  }
}

/** The last pass, along the columns of the sampled rows: the rows at the centres of the cells. */
function filterColumns(image: Image): void {
  const { pixels, run, fixed, at, down, floats } = image;
  const row = (y: number): number => at.sampled + CELL_ROW_BYTES * y;
  let cell = 0;
  for (let y = -inFours(down.after); y < pixels.height; y += LANES) {
    writeTable(image, y, row);
    run.boxColumns(at.table, at.cellSums, CELLS / LANES, at.cellLanes);
    // If a side is below 64 pixels, several cells are at one position.
    for (; cell < CELLS && centre(cell, pixels.height) < y + LANES; cell++) {
      const lane = centre(cell, pixels.height) - y;
      copyLane(floats, at.cellLanes, lane, fixed.cells + CELL_ROW_BYTES * cell);
    }
  }
}

/** Writes the table of `boxColumns` for four rows from row `y` on. Some may be above or below the image. */
function writeTable({ pixels, at, down, floats, ints }: Image, y: number, row: (y: number) => number): void {
  const within = (i: number): number => (i < 0 || i >= pixels.height ? at.blank : row(i));
  for (let lane = 0; lane < LANES; lane++) {
    ints[at.table / 4 + lane] = within(y + lane + down.after);
    ints[at.table / 4 + LANES + lane] = within(y + lane - down.before - 1);
    floats[at.table / 4 + 2 * LANES + lane] = down.count(Math.max(0, Math.min(y + lane, pixels.height - 1)));
  }
}

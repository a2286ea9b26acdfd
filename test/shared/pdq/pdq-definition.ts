/**
 * PDQ as it is defined: every mean summed up anew, every coefficient by its formula, in double precision. Far too slow to use; it
 * shares nothing with the module that it checks.
 */
import type { Pixels } from '#weir/shared/pdq/pdq';

export function definition(pixels: Pixels): { coefficients: number[]; median: number; quality: number } {
  const cells = sixtyFour(luminance(pixels));
  const coefficients: number[] = [];
  for (let u = 1; u <= 16; u++) for (let v = 1; v <= 16; v++) coefficients.push(coefficient(cells, u, v));
  const median = coefficients.toSorted((a, b) => a - b)[127]!;
  return { coefficients, median, quality: quality(cells) };
}

type Matrix = number[][];

function luminance({ data, width, height, channels }: Pixels): Matrix {
  return Array.from({ length: height }, (_, y) =>
    Array.from({ length: width }, (_, x) => {
      const [r, g, b] = data.subarray((y * width + x) * channels, (y * width + x) * channels + 3);
      return channels < 3 ? r! : 0.299 * r! + 0.587 * g! + 0.114 * b!;
    }),
  );
}

function sixtyFour(image: Matrix): Matrix {
  const height = image.length;
  const width = image[0]!.length;
  let blurred = image;
  if (width !== 64 || height !== 64) {
    for (let pass = 0; pass < 2; pass++) {
      blurred = blurred.map(means);
      blurred = transpose(transpose(blurred).map(means));
    }
  }
  return Array.from({ length: 64 }, (_, i) =>
    Array.from(
      { length: 64 },
      (_, j) => blurred[Math.floor(((i + 0.5) * height) / 64)]![Math.floor(((j + 0.5) * width) / 64)]!,
    ),
  );
}

/** The mean over a window of 1/128 of the length, rounded up; the greater half of an even window is to the right. */
function means(values: number[]): number[] {
  const window = Math.floor((values.length + 127) / 128);
  const right = Math.floor((window + 2) / 2) - 1;
  const left = window - right - 1;
  return values.map((_, i) => {
    const inside = values.slice(Math.max(0, i - left), i + right + 1);
    return inside.reduce((sum, value) => sum + value, 0) / inside.length;
  });
}

function transpose(matrix: Matrix): Matrix {
  return matrix[0]!.map((_, j) => matrix.map((row) => row[j]!));
}

function coefficient(cells: Matrix, u: number, v: number): number {
  const wave = (frequency: number, at: number): number => Math.cos((Math.PI * frequency * (2 * at + 1)) / 128);
  let sum = 0;
  for (let i = 0; i < 64; i++) for (let j = 0; j < 64; j++) sum += wave(u, i) * wave(v, j) * cells[i]![j]!;
  return sum / 32;
}

function quality(cells: Matrix): number {
  const steps = (matrix: Matrix): number =>
    matrix
      .flatMap((row) => row.slice(1).map((value, j) => Math.floor((Math.abs(value - row[j]!) * 100) / 255)))
      .reduce((sum, step) => sum + step, 0);
  return Math.min(100, Math.floor((steps(cells) + steps(transpose(cells))) / 90));
}

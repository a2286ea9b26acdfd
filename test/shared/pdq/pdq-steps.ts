/**
 * PDQ step by step with floats of 32 bits, one value after the other and all of them: what the module that it checks does four at a
 * time, in parts, and at the places that are needed only.
 */
import type { PdqPixels } from '#weir/shared/pdq/pdq';

const { fround } = Math;

/** Hash in hexadecimal digits, and quality. */
export function stepByStep(pixels: PdqPixels): { hash: string; quality: number } {
  const { width, height } = pixels;
  let values = luminance(pixels);
  if (width !== 64 || height !== 64) {
    for (let pass = 0; pass < 2; pass++) {
      for (let y = 0; y < height; y++) filter(values, { from: y * width, step: 1, length: width });
      for (let x = 0; x < width; x++) filter(values, { from: x, step: width, length: height });
    }
  }
  values = Float32Array.from({ length: 4096 }, (_, i) => {
    const [y, x] = [Math.floor(i / 64), i % 64].map((cell) => cell + 0.5) as [number, number];
    return values[Math.floor((y * height) / 64) * width + Math.floor((x * width) / 64)]!;
  });
  return { hash: hashOf(coefficients(values)), quality: quality(values) };
}

function luminance({ data, width, height, channels }: PdqPixels): Float32Array {
  return Float32Array.from({ length: width * height }, (_, i) => {
    const [r, g, b] = [0, 1, 2].map((c) => data[i * channels + c]!) as [number, number, number];
    if (channels < 3) return r;
    return fround(fround(fround(fround(0.299) * r) + fround(fround(0.587) * g)) + fround(fround(0.114) * b));
  });
}

interface Line {
  from: number;
  step: number;
  length: number;
}

/** The means along a row or column, by a running sum. */
function filter(values: Float32Array, { from, step, length }: Line): void {
  const window = Math.ceil(length / 128);
  const after = Math.floor(window / 2);
  const line = Float32Array.from({ length }, (_, i) => values[from + i * step]!);
  let sum = 0;
  let count = 0;
  for (let i = -after; i < length; i++) {
    if (i + after < length) {
      sum = fround(sum + line[i + after]!);
      count++;
    }
    if (i + after >= window) {
      sum = fround(sum - line[i + after - window]!);
      count--;
    }
    if (i >= 0) values[from + i * step] = sum / count;
  }
}

function cosine(i: number, j: number): number {
  return fround(fround(Math.sqrt(2 / 64)) * Math.cos((Math.PI / 2 / 64) * (i + 1) * (2 * j + 1)));
}

function coefficients(cells: Float32Array): Float32Array {
  const half = Float32Array.from({ length: 16 * 64 }, (_, at) =>
    sumOf((k) => cosine(Math.floor(at / 64), k) * cells[k * 64 + (at % 64)]!),
  );
  return Float32Array.from({ length: 256 }, (_, at) =>
    sumOf((k) => half[Math.floor(at / 16) * 64 + k]! * cosine(at % 16, k)),
  );
}

function sumOf(term: (k: number) => number): number {
  let sum = 0;
  for (let k = 0; k < 64; k++) sum = fround(sum + fround(term(k)));
  return sum;
}

function hashOf(values: Float32Array): string {
  const median = values.toSorted()[127]!;
  let hash = 0n;
  for (const [k, value] of values.entries()) if (value > median) hash |= 1n << BigInt(k);
  return hash.toString(16).padStart(64, '0');
}

function quality(cells: Float32Array): number {
  let sum = 0;
  const add = (a: number, b: number): void => {
    sum += Math.abs(Math.trunc(fround(fround(fround(a - b) * 100) / 255)));
  };
  for (let at = 0; at < 4096; at++) {
    if (at < 4032) add(cells[at]!, cells[at + 64]!);
    if (at % 64 < 63) add(cells[at]!, cells[at + 1]!);
  }
  return Math.min(100, Math.floor(sum / 90));
}

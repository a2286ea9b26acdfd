/** Pixels made and moved by hand, for tests that must not depend on a library of images. */
import type { PdqPixels, Transform } from '#weir/shared/pdq/pdq';

/** Pixel by pixel, what `Transform` says of an image; turns are counter-clockwise. */
export function transformedPixels(pixels: PdqPixels, transform: Transform): PdqPixels {
  const { data, width, height, channels } = pixels;
  const swaps = ['rotated_90', 'rotated_270', 'transposed', 'anti_transposed'].includes(transform);
  const result: PdqPixels = {
    data: new Uint8Array(data.length),
    width: swaps ? height : width,
    height: swaps ? width : height,
    channels,
  };
  const right = width - 1;
  const bottom = height - 1;
  /** column and row of the original from which column x and row y of the result come */
  const origin: Record<Transform, (x: number, y: number) => readonly [number, number]> = {
    original: (x, y) => [x, y],
    rotated_90: (x, y) => [right - y, x],
    rotated_180: (x, y) => [right - x, bottom - y],
    rotated_270: (x, y) => [y, bottom - x],
    flipped_vertically: (x, y) => [x, bottom - y],
    flipped_horizontally: (x, y) => [right - x, y],
    transposed: (x, y) => [y, x],
    anti_transposed: (x, y) => [right - y, bottom - x],
  };
  for (let y = 0; y < result.height; y++) {
    for (let x = 0; x < result.width; x++) {
      const [fromX, fromY] = origin[transform](x, y);
      for (let c = 0; c < channels; c++) {
        result.data[(y * result.width + x) * channels + c] = data[(fromY * width + fromX) * channels + c]!;
      }
    }
  }
  return result;
}

/** Blocks and ramps of a size and number of channels, by whole numbers only: the same on every machine. */
export function blocks(seed: number, width: number, height: number, channels: 1 | 2 | 3 | 4): PdqPixels {
  const data = new Uint8Array(width * height * channels);
  for (let y = 0; y < height; y++) {
    for (let x = 0; x < width; x++) {
      const cell =
        Math.imul(Math.floor((x * 9) / width) + 1, 73856093) ^ Math.imul(Math.floor((y * 7) / height) + 1, 19349663);
      for (let c = 0; c < channels; c++) {
        const block = Math.imul(cell ^ Math.imul(seed + 1, 83492791), 31 + c) >>> 24;
        data[(y * width + x) * channels + c] = (block * 3 + ((x * (c + 2) + y * 3) % 256)) >> 2;
      }
    }
  }
  return { data, width, height, channels };
}

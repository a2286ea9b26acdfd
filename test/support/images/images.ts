/** Images made on the spot: good ones of every format and shape, and the parts that bad ones are built from. */
import { crc32, deflateSync } from 'node:zlib';
import sharp, { type Sharp } from 'sharp';

/** Pseudo-random numbers from 0 to 1, the same for the same seed. */
export function randomFrom(seed: number): () => number {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}

/** A scene with gradients, an edge and some noise: pixels that no shortcut of an encoder makes trivial. */
export function scene(width: number, height: number, seed = 1): Sharp {
  const random = randomFrom(seed);
  const raw = Buffer.allocUnsafe(width * height * 3);
  for (let y = 0, at = 0; y < height; y++) {
    for (let x = 0; x < width; x++) {
      const noise = random() * 16;
      const bright = x > width / 2 === y > height / 2 ? 90 : 0;
      raw[at++] = (120 * x) / width + noise + bright;
      raw[at++] = (120 * y) / height + noise + bright;
      raw[at++] = 60 + noise + bright;
    }
  }
  return sharp(raw, { raw: { width, height, channels: 3 } });
}

/** One colour, of any size; compresses to almost nothing. */
export const flat = (width: number, height: number, background = '#336699'): Sharp =>
  sharp({ create: { width, height, channels: 3, background }, limitInputPixels: false });

/** Left half red, right half blue: shows rotation and cropping. */
export function halves(width: number, height: number): Sharp {
  const raw = Buffer.alloc(width * height * 3);
  for (let i = 0; i < width * height; i++) raw[3 * i + (i % width < width / 2 ? 0 : 2)] = 255;
  return sharp(raw, { raw: { width, height, channels: 3 } });
}

export async function frames(count: number, width: number, height: number): Promise<Sharp> {
  const images = await Promise.all(
    Array.from({ length: count }, (_, i) =>
      scene(width, height, i + 1)
        .png()
        .toBuffer(),
    ),
  );
  return sharp(images, { join: { animated: true } });
}

export const u16 = (value: number): Buffer => Buffer.from([value >> 8, value & 255]);
export const u32 = (value: number): Buffer => {
  const bytes = Buffer.alloc(4);
  bytes.writeUInt32BE(value >>> 0);
  return bytes;
};

/** EXIF data (a TIFF structure) with an orientation, by default of type SHORT as it must be, and, if wished, a position. */
export function exif(
  options: { orientation?: number; type?: 'byte' | 'short' | 'long'; gps?: boolean; little?: boolean } = {},
): Buffer {
  const { orientation = 1, type = 'short', gps = false, little = false } = options;
  const order = (bytes: Buffer): Buffer => (little ? Buffer.from(bytes).reverse() : bytes);
  const [short, long] = [(value: number) => order(u16(value)), (value: number) => order(u32(value))];
  const entry = (tag: number, type: number, value: Buffer): Buffer =>
    Buffer.concat([short(tag), short(type), long(1), value, Buffer.alloc(4 - value.length)]);
  const value = { byte: Buffer.from([orientation]), short: short(orientation), long: long(orientation) }[type];
  const entries = [entry(0x0112, { byte: 1, short: 3, long: 4 }[type], value)];
  if (gps) entries.push(entry(0x8825, 4, long(8 + 2 + 24 + 4)));
  const directory = [short(entries.length), ...entries, long(0)];
  const position = gps ? [short(2), entry(1, 2, Buffer.from('N')), entry(2, 5, long(0)), long(0)] : [];
  return Buffer.concat([Buffer.from(little ? 'II' : 'MM'), short(42), long(8), ...directory, ...position]);
}

/** A JPEG segment. */
export const segment = (marker: number, data: Buffer): Buffer =>
  Buffer.concat([Buffer.from([0xff, marker]), u16(data.length + 2), data]);

/** `jpeg` with a segment put behind its start. */
export const withSegment = (jpeg: Buffer, marker: number, data: Buffer): Buffer =>
  Buffer.concat([jpeg.subarray(0, 2), segment(marker, data), jpeg.subarray(2)]);

export const withExif = (jpeg: Buffer, data: Buffer): Buffer =>
  withSegment(jpeg, 0xe1, Buffer.concat([Buffer.from('Exif\0\0'), data]));

/** Position of the frame header of a JPEG. */
export function frameHeaderOf(jpeg: Buffer): number {
  for (const at of jpegCuts(jpeg)) {
    if (jpeg[at] === 0xff && [0xc0, 0xc1, 0xc2].includes(jpeg[at + 1]!)) return at;
  }
  throw new Error('the JPEG has no frame header');
}

/** A PNG chunk with its checksum. */
export function chunk(type: string, data: Buffer): Buffer {
  const body = Buffer.concat([Buffer.from(type, 'latin1'), data]);
  return Buffer.concat([u32(data.length), body, u32(crc32(body))]);
}

export const PNG_SIGNATURE = Buffer.from('89504e470d0a1a0a', 'hex');

/** A PNG of 8-bit gray that says any size, over any image data. */
export function rawPng(width: number, height: number, data: Buffer, extra: Buffer[] = []): Buffer {
  const header = Buffer.concat([u32(width), u32(height), Buffer.from([8, 0, 0, 0, 0])]);
  return Buffer.concat([
    PNG_SIGNATURE,
    chunk('IHDR', header),
    ...extra,
    chunk('IDAT', deflateSync(data)),
    chunk('IEND', Buffer.alloc(0)),
  ]);
}

/** `png` with a chunk put behind its header. */
export const withChunk = (png: Buffer, type: string, data: Buffer): Buffer =>
  Buffer.concat([png.subarray(0, 33), chunk(type, data), png.subarray(33)]);

/** `png` with a chunk put before its end. */
export const withLateChunk = (png: Buffer, type: string, data: Buffer): Buffer =>
  Buffer.concat([png.subarray(0, -12), chunk(type, data), png.subarray(-12)]);

/** `gif` with another logical screen. */
export function withScreen(gif: Buffer, width: number, height: number): Buffer {
  const copy = Buffer.from(gif);
  copy.writeUInt16LE(width, 6);
  copy.writeUInt16LE(height, 8);
  return copy;
}

/** The compressed pixels of a PNG. */
export function pngData(png: Buffer): Buffer {
  const parts = pngCuts(png).slice(1, -1);
  const data = parts.filter((at) => png.toString('latin1', at + 4, at + 8) === 'IDAT');
  return Buffer.concat(data.map((at) => png.subarray(at + 8, at + 8 + png.readUInt32BE(at))));
}

/** What a frame header of an animated PNG holds; each frame is shown for a second. */
export function frameControl(number: number, { width = 0, height = 0, x = 0, y = 0 }): Buffer {
  return Buffer.concat([u32(number), u32(width), u32(height), u32(x), u32(y), u16(1), u16(1), Buffer.alloc(2)]);
}

/**
 * `png` as the first frame of an animation, or (`cover`) as what is shown where animations are not; `frames` are PNGs of the
 * same shape and kind. `stated`: how many frames it says there are.
 */
export function animatedPng(
  png: Buffer,
  frames: readonly Buffer[],
  { cover = false, stated }: { cover?: boolean; stated?: number } = {},
): Buffer {
  const size = { width: png.readUInt32BE(16), height: png.readUInt32BE(20) };
  let number = 0;
  const header = (): Buffer => chunk('fcTL', frameControl(number++, size));
  const control = chunk('acTL', Buffer.concat([u32(stated ?? frames.length + Number(!cover)), u32(0)]));
  return Buffer.concat([
    png.subarray(0, 33),
    control,
    ...(cover ? [] : [header()]),
    png.subarray(33, -12),
    ...frames.flatMap((frame) => [header(), chunk('fdAT', Buffer.concat([u32(number++), pngData(frame)]))]),
    png.subarray(-12),
  ]);
}

/** A RIFF chunk, padded to even length. */
export function riff(type: string, data: Buffer): Buffer {
  const size = Buffer.alloc(4);
  size.writeUInt32LE(data.length);
  return Buffer.concat([Buffer.from(type), size, data, Buffer.alloc(data.length % 2)]);
}

export const webp = (...chunks: Buffer[]): Buffer => riff('RIFF', Buffer.concat([Buffer.from('WEBP'), ...chunks]));

/** The extended header of a WebP of any size. */
export function webpHeader(width: number, height: number, flags = 0): Buffer {
  const data = Buffer.alloc(10);
  data[0] = flags;
  data.writeUIntLE(width - 1, 4, 3);
  data.writeUIntLE(height - 1, 7, 3);
  return riff('VP8X', data);
}

/** The chunks of a WebP file. */
export const webpChunks = (file: Buffer): Buffer => file.subarray(12);

/** Where segments of a JPEG begin, up to the first scan, and the end. */
export function jpegCuts(bytes: Buffer): number[] {
  const cuts = [0, 2];
  let at = 2;
  while (at + 4 <= bytes.length && bytes[at] === 0xff && bytes[at + 1] !== 0xda) {
    at += 2 + bytes.readUInt16BE(at + 2);
    cuts.push(at);
  }
  return cuts;
}

export function pngCuts(bytes: Buffer): number[] {
  const cuts = [0, 8];
  for (let at = 8; at + 12 <= bytes.length; ) {
    at += 12 + bytes.readUInt32BE(at);
    cuts.push(at);
  }
  return cuts;
}

export function webpCuts(bytes: Buffer): number[] {
  const cuts = [0, 4, 8, 12];
  for (let at = 12; at + 8 <= bytes.length; ) {
    const length = bytes.readUInt32LE(at + 4);
    cuts.push(at + 8);
    at += 8 + length + (length % 2);
    cuts.push(at);
  }
  return cuts;
}

export function gifCuts(bytes: Buffer): number[] {
  const table = (flags: number): number => ((flags & 0x80) === 0 ? 0 : 3 * 2 ** ((flags & 7) + 1));
  const cuts = [0, 6, 13];
  let at = 13 + table(bytes[10]!);
  const skip = (): void => {
    while (at < bytes.length && bytes[at] !== 0) {
      at += 1 + bytes[at]!;
      cuts.push(at);
    }
    at++;
  };
  while (at < bytes.length && bytes[at] !== 0x3b) {
    cuts.push(at);
    at += bytes[at] === 0x21 ? 2 : 11 + table(bytes[at + 9]!);
    skip();
  }
  cuts.push(at);
  return cuts;
}

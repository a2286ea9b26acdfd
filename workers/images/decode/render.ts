/**
 * Decodes an image to the sizes asked for, as people see it. Runs in a decoding process. All loaders are blocked except those
 * of the four formats.
 *
 * Sizes that need all pixels of an image share one decode. JPEG and WebP can be scaled down while they are decoded, at a
 * fraction of the cost; such a size is decoded from the file separately. Which way is taken depends only on the image and that
 * size, and a shared decode gives the same pixels as a separate one. So the hash, and what a detector sees, do not depend on
 * what others asked for.
 *
 * The library that decodes an image decides its size and orientation. The header was used for limits, but it may differ from
 * what is decoded: a GIF states a screen size, and an orientation may stand where other readers do not look for it.
 */
import sharp, { type Sharp } from 'sharp';
import { PDQ_SIDE } from '../../../shared/pdq/pdq.js';
import type { ImageKind } from '../../../shared/policy/types.js';
import { IMAGE_LIMITS } from '../failure.js';
import { leanPng } from './formats/png-lean.js';
import type { DecodedPixels, DecodeRequest, ImageRefusal, Rendition } from './types.js';

/** What most viewers show behind transparent pixels. */
const BACKGROUND = '#ffffff';

const LOADERS: Record<ImageKind, string> = {
  jpeg: 'VipsForeignLoadJpeg',
  png: 'VipsForeignLoadPng',
  webp: 'VipsForeignLoadWebp',
  gif: 'VipsForeignLoadNsgif',
};

/**
 * The reduction from which on a loader scales down: JPEG by 2, 4 or 8 (between 2 and 3 the library takes the whole image, to
 * keep precision), WebP by any factor above 1.
 */
const SCALED_FROM: Record<ImageKind, number> = { jpeg: 3, png: Infinity, webp: 1.000_001, gif: Infinity };

// One thread for each process: parallel decodes are parallel processes. The cache would keep pixels of other images.
sharp.concurrency(1);
sharp.cache(false);
sharp.block({ operation: ['VipsForeignLoad'] });
sharp.unblock({ operation: Object.values(LOADERS) });

interface Size {
  width: number;
  height: number;
}

/** Size and properties of what is decoded, upright. */
interface DecodedShape extends Size {
  kind: ImageKind;
  /** the file has its pixels as they are shown: neither turned nor of 16 bits a channel */
  plain: boolean;
}

/** A file; its size is that of what is decoded, upright. */
export interface RenderSource extends Size {
  /** what the image is hashed from, if it is hashed */
  toHash: Rendition | undefined;
  /** For `toHash` and the renditions asked for. Rejects when the file is damaged. */
  render(rendition: Rendition): Promise<DecodedPixels>;
  /** bytes of the pixels that are shared; 0: none are */
  held: number;
}

/** What is decoded is larger than images may be, though the header says otherwise. */
export class ImageTooLarge extends Error {
  constructor(readonly reason: ImageRefusal) {
    super(`the decoded image is refused: ${reason}`);
  }
}

/** Opens a file for what is asked of it. Rejects when it is damaged, and with a TooLarge when it is too large. */
export async function openSource(sent: Buffer, asked: DecodeRequest & { pixelLimit: number }): Promise<RenderSource> {
  const { image, renditions, hashed, pixelLimit } = asked;
  const bytes = image.kind === 'png' ? leanPng(sent) : sent;
  if (!bytes) throw new Error('a colour profile is larger than profiles are');
  // An image that is broken off is refused, since its shown half could be clean. (A JPEG whose data end too soon but which has
  // its end mark is whole by its format: the rest is gray, as every viewer shows it.)
  const open = { failOn: 'error', sequentialRead: true, pages: 1 } as const;
  const file = (): Sharp =>
    sharp(bytes, { ...open, limitInputPixels: pixelLimit })
      .autoOrient()
      .flatten({ background: BACKGROUND });
  const small = hashed && renditions.length === 0 && isHashedAsIs(image) ? await unscaled(file()) : undefined;
  if (small) return small;
  const reading = shapeOf(sharp(bytes, { ...open, limitInputPixels: false }), image.kind);
  const scaled = hashed && renditions.length === 0 ? render(file(), SCALED) : undefined;
  // Both are needed for nearly every image that is only hashed, and each waits for threads. Neither may go on beside the next image.
  await Promise.allSettled([reading, scaled]);
  const shape = await reading;
  const { width, height, plain } = shape;
  checkSize(shape, pixelLimit);
  if (scaled && !isHashedAsIs(shape)) return { width, height, toHash: SCALED, render: () => scaled, held: 0 };
  const toHash = hashed ? hashedFrom(shape) : undefined;
  const size = { width, height, toHash };
  const whole = [...(toHash ? [toHash] : []), ...renditions].filter((rendition) => isWhole(shape, rendition));
  // Other images are scaled before they are turned or reduced to 8 bits. Sharing would not give the same bits.
  const shared = whole.length > 1 && plain;
  if (!shared) return { ...size, render: (rendition) => render(file(), rendition), held: 0 };
  const { data, info } = await raw(file());
  const { channels } = info;
  const pixels = (): Sharp => sharp(data, { raw: { width: info.width, height: info.height, channels } });
  return {
    ...size,
    render: (rendition) => render(whole.includes(rendition) ? pixels() : file(), rendition),
    held: data.length,
  };
}

/** Images with a side of more than 512 pixels are scaled down before they are hashed. */
const isHashedAsIs = ({ width, height }: Size): boolean => width <= PDQ_SIDE && height <= PDQ_SIDE;

const SCALED: Rendition = { width: PDQ_SIDE, height: PDQ_SIDE, kind: 'rgb', fit: 'fill' };
const hashedFrom = (size: Size): Rendition =>
  isHashedAsIs(size) ? { ...SCALED, width: size.width, height: size.height } : SCALED;

/** An image that is only hashed, as it is, needs no look at its metadata. Undefined when it is larger than its header says. */
async function unscaled(file: Sharp): Promise<RenderSource | undefined> {
  const { data, info } = await raw(file);
  const { width, height, channels } = info;
  if (!isHashedAsIs(info)) return undefined;
  const pixels = convert({ data, width, height }, channels, 'rgb');
  return { width, height, toHash: hashedFrom(info), render: async () => pixels, held: 0 };
}

async function shapeOf(image: Sharp, kind: ImageKind): Promise<DecodedShape> {
  const { orientation = 1, depth, autoOrient } = await image.metadata();
  return { kind, width: autoOrient.width, height: autoOrient.height, plain: orientation === 1 && depth === 'uchar' };
}

function checkSize({ width, height }: Size, pixelLimit: number): void {
  if (width > IMAGE_LIMITS.side || height > IMAGE_LIMITS.side) throw new ImageTooLarge('side_too_long');
  if (width * height > pixelLimit) throw new ImageTooLarge('too_many_pixels');
}

function isWhole({ kind, width, height }: DecodedShape, rendition: Rendition): boolean {
  const [across, down] = [width / rendition.width, height / rendition.height];
  const covers = rendition.fit === 'fill' || rendition.fit === 'cover';
  return (covers ? Math.min(across, down) : Math.max(across, down)) < SCALED_FROM[kind];
}

function raw(image: Sharp) {
  return image.toColourspace('srgb').raw({ depth: 'uchar' }).toBuffer({ resolveWithObject: true });
}

async function render(from: Sharp, { width, height, kind, fit }: Rendition): Promise<DecodedPixels> {
  const { data, info } = await raw(
    from.resize({ width, height, fit, background: BACKGROUND, withoutEnlargement: fit === 'inside' }),
  );
  return convert({ data, width: info.width, height: info.height }, info.channels, kind);
}

function convert(image: Omit<DecodedPixels, 'channels'>, from: number, kind: Rendition['kind']): DecodedPixels {
  const { data, width, height } = image;
  if (kind === 'gray') return { width, height, channels: 1, data: from < 3 ? every(data, from) : luma(data, from) };
  return { width, height, channels: 3, data: from === 3 ? data : toRgb(data, from) };
}

/** Weights in units of 1/65,536, rounded. */
function luma(data: Buffer, from: number): Buffer {
  const gray = Buffer.allocUnsafe(data.length / from);
  for (let i = 0, at = 0; i < gray.length; i++, at += from) {
    gray[i] = (19595 * data[at]! + 38470 * data[at + 1]! + 7471 * data[at + 2]! + 32768) >> 16;
  }
  return gray;
}

/** The first of every `step` bytes. */
function every(data: Buffer, step: number): Buffer {
  if (step === 1) return data;
  const picked = Buffer.allocUnsafe(data.length / step);
  for (let i = 0; i < picked.length; i++) picked[i] = data[i * step]!;
  return picked;
}

function toRgb(data: Buffer, from: number): Buffer {
  const rgb = Buffer.allocUnsafe((data.length / from) * 3);
  const gray = from < 3;
  for (let i = 0, at = 0; i < rgb.length; i += 3, at += from) {
    rgb[i] = data[at]!;
    rgb[i + 1] = data[gray ? at : at + 1]!;
    rgb[i + 2] = data[gray ? at : at + 2]!;
  }
  return rgb;
}

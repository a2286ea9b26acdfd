/**
 * What becomes of an image in a decoding process: the sizes asked for, as one sees it. Every loader but those of the four
 * formats is blocked.
 *
 * Sizes that take all pixels of an image share one decode of it. A size that a JPEG or WebP is scaled down to while it is
 * decoded comes from the file by itself, which costs a fraction. Which of the two it is depends on the image and that size
 * alone, and a shared decode gives the same pixels as one of its own: what a detector sees, and above all the hash, does not
 * depend on what others asked for.
 */
import sharp, { type Sharp } from 'sharp';
import type { DecodeRequest, Pixels, Rendition } from './decode-types.js';
import type { ImageKind } from './sniff.js';

/** Transparency is shown as most viewers show it. */
const BACKGROUND = '#ffffff';

const LOADERS: Record<ImageKind, string> = {
  jpeg: 'VipsForeignLoadJpeg',
  png: 'VipsForeignLoadPng',
  webp: 'VipsForeignLoadWebp',
  gif: 'VipsForeignLoadNsgif',
};

/**
 * From how many times smaller on a loader scales down: JPEG by 2, 4 or 8 (from 2 to 3 the library takes the whole image,
 * for want of precision), WebP by any factor above 1.
 */
const SCALED_FROM: Record<ImageKind, number> = { jpeg: 3, png: Infinity, webp: 1.000_001, gif: Infinity };

// One thread a process; parallel decodes are parallel processes. The cache would keep pixels of other images.
sharp.concurrency(1);
sharp.cache(false);
sharp.block({ operation: ['VipsForeignLoad'] });
sharp.unblock({ operation: Object.values(LOADERS) });

type Shape = DecodeRequest['image'];

export interface Source {
  /** Rejects when the file is damaged. */
  render(rendition: Rendition): Promise<Pixels>;
  /** bytes of the pixels that are shared; 0: none are */
  held: number;
}

/** Where pixels come from for `renditions` of a file: rejects when it is damaged. */
export async function openSource(
  bytes: Buffer,
  { image, pixelLimit }: { image: Shape; pixelLimit: number },
  renditions: readonly Rendition[],
): Promise<Source> {
  // An image that is broken off is no image: half of it could be clean. (A JPEG whose data end too soon but with the
  // end mark in place is whole by its format: gray below, as every viewer shows it.)
  const file = (): Sharp =>
    sharp(bytes, { failOn: 'error', limitInputPixels: pixelLimit, sequentialRead: true, pages: 1 })
      .autoOrient()
      .flatten({ background: BACKGROUND });
  const whole = renditions.filter((rendition) => isWhole(image, rendition));
  // Turned or of 16 bits a channel: scaled before that is undone, it would not be the same to the bit.
  const shared = whole.length > 1 && image.orientation === 1 && (await file().metadata()).depth === 'uchar';
  if (!shared) return { render: (rendition) => render(file(), rendition), held: 0 };
  const { data, info } = await raw(file());
  const { width, height, channels } = info;
  const pixels = (): Sharp => sharp(data, { raw: { width, height, channels } });
  return {
    render: (rendition) => render(whole.includes(rendition) ? pixels() : file(), rendition),
    held: data.length,
  };
}

function isWhole({ kind, width, height }: Shape, rendition: Rendition): boolean {
  const [across, down] = [width / rendition.width, height / rendition.height];
  const covers = rendition.fit === 'fill' || rendition.fit === 'cover';
  return (covers ? Math.min(across, down) : Math.max(across, down)) < SCALED_FROM[kind];
}

function raw(image: Sharp) {
  return image.toColourspace('srgb').raw({ depth: 'uchar' }).toBuffer({ resolveWithObject: true });
}

async function render(from: Sharp, { width, height, kind, fit }: Rendition): Promise<Pixels> {
  const { data, info } = await raw(
    from.resize({ width, height, fit, background: BACKGROUND, withoutEnlargement: fit === 'inside' }),
  );
  return convert({ data, width: info.width, height: info.height }, info.channels, kind);
}

function convert(image: Omit<Pixels, 'channels'>, from: number, kind: Rendition['kind']): Pixels {
  const { data, width, height } = image;
  if (kind === 'gray') return { width, height, channels: 1, data: from < 3 ? every(data, from) : luma(data, from) };
  return { width, height, channels: 3, data: from === 3 ? data : toRgb(data, from) };
}

/** The weights in 1/65,536, rounded. */
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

/**
 * A decoding process: starting → ready → one image at a time → ended by its parent, by its memory limit, or by what an
 * image did to it. It has no secrets (empty environment), no network use and no files; every loader but those of the
 * four formats is blocked. It ends itself with SIGKILL, since an ordinary exit would wait for a decode that hangs.
 *
 * Arguments: memory limit in bytes, pixel limit.
 */
import { writeSync } from 'node:fs';
import sharp from 'sharp';
import { pdqDihedral, pdqToHex } from '../../shared/policy/detectors/pdq.js';
import { createFrameReader, frame } from './decode-frames.js';
import type { DecodeReply, DecodeRequest, ImageHash, Pixels, Rendition } from './decode-types.js';
import { IMAGE_LIMITS } from './failure.js';
import type { ImageKind } from './sniff.js';

const [memoryLimit = 0, pixelLimit = 0] = process.argv.slice(2).map(Number);
const MEMORY_WATCH_MS = 10;
const STDOUT = 1;

/** Transparency is shown as most viewers show it. */
const BACKGROUND = '#ffffff';

const LOADERS: Record<ImageKind, string> = {
  jpeg: 'VipsForeignLoadJpeg',
  png: 'VipsForeignLoadPng',
  webp: 'VipsForeignLoadWebp',
  gif: 'VipsForeignLoadNsgif',
};

// One thread a process; parallel decodes are parallel processes. The cache would keep pixels of other images.
sharp.concurrency(1);
sharp.cache(false);
sharp.block({ operation: ['VipsForeignLoad'] });
sharp.unblock({ operation: Object.values(LOADERS) });

async function render(bytes: Buffer, { width, height, kind, fit }: Rendition): Promise<Pixels> {
  const { data, info } = await sharp(bytes, {
    // An image that is broken off is no image: half of it could be clean. (A JPEG whose data end too soon but with the
    // end mark in place is whole by its format: gray below, as every viewer shows it.)
    failOn: 'error',
    limitInputPixels: pixelLimit,
    sequentialRead: true,
    pages: 1,
  })
    .autoOrient()
    .flatten({ background: BACKGROUND })
    .resize({ width, height, fit, background: BACKGROUND, withoutEnlargement: fit === 'inside' })
    .toColourspace('srgb')
    .raw({ depth: 'uchar' })
    .toBuffer({ resolveWithObject: true });
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

function hashOf(pixels: Pixels): ImageHash {
  const { quality, hashes } = pdqDihedral(pixels);
  return { quality, hashes: hashes.map(pdqToHex) };
}

async function decode(request: DecodeRequest, bytes: Buffer): Promise<void> {
  const rendered: Pixels[] = [];
  let hash: ImageHash | undefined;
  try {
    if (request.hashed) hash = hashOf(await render(bytes, { ...request.hashed, kind: 'rgb', fit: 'fill' }));
    // Each from the file, one after the other: what a detector sees does not depend on what others asked for.
    for (const rendition of request.renditions) rendered.push(await render(bytes, rendition));
  } catch {
    return reply({ status: 'corrupt', resident: process.memoryUsage.rss() });
  }
  const pixels = rendered.map(({ width, height, channels }) => ({ width, height, channels }));
  const bodies = rendered.map(({ data }) => data);
  reply({ status: 'done', pixels, ...(hash ? { hash } : {}), resident: process.memoryUsage.rss() }, bodies);
}

function reply(header: DecodeReply, bodies: Buffer[] = []): void {
  for (const part of frame(header, bodies)) process.stdout.write(part);
}

function endNow(): void {
  process.kill(process.pid, 'SIGKILL');
}

setInterval(() => {
  if (process.memoryUsage.rss() <= memoryLimit) return;
  // At once and past the stream: the loop will not turn again.
  writeSync(STDOUT, frame({ status: 'memory' } satisfies DecodeReply)[0]!);
  endNow();
}, MEMORY_WATCH_MS);

// Signals to the whole group (Ctrl-C) are for the parent, which finishes its work first.
process.on('SIGINT', () => undefined);
process.on('SIGTERM', () => undefined);

const reader = createFrameReader(
  () => IMAGE_LIMITS.bytes,
  (header, body) => void decode(header as DecodeRequest, body),
);
process.stdin.on('data', (chunk: Buffer) => reader.push(chunk));
process.stdin.on('close', endNow);
process.stdin.on('end', endNow);
reply({ status: 'ready' });

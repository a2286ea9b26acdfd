/**
 * A decoding process: starting → ready → one image at a time → ended by its parent, by its memory limit, or by what an
 * image did to it. It has no secrets (empty environment), no network use and no files; every loader but those of the
 * four formats is blocked. It ends itself with SIGKILL, since an ordinary exit would wait for a decode that hangs.
 *
 * Arguments: memory limit in bytes, pixel limit.
 */
import { writeFileSync, writeSync } from 'node:fs';
import sharp from 'sharp';
import { createFrameReader, frame } from './decode-frames.js';
import type { DecodeReply, DecodeRequest, Pixels, Rendition } from './decode-types.js';
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
    // An image that is broken off is no image: half of it could be clean.
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
  const count = width * height;
  const gray = from < 3;
  if (kind === 'gray') {
    const luma = Buffer.allocUnsafe(count);
    for (let i = 0, at = 0; i < count; i++, at += from) {
      // The weights in 1/65,536.
      luma[i] = gray ? data[at]! : (19595 * data[at]! + 38470 * data[at + 1]! + 7471 * data[at + 2]! + 32768) >> 16;
    }
    return { width, height, channels: 1, data: luma };
  }
  if (from === 3) return { width, height, channels: 3, data };
  const rgb = Buffer.allocUnsafe(count * 3);
  for (let i = 0, at = 0; i < count; i++, at += from) {
    rgb[3 * i] = data[at]!;
    rgb[3 * i + 1] = data[gray ? at : at + 1]!;
    rgb[3 * i + 2] = data[gray ? at : at + 2]!;
  }
  return { width, height, channels: 3, data: rgb };
}

async function decode(request: DecodeRequest, bytes: Buffer): Promise<void> {
  const rendered: Pixels[] = [];
  try {
    // Each from the file, one after the other: what a detector sees does not depend on what others asked for.
    for (const rendition of request.renditions) rendered.push(await render(bytes, rendition));
  } catch {
    return reply({ status: 'corrupt', resident: process.memoryUsage.rss() });
  }
  const pixels = rendered.map(({ width, height, channels }) => ({ width, height, channels }));
  reply({ status: 'done', pixels, resident: process.memoryUsage.rss() }, Buffer.concat(rendered.map((p) => p.data)));
}

function reply(header: DecodeReply, body?: Buffer): void {
  const [head, rest] = frame(header, body);
  process.stdout.write(head);
  if (rest.length > 0) process.stdout.write(rest);
}

function endNow(): void {
  process.kill(process.pid, 'SIGKILL');
}

setInterval(() => {
  if (process.memoryUsage.rss() <= memoryLimit) return;
  // At once and past the stream: the loop will not turn again.
  writeSync(STDOUT, frame({ status: 'memory' } satisfies DecodeReply)[0]);
  endNow();
}, MEMORY_WATCH_MS);

// Signals to the whole group (Ctrl-C) are for the parent, which finishes its work first.
process.on('SIGINT', () => undefined);
process.on('SIGTERM', () => undefined);
try {
  // When the machine runs out of memory, this process is the one to lose.
  if (process.platform === 'linux') writeFileSync('/proc/self/oom_score_adj', '1000');
} catch {
  // Not allowed in some sandboxes; the limit above still holds.
}

const reader = createFrameReader(
  () => IMAGE_LIMITS.bytes,
  (header, body) => void decode(header as DecodeRequest, body),
);
process.stdin.on('data', (chunk: Buffer) => reader.push(chunk));
process.stdin.on('close', endNow);
process.stdin.on('end', endNow);
reply({ status: 'ready' });

/**
 * Image files that mean harm or are broken, made by code, the same each time: truncated at every part, sizes that lie,
 * bombs, polyglots, files that are none, and good files with flipped bits. Each says how it may end.
 */
import { readFileSync, writeFileSync } from 'node:fs';
import { deserialize, serialize } from 'node:v8';
import { deflateSync, gzipSync } from 'node:zlib';
import sharp from 'sharp';
import { madeOnce } from '../made-once.ts';
import * as images from './images.ts';

export interface HostileImage {
  name: string;
  bytes: Buffer;
  /** outcomes that are right: `decoded` or reasons of failure */
  outcomes: readonly string[];
  /** so much work that it may take longer than it is given */
  heavy?: boolean;
}

interface Base {
  name: string;
  bytes: Buffer;
  cuts: (bytes: Buffer) => number[];
  /** where the first frame ends, if others follow: a file cut behind it can still be decoded */
  firstFrameEnds?: number;
}

const BROKEN = ['corrupt', 'not_an_image', 'empty'];
const ANY = ['decoded', 'corrupt', 'not_an_image', 'dimensions', 'side_too_long', 'too_many_pixels'];

async function bases(): Promise<Base[]> {
  const scene = (seed: number) => images.scene(64, 48, seed);
  const animation = await images.frames(3, 48, 32);
  const gif = await animation.clone().gif().toBuffer();
  const webp = await animation.clone().webp().toBuffer();
  const { jpegCuts, pngCuts, webpCuts, gifCuts } = images;
  return [
    { name: 'baseline JPEG', bytes: await scene(1).jpeg().toBuffer(), cuts: jpegCuts },
    { name: 'progressive JPEG', bytes: await scene(2).jpeg({ progressive: true }).toBuffer(), cuts: jpegCuts },
    { name: 'CMYK JPEG', bytes: await scene(3).toColourspace('cmyk').jpeg().toBuffer(), cuts: jpegCuts },
    { name: 'PNG', bytes: await scene(4).png().toBuffer(), cuts: pngCuts },
    { name: 'interlaced PNG', bytes: await scene(5).png({ progressive: true }).toBuffer(), cuts: pngCuts },
    { name: 'palette PNG', bytes: await scene(6).png({ palette: true }).toBuffer(), cuts: pngCuts },
    { name: '16-bit PNG', bytes: await scene(7).toColourspace('rgb16').png().toBuffer(), cuts: pngCuts },
    { name: 'lossy WebP', bytes: await scene(8).webp().toBuffer(), cuts: webpCuts },
    { name: 'lossless WebP', bytes: await scene(9).webp({ lossless: true }).toBuffer(), cuts: webpCuts },
    { name: 'WebP with alpha', bytes: await scene(10).ensureAlpha(0.4).webp().toBuffer(), cuts: webpCuts },
    {
      name: 'animated WebP',
      bytes: webp,
      cuts: webpCuts,
      firstFrameEnds: webp.indexOf('ANMF', webp.indexOf('ANMF') + 4),
    },
    { name: 'GIF', bytes: await scene(11).gif().toBuffer(), cuts: gifCuts },
    { name: 'animated GIF', bytes: gif, cuts: gifCuts, firstFrameEnds: secondFrameOf(gif) },
  ];
}

/** Where the second image block of a GIF begins. */
function secondFrameOf(gif: Buffer): number {
  return images.gifCuts(gif).filter((at) => gif[at] === 0x2c && at > 13)[1] ?? gif.length;
}

function truncations({ name, bytes, cuts, firstFrameEnds }: Base): HostileImage[] {
  const ends = new Set<number>();
  for (const cut of cuts(bytes)) for (const end of [cut - 1, cut, cut + 1]) ends.add(end);
  for (let share = 1; share < 10; share++) ends.add(Math.floor((bytes.length * share) / 10));
  const pixelsEnd = firstFrameEnds ?? bytes.length;
  return [...ends]
    .filter((end) => end >= 0 && end < bytes.length)
    .map((end) => {
      // The last few bytes of a file may be its end mark alone: all pixels are there without it.
      const whole = end >= pixelsEnd - 16;
      return { name: `${name}, first ${end} bytes`, bytes: bytes.subarray(0, end), outcomes: whole ? ANY : BROKEN };
    });
}

function flips({ name, bytes }: Base, seed: number): HostileImage[] {
  const random = images.randomFrom(seed);
  return Array.from({ length: 8 }, (_, i) => {
    const copy = Buffer.from(bytes);
    for (let n = 0; n <= i; n++) {
      const at = Math.floor(random() * copy.length);
      copy[at] = copy[at]! ^ (1 << Math.floor(random() * 8));
    }
    return { name: `${name}, ${i + 1} flipped bits`, bytes: copy, outcomes: ANY };
  });
}

async function liars(): Promise<HostileImage[]> {
  const jpeg = await images.scene(16, 16).jpeg().toBuffer();
  const gif = await images.scene(16, 16).gif().toBuffer();
  const frame = images.webpChunks(await images.scene(16, 16).webp().toBuffer());
  const sizes: [number, number, string[]][] = [
    [0, 0, ['dimensions']],
    [0, 100, ['dimensions']],
    [65_535, 65_535, ['side_too_long']],
    [16_385, 16, ['side_too_long']],
    [16_384, 16_384, ['too_many_pixels']],
    [16_384, 3000, ['corrupt']],
    [1000, 1000, ['corrupt']],
  ];
  return sizes.flatMap(([width, height, outcomes]) => {
    const lying = Buffer.from(jpeg);
    const at = images.frameHeaderOf(jpeg);
    lying.writeUInt16BE(height, at + 5);
    lying.writeUInt16BE(width, at + 7);
    const screen = Buffer.from(gif);
    screen.writeUInt16LE(width, 6);
    screen.writeUInt16LE(height, 8);
    const stated = `${width} × ${height}`;
    const files = [
      // Data that ends too soon, with the end mark in place, is gray below: every viewer shows that, so it is checked.
      { name: `JPEG that says ${stated}`, bytes: lying, outcomes: outcomes.includes('corrupt') ? ANY : outcomes },
      { name: `PNG that says ${stated}`, bytes: images.rawPng(width, height, Buffer.alloc(17 * 16)), outcomes },
      // A frame may be smaller than the screen, or say how large the screen is.
      { name: `GIF that says ${stated}`, bytes: screen, outcomes: [...outcomes, 'decoded'] },
    ];
    if (width === 0) return files;
    const canvas = images.webp(images.webpHeader(width, height), frame);
    return [...files, { name: `WebP that says ${stated}`, bytes: canvas, outcomes }];
  });
}

/** A progressive JPEG whose last scan is repeated: every scan is work over all of the image. */
async function scanBomb(): Promise<Buffer> {
  const jpeg = await images.flat(4000, 4000).jpeg({ progressive: true }).toBuffer();
  const last = jpeg.lastIndexOf(Buffer.from([0xff, 0xda]));
  const scan = jpeg.subarray(last, jpeg.length - 2);
  return Buffer.concat([jpeg.subarray(0, last), ...Array<Buffer>(2000).fill(scan), jpeg.subarray(jpeg.length - 2)]);
}

async function bombs(): Promise<HostileImage[]> {
  const zeros = Buffer.alloc(32 * 1024 * 1024);
  const text = Buffer.concat([Buffer.from('Comment\0\0'), deflateSync(zeros)]);
  const profile = Buffer.concat([Buffer.from('icc\0\0'), deflateSync(zeros)]);
  const small = await images.scene(16, 16).png().toBuffer();
  const jpeg = await images.scene(16, 16).jpeg().toBuffer();
  const gif = await images.frames(2, 16, 16).then((all) => all.gif().toBuffer());
  const second = secondFrameOf(gif);
  const manyFrames = Buffer.concat([
    gif.subarray(0, second),
    ...Array<Buffer>(20_000).fill(gif.subarray(second, gif.length - 1)),
    Buffer.from([0x3b]),
  ]);
  const wide = await images.flat(16_384, 3051).png({ compressionLevel: 9 }).toBuffer();
  const many = (marker: number, count: number): Buffer =>
    Buffer.concat([
      jpeg.subarray(0, 2),
      ...Array<Buffer>(count).fill(images.segment(marker, Buffer.alloc(2))),
      jpeg.subarray(2),
    ]);
  const chunks = Buffer.concat(Array<Buffer>(100_000).fill(images.chunk('tEXt', Buffer.from('a\0b'))));
  const good = ['decoded'];
  const either = ['decoded', 'corrupt'];
  const heavy = ['decoded', 'corrupt', 'decode_timeout', 'decode_late', 'decode_memory'];
  return [
    { name: 'PNG, 50 megapixels of one colour', bytes: wide, outcomes: good },
    {
      name: 'PNG, interlaced, 50 megapixels',
      bytes: await images.flat(7071, 7071).png({ progressive: true }).toBuffer(),
      outcomes: heavy,
    },
    {
      name: 'WebP, lossless, 50 megapixels',
      bytes: await images.flat(7071, 7071).webp({ lossless: true, effort: 0 }).toBuffer(),
      outcomes: heavy,
    },
    { name: 'GIF, 49 megapixels', bytes: await images.flat(7000, 7000).gif({ effort: 1 }).toBuffer(), outcomes: heavy },
    { name: 'PNG with more data than pixels', bytes: images.rawPng(16, 16, zeros), outcomes: either },
    { name: 'PNG with a text that inflates', bytes: images.withChunk(small, 'zTXt', text), outcomes: either },
    { name: 'PNG with a profile that inflates', bytes: images.withChunk(small, 'iCCP', profile), outcomes: either },
    {
      name: 'PNG with 100,000 chunks',
      bytes: Buffer.concat([small.subarray(0, 33), chunks, small.subarray(33)]),
      outcomes: either,
    },
    { name: 'GIF with 20,000 frames', bytes: manyFrames.subarray(0, 10 * 1024 * 1024), outcomes: either },
    { name: 'JPEG with 2,000 scans', bytes: await scanBomb(), outcomes: heavy },
    { name: 'JPEG with 50,000 comments', bytes: many(0xfe, 50_000), outcomes: either },
    { name: 'JPEG with 50,000 EXIF segments', bytes: many(0xe1, 50_000), outcomes: either },
    {
      name: 'JPEG with restart markers only',
      bytes: Buffer.concat([jpeg.subarray(0, 2), Buffer.alloc(1_000_000, Buffer.from([0xff, 0xd0]))]),
      outcomes: ['corrupt'],
    },
    {
      name: 'JPEG of fill bytes',
      bytes: Buffer.concat([jpeg.subarray(0, 3), Buffer.alloc(9_000_000, 0xff)]),
      outcomes: ['corrupt'],
    },
    { name: 'EXIF that is its own directory', bytes: images.withExif(jpeg, selfReferring()), outcomes: either },
  ];
}

function selfReferring(): Buffer {
  const data = images.exif({ gps: true });
  data.writeUInt32BE(8, 8 + 2 + 12 + 8);
  return data;
}

async function polyglots(): Promise<HostileImage[]> {
  const png = await images.scene(16, 16).png().toBuffer();
  const jpeg = await images.scene(16, 16).jpeg().toBuffer();
  const gif = await images.scene(16, 16).gif().toBuffer();
  const webp = await images.scene(16, 16).webp().toBuffer();
  const tail = Buffer.from('<?php system($_GET[0]); ?><script>alert(1)</script>PK\x03\x04');
  const svg = Buffer.from(
    '<svg xmlns="http://www.w3.org/2000/svg" width="9" height="9"><image href="file:///etc/passwd"/></svg>',
  );
  const none = ['not_an_image'];
  const first = ['decoded'];
  const others: HostileImage[] = [
    { name: 'SVG', bytes: svg, outcomes: none },
    { name: 'SVG, compressed', bytes: gzipSync(svg), outcomes: none },
    { name: 'TIFF', bytes: await images.scene(16, 16).tiff().toBuffer(), outcomes: none },
    { name: 'AVIF', bytes: await images.scene(16, 16).avif({ effort: 0 }).toBuffer(), outcomes: none },
    { name: 'PDF', bytes: Buffer.from('%PDF-1.4\n1 0 obj<</Type/Catalog>>endobj'), outcomes: none },
    { name: 'HTML', bytes: Buffer.concat([Buffer.from('<!doctype html>'), png]), outcomes: none },
    { name: 'PNG signature over a JPEG', bytes: Buffer.concat([images.PNG_SIGNATURE, jpeg]), outcomes: ['corrupt'] },
    {
      name: 'JPEG start over a PNG',
      bytes: Buffer.concat([Buffer.from([0xff, 0xd8, 0xff]), png]),
      outcomes: ['corrupt'],
    },
    {
      name: 'GIF header over a PNG',
      bytes: Buffer.concat([Buffer.from('GIF89a'), png]),
      outcomes: ['corrupt', 'decoded', 'side_too_long'],
    },
    {
      name: 'WebP container of a WAV',
      bytes: images.riff('RIFF', Buffer.from('WAVEfmt ................................')),
      outcomes: none,
    },
    {
      name: 'WebP container without a frame',
      bytes: images.webp(images.riff('JUNK', Buffer.alloc(40))),
      outcomes: ['corrupt'],
    },
    { name: 'WebP canvas without a frame', bytes: images.webp(images.webpHeader(9, 9)), outcomes: ['corrupt'] },
    {
      name: 'GIF without a frame',
      bytes: Buffer.concat([gif.subarray(0, 13), Buffer.from([0x3b])]),
      outcomes: ['corrupt'],
    },
    {
      name: 'PNG without data',
      bytes: Buffer.concat([png.subarray(0, 33), images.chunk('IEND', Buffer.alloc(0))]),
      outcomes: ['corrupt'],
    },
    { name: 'bytes of zero', bytes: Buffer.alloc(100_000), outcomes: none },
    { name: 'no bytes', bytes: Buffer.alloc(0), outcomes: ['empty'] },
    {
      name: 'more bytes than allowed',
      bytes: Buffer.concat([png, Buffer.alloc(10 * 1024 * 1024)]),
      outcomes: ['too_large'],
    },
    { name: 'raw pixels', bytes: await sharp(png).raw().toBuffer(), outcomes: none },
  ];
  const endings = { png, jpeg, gif, webp };
  for (const [kind, file] of Object.entries(endings)) {
    others.push({ name: `${kind} with code behind it`, bytes: Buffer.concat([file, tail]), outcomes: first });
    others.push({ name: `${kind} with another image behind it`, bytes: Buffer.concat([file, png]), outcomes: first });
  }
  for (const length of [1, 2, 3, 7, 8, 11, 12, 29, 30, 33]) {
    for (const [kind, file] of Object.entries(endings)) {
      others.push({ name: `${kind}, ${length} bytes`, bytes: file.subarray(0, length), outcomes: BROKEN });
    }
  }
  return others;
}

/** Animations that viewers show another image of than the one that a decoder of still images finds. */
async function covers(): Promise<HostileImage[]> {
  const [cover, shown] = [await images.flat(16, 16).png().toBuffer(), await images.scene(16, 16).png().toBuffer()];
  const [still, moving] = [await images.flat(16, 16).webp().toBuffer(), await images.frames(2, 16, 16)];
  const chunks = images.webpChunks(await moving.webp().toBuffer());
  const frames = chunks.subarray(images.webpHeader(16, 16).length);
  const single = images.webpChunks(still);
  const canvas = (...parts: Buffer[]): Buffer => images.webp(images.webpHeader(16, 16, 2), ...parts);
  const corrupt = ['corrupt'];
  return [
    { name: 'animated PNG', bytes: images.animatedPng(cover, [shown]), outcomes: ['decoded'] },
    {
      name: 'animated PNG of one frame, not its image',
      bytes: images.animatedPng(cover, [shown], { cover: true }),
      outcomes: corrupt,
    },
    {
      name: 'animated PNG of many frames, none its image',
      bytes: images.animatedPng(cover, Array(50).fill(shown), { cover: true }),
      outcomes: corrupt,
    },
    {
      name: 'animated PNG of no frames',
      bytes: images.animatedPng(cover, [], { cover: true }),
      outcomes: corrupt,
    },
    { name: 'animated WebP with an image before its frames', bytes: canvas(single, frames), outcomes: corrupt },
    { name: 'animated WebP with an image behind its frames', bytes: canvas(frames, single), outcomes: corrupt },
  ];
}

/** All of them, at least 200. */
export async function hostileImages(): Promise<HostileImage[]> {
  const path = await madeOnce('hostile-images', async (path) => writeFileSync(path, serialize(await made())));
  return deserialize(readFileSync(path)) as HostileImage[];
}

async function made(): Promise<HostileImage[]> {
  const all = await bases();
  return [
    ...all.flatMap(truncations),
    ...all.flatMap((base, i) => flips(base, 1000 + i)),
    ...(await liars()),
    ...(await bombs()).map((bomb) => ({ ...bomb, heavy: true })),
    ...(await polyglots()),
    ...(await covers()),
  ];
}

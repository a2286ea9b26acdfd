/**
 * A decoding process: starting → ready → one image at a time → ended by its parent, by one of its limits, or by what an
 * image did to it. It has no secrets (empty environment), no network use and no files. It ends itself with SIGKILL, because
 * an ordinary exit would wait for a decode that hangs.
 *
 * The next image may come while one is decoded. It is kept until that one is done.
 *
 * An image: decoded and hashed ── a reply, if pixels were asked for as well ──> its renditions ──> the last reply. Each of
 * the two steps has its own limit of computing time. The parent watches the clock.
 *
 * Arguments: memory limit in bytes, pixel limit, milliseconds of computing.
 */
import { writeSync } from 'node:fs';
import { type OnReadOpts, Socket, type SocketConstructorOpts } from 'node:net';
import { pdqDihedral, pdqToHex } from '../../../shared/pdq/pdq.js';
import { createFrameReader, frame } from '../../child-process/frames.js';
import { IMAGE_LIMITS } from '../failure.js';
import { ImageTooLarge, openSource } from './render.js';
import type { DecodedPixels, DecodeReply, DecodeRequest, ImageHash, ImageMeasures } from './types.js';

const [memoryLimit = 0, pixelLimit = 0, cpuLimit = 0] = process.argv.slice(2).map(Number);
const WATCH_MS = 10;
const STDIN = 0;
const STDOUT = 1;
/** More pixels than this are freed at once: two such images together would come near the memory limit. */
const LARGE = 32 * 1024 * 1024;

/** Processor time that had been used when the current work began. */
let before = process.cpuUsage();

function hashOf(pixels: DecodedPixels): ImageHash {
  const { quality, hashes } = pdqDihedral(pixels);
  return { quality, hashes: hashes.map(pdqToHex) };
}

async function make(request: DecodeRequest, bytes: Buffer) {
  const { renditions } = request;
  const { width, height, toHash, render, held } = await openSource(bytes, { ...request, pixelLimit });
  const measured: ImageMeasures = { width, height };
  if (toHash) measured.hash = hashOf(await render(toHash));
  if (toHash && renditions.length > 0) {
    reply({ status: 'hashed', measured });
    before = process.cpuUsage();
  }
  const rendered: DecodedPixels[] = [];
  for (const rendition of renditions) rendered.push(await render(rendition));
  return { measured, rendered, held };
}

async function decode(request: DecodeRequest, bytes: Buffer): Promise<void> {
  before = process.cpuUsage();
  const watch = setInterval(endIfBroken, WATCH_MS);
  const made = await make(request, bytes).catch((error: unknown) =>
    error instanceof ImageTooLarge ? error.reason : 'corrupt',
  );
  clearInterval(watch);
  if (typeof made === 'string') {
    return reply({ status: 'refused', reason: made, resident: process.memoryUsage.rss() });
  }
  const { measured, rendered, held } = made;
  if (held > LARGE) globalThis.gc?.();
  const pixels = rendered.map(({ width, height, channels }) => ({ width, height, channels }));
  const bodies = rendered.map(({ data }) => data);
  reply({ status: 'done', measured, pixels, resident: process.memoryUsage.rss() }, bodies);
}

function reply(header: DecodeReply, bodies: Buffer[] = []): void {
  for (const part of frame(header, bodies)) process.stdout.write(part);
}

function endNow(): void {
  process.kill(process.pid, 'SIGKILL');
}

/** The last words when a limit is exceeded; undefined while all are kept. */
function broken(): DecodeReply | undefined {
  if (process.memoryUsage.rss() > memoryLimit) return { status: 'memory' };
  const { user, system } = process.cpuUsage(before);
  return (user + system) / 1000 > cpuLimit ? { status: 'costly' } : undefined;
}

/** Looked at only while there is work: a process that is idle shall not wake a hundred times a second. */
function endIfBroken(): void {
  const last = broken();
  if (!last) return;
  // Written synchronously: the event loop does not run again.
  writeSync(STDOUT, frame(last)[0]!);
  endNow();
}

// Signals to all processes of a terminal (Ctrl-C) are for the parent, which finishes its work first.
process.on('SIGINT', () => undefined);
process.on('SIGTERM', () => undefined);

interface Image {
  request: DecodeRequest;
  bytes: Buffer;
}

let busy = false;
/** The image that came while another was decoded. */
let next: Image | undefined;

async function take(image: Image): Promise<void> {
  next = image;
  if (busy) return;
  busy = true;
  while (next) {
    const { request, bytes } = next;
    next = undefined;
    await decode(request, bytes);
  }
  busy = false;
}

const reader = createFrameReader(
  () => IMAGE_LIMITS.bytes,
  (header, bytes) => void take({ request: header as DecodeRequest, bytes }),
);
// Read to where it stays. In chunks, a file of megabytes would be allocated and copied once more.
const onread: OnReadOpts = {
  buffer: reader.place,
  callback(bytes) {
    reader.took(bytes);
    return true;
  },
};
const options: SocketConstructorOpts & { onread: OnReadOpts } = { fd: STDIN, writable: false, onread };
const input = new Socket(options);
input.on('close', endNow);
input.on('end', endNow);
input.resume();
reply({ status: 'ready' });

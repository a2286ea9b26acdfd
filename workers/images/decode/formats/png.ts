/** PNG: a signature, then chunks of length, type, data and checksum; the first is the header. */
import { crc32 } from 'node:zlib';
import { readExif } from './exif.js';
import { type Exif, type ImageHeader, MAX_PARTS, NO_EXIF, tag } from './header.js';

const IEND = tag('IEND');
const IDAT = tag('IDAT');
const ACTL = tag('acTL');
const FCTL = tag('fcTL');
const EXIF = tag('eXIf');
/** Bytes of a frame header. */
const FRAME_BYTES = 26;
const SIGNATURE = Buffer.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a]);

export const isPng = (bytes: Buffer): boolean => bytes.subarray(0, 8).equals(SIGNATURE);

/** What the chunks of an animation say. */
interface Animation {
  /** its control chunk came before the image data; without that there is no animation */
  control: boolean;
  /** more than one frame, stated or found: viewers differ in which one counts */
  several: boolean;
  /** headers of frames: in all, and before the image data; with one there, the image data are the first frame */
  frames: number;
  before: number;
  /** a header before the image data that viewers may skip, or that is for a part of the image only */
  odd: boolean;
}

/**
 * Undefined without a whole header chunk at the start, or with too many chunks, or if it is not certain that an animation
 * begins with the image data. The image data are what is decoded, but viewers of animations show only the frames.
 */
export function readPng(bytes: Buffer): ImageHeader | undefined {
  if (bytes.length < 33 || bytes.readUInt32BE(8) !== 13 || bytes.toString('latin1', 12, 16) !== 'IHDR')
    return undefined;
  const animation: Animation = { control: false, several: false, frames: 0, before: 0, odd: false };
  let exif: Exif | undefined;
  let data = false;
  for (let at = 33, parts = 0; at + 12 <= bytes.length; parts++) {
    if (parts === MAX_PARTS) return undefined;
    const length = bytes.readUInt32BE(at);
    const end = at + 8 + length;
    if (end > bytes.length) break;
    const type = bytes.readUInt32BE(at + 4);
    if (type === IEND) break;
    if (type === IDAT) data = true;
    if (type === ACTL && !data) readControl(animation, bytes.subarray(at + 8, end));
    if (type === FCTL) readFrame(animation, bytes, data ? undefined : at);
    if (type === EXIF && !exif) exif = readExif(bytes.subarray(at + 8, end));
    at = end + 4;
  }
  const { control, several, before, odd } = animation;
  if (control && (before !== 1 || odd)) return undefined;
  const size = { width: bytes.readUInt32BE(16), height: bytes.readUInt32BE(20) };
  return { ...size, animated: control && several, ...(exif ?? NO_EXIF) };
}

function readControl(animation: Animation, data: Buffer): void {
  animation.control = true;
  if (data.length >= 4 && data.readUInt32BE(0) > 1) animation.several = true;
}

/** `at`: offset of the chunk, if it is before the image data. */
function readFrame(animation: Animation, bytes: Buffer, at: number | undefined): void {
  if (++animation.frames > 1) animation.several = true;
  if (at === undefined) return;
  animation.before++;
  if (!animation.control || !isFirst(bytes, at)) animation.odd = true;
}

/**
 * Whether every reader takes the chunk at `at` for the header of a first frame that covers the whole image: number 0, the size
 * of the image, position 0, and a correct checksum.
 */
function isFirst(bytes: Buffer, at: number): boolean {
  const end = at + 8 + FRAME_BYTES;
  if (bytes.readUInt32BE(at) !== FRAME_BYTES || end + 4 > bytes.length) return false;
  const [number, size, place] = [bytes.readUInt32BE(at + 8), bytes.subarray(at + 12, at + 20), at + 20];
  return (
    number === 0 &&
    size.equals(bytes.subarray(16, 24)) &&
    bytes.readUInt32BE(place) === 0 &&
    bytes.readUInt32BE(place + 4) === 0 &&
    crc32(bytes.subarray(at + 4, end)) === bytes.readUInt32BE(end)
  );
}

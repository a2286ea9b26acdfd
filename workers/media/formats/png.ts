/** PNG: a signature, then chunks of length, type, data and checksum; the first is the header. */
import { readExif } from './exif.js';
import { type Exif, type Header, MAX_PARTS, NO_EXIF, tag } from './header.js';

const IEND = tag('IEND');
const IDAT = tag('IDAT');
const ACTL = tag('acTL');
const EXIF = tag('eXIf');
const SIGNATURE = Buffer.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a]);

export const isPng = (bytes: Buffer): boolean => bytes.subarray(0, 8).equals(SIGNATURE);

/** Undefined without a whole header chunk at the start, or with too many chunks. */
export function readPng(bytes: Buffer): Header | undefined {
  if (bytes.length < 33 || bytes.readUInt32BE(8) !== 13 || bytes.toString('latin1', 12, 16) !== 'IHDR')
    return undefined;
  let animated = false;
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
    // Animated PNG: says the number of frames before the image data.
    if (type === ACTL && !data && length >= 8) animated = bytes.readUInt32BE(at + 8) > 1;
    if (type === EXIF && !exif) exif = readExif(bytes.subarray(at + 8, end));
    at = end + 4;
  }
  return { width: bytes.readUInt32BE(16), height: bytes.readUInt32BE(20), animated, ...(exif ?? NO_EXIF) };
}

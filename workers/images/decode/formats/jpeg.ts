/** JPEG: segments, each with a marker and a length, up to the first scan. One of them is the frame header. */
import { readExif } from './exif.js';
import { type Exif, type ImageHeader, MAX_PARTS, NO_EXIF, tag } from './header.js';

const START_OF_SCAN = 0xda;
const END_OF_IMAGE = 0xd9;
const APP1 = 0xe1;
const EXIF = tag('Exif');

/** Start of frame: C0 to CF, except Huffman tables (C4), extensions (C8) and arithmetic conditioning (CC). */
const isFrame = (marker: number): boolean =>
  marker >= 0xc0 && marker <= 0xcf && marker !== 0xc4 && marker !== 0xc8 && marker !== 0xcc;

/** Markers without a length: TEM, RST0 to RST7, SOI. */
const isBare = (marker: number): boolean => marker === 0x01 || (marker >= 0xd0 && marker <= 0xd8);

export const isJpeg = (bytes: Buffer): boolean => bytes[0] === 0xff && bytes[1] === 0xd8 && bytes[2] === 0xff;

/** Undefined if no scan follows a frame header within the file, or if there are two frame headers or too many segments. */
export function readJpeg(bytes: Buffer): ImageHeader | undefined {
  let exif: Exif | undefined;
  let size: { width: number; height: number } | undefined;
  let at = 2;
  // Fill bytes and bare markers count as well.
  for (let parts = 0; parts < MAX_PARTS && at + 4 <= bytes.length; parts++) {
    if (bytes[at] !== 0xff) return undefined;
    const marker = bytes[at + 1]!;
    if (marker === 0xff) {
      at++; // any number of these may precede a marker
      continue;
    }
    if (isBare(marker)) {
      at += 2;
      continue;
    }
    if (marker === START_OF_SCAN) return size && { ...size, animated: false, ...(exif ?? NO_EXIF) };
    if (marker === END_OF_IMAGE) return undefined;
    const length = bytes.readUInt16BE(at + 2);
    const end = at + 2 + length;
    if (length < 2 || end > bytes.length) return undefined;
    if (isFrame(marker)) {
      if (size || length < 8) return undefined;
      size = { height: bytes.readUInt16BE(at + 5), width: bytes.readUInt16BE(at + 7) };
    } else if (marker === APP1 && !exif && length >= 6 && bytes.readUInt32BE(at + 4) === EXIF) {
      exif = readExif(bytes.subarray(at + 4, end));
    }
    at = end;
  }
  return undefined;
}

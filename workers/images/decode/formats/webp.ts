/** WebP: a RIFF container, with a single lossy or lossless frame, or with an extended header and chunks. */
import { readExif } from './exif.js';
import { type Exif, type ImageHeader, MAX_PARTS, NO_EXIF, tag } from './header.js';

const FIRST_CHUNK = 12;
const ANMF = tag('ANMF');
const EXIF = tag('EXIF');

export const isWebp = (bytes: Buffer): boolean =>
  bytes.toString('latin1', 0, 4) === 'RIFF' && bytes.toString('latin1', 8, 12) === 'WEBP';

/** Undefined without a frame header or extended header as the first chunk, or with too many chunks. */
export function readWebp(bytes: Buffer): ImageHeader | undefined {
  if (bytes.length < FIRST_CHUNK + 8 + 10) return undefined;
  const data = FIRST_CHUNK + 8;
  switch (bytes.toString('latin1', FIRST_CHUNK, FIRST_CHUNK + 4)) {
    case 'VP8 ':
      return readLossy(bytes.subarray(data));
    case 'VP8L':
      return readLossless(bytes.subarray(data));
    case 'VP8X':
      return readExtended(bytes, data);
    default:
      return undefined;
  }
}

function readLossy(frame: Buffer): ImageHeader | undefined {
  if (frame[3] !== 0x9d || frame[4] !== 0x01 || frame[5] !== 0x2a) return undefined;
  // The upper two bits of each are a scaling factor for display.
  const width = frame.readUInt16LE(6) & 0x3fff;
  const height = frame.readUInt16LE(8) & 0x3fff;
  return { width, height, animated: false, ...NO_EXIF };
}

function readLossless(frame: Buffer): ImageHeader | undefined {
  if (frame[0] !== 0x2f) return undefined;
  const bits = frame.readUInt32LE(1);
  return { width: (bits & 0x3fff) + 1, height: ((bits >>> 14) & 0x3fff) + 1, animated: false, ...NO_EXIF };
}

function readExtended(bytes: Buffer, data: number): ImageHeader | undefined {
  const width = bytes.readUIntLE(data + 4, 3) + 1;
  const height = bytes.readUIntLE(data + 7, 3) + 1;
  let frames = 0;
  let exif: Exif | undefined;
  for (let at = FIRST_CHUNK, parts = 0; at + 8 <= bytes.length; parts++) {
    if (parts === MAX_PARTS) return undefined;
    const length = bytes.readUInt32LE(at + 4);
    const end = at + 8 + length;
    const type = bytes.readUInt32BE(at);
    if (type === ANMF) frames++;
    if (type === EXIF && !exif && end <= bytes.length) exif = readExif(bytes.subarray(at + 8, end));
    at = end + (length % 2);
  }
  return { width, height, animated: frames > 1, ...(exif ?? NO_EXIF) };
}

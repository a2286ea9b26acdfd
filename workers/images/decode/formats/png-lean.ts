/**
 * A PNG with nothing in it but what decides how it is shown. Its other chunks (texts, suggested palettes, times, frames of an
 * animation, what programs keep for themselves) say nothing of the pixels, and the library would unpack them all the same:
 * six texts of 30 MiB fit into 180 KB.
 *
 * Of the other formats none packs what stands beside the pixels: that is as long as it is in the file, 10 MiB at most.
 */
import { inflateSync } from 'node:zlib';
import { MAX_PARTS, tag } from './header.js';

const IEND = tag('IEND');
const ICCP = tag('iCCP');
/** Ancillary chunks that decide how pixels are shown, upright by their EXIF data included. */
const SHOWN = new Set(['tRNS', 'cHRM', 'gAMA', 'iCCP', 'sBIT', 'sRGB', 'cICP', 'bKGD', 'eXIf'].map(tag));
/** Bytes of the colour profile, unpacked; those of presses have some 3 million. */
const PROFILE_BYTES = 8 * 1024 * 1024;
/** Of the first byte of a type: a reader may pass over the chunk. */
const ANCILLARY = 0x20;
const FIRST_CHUNK = 8;

/**
 * The chunks of a PNG that are shown, each as it was, checksum included; what is broken stays, for the library to judge.
 * Undefined where a colour profile unpacks to more than any profile has: without it the pixels would be others.
 */
export function leanPng(bytes: Buffer): Buffer | undefined {
  const kept: Buffer[] = [];
  let from = 0;
  let profiles = 0;
  for (let at = FIRST_CHUNK, parts = 0; at + 12 <= bytes.length && parts < MAX_PARTS; parts++) {
    const end = at + 12 + bytes.readUInt32BE(at);
    if (end > bytes.length) break;
    const type = bytes.readUInt32BE(at + 4);
    if (type === IEND) return Buffer.concat([...kept, bytes.subarray(from, end)]);
    if (type === ICCP) {
      profiles += unpackedProfile(bytes.subarray(at + 8, end - 4), PROFILE_BYTES - profiles);
      if (profiles > PROFILE_BYTES) return undefined;
    }
    if ((bytes[at + 4]! & ANCILLARY) !== 0 && !SHOWN.has(type)) {
      kept.push(bytes.subarray(from, at));
      from = end;
    }
    at = end;
  }
  return Buffer.concat([...kept, bytes.subarray(from)]);
}

/** Bytes of a profile, one more than `most` when there are more; 0 where it is none. */
function unpackedProfile(data: Buffer, most: number): number {
  // A name, its end, and a method; then what is packed.
  const end = data.indexOf(0);
  if (end === -1) return 0;
  try {
    return inflateSync(data.subarray(end + 2), { maxOutputLength: most + 1 }).length;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'ERR_BUFFER_TOO_LARGE' ? most + 1 : 0;
  }
}

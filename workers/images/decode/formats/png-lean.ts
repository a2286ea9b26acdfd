/**
 * Reduces a PNG to the chunks that decide how it is shown. Other chunks (texts, suggested palettes, times, frames of an
 * animation, data of programs) do not affect the pixels, but the library would unpack them: six texts of 30 MiB fit into
 * 180 KB.
 *
 * The other formats do not compress what is not pixels. It is as long as in the file, at most 10 MiB.
 */
import { inflateSync } from 'node:zlib';
import { MAX_PARTS, tag } from './header.js';

const IEND = tag('IEND');
const ICCP = tag('iCCP');
/** Ancillary chunks that decide how pixels are shown; EXIF data have the orientation. */
const SHOWN = new Set(['tRNS', 'cHRM', 'gAMA', 'iCCP', 'sBIT', 'sRGB', 'cICP', 'bKGD', 'eXIf'].map(tag));
/** Bytes of a colour profile, unpacked, at most. Profiles of printing presses have about 3 million. */
const PROFILE_BYTES = 8 * 1024 * 1024;
/** Bit of the first byte of a type: a reader may skip the chunk. */
const ANCILLARY = 0x20;
const FIRST_CHUNK = 8;

/**
 * The chunks of a PNG that are shown, each unchanged, checksum included. Broken parts stay: the library decides about them.
 * Undefined if a colour profile unpacks to more than any profile has. It cannot be left out, since it changes the pixels.
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

/** Bytes of a profile, `most` plus one if there are more; 0 if it is not a profile. */
function unpackedProfile(data: Buffer, most: number): number {
  // A name, a zero byte, a method, then the packed data.
  const end = data.indexOf(0);
  if (end === -1) return 0;
  try {
    return inflateSync(data.subarray(end + 2), { maxOutputLength: most + 1 }).length;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'ERR_BUFFER_TOO_LARGE' ? most + 1 : 0;
  }
}

/** GIF: a logical screen, then blocks; an image block places a frame on the screen. */
import { type ImageHeader, MAX_PARTS, NO_EXIF } from './header.js';

const EXTENSION = 0x21;
const IMAGE = 0x2c;
const SCREEN_END = 13;

export const isGif = (bytes: Buffer): boolean => /^GIF8[79]a$/.test(bytes.toString('latin1', 0, 6));

/** Bytes of the colour table that a flags byte announces. */
const tableBytes = (flags: number): number => ((flags & 0x80) === 0 ? 0 : 3 * 2 ** ((flags & 7) + 1));

/**
 * Undefined without a frame, or with too many blocks. Width and height are each the larger one of screen and first frame.
 * Writers get either of them wrong, and limits must hold for whichever a decoder uses.
 */
export function readGif(bytes: Buffer): ImageHeader | undefined {
  if (bytes.length < SCREEN_END) return undefined;
  let size: { width: number; height: number } | undefined;
  let at = SCREEN_END + tableBytes(bytes[10]!);
  let parts = 0;

  /** Skips a chain of sub-blocks (each a length and that many bytes; length 0 ends it), at most to the end of the file. */
  const skipSubBlocks = (): void => {
    for (; at < bytes.length && parts < MAX_PARTS; parts++) {
      const length = bytes[at]!;
      at += 1 + length;
      if (length === 0) return;
    }
  };

  for (; at < bytes.length; parts++) {
    if (parts >= MAX_PARTS) return undefined;
    const block = bytes[at];
    if (block === EXTENSION) {
      at += 2;
      skipSubBlocks();
    } else if (block === IMAGE && at + 10 <= bytes.length) {
      if (size) return { ...size, animated: true, ...NO_EXIF };
      size = {
        width: Math.max(bytes.readUInt16LE(6), bytes.readUInt16LE(at + 1) + bytes.readUInt16LE(at + 5)),
        height: Math.max(bytes.readUInt16LE(8), bytes.readUInt16LE(at + 3) + bytes.readUInt16LE(at + 7)),
      };
      // After the frame's own colour table come one byte, the code size, and its data.
      at += 10 + tableBytes(bytes[at + 9]!) + 1;
      skipSubBlocks();
    } else {
      break; // the trailer, or no block
    }
  }
  return size && { ...size, animated: false, ...NO_EXIF };
}

/** Where numbers may be: chunks of digits near each other, with what parts them. */
import { isDigit } from './characters.js';

/** Digits further apart than this are of different chunks. The letters of a bank in an IBAN stand between digits. */
const GAP = 6;

export interface Chunk {
  /** where its first digit is */
  at: number;
  /** behind its last digit */
  end: number;
  /** how many it has */
  digits: number;
}

/**
 * The first chunk of `text` from `from` on, where no digit stands within the gap before. `bytes` begin with those of the text, if it is
 * ASCII: they are read faster.
 */
export function chunkFrom(text: string, from: number, bytes?: Uint8Array): Chunk | undefined {
  let digits = 0;
  let at = from;
  let end = from;
  for (let i = from; i < text.length; i++) {
    if (isDigit(bytes === undefined ? text.charCodeAt(i) : bytes[i]!)) {
      if (digits++ === 0) at = i;
      end = i + 1;
    } else if (digits > 0 && i - end >= GAP) break;
  }
  return digits === 0 ? undefined : { at, end, digits };
}

/** The chunk behind `chunk`. */
export const chunkBehind = (text: string, { end }: Chunk, bytes?: Uint8Array): Chunk | undefined =>
  chunkFrom(text, end + GAP, bytes);

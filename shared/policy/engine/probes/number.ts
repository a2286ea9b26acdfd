/** Where numbers may be: chunks of digits near each other, with what parts them. */

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

/** The first chunk of `text` from `from` on, where no digit stands within the gap before. */
export function chunkFrom(text: string, from: number): Chunk | undefined {
  let digits = 0;
  let at = from;
  let end = from;
  for (let i = from; i < text.length; i++) {
    const unit = text.charCodeAt(i);
    if (unit >= 48 && unit <= 57) {
      if (digits++ === 0) at = i;
      end = i + 1;
    } else if (digits > 0 && i - end >= GAP) break;
  }
  return digits === 0 ? undefined : { at, end, digits };
}

/** The chunk behind `chunk`. */
export const chunkBehind = (text: string, { end }: Chunk): Chunk | undefined => chunkFrom(text, end + GAP);

/** The chunk of the digit with number `n` of those at `places`, of which there are `count`. It is the first one of the chunk. */
export function chunkAt(places: ArrayLike<number>, n: number, count: number): Chunk {
  const at = places[n]!;
  let end = at + 1;
  let digits = 1;
  while (n + digits < count && places[n + digits]! - end <= GAP) end = places[n + digits++]! + 1;
  return { at, end, digits };
}

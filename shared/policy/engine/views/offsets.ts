/**
 * From offsets in a view back to the text as sent. The offsets are worked out only once a find needs them: each piece of the text is
 * changed alone, and its length counted.
 */
import { withoutExcess } from './normalise.js';

export interface Offsets {
  /** the offset in the text as sent of what is at `offset` in this view */
  toRaw(offset: number): number;
  /** the offset in the text as sent at which what ends at `offset` in this view ends */
  endToRaw(offset: number): number;
}

/** A run that is cut short, a letter with what combines with it (a Hangul syllable with its parts), or any other character alone. */
const PIECE = /\ufdfa{4,}|[\u1100-\u115f]+[\u1160-\u11a7]*[\u11a8-\u11ff]*\p{M}*|[\s\S]\p{M}*/gu;
/** Characters beyond ASCII and the one before them. No change to a text reaches across plain ASCII. */
const STRETCH = /[\s\S][^\0-\x7f]*/g;
/** Letters that merge with a neighbour in other ways (half-width kana, Korean letters) are joined up to this length. */
const MOST_JOINED = 64;
/** So many pieces and short stretches are remembered: a text has the same ones over and over. */
const MOST_KNOWN = 4096;
const LONGEST_KNOWN = 8;

interface Pieces {
  /** by offset of the view: where the piece starts that it comes from */
  starts: Int32Array;
  /** and where that piece ends */
  ends: Int32Array;
}

/**
 * Offsets of `changed`, the form that `change` gives `raw`. Where the pieces of a stretch do not add up to its whole, offsets behind
 * the stretch are right all the same.
 */
export function offsetsOf(raw: string, changed: string, change: (piece: string) => string): Offsets {
  let pieces: Pieces | undefined;
  const made = (): Pieces => {
    pieces ??= piecesOf(raw, changed.length, change);
    return pieces;
  };
  return {
    toRaw: (offset) => (offset >= changed.length ? raw.length : made().starts[offset]!),
    endToRaw(offset) {
      if (offset >= changed.length || offset <= 0) return offset <= 0 ? 0 : raw.length;
      const { starts, ends } = made();
      // What vanished between two pieces belongs to the find. Of a piece that it ends in, all does.
      return Math.max(starts[offset]!, ends[offset - 1]!);
    },
  };
}

function piecesOf(raw: string, length: number, change: (piece: string) => string): Pieces {
  const starts = new Int32Array(length).fill(raw.length);
  const ends = new Int32Array(length).fill(raw.length);
  // The whole text decides whether its runs were cut short.
  const short = (text: string): string => withoutExcess(text, raw.length);
  const known = new Map<string, number>();
  const sizeOf = (text: string): number => {
    let size = known.get(text);
    if (size === undefined) {
      size = change(short(text)).length;
      if (known.size < MOST_KNOWN) known.set(text, size);
    }
    return size;
  };
  const stretches = new Map<string, Stretch>();
  const stretchOf = (text: string): Stretch => {
    const known = stretches.get(text);
    if (known) return known;
    const size = change(short(text)).length;
    const made = { size, pieces: piecesIn(text, size, sizeOf) };
    if (text.length <= LONGEST_KNOWN && stretches.size < MOST_KNOWN) stretches.set(text, made);
    return made;
  };
  let at = 0;
  for (const { 0: stretch, index } of raw.matchAll(STRETCH)) {
    if (at >= length) break;
    if (stretch.length === 1 && stretch.charCodeAt(0) < 128) {
      starts[at] = index;
      ends[at++] = index + 1;
      continue;
    }
    const { size, pieces } = stretchOf(stretch);
    const until = Math.min(length, at + size);
    for (const piece of pieces) {
      for (let i = 0; i < piece.size && at < until; i++) {
        starts[at] = index + piece.from;
        ends[at++] = index + piece.to;
      }
    }
    for (; at < until; at++) starts[at] = ends[at] = index + stretch.length;
  }
  return { starts, ends };
}

interface Stretch {
  /** length in the view */
  size: number;
  pieces: readonly Piece[];
}

/** Offsets are those in its stretch. */
interface Piece {
  from: number;
  to: number;
  /** length in the view */
  size: number;
}

/** Pieces of a stretch of `size` in the view. Two pieces that change together otherwise than alone are one. */
function piecesIn(stretch: string, size: number, sizeOf: (text: string) => number): Piece[] {
  const alone: Piece[] = [];
  let sum = 0;
  for (const { 0: text, index } of stretch.matchAll(PIECE)) {
    const piece = { from: index, to: index + text.length, size: sizeOf(text) };
    sum += piece.size;
    alone.push(piece);
  }
  if (sum === size) return alone;
  const pieces: Piece[] = [];
  for (const piece of alone) {
    const last = pieces.at(-1);
    const together =
      last && piece.to - last.from <= MOST_JOINED ? sizeOf(stretch.slice(last.from, piece.to)) : undefined;
    if (!last || together === undefined || together === last.size + piece.size) pieces.push(piece);
    // A joiner that the piece before it keeps.
    else if (piece.size === 0 && together > last.size) pieces.push({ ...piece, size: together - last.size });
    else {
      last.size = together;
      last.to = piece.to;
    }
  }
  return pieces;
}

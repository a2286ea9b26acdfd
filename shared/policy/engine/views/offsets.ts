/**
 * From offsets in a view back to the text as sent. The offsets are worked out only once a find needs them: each piece of the text is
 * changed alone, and its length counted.
 */
import { ACTS, COMPOSES, characterAt, IS_MARK, sizeIn, type ViewChange } from './change.js';
import { withoutExcess } from './normalise.js';

export interface Offsets {
  /** the offset in the text as sent of what is at `offset` in this view */
  toRaw(offset: number): number;
  /** the offset in the text as sent at which what ends at `offset` in this view ends */
  endToRaw(offset: number): number;
}

/** A character whose runs are cut short. */
const BLESSING = 0xfdfa;
/** A run that is cut short, a letter with what combines with it (a Hangul syllable with its parts), or any other character alone. */
const PIECE = /\ufdfa{4,}|[\u1100-\u115f]+[\u1160-\u11a7]*[\u11a8-\u11ff]*\p{M}*|[\s\S]\p{M}*/gu;
/** More marks than this on a character, and the others are left out. */
const MOST_MARKS = 16;
/** Letters that merge with a neighbour in other ways (half-width kana, Korean letters) are joined up to this length. */
const MOST_JOINED = 64;
/** So many pieces and short stretches are remembered: a text has the same ones over and over. */
const MOST_KNOWN = 4096;
const LONGEST_KNOWN = 8;

interface ViewPieces {
  /** by offset of the view: where the piece starts that it comes from */
  starts: Int32Array;
  /** and where that piece ends */
  ends: Int32Array;
}

/**
 * Offsets of `changed`, the form that `change` gives `raw`. Where the pieces of a stretch do not add up to its whole, offsets behind
 * the stretch are right all the same.
 */
export function offsetsOf(raw: string, changed: string, change: ViewChange): Offsets {
  let pieces: ViewPieces | undefined;
  const made = (): ViewPieces => {
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

/** The first offset in `text` of what is at `offset`, or behind, in the text that it was made of. */
export function offsetFrom({ text, toRaw }: { text: string } & Pick<Offsets, 'toRaw'>, offset: number): number {
  let low = 0;
  let high = text.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if (toRaw(middle) < offset) low = middle + 1;
    else high = middle;
  }
  return low;
}

function piecesOf(raw: string, length: number, change: ViewChange): ViewPieces {
  const pieces = { starts: new Int32Array(length).fill(raw.length), ends: new Int32Array(length).fill(raw.length) };
  const { starts, ends } = pieces;
  const sizes = sizesOf(raw, change);
  let at = 0;
  for (let i = 0; i < raw.length && at < length; ) {
    const from = i++;
    // No change to a text reaches across plain ASCII. A stretch is a character and those beyond ASCII behind it.
    while (i < raw.length && raw.charCodeAt(i) > 127) i++;
    if (i === from + 1 && raw.charCodeAt(from) < 128) {
      starts[at] = from;
      ends[at++] = i;
      continue;
    }
    const behind = placeAlone(pieces, at, { raw, from, to: i, change, sizes });
    at = behind >= 0 ? behind : placeTogether(pieces, at, { raw, from, to: i, change, sizes });
  }
  return pieces;
}

/** A part of a text. */
interface ViewPart {
  raw: string;
  from: number;
  to: number;
  change: ViewChange;
  sizes: Sizes;
}

/** Lengths in the view. */
interface Sizes {
  of(piece: string): number;
  stretch(text: string): ViewStretch;
}

function sizesOf(raw: string, change: ViewChange): Sizes {
  // The whole text decides whether its runs were cut short.
  const sizeOf = (text: string): number => change.of(withoutExcess(text, raw.length)).length;
  const known = new Map<string, number>();
  const stretches = new Map<string, ViewStretch>();
  const sizes: Sizes = {
    of(piece) {
      const size = known.get(piece) ?? sizeOf(piece);
      if (known.size < MOST_KNOWN) known.set(piece, size);
      return size;
    },
    stretch(text) {
      const made = stretches.get(text) ?? stretchOf(text, sizeOf(text), sizes.of);
      if (text.length <= LONGEST_KNOWN && stretches.size < MOST_KNOWN) stretches.set(text, made);
      return made;
    },
  };
  return sizes;
}

/** Places the pieces of a stretch, from `first` on, where each is changed alone; returns behind the last. -1: it is no such stretch. */
function placeAlone(pieces: ViewPieces, first: number, { raw, from, to, change, sizes }: ViewPart): number {
  const { starts, ends } = pieces;
  const { length } = starts;
  let at = first;
  for (let i = from; i < to; ) {
    const piece = i;
    const base = raw.codePointAt(i)!;
    i += base > 0xffff ? 2 : 1;
    const character = characterAt(change, base);
    // Runs of one character may be cut short.
    if (character >= IS_MARK || (base === BLESSING && raw.charCodeAt(i) === BLESSING))
      return undo(pieces, first, raw.length);
    let size = sizeIn(character);
    let marks = 0;
    let composes = false;
    while (i < to) {
      const mark = raw.codePointAt(i)!;
      const kind = characterAt(change, mark);
      if (kind < IS_MARK || kind === ACTS) break;
      // Where its character vanishes, it may become one with the piece before.
      if (kind === COMPOSES && sizeIn(character) === 0) return undo(pieces, first, raw.length);
      if (kind === COMPOSES) composes = true;
      else size += sizeIn(kind);
      marks++;
      i += mark > 0xffff ? 2 : 1;
    }
    if (composes || marks > MOST_MARKS) size = sizes.of(raw.slice(piece, i));
    for (; size > 0 && at < length; size--) {
      starts[at] = piece;
      ends[at++] = i;
    }
  }
  return at;
}

/** Takes back what was placed from `first` on. */
function undo({ starts, ends }: ViewPieces, first: number, end: number): -1 {
  for (let at = first; at < starts.length && starts[at] !== end; at++) starts[at] = ends[at] = end;
  return -1;
}

/** The same for any stretch. */
function placeTogether({ starts, ends }: ViewPieces, from: number, part: ViewPart): number {
  const { size, pieces } = part.sizes.stretch(part.raw.slice(part.from, part.to));
  const until = Math.min(starts.length, from + size);
  let at = from;
  for (const piece of pieces) {
    for (let i = 0; i < piece.size && at < until; i++) {
      starts[at] = part.from + piece.from;
      ends[at++] = part.from + piece.to;
    }
  }
  for (; at < until; at++) starts[at] = ends[at] = part.to;
  return at;
}

interface ViewStretch {
  /** length in the view */
  size: number;
  pieces: readonly ViewPiece[];
}

/** Offsets are those in its stretch. */
interface ViewPiece {
  from: number;
  to: number;
  /** length in the view */
  size: number;
}

const stretchOf = (text: string, size: number, sizeOf: (text: string) => number): ViewStretch => ({
  size,
  pieces: piecesIn(text, size, sizeOf),
});

/** Pieces of a stretch of `size` in the view. Two pieces that change together otherwise than alone are one. */
function piecesIn(stretch: string, size: number, sizeOf: (text: string) => number): ViewPiece[] {
  const alone: ViewPiece[] = [];
  let sum = 0;
  for (const { 0: text, index } of stretch.matchAll(PIECE)) {
    const piece = { from: index, to: index + text.length, size: sizeOf(text) };
    sum += piece.size;
    alone.push(piece);
  }
  if (sum === size) return alone;
  const pieces: ViewPiece[] = [];
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

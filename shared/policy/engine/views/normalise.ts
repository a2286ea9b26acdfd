/**
 * Views: the forms of a text that detectors look at, so that a spelling made to be overlooked is not. Pure ASCII needs
 * none of this: its compatibility form is itself, and its folded form differs by case alone, place by place.
 */
import type { View } from '../../../configuration/types.js';

export interface ViewText {
  view: View;
  text: string;
  /** the offset in the text as sent of what is at `offset` in this view */
  toRaw(offset: number): number;
  /** the offset in the text as sent at which what ends at `offset` in this view ends */
  endToRaw(offset: number): number;
}

const same = (offset: number): number => offset;

/** A class of characters from ranges of code points. */
function classOf(ranges: readonly (readonly [number, number])[]): string {
  const hex = (code: number): string => `\\u{${code.toString(16)}}`;
  return `[${ranges.map(([from, to]) => `${hex(from)}-${hex(to)}`).join('')}]`;
}

const INVISIBLE_CLASS = classOf([
  [0x00ad, 0x00ad], // soft hyphen
  [0x034f, 0x034f], // grapheme joiner
  [0x061c, 0x061c], // Arabic letter mark
  [0x115f, 0x1160], // Hangul fillers
  [0x17b4, 0x17b5], // Khmer inherent vowels
  [0x180b, 0x180f], // Mongolian selectors and vowel separator
  [0x200b, 0x200f], // zero-width space, non-joiner, joiner, direction marks
  [0x202a, 0x202e], // bidi embeddings and overrides
  [0x2060, 0x206f], // word joiner, invisible operators, bidi isolates
  [0x3164, 0x3164], // Hangul filler
  [0xfe00, 0xfe0f], // variation selectors
  [0xfeff, 0xfeff], // byte order mark
  [0xffa0, 0xffa0], // half-width Hangul filler
  [0x1d173, 0x1d17a], // musical controls
  [0xe0000, 0xe0fff], // tags and further variation selectors
]);
const INVISIBLE = new RegExp(INVISIBLE_CLASS, 'u');
const INVISIBLE_ALL = new RegExp(INVISIBLE_CLASS, 'gu');
/** After these, a joiner or non-joiner is spelling: Arabic to Khmer scripts, and emoji sequences. */
const JOINS =
  /[\u0600-\u08ff\u0900-\u0dff\u0f00-\u109f\u1780-\u17ff]|\p{Extended_Pictographic}|[\u{1f3fb}-\u{1f3ff}]|\ufe0f/u;

/** Latin, Greek and Cyrillic accents. Vowel signs of other scripts are letters of theirs, and stay. */
const ACCENTS = new RegExp(
  `${classOf([
    [0x0300, 0x036f],
    [0x0483, 0x0489],
    [0x1ab0, 0x1aff],
    [0x1dc0, 0x1dff],
    [0x20d0, 0x20ff],
    [0xfe20, 0xfe2f],
  ])}+`,
  'gu',
);

const LETTERS = /[\p{L}\p{N}]+/gu;
const LATIN = /[a-z\u00df-\u024f]/;
const LOOK_ALIKE = /[\u0370-\u03ff\u0400-\u052f\u0561-\u0587\u13a0-\u13ff\uab70-\uabbf]/;

/** Lower-case letters of other scripts that are drawn like Latin ones. */
const CONFUSABLE: ReadonlyMap<string, string> = new Map(
  Object.entries({
    // Cyrillic
    а: 'a',
    в: 'b',
    с: 'c',
    ԁ: 'd',
    е: 'e',
    һ: 'h',
    н: 'h',
    і: 'i',
    ј: 'j',
    к: 'k',
    ӏ: 'l',
    м: 'm',
    п: 'n',
    о: 'o',
    р: 'p',
    ԛ: 'q',
    г: 'r',
    ѕ: 's',
    т: 't',
    ц: 'u',
    ѵ: 'v',
    ԝ: 'w',
    х: 'x',
    у: 'y',
    ү: 'y',
    з: '3',
    б: '6',
    ё: 'e',
    ї: 'i',
    й: 'u',
    ә: 'e',
    ь: 'b',
    ө: 'o',
    и: 'u',
    л: 'n',
    я: 'r',
    ш: 'w',
    ѡ: 'w',
    є: 'e',
    ғ: 'f',
    ԍ: 'g',
    // Greek
    α: 'a',
    β: 'b',
    ϲ: 'c',
    δ: 'd',
    ε: 'e',
    η: 'n',
    ι: 'i',
    ϳ: 'j',
    κ: 'k',
    λ: 'l',
    μ: 'u',
    ν: 'v',
    ο: 'o',
    ρ: 'p',
    σ: 'o',
    τ: 't',
    υ: 'u',
    χ: 'x',
    γ: 'y',
    ω: 'w',
    ζ: 'z',
    θ: 'o',
    π: 'n',
    φ: 'o',
    // Armenian
    օ: 'o',
    ս: 'u',
    հ: 'h',
    ո: 'n',
    ց: 'g',
    ք: 'p',
    զ: 'q',
    ւ: 'l',
    յ: 'j',
  }),
);

/**
 * More combining marks on one letter than any language puts there. Ordering them costs the square of their number, so the
 * others are left out first; in a short text that square is nothing.
 */
const SHORT = 2048;
const MARKS = /(\p{M}{16})\p{M}+/gu;

/** Compatibility form without what is not seen. */
function compatible(text: string): string {
  const bounded = text.length > SHORT ? text.replace(MARKS, '$1') : text;
  return strip(bounded.normalize('NFKC'));
}

function strip(text: string): string {
  if (!INVISIBLE.test(text)) return text;
  return text.replace(INVISIBLE_ALL, (character, offset: number) => (stays(text, character, offset) ? character : ''));
}

/** Whether a joiner belongs to the spelling of what stands before it. */
function stays(text: string, character: string, offset: number): boolean {
  if (offset === 0) return false;
  if (character !== '\u200c' && character !== '\u200d') return false;
  const unit = text.charCodeAt(offset - 1);
  const before = unit >= 0xdc00 && unit <= 0xdfff && offset > 1 ? text.slice(offset - 2, offset) : text[offset - 1]!;
  return JOINS.test(before);
}

/** Lower case, no accents, and Latin letters for their doubles within words that mix scripts. */
function fold(text: string): string {
  const lower = text
    .toLowerCase()
    .replaceAll('\u03c2', '\u03c3')
    .replaceAll('\u017f', 's')
    .normalize('NFD')
    .replace(ACCENTS, '')
    .normalize('NFC');
  if (!LOOK_ALIKE.test(lower)) return lower;
  return lower.replace(LETTERS, (word) => {
    return LATIN.test(word) && LOOK_ALIKE.test(word) ? latinised(word) : word;
  });
}

/** Latin letters for all that are drawn like them, unit by unit. */
export function latinised(text: string): string {
  if (!LOOK_ALIKE.test(text)) return text;
  let plain = '';
  for (const letter of text) plain += CONFUSABLE.get(letter) ?? letter;
  return plain;
}

/**
 * A folded term of another script as it reads in words that mix in Latin letters, unit by unit; undefined where there is no
 * difference.
 */
export function mixedForm(folded: string): string | undefined {
  const mixed = latinised(folded);
  return mixed === folded ? undefined : mixed;
}

/** Whether `text`, as sent, has letters that are drawn like Latin ones. */
export function hasLookAlikes(text: string): boolean {
  return LOOK_ALIKE.test(compatible(text).toLowerCase());
}

/** A term as it is looked for in the folded view: folded like a text, runs of white space as one space, trimmed. */
export function foldTerm(term: string): string {
  return squeeze(fold(compatible(term)));
}

/** A term as it is looked for in `view`. */
export function termIn(term: string, view: View): string {
  if (view === 'raw') return squeeze(term);
  return view === 'nfkc' ? squeeze(compatible(term)) : foldTerm(term);
}

function squeeze(text: string): string {
  return text.replace(/\s+/g, ' ').trim();
}

export interface Views {
  raw: ViewText;
  /** undefined where it is the same as raw */
  nfkc(): ViewText | undefined;
  folded(): ViewText;
}

/** Views of `raw`; each is made when first asked for. `ascii`: every unit is below 128. */
export function viewsOf(raw: string, ascii: boolean): Views {
  const rawView: ViewText = { view: 'raw', text: raw, toRaw: same, endToRaw: same };
  let compatibleText: string | undefined;
  let nfkc: ViewText | undefined;
  let folded: ViewText | undefined;
  const plain = (): string => {
    compatibleText ??= ascii ? raw : compatible(raw);
    return compatibleText;
  };
  return {
    raw: rawView,
    nfkc() {
      if (plain() === raw) return undefined;
      nfkc ??= { view: 'nfkc', text: plain(), ...mapper(raw, plain(), compatible) };
      return nfkc;
    },
    folded() {
      if (folded) return folded;
      if (ascii) folded = { view: 'folded', text: raw.toLowerCase(), toRaw: same, endToRaw: same };
      else {
        const text = fold(plain());
        folded = { view: 'folded', text, ...mapper(raw, text, (piece) => fold(compatible(piece))) };
      }
      return folded;
    },
  };
}

/** A letter with what combines with it, Hangul syllables in parts included; anything else alone. */
const PIECE = /[\u1100-\u115f]+[\u1160-\u11a7]*[\u11a8-\u11ff]*\p{M}*|[\s\S]\p{M}*/gu;
/** What stands beyond ASCII, and the character before it: nothing that is done to a text reaches over plain ASCII. */
const STRETCH = /[\s\S][^\0-\x7f]*/g;
/** Letters that make one with a neighbour in other ways (half-width kana, Korean letters) are joined up to this length. */
const MOST_JOINED = 64;
/** Pieces of which the length is remembered: a text has the same letters over and over. */
const MOST_KNOWN = 4096;

interface Pieces {
  /** by offset of the view: where the piece starts that it comes from */
  starts: Int32Array;
  /** and where that piece ends */
  ends: Int32Array;
}

/**
 * Offsets of a view back to the text as sent, worked out only once a find needs them: each piece is changed on its own and
 * its length counted. A stretch whose pieces do not add up to the whole of it leaves what comes after it as it is.
 */
function mapper(raw: string, changed: string, change: (piece: string) => string): Pick<ViewText, 'toRaw' | 'endToRaw'> {
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
      // Between two pieces what vanished belongs to the find; within one, the whole of it does.
      return Math.max(starts[offset]!, ends[offset - 1]!);
    },
  };
}

function piecesOf(raw: string, length: number, change: (piece: string) => string): Pieces {
  const starts = new Int32Array(length).fill(raw.length);
  const ends = new Int32Array(length).fill(raw.length);
  // Runs of marks are cut short in long texts alone, so they are here.
  const short = (text: string): string => (raw.length > SHORT ? text.replace(MARKS, '$1') : text);
  const known = new Map<string, number>();
  const sizeOf = (text: string): number => {
    let size = known.get(text);
    if (size === undefined) {
      size = change(short(text)).length;
      if (known.size < MOST_KNOWN) known.set(text, size);
    }
    return size;
  };
  let at = 0;
  for (const { 0: stretch, index } of raw.matchAll(STRETCH)) {
    if (at >= length) break;
    if (stretch.length === 1 && stretch.charCodeAt(0) < 128) {
      starts[at] = index;
      ends[at++] = index + 1;
      continue;
    }
    const size = change(short(stretch)).length;
    const until = Math.min(length, at + size);
    for (const piece of piecesIn(stretch, size, sizeOf)) {
      for (let i = 0; i < piece.size && at < until; i++) {
        starts[at] = index + piece.from;
        ends[at++] = index + piece.to;
      }
    }
    for (; at < until; at++) starts[at] = ends[at] = index + stretch.length;
  }
  return { starts, ends };
}

interface Piece {
  from: number;
  to: number;
  /** length in the view */
  size: number;
}

/** Pieces of a stretch of `size` in the view; those whose neighbour changes what becomes of them are one. */
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
    // A joiner that its neighbour keeps.
    else if (piece.size === 0 && together > last.size) pieces.push({ ...piece, size: together - last.size });
    else {
      last.size = together;
      last.to = piece.to;
    }
  }
  return pieces;
}

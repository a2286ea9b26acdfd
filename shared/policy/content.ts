/**
 * What is checked of content. A string is checked as it stands; of JSON its names, strings and numbers, as they are written, in
 * order, joined by newlines. Strings may be JSON themselves (the arguments of a call, what a model was to answer in JSON) or have
 * some in them (lines of it, a part, an answer around it). So what JSON or its escapes in a string say is checked, too.
 */
import { eachEscape, looksLikeJson, readTokens, type TokenKind } from '../json.js';

/** Whether JSON may stand in a string; where it has no escapes and is not all of it, it says what it looks like. */
const mayHideJson = (text: string): boolean => looksLikeJson(text) || text.includes('\\');

export function readString(text: string): Reading {
  if (!mayHideJson(text)) return { text };
  const reader = createReader();
  reader.string(text);
  return reader.done();
}

/** Content as it is checked. */
export interface Reading {
  text: string;
  /** what stands in JSON within strings of `text`; absent where there is none */
  decoded?: Decoded | undefined;
}

export interface Decoded {
  text: string;
  /** in the order of `text` */
  pieces: readonly Piece[];
}

/** A name, string or number of the decoded text: where it begins there, and where it stands in the text of the reading. */
interface Piece {
  at: number;
  start: number;
  end: number;
  /** it stands there letter by letter */
  same: boolean;
}

/** Levels of JSON in strings down to which a string that is JSON is also checked as it stands; below, what is in it. */
const LEVELS_AS_THEY_STAND = 2;

export interface Reader {
  string(text: string): void;
  /** Adds a JSON value, given as JSON. */
  json(json: string): void;
  done(): Reading;
}

export function createReader(): Reader {
  const parts: string[] = [];
  let length = 0;
  let decoder: Decoder | undefined;
  function string(text: string, kind: TokenKind = 'string'): void {
    if (isNested(text, kind)) {
      decoder ??= createDecoder();
      decoder.read(text, length);
    }
    parts.push(text);
    length += text.length + 1;
  }
  return {
    string,
    json(json) {
      readTokens(json, string);
    },
    done() {
      return { text: parts.join('\n'), decoded: decoder?.done() };
    },
  };
}

interface Decoder {
  /** Adds what stands in `text`, which begins at `at` of the text that is read, if it is JSON. */
  read(text: string, at: number): void;
  done(): Decoded | undefined;
}

function createDecoder(): Decoder {
  const parts: string[] = [];
  const pieces: Piece[] = [];
  let length = 0;

  /** `place`: where a part of `text` stands in the text that is read. */
  function read(text: string, level: number, place: (start: number, end: number) => [number, number]): void {
    const before = { parts: parts.length, pieces: pieces.length, length };
    const whole = readTokens(text, (inner, kind, from, to) => {
      const [start, end] = place(from, to);
      const json = isNested(inner, kind);
      if (!json || level < LEVELS_AS_THEY_STAND) add(inner, start, end);
      // Each level doubles the quotes' backslashes, so there are no more than a text's length has binary digits.
      if (json) read(inner, level + 1, () => [start, end]);
    });
    if (whole) return;
    parts.length = before.parts;
    pieces.length = before.pieces;
    length = before.length;
    const [start, end] = place(0, text.length);
    readEscapes({ text, pieces: [{ at: 0, start, end, same: end - start === text.length }] }, level);
  }

  /** Adds what the escapes in a text say that is not JSON as a whole, again and again: JSON in JSON escapes them again. */
  function readEscapes(layer: Layer, level: number): void {
    let added = level <= LEVELS_AS_THEY_STAND;
    for (let depth = level; depth < level + MOST_ESCAPED && layer.text.includes('\\'); depth++) {
      layer = unescapedLayer(layer);
      added = depth <= LEVELS_AS_THEY_STAND;
      if (added) addLayer(layer);
    }
    if (!added) addLayer(layer);
  }

  function addLayer(layer: Layer): void {
    for (const piece of layer.pieces) pieces.push({ ...piece, at: length + piece.at });
    parts.push(layer.text);
    length += layer.text.length + 1;
  }

  function add(text: string, start: number, end: number): void {
    pieces.push({ at: length, start, end, same: end - start === text.length });
    parts.push(text);
    length += text.length + 1;
  }

  return {
    read: (text, at) => read(text, 1, (start, end) => [at + start, at + end]),
    done: () => (parts.length === 0 ? undefined : { text: parts.join('\n'), pieces }),
  };
}

const isNested = (text: string, kind: TokenKind): boolean => kind === 'string' && mayHideJson(text);

/** How often escapes within escapes are taken for what they say, where they are no whole JSON. */
const MOST_ESCAPED = 8;

/** A text that was made of another one; `at` of its pieces is in it, the rest where it was made from. */
interface Layer {
  text: string;
  pieces: Piece[];
}

function unescapedLayer({ text, pieces }: Layer): Layer {
  const made: Piece[] = [];
  let says = '';
  let from = 0;
  let next = 0;
  function copyTo(to: number): void {
    const shift = says.length - from;
    says += text.slice(from, to);
    while (from < to) {
      while (next + 1 < pieces.length && pieces[next + 1]!.at <= from) next++;
      const { at, start, end, same } = pieces[next]!;
      const until = Math.min(to, pieces[next + 1]?.at ?? to);
      const part = same ? { start: start + from - at, end: start + until - at } : { start, end };
      made.push({ at: from + shift, ...part, same });
      from = until;
    }
  }
  eachEscape(text, (start, end, sign) => {
    copyTo(start);
    const place = placeOf({ pieces }, { start, end });
    const before = made.at(-1);
    // Escapes side by side are one piece: a text may be made of nothing else.
    if (before?.same === false) before.end = Math.max(before.end, place.end);
    else made.push({ at: says.length, ...place, same: false });
    says += sign;
    from = end;
  });
  copyTo(text.length);
  return { text: says, pieces: made };
}

/** Where something that was found in the decoded text stands in the text of the reading. */
export function placeOf(
  { pieces }: Pick<Decoded, 'pieces'>,
  find: { start: number; end: number },
): { start: number; end: number } {
  const first = pieceAt(pieces, find.start);
  const last = pieceAt(pieces, Math.max(find.start, find.end - 1));
  return {
    start: first.same ? first.start + (find.start - first.at) : first.start,
    end: last.same ? Math.min(last.end, last.start + (find.end - last.at)) : last.end,
  };
}

/** The last piece that begins at or before `at`. */
function pieceAt(pieces: readonly Piece[], at: number): Piece {
  let low = 0;
  let high = pieces.length - 1;
  while (low < high) {
    const middle = (low + high + 1) >> 1;
    if (pieces[middle]!.at <= at) low = middle;
    else high = middle - 1;
  }
  return pieces[low]!;
}

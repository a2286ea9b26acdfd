/**
 * A text in windows of tokens. A tokenizer says no offsets, so the text is cut first: into pieces of a word, with the space before
 * it, and words without spaces every 32 characters. As many pieces go into a window as fit. All windows together are the whole text.
 */
import type { TextInput } from '../file.js';

/** `ids` with what the tokenizer adds around them; offsets in UTF-16 units. */
export interface TokenWindow {
  start: number;
  end: number;
  ids: number[];
}

export interface Encoder {
  /** with the tokens that stand around a text */
  encode(text: string): number[];
  /** tokens of a part of a text, without those */
  count(text: string): number;
}

const PIECE = /\s{0,32}\S{1,32}|\s{1,32}/gu;
/** A text of so many units a token may fit into one window, and is tried as a whole. */
const UNITS_PER_TOKEN = 8;

/** Undefined where the text needs more windows than it may have. Throws where one character does not fit into a window. */
export function windowsOf(
  text: string,
  { encode, count }: Encoder,
  { max_tokens: most, stride, max_windows: maxWindows }: TextInput,
): TokenWindow[] | undefined {
  if (text.length <= most * UNITS_PER_TOKEN) {
    const ids = encode(text);
    if (ids.length <= most) return [{ start: 0, end: text.length, ids }];
  }
  const around = encode('').length;
  const pieces = piecesOf(text, count);
  const windows: TokenWindow[] = [];
  for (let first = 0; ; ) {
    if (windows.length === maxWindows) return undefined;
    const window = fill(first);
    windows.push(window);
    const { end, next } = window;
    if (end === text.length) return windows;
    first = next;
  }

  /** The window that begins with a piece, and the piece that the next one begins with. */
  function fill(first: number): TokenWindow & { next: number } {
    let last = first;
    for (let tokens = around; pieces.at(last); last++) {
      tokens += pieces.at(last)!.tokens;
      if (tokens > most && last > first) break;
    }
    const { start } = pieces.at(first)!;
    for (;;) {
      const { end } = pieces.at(last - 1)!;
      const ids = encode(text.slice(start, end));
      if (ids.length <= most) return { start, end, ids, next: overlapping(first, last) };
      if (last - first > 1) last = without(first, last, ids.length - most);
      else pieces.halve(first);
    }
  }

  /** Pieces up to `last` without the last ones that have together so many tokens. Together they may have more than each by itself. */
  function without(first: number, last: number, excess: number): number {
    let left = excess;
    let at = last;
    while (at - first > 1 && left > 0) left -= Math.max(1, pieces.at(--at)!.tokens);
    return at;
  }

  function overlapping(first: number, last: number): number {
    let left = stride;
    let at = last;
    while (at - first > 1 && left >= pieces.at(at - 1)!.tokens) left -= pieces.at(--at)!.tokens;
    return at;
  }
}

interface TokenPiece {
  start: number;
  end: number;
  tokens: number;
}

/** Pieces are made when they are first looked at: of a text that is far too long, most never are. */
function piecesOf(text: string, count: (text: string) => number) {
  const found = text.matchAll(PIECE);
  const pieces: TokenPiece[] = [];
  const piece = (start: number, end: number): TokenPiece => ({ start, end, tokens: count(text.slice(start, end)) });
  return {
    at(number: number): TokenPiece | undefined {
      while (pieces.length <= number) {
        const next = found.next();
        if (next.done) return undefined;
        pieces.push(piece(next.value.index, next.value.index + next.value[0].length));
      }
      return pieces[number];
    },
    halve(number: number): void {
      const { start, end } = pieces[number]!;
      const characters = [...text.slice(start, end)];
      if (characters.length === 1) throw new Error('a character of the text takes more tokens than a window has');
      const middle = start + characters.slice(0, characters.length >> 1).join('').length;
      pieces.splice(number, 1, piece(start, middle), piece(middle, end));
    },
  };
}

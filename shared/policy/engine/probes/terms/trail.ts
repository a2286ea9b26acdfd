/** What a walk through a lexicon has read of a text so far: see `walk.ts`. One sweep runs at a time, so one trail serves all walks. */
import { isWordAt } from '../characters.js';
import type { Lexicon, SweepFind, TermEnd } from './lexicon.js';
import { DIGIT, PLAIN, UNITS } from './units.js';

/** Offsets are of the view that is swept, in UTF-16 units. */
export interface Trail {
  readonly lexicon: Lexicon;
  text: string;
  /** where the walk started */
  from: number;
  /** letters are parted by spaces */
  spaced: boolean;
  /** it starts within a word */
  inside: boolean;
  /** letters of the term so far; of these, those written as digits, as symbols, and hidden behind masks */
  letters: number;
  digits: number;
  symbols: number;
  masked: number;
  /** stars that hide two letters */
  starred: number;
  /** letters that the text has more often than the term; of these vowels, and third ones in a row */
  repeated: number;
  vowels: number;
  strong: number;
  gaps: number;
  /** letters since the last separator, and pieces before it that have several */
  piece: number;
  broken: number;
  /** the term that was read already, and parts of the compound so far */
  main: TermEnd | undefined;
  joined: number;
  /** steps that the walk may still take */
  steps: number;
  found: SweepFind[];
}

export function newTrail(lexicon: Lexicon): Trail {
  const none = { letters: 0, digits: 0, symbols: 0, masked: 0, starred: 0, repeated: 0, vowels: 0, strong: 0 };
  const apart = { gaps: 0, piece: 0, broken: 0, main: undefined, joined: 0 };
  return { lexicon, text: '', from: 0, spaced: false, inside: false, ...none, ...apart, steps: 0, found: [] };
}

/** What the unit at `i` may stand for; 0 outside of the text, where reading gives no number, which is slow as an index. */
export function unitAt(text: string, i: number): number {
  return i >= 0 && i < text.length ? UNITS[text.charCodeAt(i)]! : 0;
}

/** Whether a word may end before `i`. */
export function isEnd(text: string, i: number): boolean {
  if (i >= text.length) return true;
  const code = text.charCodeAt(i);
  return code < 128 ? (UNITS[code]! & (PLAIN | DIGIT)) === 0 : !isWordAt(text, i);
}

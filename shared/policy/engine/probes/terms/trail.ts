/** What a walk through a lexicon has read of a text so far: see `walk.ts`. One sweep runs at a time, so one trail serves all walks. */
import { ALL, type AskedTerms } from './asked.js';
import { createDeadEnds, type DeadEnds } from './dead-ends.js';
import type { Depths } from './depths.js';
import type { SweepFind, TermEnd, TermLexicon } from './lexicon.js';
import { type MaskRun, noRun } from './masks.js';

/** Offsets are of the view that is swept, in UTF-16 units. */
export interface Trail {
  readonly lexicon: TermLexicon;
  text: string;
  /** where the walk started, and how far it may read */
  from: number;
  until: number;
  /** letters are parted by spaces */
  spaced: boolean;
  /** it starts within a word */
  inside: boolean;
  /** It starts at a letter as it stands. Only then are others hidden. */
  plain: boolean;
  /** a mask stands before it */
  walled: boolean;
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
  /** the term that was read already is asked for */
  owed: boolean;
  /** where a letter as it stands is, the next one behind what was asked last */
  shown: number;
  /** steps that walks may still take; with fewer than `few`, what leads nowhere is remembered */
  steps: number;
  few: number;
  /** with fewer than these, a walk ends that has found something */
  enough: number;
  /** a walk ended before it had gone all ways */
  cut: boolean;
  /** how often a term was held against what was read */
  ends: number;
  dead: DeadEnds;
  masks: MaskRun;
  /** worked out where the first mask is read */
  depths: Depths | undefined;
  asked: AskedTerms;
  /** goes every way, also those that lead nowhere; tests hold the others against it */
  thorough: boolean;
  /** terms that start where the walk did */
  found: SweepFind[];
}

export function newTrail(lexicon: TermLexicon): Trail {
  return {
    lexicon,
    text: '',
    from: 0,
    until: 0,
    spaced: false,
    inside: false,
    plain: false,
    walled: false,
    letters: 0,
    digits: 0,
    symbols: 0,
    masked: 0,
    starred: 0,
    repeated: 0,
    vowels: 0,
    strong: 0,
    gaps: 0,
    piece: 0,
    broken: 0,
    main: undefined,
    joined: 0,
    owed: false,
    shown: 0,
    steps: 0,
    few: 0,
    enough: 0,
    cut: false,
    ends: 0,
    dead: createDeadEnds(),
    masks: noRun(),
    depths: undefined,
    asked: ALL,
    thorough: false,
    found: [],
  };
}

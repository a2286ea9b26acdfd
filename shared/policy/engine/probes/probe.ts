/** What a detector puts into the engine: something to look for, and where to look closely. */
import type { RE2JS } from 're2js';
import type { View } from '../../../configuration/types.js';

/** A find: UTF-16 offsets into the view, and how sure it is, 0 to 1. */
export interface Find {
  start: number;
  end: number;
  score: number;
}

/** Looks at one place of a view: where a literal starts, or where a run of digits starts. Costs a bounded time. */
export type Look = (text: string, at: number) => Find | undefined;

/** A word or phrase, as it reads in the one view it is looked for in. */
export interface TermProbe {
  kind: 'term';
  label: string;
  views: readonly View[];
  text: string;
  /** as it reads where its letters and Latin ones are mixed, unit by unit; a find of it has such letters in the text as sent */
  mixed?: string | undefined;
  /** only between characters that are neither letters nor digits */
  word: boolean;
}

/** Looked for wherever one of `literals` occurs, case aside. */
export interface PlaceProbe {
  kind: 'place';
  label: string;
  views: readonly View[];
  literals: readonly string[];
  look: Look;
}

/** Looked for wherever a run of digits starts. */
export interface NumberProbe {
  kind: 'number';
  label: string;
  views: readonly View[];
  /** least digits of one, counting all of those near each other */
  digits: number;
  look: Look;
}

/** A pattern, searched in texts that hold one of `literals`; where that is undefined, in those the pattern set hits. */
export interface PatternProbe {
  kind: 'pattern';
  label: string;
  views: readonly View[];
  literals: readonly string[] | undefined;
  pattern: string;
  flags: string;
  compiled: RE2JS;
}

export type Probe = TermProbe | PlaceProbe | NumberProbe | PatternProbe;

/** One detector's interest in a probe; detectors with the same probe share it. */
export interface Interest {
  /** equal keys are the same probe */
  key: string;
  probe(): Probe;
  /** whether a find counts for this detector; absent: always */
  accepts?(find: Find, text: string): boolean;
}

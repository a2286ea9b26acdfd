/**
 * What a detector asks of the engine: what to look for, and where to look closely. A probe of numbers or patterns has `raw` among its
 * views; its other views are looked at where they have a pass of their own.
 */
import type { RE2JS } from 're2js';
import type { InBytes } from '../automaton.js';
import type { LookSteps } from '../steps.js';
import type { View } from '../views/views.js';
import type { Chunk } from './number.js';

/** What a probe needs is not there. It may be another time; any other error comes of the text, and would come again. */
export class NotThere extends Error {}

/** UTF-16 offsets into the view, and how sure the find is, 0 to 1. */
export interface Find {
  start: number;
  end: number;
  score: number;
  /** what the evidence says that it is, in place of the label of the probe */
  label?: string;
  /** how it was read, where that says more than the view that was looked at */
  view?: string;
  /** which of its terms a sweep found */
  term?: number;
  /** the text is in this language, which the probe does not know: where the find does not count, it is not known whether there is one */
  foreign?: string;
}

/** Looks at one place of a view, where a literal starts. Takes a bounded time. */
export type PlaceLook = (text: string, at: number) => Find | readonly Find[] | undefined;

/** A word or phrase, as it reads in the one view that it is looked for in. */
export interface TermProbe {
  kind: 'term';
  label: string;
  views: readonly View[];
  text: string;
  /** as it reads where Latin letters are mixed in, unit by unit; a find must have look-alikes in the text as sent */
  mixed?: string | undefined;
  /** Apostrophes of all kinds are alike, and a hyphen or underscore that joins two words is a space. */
  loose: boolean;
  /** only where words begin and end: see `terms/edges.ts` */
  word: boolean;
}

/** Looked for wherever one of `literals` occurs, case aside. */
export interface PlaceProbe {
  kind: 'place';
  label: string;
  views: readonly View[];
  literals: readonly string[];
  look: PlaceLook;
}

/** Looked for wherever there are digits. All that the detectors of a scan ask of it is looked for at once. */
export interface NumberProbe {
  kind: 'number';
  label: string;
  views: readonly View[];
  /** `asked`: what their interests have as `asked` */
  lookFor(asked: readonly unknown[]): NumberLook;
}

export interface NumberLook {
  /** least digits of a chunk that is looked at */
  digits: number;
  /**
   * What looks at the chunks of a text, in their order. `steps`: those of the text; it throws where they do not suffice. So what is found
   * of a text may be kept for the next chunk.
   */
  look(text: string, steps: LookSteps): (chunk: Chunk) => Find | readonly Find[] | undefined;
}

/** A pattern, searched in texts that have one of `literals`; where that is undefined, in those that the pattern set names. */
export interface PatternProbe {
  kind: 'pattern';
  label: string;
  views: readonly View[];
  literals: readonly string[] | undefined;
  /** It is tried only on texts that have one of each of these, which are ASCII in small letters. */
  needs: readonly (readonly string[])[];
  pattern: string;
  flags: string;
  compiled: RE2JS;
}

/**
 * Judges a text as a whole, once a scan, in time linear in its length. With earlier texts a find counts where these alone have none
 * that the detector accepts. So the detector looks at the text by itself as well: its `anchored` holds.
 */
export interface WholeProbe {
  kind: 'whole';
  label: string;
  views: readonly ['raw'];
  look(text: string): Find | undefined;
  /** The same of a long text. Absent: it is looked at in one step. */
  inSteps?: InSteps | undefined;
}

export interface InSteps {
  /** probes with the same one have the same steps */
  by: object;
  /** works out in steps what a find needs */
  steps(text: string): Iterator<undefined, unknown>;
  find(text: string, known: unknown): Find | undefined;
}

/** Sweeps a view for many things at once, once a scan, in time linear in its length. */
export interface SweepProbe {
  kind: 'sweep';
  label: string;
  views: readonly [View];
  /** what it finds depends on all of the text, however long that is */
  undivided?: true;
  /** `asked`: what the interests of the detectors of a scan have as `asked` */
  lookFor(asked: readonly unknown[]): SweepLook;
}

/**
 * Tells `take` each find that is asked for, and may tell others. Where that is false, no more are of use. `steps`: those
 * that are left for the text as sent, and all that it holds. `inBytes`: the text, where it stands as bytes already.
 */
export type SweepLook = (text: string, take: (find: Find) => boolean, steps: LookSteps, inBytes?: InBytes) => void;

export type TextProbe = TermProbe | PlaceProbe | NumberProbe | PatternProbe | WholeProbe | SweepProbe;

/** The interest of a detector in a probe. Detectors with the same probe share it. */
export interface Interest {
  /** equal keys are the same probe */
  key: string;
  probe(): TextProbe;
  /** what it asks of a probe of numbers, or of a sweep */
  asked?: unknown;
  /**
   * That the detector looks at what is decoded of a text, too: `words`, at all of it; `sentences` and `numbers`, which have digits when they
   * are encoded, at longer runs; the former also at ROT13.
   */
  decoded?: 'words' | 'sentences' | 'numbers';
  /** whether a find counts for this detector; absent: always. `text`: the view that it was found in */
  accepts?(find: Find, text: string, place: SentPlace): boolean;
}

/** Where a find stands in the text as sent. */
export interface SentPlace {
  sent: string;
  start: number;
  end: number;
}

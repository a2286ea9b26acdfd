/** The file of the tagger: its lexicon, and its weights. */
import {
  buildLexicon,
  expectedWords,
  type LexiconEntries,
  lexiconSection,
  lexiconSize,
  readLexicon,
} from '../../../models/lexicon.js';
import { type FileKind, numbersOf, readSections, writeSections } from '../../../models/sections.js';
import { BUCKETS, NAME_FEATURES_VERSION } from './features.js';
import { LANES, type NameModel } from './tagger.js';

export interface NameHeader {
  /** {@link NAME_FEATURES_VERSION} when it was trained */
  features: number;
  step: number;
  transitions: number[];
  calibration: [slope: number, offset: number][];
  /** entries of the lexicon */
  words: number;
  seed: number;
  /** by name of a file of the data: its SHA-256 */
  data: Record<string, string>;
}

export interface NameFile extends LexiconEntries {
  header: NameHeader;
  /** {@link LANES} bytes a bucket, a weight plus 128 */
  weights: Uint8Array;
}

const NAMES: FileKind<NameHeader> = {
  magic: 'WEIRNAM1',
  name: 'the file of names',
  remedy: 'install the package anew',
  features: NAME_FEATURES_VERSION,
  expected: ({ words }) => expectedWords(words),
  sizesOf: ({ words }) => [lexiconSize(words), BUCKETS * LANES],
};

export const writeNames = ({ header, weights, ...entries }: NameFile): Uint8Array =>
  writeSections(NAMES, { header, sections: [lexiconSection(entries), weights] });

/** Throws an `Error` where `bytes` are no such file of this version: the package is not whole. The weights are not copied. */
export function readNames(bytes: Uint8Array): { model: NameModel; file: NameFile } {
  const { header, sections } = readSections(NAMES, bytes);
  const [words, weights] = sections as [Uint8Array, Uint8Array];
  const entries = readLexicon(words);
  const { step, transitions, calibration } = header;
  const lexicon = buildLexicon(entries.hashes, entries.packed);
  return {
    model: { lexicon, weights: numbersOf(weights), step, transitions: Float64Array.from(transitions), calibration },
    file: { header, ...entries, weights },
  };
}

/** The file of the models of other languages: the weights of the labels, and those that tell languages. */
import { type FileKind, numbersOf, readSections, writeSections } from '../sections.js';
import { BUCKETS, LANGUAGES_VERSION, type Reading } from './features.js';
import { prepareLetters } from './letters.js';
import { TELL_BUCKETS, TELL_LANES, type TellModel } from './tell.js';

/** Labels that the models have; one lane is free. */
export const LABELS = ['toxicity', 'hate', 'injection'] as const;
export type LanguageLabel = (typeof LABELS)[number];
export const LANES = 4;

/** Of the sum of weights over the root of the number of features. It is 0 where a detector fires by default. */
export interface Scale {
  scale: number;
  bias: number;
  /** what a distance falls by with each factor *e* of sentences (`logSentences`), since the highest of many is high by chance */
  rise: number;
}

export interface LanguageEntry {
  code: string;
  /** as people call it, and as a note names it */
  name: string;
  reading: Reading;
  /** the labels that are known of the language */
  labels: Partial<Record<LanguageLabel, Scale>>;
}

export interface LanguagesHeader {
  version: number;
  /** {@link LANGUAGES_VERSION} when it was trained */
  features: number;
  /** The place of a language is that of its part of the table. */
  languages: LanguageEntry[];
  tell: { languages: string[]; scale: number; bias: number[] };
  seed: number;
  /** by name of a file of the data: its SHA-256 */
  data: Record<string, string>;
}

export interface LanguagesModel {
  header: LanguagesHeader;
  /** a number a bucket, {@link LANES} of a byte in each: a weight plus 128 */
  weights: Int32Array;
  tell: TellModel;
}

const LANGUAGES: FileKind<LanguagesHeader> = {
  magic: 'WEIRLNG1',
  name: 'the file of languages',
  remedy: 'install the package anew',
  features: LANGUAGES_VERSION,
  expected: ({ languages }) => (Array.isArray(languages) ? undefined : 'languages'),
  sizesOf: ({ languages }) => [languages.length * BUCKETS * LANES, TELL_BUCKETS * TELL_LANES],
};

/** {@link LANES} bytes a bucket, and {@link TELL_LANES} in what tells languages: a weight plus 128. */
export const writeLanguages = (header: LanguagesHeader, weights: Uint8Array, tell: Uint8Array): Uint8Array =>
  writeSections(LANGUAGES, { header, sections: [weights, tell] });

/** Throws an `Error` where `bytes` are not what this version of Weir ships: the package is not whole. The weights are not copied. */
export function readLanguages(bytes: Uint8Array): LanguagesModel {
  const { header, sections } = readSections(LANGUAGES, bytes);
  const [weights, tell] = sections.map(numbersOf) as [Int32Array, Int32Array];
  prepareLetters();
  return { header, weights, tell: { ...header.tell, weights: tell } };
}

/** The file of a model of texts: the entries of its lexicon, and its weights. */
import { prepareCharacters } from './characters.js';
import { BUCKETS, FEATURES_VERSION } from './features.js';
import {
  expectedWords,
  type LexiconEntries,
  lexiconSection,
  lexiconSize,
  readLexicon,
  sharedLexicon,
} from './lexicon.js';
import { type ClassifierModel, LANES, type Label } from './model.js';
import { type FileKind, numbersOf, readSections, writeSections } from './sections.js';

/** Bytes of the largest file that is read. */
export const MAX_MODEL_BYTES = 4 * 1024 * 1024;

/** What the file says of the model, beside its weights. */
export interface ModelHeader {
  name: string;
  version: number;
  /** {@link FEATURES_VERSION} when it was trained; absent: 1 */
  features?: number | undefined;
  labels: Label[];
  /** entries of the lexicon */
  words: number;
  seed: number;
  /** by name of a file of the data: its SHA-256 */
  data: Record<string, string>;
}

export interface ModelFile extends LexiconEntries {
  header: ModelHeader;
  /** {@link LANES} bytes a bucket, a weight plus 128 */
  weights: Uint8Array;
}

const MODEL: FileKind<ModelHeader> = {
  magic: 'WEIRMDL1',
  name: 'the model',
  remedy: 'train it again by weir train',
  features: FEATURES_VERSION,
  expected: ({ words, labels }) => expectedWords(words) ?? expectedLabels(labels),
  sizesOf: ({ words }) => [lexiconSize(words), BUCKETS * LANES],
};

export const writeModel = ({ header, weights, ...entries }: ModelFile): Uint8Array =>
  writeSections(MODEL, { header, sections: [lexiconSection(entries), weights] });

/** What the file says of the model. Throws an `Error` that says what is wrong where `bytes` are no model that can be used. */
export const readHeader = (bytes: Uint8Array): ModelHeader => readSections(MODEL, bytes).header;

/** Throws as {@link readHeader} does. The weights are not copied. */
export function readModel(bytes: Uint8Array): { model: ClassifierModel; file: ModelFile } {
  const { header, sections } = readSections(MODEL, bytes);
  const [words, weights] = sections as [Uint8Array, Uint8Array];
  const entries = readLexicon(words);
  // Takes some milliseconds, which no first text should wait for.
  prepareCharacters();
  const model = { labels: header.labels, lexicon: sharedLexicon(entries), weights: numbersOf(weights) };
  return { model, file: { header, ...entries, weights } };
}

const expectedLabels = (labels: unknown): string | undefined =>
  Array.isArray(labels) && labels.length >= 1 && labels.length <= LANES && labels.every(isLabel)
    ? undefined
    : `1 to ${LANES} labels with name, scale, bias, and a threshold from 0 to 1`;

function isLabel(value: unknown): value is Label {
  const { name, scale, bias, threshold } = (value ?? {}) as Partial<Record<keyof Label, unknown>>;
  return (
    typeof name === 'string' &&
    [scale, bias, threshold].every((each) => Number.isFinite(each)) &&
    (threshold as number) >= 0 &&
    (threshold as number) <= 1
  );
}

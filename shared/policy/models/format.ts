/**
 * The file of a model: eight bytes `WEIRMDL1`, the length of the header in four, the header as JSON, zeros up to a multiple of 8, the
 * entries of the lexicon (hashes of four bytes, then classes of two), zeros up to a multiple of 8, and the weights. Numbers are little-endian.
 */
import { prepareCharacters } from './characters.js';
import { BUCKETS, FEATURES_VERSION } from './features.js';
import { sharedLexicon } from './lexicon.js';
import { type ClassifierModel, LANES, type Label } from './model.js';

const MAGIC = 'WEIRMDL1';
const MAX_HEADER = 1 << 20;
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

export interface ModelFile {
  header: ModelHeader;
  /** sorted, with the packed classes of each */
  hashes: Int32Array;
  packed: Uint16Array;
  /** {@link LANES} bytes a bucket, a weight plus 128 */
  weights: Uint8Array;
}

const aligned = (at: number): number => (at + 7) & ~7;

export function writeModel({ header, hashes, packed, weights }: ModelFile): Uint8Array {
  const json = new TextEncoder().encode(JSON.stringify(header));
  const lexiconAt = aligned(12 + json.length);
  const weightsAt = aligned(lexiconAt + hashes.length * 6);
  const bytes = new Uint8Array(weightsAt + weights.length);
  bytes.set(new TextEncoder().encode(MAGIC));
  const view = new DataView(bytes.buffer);
  view.setUint32(8, json.length, true);
  bytes.set(json, 12);
  for (let i = 0; i < hashes.length; i++) {
    view.setInt32(lexiconAt + 4 * i, hashes[i]!, true);
    view.setUint16(lexiconAt + 4 * hashes.length + 2 * i, packed[i]!, true);
  }
  bytes.set(weights, weightsAt);
  return bytes;
}

/** What the file says of the model. Throws an `Error` that says what is wrong where `bytes` are no model that can be used. */
export const readHeader = (bytes: Uint8Array): ModelHeader => layoutOf(bytes).header;

/** Throws as {@link readHeader} does. The weights are not copied. */
export function readModel(bytes: Uint8Array): { header: ModelHeader; model: ClassifierModel; file: ModelFile } {
  const { header, lexiconAt, weightsAt } = layoutOf(bytes);
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const hashes = new Int32Array(header.words);
  const packed = new Uint16Array(header.words);
  for (let i = 0; i < header.words; i++) {
    hashes[i] = view.getInt32(lexiconAt + 4 * i, true);
    packed[i] = view.getUint16(lexiconAt + 4 * header.words + 2 * i, true);
  }
  const at = bytes.byteOffset + weightsAt;
  if (at % 4 !== 0) throw new Error('the weights of the model are not aligned');
  const weights = new Int32Array(bytes.buffer, at, BUCKETS * 2);
  // Takes some milliseconds, which no first text should wait for.
  prepareCharacters();
  const model = { labels: header.labels, lexicon: sharedLexicon(hashes, packed), weights };
  return { header, model, file: { header, hashes, packed, weights: bytes.subarray(weightsAt) } };
}

interface ModelLayout {
  header: ModelHeader;
  /** offsets in bytes */
  lexiconAt: number;
  weightsAt: number;
}

function layoutOf(bytes: Uint8Array): ModelLayout {
  const magic = bytes.length < 12 ? '' : String.fromCharCode(...bytes.subarray(0, 8));
  if (magic !== MAGIC) throw new Error(`expected a model that begins with ${MAGIC}, as weir train writes it`);
  const size = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength).getUint32(8, true);
  if (size > MAX_HEADER || 12 + size > bytes.length) throw new Error('the model ends within its header');
  // Memory that threads share cannot be decoded in place.
  const header = headerOf(new TextDecoder().decode(bytes.slice(12, 12 + size)));
  const lexiconAt = aligned(12 + size);
  const weightsAt = aligned(lexiconAt + header.words * 6);
  if (bytes.length !== weightsAt + BUCKETS * LANES) throw new Error('the model has not the size that its header says');
  return { header, lexiconAt, weightsAt };
}

const MAX_WORDS = MAX_MODEL_BYTES / 6;

/** The header, of which what is used for scores is checked: the file may come from anywhere. */
function headerOf(text: string): ModelHeader {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    // Told below, like any other JSON that is no object.
  }
  if (typeof value !== 'object' || value === null) throw new Error('the header of the model is no JSON object');
  const { features = 1, labels, words } = value as Partial<Record<keyof ModelHeader, unknown>>;
  if (features !== FEATURES_VERSION) {
    const made = `the model was trained for version ${String(features).slice(0, 20)} of the features`;
    throw new Error(`${made}, and this version of Weir has version ${FEATURES_VERSION}; train it again by weir train`);
  }
  if (!Number.isInteger(words) || (words as number) < 0 || (words as number) > MAX_WORDS) {
    throw new Error(`the header of the model is damaged: expected words from 0 to ${Math.floor(MAX_WORDS)}`);
  }
  if (!Array.isArray(labels) || labels.length < 1 || labels.length > LANES || !labels.every(isLabel)) {
    throw new Error(
      `the header of the model is damaged: expected 1 to ${LANES} labels with name, scale, bias, and a threshold from 0 to 1`,
    );
  }
  return value as ModelHeader;
}

function isLabel(value: unknown): value is Label {
  const { name, scale, bias, threshold } = (value ?? {}) as Partial<Record<keyof Label, unknown>>;
  return (
    typeof name === 'string' &&
    [scale, bias, threshold].every((each) => Number.isFinite(each)) &&
    (threshold as number) >= 0 &&
    (threshold as number) <= 1
  );
}

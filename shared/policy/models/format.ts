/**
 * The file of a model: eight bytes `WEIRMDL1`, the length of the header in four, the header as JSON, zeros up to a multiple of 8, the
 * entries of the lexicon (hashes of four bytes, then classes of two), zeros up to a multiple of 8, and the weights. Numbers are little-endian.
 */
import { prepareCharacters } from './characters.js';
import { BUCKETS } from './features.js';
import { buildLexicon } from './lexicon.js';
import { LANES, type Label, type Model } from './model.js';

const MAGIC = 'WEIRMDL1';
const MAX_HEADER = 1 << 20;

/** What the file says of the model, beside its weights. */
export interface Header {
  name: string;
  version: number;
  labels: Label[];
  /** entries of the lexicon */
  words: number;
  seed: number;
  /** by name of a file of the data: its SHA-256 */
  data: Record<string, string>;
}

export interface ModelFile {
  header: Header;
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

/** Throws an `Error` that says what is wrong where `bytes` are no model. The weights are not copied. */
export function readModel(bytes: Uint8Array): { header: Header; model: Model; file: ModelFile } {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const magic = bytes.length < 12 ? '' : String.fromCharCode(...bytes.subarray(0, 8));
  if (magic !== MAGIC) throw new Error(`expected a model that begins with ${MAGIC}`);
  const size = view.getUint32(8, true);
  if (size > MAX_HEADER || 12 + size > bytes.length) throw new Error('the model ends within its header');
  // Memory that threads share cannot be decoded in place.
  const header = JSON.parse(new TextDecoder().decode(bytes.slice(12, 12 + size))) as Header;
  const lexiconAt = aligned(12 + size);
  const weightsAt = aligned(lexiconAt + header.words * 6);
  if (header.labels.length > LANES) throw new Error(`expected at most ${LANES} labels`);
  if (bytes.length !== weightsAt + BUCKETS * LANES) throw new Error('the model has not the size that its header says');
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
  const model = { labels: header.labels, lexicon: buildLexicon(hashes, packed), weights };
  return { header, model, file: { header, hashes, packed, weights: bytes.subarray(weightsAt) } };
}

/**
 * The file of the tagger: eight bytes `WEIRNAM1`, the length of the header in four, the header as JSON, zeros up to a multiple of 8, the
 * lexicon (hashes of four bytes, then classes of two), zeros up to a multiple of 8, and the weights. Numbers are little-endian.
 */
import { buildLexicon } from '../../../models/lexicon.js';
import { BUCKETS, NAME_FEATURES_VERSION } from './features.js';
import { LANES, type NameModel } from './tagger.js';

const MAGIC = 'WEIRNAM1';

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

export interface NameFile {
  header: NameHeader;
  hashes: Int32Array;
  packed: Uint16Array;
  /** {@link LANES} bytes a bucket, a weight plus 128 */
  weights: Uint8Array;
}

const aligned = (at: number): number => (at + 7) & ~7;

export function writeNames({ header, hashes, packed, weights }: NameFile): Uint8Array {
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

/** Throws an `Error` where `bytes` are no such file of this version: the package is not whole. The weights are not copied. */
export function readNames(bytes: Uint8Array): { header: NameHeader; model: NameModel } {
  const magic = String.fromCharCode(...bytes.subarray(0, 8));
  if (magic !== MAGIC) throw new Error(`the file of names does not begin with ${MAGIC}: install the package anew`);
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const size = view.getUint32(8, true);
  // Memory that threads share cannot be decoded in place.
  const header = JSON.parse(new TextDecoder().decode(bytes.slice(12, 12 + size))) as NameHeader;
  const lexiconAt = aligned(12 + size);
  const weightsAt = aligned(lexiconAt + header.words * 6);
  if (header.features !== NAME_FEATURES_VERSION || bytes.length !== weightsAt + BUCKETS * LANES) {
    throw new Error('the file of names is of another version: install the package anew');
  }
  const hashes = new Int32Array(header.words);
  const packed = new Uint16Array(header.words);
  for (let i = 0; i < header.words; i++) {
    hashes[i] = view.getInt32(lexiconAt + 4 * i, true);
    packed[i] = view.getUint16(lexiconAt + 4 * header.words + 2 * i, true);
  }
  const { step, transitions, calibration } = header;
  const weights = new Int32Array(bytes.buffer, bytes.byteOffset + weightsAt, BUCKETS * 2);
  const lexicon = buildLexicon(hashes, packed);
  return { header, model: { lexicon, weights, step, transitions: Float64Array.from(transitions), calibration } };
}

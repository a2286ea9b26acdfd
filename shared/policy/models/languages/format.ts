/**
 * The file of the models of other languages: eight bytes `WEIRLNG1`, the length of the header in four, the header as JSON, zeros up to a
 * multiple of 8, the weights of the labels (four bytes a bucket), and those that tell languages (16 bytes a bucket). Numbers are little-endian.
 */
import { BUCKETS, LANGUAGES_VERSION, type Reading } from './features.js';
import { prepareLetters } from './letters.js';
import { TELL_BUCKETS, TELL_LANES, type TellModel } from './tell.js';

const MAGIC = 'WEIRLNG1';

/** Labels that the models have; one lane is free. */
export const LABELS = ['toxicity', 'hate', 'injection'] as const;
export type LanguageLabel = (typeof LABELS)[number];
export const LANES = 4;

/** Of the sum of weights over the root of the number of features. It is 0 where a detector fires by default. */
export interface Scale {
  scale: number;
  bias: number;
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
  /** The place of a language is a part of the hashes of its features. */
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

const aligned = (at: number): number => (at + 7) & ~7;

export function writeLanguages(header: LanguagesHeader, weights: Uint8Array, tell: Uint8Array): Uint8Array {
  const json = new TextEncoder().encode(JSON.stringify(header));
  const at = aligned(12 + json.length);
  const bytes = new Uint8Array(at + weights.length + tell.length);
  bytes.set(new TextEncoder().encode(MAGIC));
  new DataView(bytes.buffer).setUint32(8, json.length, true);
  bytes.set(json, 12);
  bytes.set(weights, at);
  bytes.set(tell, at + weights.length);
  return bytes;
}

/** Throws an `Error` where `bytes` are not what this version of Weir ships. The weights are not copied. */
export function readLanguages(bytes: Uint8Array): LanguagesModel {
  const magic = bytes.length < 12 ? '' : String.fromCharCode(...bytes.subarray(0, 8));
  if (magic !== MAGIC) throw new Error(`expected models of languages, which begin with ${MAGIC}`);
  const size = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength).getUint32(8, true);
  // Memory that threads share cannot be decoded in place.
  const header = JSON.parse(new TextDecoder().decode(bytes.slice(12, 12 + size))) as LanguagesHeader;
  if (header.features !== LANGUAGES_VERSION)
    throw new Error('the models of languages are of another version of Weir; train them again');
  const at = aligned(12 + size);
  const tellAt = at + BUCKETS * LANES;
  if (bytes.length !== tellAt + TELL_BUCKETS * TELL_LANES)
    throw new Error('the models of languages have not the size that their header says');
  prepareLetters();
  const table = (from: number, length: number): Int32Array =>
    new Int32Array(bytes.buffer, bytes.byteOffset + from, length / 4);
  return {
    header,
    weights: table(at, BUCKETS * LANES),
    tell: { ...header.tell, weights: table(tellAt, TELL_BUCKETS * TELL_LANES) },
  };
}

// Files of models of texts, small enough to be made anew by each test: they know a few words, and all other words weigh nothing.
import { createHash } from 'node:crypto';
import { prepareCharacters } from '#weir/shared/policy/models/characters';
import { BUCKETS, buckets, extract, FEATURES_VERSION } from '#weir/shared/policy/models/features';
import { type ModelHeader, writeModel } from '#weir/shared/policy/models/format';
import { buildLexicon } from '#weir/shared/policy/models/lexicon';
import { LANES } from '#weir/shared/policy/models/model';

export interface TextModel {
  bytes: Uint8Array;
  sha256: string;
}

/** A model that scores texts with the word of a label near 1, and others near 0. `more` replaces fields of its header. */
export function textModel(
  words: Record<string, string>,
  more: Partial<Record<keyof ModelHeader, unknown>> = {},
): TextModel {
  prepareCharacters();
  const weights = new Uint8Array(BUCKETS * LANES).fill(128);
  const names = Object.keys(words);
  for (const [lane, name] of names.entries()) {
    const n = extract(buildLexicon([], []), words[name]!, 0, words[name]!.length);
    for (const bucket of buckets.subarray(0, n)) weights[bucket * LANES + lane] = 255;
  }
  const labels = names.map((name) => ({ name, scale: 0.02, bias: -1, threshold: 0.5 }));
  const known = { name: 'test', version: 1, features: FEATURES_VERSION, words: 0, seed: 1, data: {} };
  const header = { ...known, labels, ...more } as ModelHeader;
  const bytes = writeModel({ header, hashes: new Int32Array(0), packed: new Uint16Array(0), weights });
  return { bytes, sha256: createHash('sha256').update(bytes).digest('hex') };
}

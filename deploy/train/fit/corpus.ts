/** The features of all examples, in one array. */

import { prepareCharacters } from '../../../shared/policy/models/characters.js';
import { buckets, extract } from '../../../shared/policy/models/features.js';
import type { ClassLexicon } from '../../../shared/policy/models/lexicon.js';
import { windowEnd } from '../../../shared/policy/models/model.js';
import type { TrainingExample } from '../example.js';

/** Windows of a text that are read; a model learns the more from the first ones. */
const MAX_WINDOWS = 4;

export interface Corpus {
  examples: readonly TrainingExample[];
  /** the features of example `i` are `features` from `starts[i]` to `starts[i + 1]` */
  starts: Int32Array;
  features: Int32Array;
}

export function readCorpus(examples: readonly TrainingExample[], lexicon: ClassLexicon): Corpus {
  prepareCharacters();
  const starts = new Int32Array(examples.length + 1);
  let features = new Int32Array(1 << 22);
  let count = 0;
  examples.forEach(({ text }, i) => {
    for (let from = 0, windows = 0; from < text.length && windows < MAX_WINDOWS; windows++) {
      const to = windowEnd(text, from);
      const n = extract(lexicon, text, from, to);
      while (count + n > features.length) {
        const larger = new Int32Array(features.length * 2);
        larger.set(features);
        features = larger;
      }
      features.set(buckets.subarray(0, n), count);
      count += n;
      from = to;
    }
    starts[i + 1] = count;
  });
  return { examples, starts, features: features.subarray(0, count) };
}

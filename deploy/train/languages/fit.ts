/** What the weights of all languages are fitted by, at once, in one table. Each language has a part and a bias of its own. */
import { BUCKETS, buckets, extract } from '../../../shared/policy/models/languages/features.js';
import { LANES } from '../../../shared/policy/models/languages/format.js';
import { rootOf } from '../../../shared/policy/models/languages/score.js';
import { WINDOW } from '../../../shared/policy/models/normalise.js';
import { type Corpus, type CorpusKind, collect } from '../fit/corpus.js';
import type { LabelOptions } from '../fit/fit.js';
import { LANGUAGES } from './list.js';
import type { LanguageExample } from './targets.js';

const KIND: CorpusKind<LanguageExample> = {
  buckets: LANGUAGES.length * BUCKETS,
  lanes: LANES,
  rootOf,
  targetOf({ targets }, lane) {
    const target = targets[lane];
    return target && { value: target[0], weight: target[1] };
  },
  groups: LANGUAGES.length,
  groupOf: ({ language }) => language,
};

/** Of a long text, its beginning is read, as one sentence. */
export const readCorpus = (examples: readonly LanguageExample[]): Corpus<LanguageExample> =>
  collect(KIND, examples, ({ language, text }, add) => {
    const n = extract(language, LANGUAGES[language]!.reading, text, 0, Math.min(text.length, WINDOW));
    add(buckets.subarray(0, n));
  });

const labelOf = (decay: number): LabelOptions => ({ plain: true, start: 0.005, epochs: 8, decay });
/** In the order of `LABELS`. */
export const LABEL_OPTIONS: readonly LabelOptions[] = [3e-4, 3e-4, 2e-3].map(labelOf);

/** What texts of the languages count for. */

/** A value, and how much it counts, of a label; by its place in `LABELS`. */
export type LanguageTargets = readonly [toxicity: Target, hate: Target, injection: Target];
export type Target = readonly [value: 0 | 1, weight: number] | undefined;

export interface LanguageExample {
  language: number;
  text: string;
  targets: LanguageTargets;
  source: string;
  /** texts of one group are held out together */
  group: string;
}

/** By section of a file of phrases. */
export const SECTIONS: Readonly<Record<string, LanguageTargets>> = {
  hate: [[1, 0.5], [1, 1], undefined],
  abuse: [
    [1, 1],
    [0, 1],
    [0, 0.5],
  ],
  profane: [
    [1, 0.3],
    [0, 1],
    [0, 0.5],
  ],
  innocent: [
    [0, 1],
    [0, 1],
    [0, 1],
  ],
  /** in plain words, which have to be found in whatever a model learns beside them */
  order: [undefined, [0, 0.3], [1, 6]],
  /** in other words */
  attack: [undefined, [0, 0.3], [1, 1]],
  request: [
    [0, 1],
    [0, 1],
    [0, 1],
  ],
  manual: [
    [0, 1],
    [0, 1],
    [0, 1],
  ],
};

/** Of texts that somebody wrote for another purpose. */
export const ORDINARY: LanguageTargets = [
  [0, 1.5],
  [0, 1.5],
  [0, 1.5],
];

/** Of a word alone: what people write most often says nothing of them. */
export const WORD: LanguageTargets = [
  [0, 4],
  [0, 4],
  [0, 3],
];

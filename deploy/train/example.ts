/** What a model learns from. */

export interface Target {
  /** number of the label */
  lane: number;
  value: 0 | 1;
  /** how much the example counts for the label */
  weight: number;
}

export interface Example {
  text: string;
  targets: readonly Target[];
  /** name of the data or of the kind of templates */
  source: string;
  /** examples of a group are never on both sides of a split: a template, or the text itself */
  group: string;
}

/** What a model learns from. */

/** The labels of the models that Weir ships, in the order of their lanes. */
export const SHIPPED_LABELS = ['toxicity', 'hate', 'sexism', 'sexual', 'violence', 'self_harm', 'injection'] as const;
export type ShippedLabel = (typeof SHIPPED_LABELS)[number];

export interface LabelTarget {
  /** number of the label */
  lane: number;
  value: 0 | 1;
  /** how much the example counts for the label */
  weight: number;
}

export interface TrainingExample {
  text: string;
  targets: readonly LabelTarget[];
  /** name of the data or of the kind of templates */
  source: string;
  /** examples of a group are never on both sides of a split: a template, or the text itself */
  group: string;
  /** it is learned from last, after it has set thresholds */
  aside?: boolean;
}

/** Of labels by name: what a text says of them. */
export type Targets = Partial<Record<ShippedLabel, readonly [value: 0 | 1 | boolean, weight: number]>>;

export function targetsOf(targets: Targets): LabelTarget[] {
  return Object.entries(targets).map(([name, [value, weight]]) => ({
    lane: SHIPPED_LABELS.indexOf(name as ShippedLabel),
    value: value ? 1 : 0,
    weight,
  }));
}

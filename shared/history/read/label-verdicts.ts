/** What reviewers say together of the verdict of a policy on an item. */
import type { LabelKind } from '../../api/types.js';

/** One of them, of an item and a policy. */
export interface CastLabel {
  id: string;
  policy: string;
  name: string;
  label: LabelKind;
}

export interface LabelVerdict extends Omit<CastLabel, 'label'> {
  /** the policy had flagged the item */
  flagged: boolean;
  /** it should be flagged: most of them say so. undefined: as many say so as do not */
  truth: boolean | undefined;
}

/** One for each item and policy, with all else that the first label of it says. */
export function verdictsOf<T extends CastLabel & { flagged: boolean }>(
  labels: readonly T[],
): (Omit<T, 'label'> & LabelVerdict)[] {
  const all = new Map<string, { verdict: Omit<T, 'label'> & LabelVerdict; votes: number }>();
  for (const { label, ...one } of labels) {
    const key = `${one.id} ${one.policy}`;
    const known = all.get(key) ?? { verdict: { ...one, truth: undefined }, votes: 0 };
    all.set(key, known);
    known.votes += label === 'false_alarm' ? -1 : 1;
    known.verdict.truth = known.votes === 0 ? undefined : known.votes > 0;
  }
  return [...all.values()].map(({ verdict }) => verdict);
}

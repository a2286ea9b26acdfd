/** Figures of labels: precision with its interval, agreement of reviewers, a threshold that would be better. */

/** A share with its 95 % interval (Wilson 1927). */
export interface LabelShare {
  value: number;
  low: number;
  high: number;
}

const Z = 1.959964;

/** Null of nothing. */
export function shareOf(part: number, of: number): LabelShare | null {
  if (of === 0) return null;
  const p = part / of;
  const spread = 1 + Z ** 2 / of;
  const centre = (p + Z ** 2 / (2 * of)) / spread;
  const half = (Z / spread) * Math.sqrt((p * (1 - p)) / of + Z ** 2 / (4 * of ** 2));
  return { value: p, low: Math.max(0, centre - half), high: Math.min(1, centre + half) };
}

/** Two reviewers on the items that both labelled. */
export interface ReviewerAgreement {
  reviewers: [string, string];
  items: number;
  /** share of the items on which they agree */
  agreed: number;
  /** Cohen's kappa: 1 is full agreement, 0 that of chance; null where both say the same of every item, so that chance agrees as well */
  kappa: number | null;
}

/** `pairs`: what the first and the second say of each item. */
export function agreementOf(
  reviewers: [string, string],
  pairs: readonly (readonly [boolean, boolean])[],
): ReviewerAgreement {
  const items = pairs.length;
  const share = (holds: (pair: readonly [boolean, boolean]) => boolean): number => pairs.filter(holds).length / items;
  const agreed = share(([one, other]) => one === other);
  const [first, second] = [share(([one]) => one), share(([, other]) => other)];
  const chance = first * second + (1 - first) * (1 - second);
  return { reviewers, items, agreed, kappa: chance === 1 ? null : (agreed - chance) / (1 - chance) };
}

/** A labelled item that a policy has flagged by a score. */
export interface ScoredAlarm {
  score: number;
  isTrue: boolean;
}

/** A higher threshold, and what it would have done. */
export interface BetterThreshold {
  threshold: number;
  /** true alarms that stay, of all */
  kept: number;
  true_alarms: number;
  /** false alarms that go, of all */
  removed: number;
  false_alarms: number;
}

/** Labels of each side that a suggestion needs. */
const LEAST_OF_SIDE = 10;
/** Share of the true alarms that must stay. */
const KEPT = 0.95;

/**
 * The highest threshold that keeps 95 % of the true alarms; null where there are too few labels, or it would remove no false alarm. Items that were not
 * flagged have no score, so nothing is said of lower ones.
 */
export function thresholdOf(alarms: readonly ScoredAlarm[]): BetterThreshold | null {
  const trues = alarms.filter(({ isTrue }) => isTrue).map(({ score }) => score);
  const falses = alarms.filter(({ isTrue }) => !isTrue).map(({ score }) => score);
  if (trues.length < LEAST_OF_SIDE || falses.length < LEAST_OF_SIDE) return null;
  const sorted = trues.toSorted((a, b) => a - b);
  const threshold = sorted[sorted.length - Math.ceil(KEPT * sorted.length)]!;
  const removed = falses.filter((score) => score < threshold).length;
  if (removed === 0) return null;
  const kept = sorted.filter((score) => score >= threshold).length;
  return { threshold, kept, true_alarms: trues.length, removed, false_alarms: falses.length };
}

/** The default thresholds of a language: where ordinary texts are quiet, and those that look like a find mostly are. */
import type { LanguageLabel } from '../../../shared/policy/models/languages/format.js';

/** An example by weights that did not see its group. */
export interface ScoredRow {
  raw: number;
  value: 0 | 1;
  weight: number;
  source: string;
  kept: boolean;
}

/** By source: the share of its negatives that may reach the threshold. */
const SHARES: Record<string, number> = { sentence: 0.004, message: 0.004, word: 0.003 };
/** Look-alikes of a label. They are made to look like it, so more of them may be taken for it than of what people write every day. */
const OWN: Record<LanguageLabel, Record<string, number>> = {
  toxicity: { request: 0.03, innocent: 0.15, comment: 0.3 },
  hate: { request: 0.03, innocent: 0.18, abuse: 0.25, profane: 0.2, comment: 0.3 },
  injection: { request: 0.15, innocent: 0.02, abuse: 0.06, profane: 0.06, comment: 0.004 },
};

export function thresholdOf(label: LanguageLabel, scored: readonly ScoredRow[]): number {
  const shares = Object.entries({ ...SHARES, ...OWN[label] });
  return Math.max(...shares.map(([source, share]) => reachedBy(scored, source, share)));
}

/** The least threshold that at most `share` of the negatives of a source reach. */
function reachedBy(scored: readonly ScoredRow[], source: string, share: number): number {
  const raw = scored.filter((one) => one.source === source && one.value === 0).map((one) => one.raw);
  raw.sort((a, b) => b - a);
  return raw.length === 0 ? Number.NEGATIVE_INFINITY : raw[Math.floor(raw.length * share)]! + 1e-4;
}

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
const SHARES: Readonly<Record<string, number>> = {
  sentence: 0.006,
  message: 0.006,
  document: 0.006,
  manual: 0.01,
  plain: 0.08,
  word: 0.004,
};
/** Look-alikes of a label. They are made to look like it, so more of them may be taken for it than of what people write every day. */
const LOOK_ALIKES: Readonly<Record<LanguageLabel, Record<string, number>>> = {
  toxicity: { request: 0.03, manual: 0.02, comment: 0.5 },
  hate: { request: 0.03, manual: 0.02, comment: 0.3 },
  injection: {
    request: 0.15,
    manual: 0.015,
    document: 0.002,
    message: 0.002,
    sentence: 0.004,
    innocent: 0.02,
    abuse: 0.06,
    profane: 0.06,
    comment: 0.004,
  },
};
/** Where a language has no sentences of others, its innocent phrases stand for them. */
const INSTEAD: Readonly<Record<LanguageLabel, Record<string, number>>> = {
  toxicity: { innocent: 0.15 },
  hate: { innocent: 0.25, abuse: 0.3, profane: 0.3 },
  injection: {},
};
/** What the phrases of a label are told from. Each source counts alike. */
const AGAINST: Readonly<Partial<Record<LanguageLabel, readonly string[]>>> = {
  toxicity: ['innocent'],
  hate: ['innocent', 'abuse', 'profane'],
};
/** Of thresholds that tell phrases apart nearly as well as the best one does, the highest is taken. */
const TOLERANCE = 0.01;

/** What scores stand above the thresholds by at least, so that an innocent sentence on a group that comes close to one of hatred is quiet. */
export const MARGINS: Readonly<Record<LanguageLabel, number>> = { toxicity: 0, hate: 0.1, injection: 0 };

export function thresholdOf(label: LanguageLabel, scored: readonly ScoredRow[]): number {
  const hasSentences = scored.some(({ source }) => source === 'sentence');
  const shares = { ...SHARES, ...LOOK_ALIKES[label], ...(hasSentences ? {} : INSTEAD[label]) };
  const least = Object.entries(shares).map(([source, share]) => reachedBy(scored, source, share));
  return Math.max(balancedAt(label, scored), ...least);
}

/** Where the phrases that are to be found are best told from the others. */
function balancedAt(label: LanguageLabel, scored: readonly ScoredRow[]): number {
  const found = scored.filter(({ value, source }) => value === 1 && isPhrase(source)).map(({ raw }) => raw);
  const others = (AGAINST[label] ?? []).map((source) => rawOf(scored, source));
  if (others.length === 0) return Number.NEGATIVE_INFINITY;
  const tried = [...found].sort((a, b) => a - b).filter((_, i) => i % 10 === 0);
  const told = tried.map(
    (at) => shareFrom(found, at) - others.reduce((sum, raw) => sum + shareFrom(raw, at), 0) / others.length,
  );
  const best = Math.max(...told);
  return tried[told.findLastIndex((each) => each >= best - TOLERANCE)]!;
}

const isPhrase = (source: string): boolean => /^(hate|abuse|order|attack)$/.test(source);
const rawOf = (scored: readonly ScoredRow[], of: string): number[] =>
  scored.filter(({ value, source }) => value === 0 && source === of).map(({ raw }) => raw);
const shareFrom = (raw: readonly number[], at: number): number =>
  raw.length === 0 ? 0 : raw.filter((each) => each >= at).length / raw.length;

/** The least threshold that at most `share` of the negatives of a source reach. */
function reachedBy(scored: readonly ScoredRow[], source: string, share: number): number {
  const raw = rawOf(scored, source);
  raw.sort((a, b) => b - a);
  return raw.length === 0 ? Number.NEGATIVE_INFINITY : raw[Math.floor(raw.length * share)]! + 1e-4;
}

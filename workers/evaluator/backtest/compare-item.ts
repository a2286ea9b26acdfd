/** Judges a stored item again, and compares that with the verdict that it had. */
import type { ContentReading } from '../../../shared/policy/content/content.js';
import type { Plan } from '../../../shared/policy/plan.js';
import type { Verdict } from '../../../shared/policy/types.js';
import { type ItemAsStored, type ItemSurroundings, judge, readingsOf } from './judge.js';
import type { Pairs, PolicyMapPair } from './pairs.js';

/** What all items are compared with. */
export interface Comparison {
  plan: Plan;
  pairs: Pairs;
  /** policies that look at earlier texts */
  contextual: ReadonlySet<string>;
}

export interface ComparedItem {
  stored: ItemAsStored;
  /** the policies map then; `pairs` knows it */
  map: string;
  /** policies that could not be evaluated then */
  notEvaluated: number;
}

/** `known`: the context is all that there was. */
export type EarlierContext = ItemSurroundings & { known: boolean };

export interface JudgedItem {
  verdict: Verdict;
  pair: PolicyMapPair;
  /** its content may have been read in two ways, which differ */
  twoReadings: boolean;
}

/** Of two readings that differ the one that agrees with the verdict then. Counts the pair. */
export function compareItem(
  { plan, pairs, contextual }: Comparison,
  { stored, map, notEvaluated }: ComparedItem,
  { known, ...surroundings }: EarlierContext,
): JudgedItem {
  const judgeAs = (reading: ContentReading): Omit<JudgedItem, 'twoReadings'> => {
    const verdict = judge(plan, stored, reading, surroundings);
    const context = known ? undefined : contextual;
    const doubts = { before: notEvaluated > 0, now: verdict.notEvaluated > 0, context };
    return { verdict, pair: pairs.pair(map, verdict.policies, doubts) };
  };
  const [reading, other] = readingsOf(stored);
  const judged = other ? likelier(judgeAs(reading), judgeAs(other)) : { ...judgeAs(reading), twoReadings: false };
  judged.pair.count++;
  return judged;
}

function likelier(one: Omit<JudgedItem, 'twoReadings'>, other: Omit<JudgedItem, 'twoReadings'>): JudgedItem {
  if (one.verdict.policies === other.verdict.policies) return { ...one, twoReadings: false };
  const chosen = one.pair.changes.length > 0 && other.pair.changes.length === 0 ? other : one;
  return { ...chosen, twoReadings: true };
}

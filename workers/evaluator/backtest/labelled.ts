/** What a changed configuration does to items that people have labelled. */
import type { LabelVerdict } from '../../../shared/history/read/label-verdicts.js';
import { addCounts, type PolicyOutcome } from './compare.js';

/** Labelled items of one policy, by what people say and what becomes of them. */
export interface LabelledTally {
  name: string;
  /** true alarms that stay, and that go */
  true_kept: number;
  true_lost: number;
  /** false alarms that go, and that stay */
  false_removed: number;
  false_kept: number;
  /** missed items that are found now, and that are not */
  missed_found: number;
  missed_still: number;
  /** the policy could not be evaluated, or earlier texts are not known */
  unknown: number;
}

export type LabelledTallies = [policy: string, tally: LabelledTally][];

/** What is said of an item, for each policy that it was labelled for. */
export type ItemTruths = ReadonlyMap<string, readonly LabelVerdict[]>;

/** Those with a majority. */
export function truthsOf(verdicts: readonly LabelVerdict[]): Map<string, LabelVerdict[]> {
  const truths = new Map<string, LabelVerdict[]>();
  for (const verdict of verdicts) {
    if (verdict.truth === undefined) continue;
    const known = truths.get(verdict.id);
    if (known) known.push(verdict);
    else truths.set(verdict.id, [verdict]);
  }
  return truths;
}

const NOTHING = {
  true_kept: 0,
  true_lost: 0,
  false_removed: 0,
  false_kept: 0,
  missed_found: 0,
  missed_still: 0,
  unknown: 0,
};

/** Adds an item. `outcomes`: what policies did on it; one that is not among them did not look at it, then or now. */
export function addLabelled(
  tallies: LabelledTallies,
  truths: readonly LabelVerdict[],
  outcomes: ReadonlyMap<string, PolicyOutcome>,
): void {
  for (const { policy, name, flagged, truth } of truths) {
    const outcome = outcomes.get(policy) ?? 'still_clean';
    tallyOf(tallies, policy, name)[changeOf(outcome, flagged, truth === true)]++;
  }
}

function changeOf(outcome: PolicyOutcome, was: boolean, truth: boolean): keyof typeof NOTHING {
  if (outcome === 'not_evaluated' || outcome === 'without_context') return 'unknown';
  const is = outcome === 'newly_flagged' || outcome === 'still_flagged';
  if (!truth) return is ? 'false_kept' : 'false_removed';
  if (was) return is ? 'true_kept' : 'true_lost';
  return is ? 'missed_found' : 'missed_still';
}

export function addTallies(sum: LabelledTallies, more: LabelledTallies): void {
  for (const [policy, tally] of more) addCounts(tallyOf(sum, policy, tally.name), tally);
}

function tallyOf(tallies: LabelledTallies, policy: string, name: string): LabelledTally {
  const known = tallies.find(([id]) => id === policy)?.[1];
  if (known) return known;
  const made = { name, ...NOTHING };
  tallies.push([policy, made]);
  return made;
}

/** Compares what a case expects with what was found. */

import type { CaseAnswer } from './evaluate.js';
import type { Expectation } from './expectation.js';

/**
 * One thing that is not as expected.
 *
 * - `missing`: the policy should be flagged. `looked`: it looked at the item at all; `elsewhere`: it is in the shadow and should be live,
 *   or the other way round
 * - `unexpected`: the policy is flagged and should not be
 * - `clean`, `flagged`: the item is so, and should not be
 * - `not_evaluated`: the service would give no verdict, or one without so many policies
 */
export type Difference =
  | { kind: 'missing'; policy: string; looked: boolean; elsewhere: boolean }
  | { kind: 'unexpected'; policy: string }
  | { kind: 'not_evaluated'; policies: number }
  | { kind: 'clean' | 'flagged' };

/** What differs; none: the case passes. */
export function differencesOf(expected: Expectation, found: CaseAnswer): Difference[] {
  const { policies, shadow } = found;
  const live = compare(expected, expected.policies, {
    of: policies,
    other: shadow.policies,
    free: expected.flagged !== false,
  });
  const hidden = compare(expected, expected.shadow, { of: shadow.policies, other: policies, free: true });
  const differences: Difference[] = [...live, ...hidden];
  const left = found.notEvaluated + (expected.shadow === undefined ? 0 : shadow.notEvaluated);
  if (found.flagged === null || left > 0) differences.push({ kind: 'not_evaluated', policies: left });
  if (expected.flagged === true && found.flagged === false) differences.push({ kind: 'clean' });
  // Policies that are flagged say so themselves. An item is also flagged where its team fails closed.
  if (expected.flagged === false && found.flagged === true && ![...policies.values()].includes(true))
    differences.push({ kind: 'flagged' });
  return differences;
}

interface Compared {
  /** policies that looked at the item, by id: whether they are flagged */
  of: ReadonlyMap<string, boolean>;
  /** those in the shadow if `of` are live, and the other way round */
  other: ReadonlyMap<string, boolean>;
  /** without a list of what is wanted, any may be flagged */
  free: boolean;
}

/** `wanted`: these are flagged, and no others but those that are allowed. */
function compare(
  { allowed, forbidden }: Expectation,
  wanted: readonly string[] | undefined,
  { of, other, free }: Compared,
): Difference[] {
  const differences: Difference[] = [];
  for (const policy of wanted ?? []) {
    if (of.get(policy) === true) continue;
    differences.push({ kind: 'missing', policy, looked: of.has(policy), elsewhere: other.has(policy) });
  }
  const isExpected = (policy: string): boolean => {
    if (forbidden.includes(policy)) return false;
    return wanted === undefined ? free : wanted.includes(policy) || allowed === 'any' || allowed.includes(policy);
  };
  for (const [policy, flagged] of of) {
    if (flagged && !isExpected(policy)) differences.push({ kind: 'unexpected', policy });
  }
  return differences;
}

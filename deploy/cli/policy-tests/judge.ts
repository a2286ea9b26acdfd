/** Compares what a case expects with what was found. */

import type { Found } from './evaluate.js';
import type { Expectation } from './expectation.js';

/**
 * One thing that is not as expected.
 *
 * - `missing`: the policy should be flagged; `looked`: it looked at the item at all
 * - `unexpected`: the policy is flagged and should not be
 * - `clean`, `flagged`: the item is so, and should not be
 * - `not_evaluated`: the service would give no verdict, or one without some policies
 */
export type Difference =
  | { kind: 'missing'; policy: string; looked: boolean }
  | { kind: 'unexpected'; policy: string }
  | { kind: 'clean' | 'flagged' | 'not_evaluated' };

/** What differs; none: the case passes. */
export function differencesOf(expected: Expectation, found: Found): Difference[] {
  const differences: Difference[] = [];
  const { policies, allowed, forbidden } = expected;
  const flagged = [...found.policies].filter(([, is]) => is).map(([id]) => id);
  for (const policy of policies ?? []) {
    if (!flagged.includes(policy)) differences.push({ kind: 'missing', policy, looked: found.policies.has(policy) });
  }
  for (const policy of flagged) {
    if (!isExpected(policy)) differences.push({ kind: 'unexpected', policy });
  }
  if (found.flagged === null || found.notEvaluated > 0) differences.push({ kind: 'not_evaluated' });
  if (expected.flagged === true && found.flagged === false) differences.push({ kind: 'clean' });
  // Policies that are flagged say so themselves. An item is also flagged where its team fails closed.
  if (expected.flagged === false && found.flagged === true && flagged.length === 0)
    differences.push({ kind: 'flagged' });
  return differences;

  function isExpected(policy: string): boolean {
    if (forbidden.includes(policy)) return false;
    if (policies === undefined) return expected.flagged !== false;
    return policies.includes(policy) || allowed === 'any' || allowed.includes(policy);
  }
}

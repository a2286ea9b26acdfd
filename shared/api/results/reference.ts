/**
 * What a reference-only event is answered with (2.7, 4.9), whoever resolves it: an evaluator, or an ingress process that
 * makes the answer to a retry again.
 */
import type { RecordItem } from './record.js';

/** The reference as it was sent. */
export type Named = Pick<RecordItem, 'item' | 'type' | 'eventId' | 'runId' | 'externalSessionId'>;

/** The latest event of its ids: an item of the same record (`policies` is its fragment), or a stored one (JSON). */
export interface Referred extends Pick<RecordItem, 'type' | 'externalSessionId' | 'flagged' | 'note'> {
  policies: number | string;
  target: NonNullable<RecordItem['target']>;
}

/** The stored verdict and ids of `found`, or `not_found` where there is none or it has another type (3). */
export function referenceItem(
  named: Named,
  found: Referred | undefined,
  fragment: (policies: string) => number,
): RecordItem {
  if (found?.type !== named.type) {
    const note = found ? 'the latest event of this id has another type' : 'no such event';
    const policies = fragment('{}');
    return { ...named, status: 'not_found', flagged: false, policies, metadata: -1, note, target: null };
  }
  const { policies, externalSessionId, note, target } = found;
  return {
    ...named,
    externalSessionId,
    status: 'referenced',
    flagged: found.flagged === true,
    policies: typeof policies === 'number' ? policies : fragment(policies),
    metadata: -1,
    note,
    target,
  };
}

/**
 * Where nobody can say at present what it refers to: a verdict that is not known has not been evaluated. References are not
 * stored, so a retry whose answer has to be made again resolves this one anew.
 */
export function unresolvedItem(
  named: Named,
  { flagged, note }: { flagged: boolean; note?: string },
  fragment: (policies: string) => number,
): RecordItem {
  const told = note || 'the referenced event could not be looked up; try again';
  return { ...named, status: 'failed', flagged, policies: fragment('{}'), metadata: -1, note: told, target: null };
}

/** A reference that declared causes: it is no event of its own, so they are kept out, and that is said. */
export function withoutCauses(item: RecordItem): RecordItem {
  const told = 'parent and links are kept out of a reference';
  return { ...item, note: item.note === '' ? told : `${item.note}; ${told}` };
}

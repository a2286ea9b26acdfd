/**
 * The result of a reference (2.7, 4.9). An evaluator resolves references; so does an ingress process that rebuilds the
 * answer to a retry.
 */
import type { RecordItem } from './record.js';

/** The reference as sent. */
export type Named = Pick<RecordItem, 'item' | 'type' | 'eventId' | 'runId' | 'externalSessionId'>;

/** The latest event with these ids. `policies`: a fragment of the same record, or the JSON of a stored event. */
export interface Referred extends Pick<RecordItem, 'type' | 'externalSessionId' | 'flagged' | 'note'> {
  policies: number | string;
  target: NonNullable<RecordItem['target']>;
}

/** The verdict and ids of `found`; `not_found` if there is none or it has another type (3). */
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
 * The result of a reference that could not be looked up: `failed`, since its verdict is not known. References are not
 * stored, so rebuilding the answer to a retry looks it up again.
 */
export function unresolvedItem(
  named: Named,
  { flagged, note }: { flagged: boolean; note?: string },
  fragment: (policies: string) => number,
): RecordItem {
  const told = note || 'the referenced event could not be looked up; try again';
  return { ...named, status: 'failed', flagged, policies: fragment('{}'), metadata: -1, note: told, target: null };
}

/** Adds the note that the causes of a reference are not kept: it is not an event of its own. */
export function withoutCauses(item: RecordItem): RecordItem {
  const told = 'parent and links are kept out of a reference';
  return { ...item, note: item.note === '' ? told : `${item.note}; ${told}` };
}

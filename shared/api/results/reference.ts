/**
 * The result of a reference (2.7, 4.9). An evaluator resolves references; so does an ingress process that rebuilds the
 * answer to a retry.
 */
import type { EventStatus } from '../types.js';
import type { RecordItem } from './record.js';

/** The reference as sent. */
export type SentReference = Pick<RecordItem, 'item' | 'type' | 'eventId' | 'runId' | 'externalSessionId'>;

/** The latest event with these ids. `policies`, `explained`: a fragment of the same record, or the JSON of a stored event. */
export interface Referred extends Pick<RecordItem, 'type' | 'externalSessionId' | 'flagged' | 'note'> {
  policies: number | string;
  explained: number | string;
  target: NonNullable<RecordItem['target']>;
}

/** Names the event that a reference resolved to. */
export const targetOf = (status: EventStatus, at: Omit<Referred['target'], 'failed'>): Referred['target'] =>
  status === 'failed' ? { ...at, failed: true } : at;

/** The verdict and ids of `found`; `not_found` if there is none or it has another type (3). */
export function referenceItem(
  named: SentReference,
  found: Referred | undefined,
  fragment: (policies: string) => number,
): RecordItem {
  if (found?.type !== named.type) {
    const note = found ? 'the latest event of this id has another type' : 'no such event';
    const policies = fragment('{}');
    return { ...named, status: 'not_found', flagged: false, policies, explained: -1, metadata: -1, note, target: null };
  }
  const { policies, explained, externalSessionId, note, target } = found;
  const kept = (value: number | string): number => (typeof value === 'number' ? value : fragment(value));
  return {
    ...named,
    externalSessionId,
    status: 'referenced',
    flagged: found.flagged === true,
    policies: kept(policies),
    explained: explained === '' ? -1 : kept(explained),
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
  named: SentReference,
  { flagged, note }: { flagged: boolean; note?: string },
  fragment: (policies: string) => number,
): RecordItem {
  const told = note || 'the referenced event could not be looked up; try again';
  const policies = fragment('{}');
  return { ...named, status: 'failed', flagged, policies, explained: -1, metadata: -1, note: told, target: null };
}

/** Adds the note that the causes of a reference are not kept: it is not an event of its own. */
export function withoutCauses(item: RecordItem): RecordItem {
  const told = 'parent and links are kept out of a reference';
  return { ...item, note: item.note === '' ? told : `${item.note}; ${told}` };
}

/**
 * What `explain=true` adds to the answer about an item. It is stored with the verdict whether or not it was asked for: a look-up may
 * ask later. For an item without violations that is a few letters.
 */
import { type Explained, MOST_EVIDENCE, writeExplanation } from '../../../shared/api/results/explanation.js';
import type { PolicyEvidence } from '../../../shared/api/types.js';
import type { Reader } from '../../../shared/policy/content.js';
import { createPlacingReader, type Place } from '../../../shared/policy/places.js';
import type { Evidence, Verdict } from '../../../shared/policy/types.js';

/** How to find the evidence in what was sent. */
export interface Sent {
  /** reads the content again, where it is more than one string */
  read?: ((reader: Reader) => void) | undefined;
  /** by number of an image: that of its part in the message */
  parts?: readonly number[] | undefined;
}

const ONE_STRING: Sent = {};

export function explanationOf({ severities, violations }: Verdict, sent: Sent = ONE_STRING): string {
  if (violations.length === 0) return writeExplanation(severities);
  const all = violations.flatMap(({ evidence }) => evidence.filter(({ source }) => source === 'text'));
  const places = new Map<Evidence, Place[]>();
  if (sent.read && all.length > 0) {
    const reader = createPlacingReader(all);
    sent.read(reader);
    for (const [i, found] of reader.places().entries()) places.set(all[i]!, found);
  }
  const flagged = violations.map(({ id, evidence }): Explained => {
    const told = evidence.flatMap((one) => placed(one, places.get(one), sent));
    return { id, evidence: told.slice(0, MOST_EVIDENCE) };
  });
  return writeExplanation(severities, flagged);
}

function placed(evidence: Evidence, places: readonly Place[] | undefined, { parts }: Sent): PolicyEvidence[] {
  const { detector, view, source, start, end, score, image } = evidence;
  const about = { detector, view, source };
  const scored = score === undefined ? {} : { score: Math.round(score * 1e4) / 1e4 };
  const part = image === undefined ? undefined : parts?.[image];
  const index = part === undefined ? {} : { index: part };
  if (!places) return [{ ...about, ...index, start, end, ...scored }];
  return places.map((place) => ({ ...about, ...place, ...scored }));
}

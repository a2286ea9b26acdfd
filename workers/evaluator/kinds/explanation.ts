/**
 * What `explain=true` adds to the answer about an item. It is stored with the verdict whether or not it was asked for: a look-up may
 * ask later. For an item without violations that is a few letters.
 */
import { writeExplanation } from '../../../shared/api/results/explanation.js';
import type { PolicyEvidence } from '../../../shared/api/types.js';
import type { ContentReader } from '../../../shared/policy/content/content.js';
import { createPlacingReader, type FindPlace } from '../../../shared/policy/content/places.js';
import type { Evidence, Verdict, Violation } from '../../../shared/policy/types.js';

/** How to find the evidence in what was sent. */
export interface SentContent {
  /** reads the content again, where it is more than one string */
  read?: ((reader: ContentReader) => void) | undefined;
  /** by number of an image: that of its part in the message */
  parts?: readonly number[] | undefined;
}

const ONE_STRING: SentContent = {};

export function explanationOf({ severities, violations }: Verdict, sent: SentContent = ONE_STRING): string {
  const { read, parts } = sent;
  if (violations.length === 0 || (!read && !parts?.length)) return writeExplanation(severities, violations);
  const places = read ? placesOf(violations, read) : undefined;
  const flagged = violations.map(({ id, evidence }) => ({
    id,
    evidence: evidence.flatMap((one) => placed(one, places?.get(one), parts)),
  }));
  return writeExplanation(severities, flagged);
}

/** Where the evidence of texts is in what `read` reads. */
function placesOf(
  violations: readonly Violation[],
  read: (reader: ContentReader) => void,
): ReadonlyMap<Evidence, FindPlace[]> {
  const all = violations.flatMap(({ evidence }) => evidence.filter(({ source }) => source === 'text'));
  if (all.length === 0) return new Map();
  const reader = createPlacingReader(all);
  read(reader);
  return new Map(reader.places().map((places, i) => [all[i]!, places]));
}

function placed(
  evidence: Evidence,
  places: readonly FindPlace[] | undefined,
  parts: readonly number[] | undefined,
): PolicyEvidence[] {
  if (places) return places.map((place) => ({ ...evidence, ...place }));
  const { image } = evidence;
  return image === undefined ? [evidence] : [{ ...evidence, index: parts?.[image] }];
}

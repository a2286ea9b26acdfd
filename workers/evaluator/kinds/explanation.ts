/**
 * What `explain=true` adds to the answer about an item. It is stored with the verdict whether or not it was asked for: a look-up may
 * ask later. For an item without violations that is a few letters.
 */
import { writeExplanation } from '../../../shared/api/results/explanation.js';
import type { PlacedEvidence } from '../../../shared/api/results/stored-evidence.js';
import type { ContentReader } from '../../../shared/policy/content/content.js';
import { createPlacingReader, type FindPlace } from '../../../shared/policy/content/places.js';
import type { Evidence, Verdict, Violation } from '../../../shared/policy/types.js';
import { createCounter, type TextCounter } from '../../../shared/text-counts.js';
import type { KeptPlace } from './masked.js';

/** How to find the evidence in what was sent. */
export interface SentContent {
  /** the content, where it is one string */
  text?: string | undefined;
  /** reads the content again, where it is more than one string */
  read?: ((reader: ContentReader) => void) | undefined;
  /** by number of an image: that of its part in the message */
  parts?: readonly number[] | undefined;
  /** by number of an image: the text that was read from it */
  readings?: readonly (string | null | undefined)[] | undefined;
  /** where a find is in the text that is kept; absent: that is the text that was sent */
  keptAt?: KeptPlace | undefined;
}

const NO_TEXT: SentContent = {};

export function explanationOf({ severities, violations }: Verdict, sent: SentContent = NO_TEXT): string {
  if (violations.length === 0) return writeExplanation(severities);
  const placed = besideKept(createPlacing(violations, sent), sent.keptAt);
  const flagged = violations.map(({ id, evidence }) => ({ id, evidence: evidence.flatMap(placed) }));
  return writeExplanation(severities, flagged);
}

type Placing = (evidence: Evidence) => PlacedEvidence | PlacedEvidence[];

/** The same, with where a find is in the text that is kept. */
const besideKept =
  (placed: Placing, keptAt: KeptPlace | undefined): Placing =>
  (evidence) => {
    if (!keptAt || evidence.source !== 'text') return placed(evidence);
    const kept = keptAt(evidence);
    return [placed(evidence)].flat().map((one) => ({ ...one, kept }));
  };

/** Makes of evidence what is stored of it: an entry for each string that it is in. */
function createPlacing(violations: readonly Violation[], { text, read, parts, readings }: SentContent): Placing {
  const places = read ? placesOf(violations, read) : undefined;
  /** by number of an image; -1: of the text */
  const counters = new Map<number, TextCounter>();
  const counterOf = (number: number, counted: string): TextCounter => {
    const known = counters.get(number) ?? createCounter(counted);
    counters.set(number, known);
    return known;
  };
  return (evidence) => {
    const { source, start, end, image } = evidence;
    const found = places?.get(evidence);
    if (found) return found.map((place) => ({ ...evidence, ...place }));
    const said = source === 'text' ? text : readings?.[image ?? 0];
    const counted = said ? counterOf(source === 'text' ? -1 : (image ?? 0), said).rangeOf(start, end) : undefined;
    if (image !== undefined) return { ...evidence, index: parts?.[image], counted };
    return counted ? { ...evidence, counted } : evidence;
  };
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

/**
 * What is kept of content where that is kept with marks alone (`content: masked`). Marks are in place of what flagged policies have found, as
 * with `redact=true`. Content that cannot be marked, as it could not be evaluated, is not kept: then nobody knows what is in it.
 */
import { besideKept } from '../../../shared/api/results/stored-evidence.js';
import { looksLikeJson } from '../../../shared/json.js';
import { NOT_EVALUATED } from '../../../shared/policy/content/marks.js';
import { maskJson, maskString, maskText } from '../../../shared/policy/content/masked.js';
import type { Evidence, Redaction } from '../../../shared/policy/types.js';
import { NOT_KEPT } from '../../../shared/streams/work.js';

export interface MaskedContent {
  /** '' where it is not kept */
  content: string;
  /** why it is not kept; '' where it is */
  note: string;
  /** where a find is in `content`; both 0: it is not told. Absent: where it was */
  placeOf?: KeptPlace;
}

export type KeptPlace = (find: Evidence) => readonly [start: number, end: number];

const HAS_MEDIA = 'there are images or files in it';

/**
 * `source`: what would be kept of it: JSON without space, or a text. `redaction`: of the text that is checked of it; undefined: nothing
 * was evaluated. `media`: images and files within it, which nobody has looked at.
 */
export function maskedContent(
  source: string,
  { isJson, redaction, media = 0 }: { isJson: boolean; redaction: Redaction | undefined; media?: number },
): MaskedContent {
  if (source === '') return { content: '', note: '' };
  const why = media > 0 ? HAS_MEDIA : redaction === undefined ? NOT_EVALUATED : redaction.why;
  if (why !== '') return { content: '', note: `${NOT_KEPT}, since it cannot be masked: ${why}` };
  const { marks } = redaction!;
  if (marks.length === 0) return { content: source, note: '' };
  if (isJson) return { content: maskJson(source, marks), note: '', placeOf: UNTOLD };
  if (looksLikeJson(source)) return { content: maskString(source, marks), note: '', placeOf: UNTOLD };
  const { text, rangeOf } = maskText(source, marks);
  return { content: text, note: '', placeOf: ({ start, end }) => rangeOf(start, end) };
}

/** Marks in JSON change what stands around them, such as the names of members that are alike then. */
const UNTOLD: KeptPlace = () => [0, 0];

/** A text that later checks may look back on, with marks; undefined: it is not kept. */
export const maskedEarlier = (text: string, redaction: Redaction | undefined): string | undefined =>
  redaction === undefined || redaction.why !== '' ? undefined : maskText(text, redaction.marks).text;

/** What history has of an explanation beside the masked content. */
export const explainedBeside = (explained: string, masked: MaskedContent | undefined): string =>
  masked?.placeOf && explained !== '' ? besideKept(explained) : explained;

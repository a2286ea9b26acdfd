/** Content with marks in place of what flagged policies have found in it, as `redact=true` gives it back. */
import { looksLikeJson } from '../../json.js';
import type { Mark } from '../types.js';
import { markText } from './marks.js';
import { type Splice, splicesOf } from './splices.js';

/** A range of a text, in UTF-16 units. */
type TextRange = readonly [start: number, end: number];

export interface MaskedText {
  text: string;
  /** where a range of what was masked is in it: of a range that a mark has a part of, all of that mark */
  rangeOf(start: number, end: number): TextRange;
}

/** `marks`: of the text, ascending and apart from each other. */
export function maskText(text: string, marks: readonly Mark[]): MaskedText {
  const splices = marks.map(({ start, end, label }): Splice => ({ start, end, text: markText(label) }));
  return {
    text: spliced(text, splices),
    rangeOf: (start, end) => [placeIn(splices, start, 'start'), placeIn(splices, end, 'end')],
  };
}

/** JSON without space, of the same shape. `marks`: of the text that is checked of it. */
export const maskJson = (json: string, marks: readonly Mark[]): string => spliced(json, splicesOf(json, [0], marks));

/** A string. One that is JSON stays JSON. */
export function maskString(text: string, marks: readonly Mark[]): string {
  if (marks.length === 0) return text;
  return looksLikeJson(text)
    ? (JSON.parse(maskJson(JSON.stringify(text), marks)) as string)
    : maskText(text, marks).text;
}

function spliced(text: string, splices: readonly Splice[]): string {
  const parts: string[] = [];
  let from = 0;
  for (const { start, end, text: mark } of splices) {
    parts.push(text.slice(from, start), mark);
    from = end;
  }
  parts.push(text.slice(from));
  return parts.join('');
}

function placeIn(splices: readonly Splice[], at: number, side: 'start' | 'end'): number {
  let moved = 0;
  for (const { start, end, text } of splices) {
    const isBefore = side === 'start' ? end <= at : end < at;
    const isBehind = side === 'start' ? start > at : start >= at;
    if (isBehind) break;
    if (!isBefore) return start + moved + (side === 'start' ? 0 : text.length);
    moved += text.length - (end - start);
  }
  return at + moved;
}

/**
 * What later checks may look back on where content is kept with marks alone: the messages that were checked, with their marks. Earlier
 * messages that came with them are not kept: nothing has looked for what is in them.
 */
import { maskText } from '../../../../shared/policy/content/masked.js';
import type { Mark, Redaction } from '../../../../shared/policy/types.js';
import type { Entry } from '../../draft.js';
import { type Checked, type CheckedReading, inOrder } from './checked.js';
import { saidOf } from './earlier.js';
import { keptMessage } from './previous.js';

/** As they are kept. `redaction`: of all that was checked; undefined: nothing was evaluated. */
export function maskedMessages(
  { header }: Entry,
  { checked }: Checked,
  { readings, text }: CheckedReading,
  redaction: Redaction | undefined,
): string[] {
  if (redaction === undefined || redaction.why !== '') return [];
  const spoken = inOrder(checked).flatMap((placed) => {
    const reading = readings[checked.indexOf(placed)]!;
    return reading.reading ? [{ placed, said: saidOf(placed.message, reading) }] : [];
  });
  // A message that says nothing may have no line in the whole text. Then it is not known where the others stand.
  if (spoken.map(({ said }) => said.text).join('\n') !== text) return [];
  let at = 0;
  return spoken.flatMap(({ placed, said }) => {
    const marks = marksWithin(redaction.marks, at, at + said.text.length);
    at += said.text.length + 1;
    if (header.checked && placed.path === '') return [];
    return [keptMessage({ ...said, text: maskText(said.text, marks).text })];
  });
}

/** The marks in a part of a text, with offsets in it. */
const marksWithin = (marks: readonly Mark[], start: number, end: number): Mark[] =>
  marks
    .filter((mark) => mark.start < end && mark.end > start)
    .map((mark) => ({ ...mark, start: Math.max(mark.start, start) - start, end: Math.min(mark.end, end) - start }));

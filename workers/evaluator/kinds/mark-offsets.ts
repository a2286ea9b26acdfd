/** Where the marks of redacted content go, in bytes of the body, for the answer of the check. See `redaction.ts` of `shared/api/results`. */
import type { ContentAt, Marked, RecordItem } from '../../../shared/api/results/record.js';
import type { StoredRedaction } from '../../../shared/api/results/redaction.js';
import { skipValue } from '../../../shared/json.js';
import { MOST_MARKS, NOT_EVALUATED, TOO_MANY } from '../../../shared/policy/content/marks.js';
import { type Splice, splicesOf } from '../../../shared/policy/content/splices.js';
import type { Redaction } from '../../../shared/policy/types.js';
import type { Fragments } from '../draft.js';

/** Where an item is in the body. */
export interface ItemContent {
  /** what is given back begins here; -1: there is none */
  at: number;
  /** the values that its text was read from, in order */
  values: readonly number[];
  /** where the message begins that has the content, which may have values beside it; absent: there are none */
  message?: number;
  /** other texts of it, which were not judged */
  more?: readonly (Pick<ItemContent, 'values'> & { redaction: Redaction })[];
}

/** The redaction of one item as it is stored: JSON, or where its content is; `redaction`: absent where it was not evaluated. */
export type Redactor = (redaction: Redaction | undefined, content: ItemContent) => string | ContentAt;

const UNKNOWN: Redaction = { marks: [], why: NOT_EVALUATED, blocked: true };

/** Redacts the items of a request one by one. All of them together have at most {@link MOST_MARKS}. `json`: its body. */
export function createRedactor(json: string): Redactor {
  const bytesTo = createByteOffsets(json);
  let left = MOST_MARKS;
  const markedAt = (at: number, end: number, splices: readonly Splice[]): Marked => {
    const start = bytesTo(at);
    return { ...cutsOf(splices, start, bytesTo), at: [start, bytesTo(end)] };
  };
  return ({ marks, why: own, blocked } = UNKNOWN, { at, values, message = at, more = [] }) => {
    const end = at < 0 ? at : skipValue(json, at);
    const why = own || (more.find(({ redaction }) => redaction.why !== '')?.redaction.why ?? '');
    const splices = splicesOf(json, values, marks);
    for (const { redaction, values: of } of more) splices.push(...splicesOf(json, of, redaction.marks));
    if (more.length > 0) splices.sort((a, b) => a.start - b.start);
    const inside = splices.filter((splice) => splice.start >= at && splice.end <= end);
    const beside = splices.length > inside.length;
    const reason = why || (at < 0 && !beside ? 'there is no content' : splices.length > left ? TOO_MANY : '');
    if (reason !== '') return written({ why: reason }, blocked);
    left -= splices.length;
    if (splices.length === 0 && !blocked) return [bytesTo(at), bytesTo(end)];
    return written(
      {
        ...(at < 0 ? {} : markedAt(at, end, inside)),
        ...(beside ? { message: markedAt(message, skipValue(json, message), splices) } : {}),
      },
      blocked,
    );
  };
}

/** What an item has of its redaction. */
export const storedMarks = (made: ReturnType<Redactor>, fragments: Fragments): RecordItem['marks'] =>
  typeof made === 'string' ? fragments.add(made) : made;

const written = (stored: StoredRedaction, blocked: boolean): string =>
  JSON.stringify(blocked ? { ...stored, blocked: 1 } : stored);

/** `start`: of the content, in bytes. */
function cutsOf(
  splices: readonly Splice[],
  start: number,
  bytesTo: (offset: number) => number,
): { texts?: string[]; cuts?: number[] } {
  if (splices.length === 0) return {};
  const numbers = new Map<string, number>();
  const cuts: number[] = [];
  let from = start;
  for (const splice of splices) {
    const first = bytesTo(splice.start);
    const last = bytesTo(splice.end);
    const number = numbers.get(splice.text) ?? numbers.size;
    numbers.set(splice.text, number);
    cuts.push(first - from, last - first, number);
    from = last;
  }
  return { texts: [...numbers.keys()], cuts };
}

/** Bytes of UTF-8 up to an offset in `json`. Offsets that ascend are counted on from the one before. */
function createByteOffsets(json: string): (offset: number) => number {
  // Most bodies are ASCII.
  if (Buffer.byteLength(json) === json.length) return (offset) => offset;
  let [known, bytes] = [0, 0];
  return (offset) => {
    if (offset < known) [known, bytes] = [0, 0];
    bytes += Buffer.byteLength(json.slice(known, offset));
    known = offset;
    return bytes;
  };
}

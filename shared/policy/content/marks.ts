/**
 * Which parts of a text are taken out of it: what the violated policies have found by detectors whose finds can be marked. A mark
 * names what stood there, such as CREDIT_CARD. A pure function of the finds and the verdict.
 */

import { evaluateExpression, NO, type Truth } from '../detect-expression.js';
import type { LongScans } from '../engine/long-scans.js';
import type { Finds } from '../engine/scan.js';
import type { Selected, TeamPlan } from '../plan.js';
import { truthIn } from '../questions.js';
import type { Mark, Redaction, Verdict } from '../types.js';
import type { ItemFinds } from '../verdict.js';

/** Marks of a request: a text with more is not redacted at all. */
export const MOST_MARKS = 10_000;

export const TOO_MANY = `it has more than ${MOST_MARKS} findings`;
export const NOT_EVALUATED = 'it could not be evaluated';
const FOUND_AGAIN = 'something is found beside the marks, however much is marked';
const NOT_FOUND_OUT = 'a detector whose findings would be replaced could not run';

/** Of a text in which nothing was found. */
export const NOTHING: Redaction = Object.freeze({ marks: [], why: '', blocked: false });

/** The finds in a text, all of them. */
export interface TextFinds extends ItemFinds {
  text: string;
}

/** `items`: of each text; none where there is no text. Where there are several, they stand one behind the other, with a line break between. */
export function redactionOf(
  team: TeamPlan,
  items: readonly TextFinds[],
  verdict: Verdict,
  scans?: LongScans,
): Redaction {
  const { violations, notEvaluated } = verdict;
  const isQuiet = ({ finds, selection }: ItemFinds): boolean => !finds && selection.undecided.length === 0;
  if (violations.length + notEvaluated === 0 && items.every(isQuiet)) return NOTHING;
  const violated = new Map(violations.map(({ id, sources }) => [id, sources]));
  const looked = items.map((item) => ({
    ...item,
    policies: item.selection.selected.filter(({ policy }) => violated.has(policy.id)),
  }));
  const passes = ({ policy, look }: Selected, finds: Finds | undefined): boolean =>
    policy.action === 'redact' &&
    !violated.get(policy.id)!.includes('image') &&
    evaluateExpression(look.expression, truthWithout(team, finds)) === NO;
  const found = new Set(looked.flatMap(({ policies }) => policies.map(({ policy }) => policy.id)));
  const blocked =
    found.size < violated.size ||
    notEvaluated > 0 ||
    !looked.every(({ policies, finds }) => policies.every((selected) => passes(selected, finds)));
  if (notEvaluated > 0 && !verdict.flagged) return { marks: [], why: NOT_EVALUATED, blocked };
  if (items.some((item) => isUnknown(team, item))) return { marks: [], why: NOT_FOUND_OUT, blocked };
  const marks: Mark[] = [];
  let at = 0;
  for (const { finds, policies, selection, text } of looked) {
    const from = at;
    at += text.length + 1;
    if (!finds) continue;
    const detectors = new Set(policies.flatMap(({ look }) => look.detectors));
    if (finds.over) return { marks: [], why: TOO_MANY, blocked };
    const first = merged(marksOf(team, finds, detectors)).map((mark) => moved(mark, -from));
    const find = (left: string): ScoredMark[] => {
      const again = team.engine.scan(left, selection.wanted, 0, { all: true, scans });
      return again ? marksOf(team, again, detectors) : [];
    };
    const settled = settle(text, first, find);
    if (!settled) return { marks: [], why: FOUND_AGAIN, blocked };
    for (const mark of settled) marks.push(moved(mark, from));
    if (marks.length > MOST_MARKS) return { marks: [], why: TOO_MANY, blocked };
  }
  return { marks, why: '', blocked };
}

/** What holds of the text once everything that can be marked is gone. */
function truthWithout({ marks }: TeamPlan, finds: Finds | undefined): (detector: number) => Truth {
  const truth = finds ? truthIn(finds) : (): Truth => NO;
  return (detector) => (marks[detector] ? NO : truth(detector));
}

const moved = ({ start, end, label }: Mark, by: number): Mark => ({ start: start + by, end: end + by, label });

/** How often marks are added to for what is found beside them. Nearly all texts need none more, and the others one. */
const MOST_ROUNDS = 4;

/**
 * Marks with which nothing is found in `text` any more but the marks themselves. What stands beside a find may be a find once that is gone: a
 * number whose neighbour has claimed its digits, or a password behind a key that was one. Undefined: there is no end of it.
 */
function settle(
  text: string,
  first: readonly Mark[],
  find: (left: string) => ScoredMark[],
): readonly Mark[] | undefined {
  let marks = first;
  for (let round = 0; marks.length > 0 && marks.length <= MOST_MARKS; round++) {
    const left = withMarks(text, marks);
    const more = find(left.text).flatMap((one) => left.placeOf(one) ?? []);
    if (more.length === 0) break;
    if (round === MOST_ROUNDS) return undefined;
    marks = merged([...marks.map((mark) => ({ ...mark, score: 1 })), ...more]);
  }
  return marks;
}

/** What a mark reads as in a text. */
export const markText = (label: string): string => `[${label}]`;

/** A text with its marks, and where a find in that is in the text; undefined for one within a mark. */
function withMarks(text: string, marks: readonly Mark[]) {
  const parts: string[] = [];
  /** of each mark, in the text with marks */
  const starts: number[] = [];
  let length = 0;
  let from = 0;
  const push = (part: string): void => {
    parts.push(part);
    length += part.length;
  };
  for (const { start, end, label } of marks) {
    push(text.slice(from, start));
    starts.push(length);
    push(markText(label));
    from = end;
  }
  parts.push(text.slice(from));
  /** The last mark that begins at or before `at`, and how far that is behind its end. */
  const before = (at: number): { mark: Mark; behind: number } | undefined => {
    let low = -1;
    for (let high = starts.length - 1; low < high; ) {
      const middle = (low + high + 1) >> 1;
      if (starts[middle]! <= at) low = middle;
      else high = middle - 1;
    }
    const mark = marks[low];
    return mark && { mark, behind: at - starts[low]! - markText(mark.label).length };
  };
  return {
    text: parts.join(''),
    placeOf({ start, end, ...rest }: ScoredMark): ScoredMark | undefined {
      const [first, last] = [before(start), before(end - 1)];
      if (first && first.behind < 0 && first.mark === last?.mark && last.behind < 0) return undefined;
      const from = !first ? start : first.behind < 0 ? first.mark.start : first.mark.end + first.behind;
      const to = !last ? end : last.behind < 0 ? last.mark.end : last.mark.end + last.behind + 1;
      return { start: from, end: to, ...rest };
    },
  };
}

/** Whether something that would be marked may have been missed: a detector failed, or whether its policy applies could not be told. */
function isUnknown({ marks }: TeamPlan, { selection: { selected, undecided }, finds }: ItemFinds): boolean {
  const isMarked = (detector: number): boolean => marks[detector] !== undefined;
  if (undecided.some((place) => selected[place]!.look.detectors.some(isMarked))) return true;
  return finds !== undefined && [...finds.failed].some(isMarked);
}

interface ScoredMark extends Mark {
  score: number;
}

function marksOf({ marks }: TeamPlan, { evidence }: Finds, detectors: Iterable<number>): ScoredMark[] {
  const found: ScoredMark[] = [];
  for (const detector of detectors) {
    const labelOf = marks[detector];
    if (!labelOf) continue;
    for (const { start, end, detector: label, score = 1 } of evidence.get(detector) ?? []) {
      if (start < end) found.push({ start, end, label: labelOf(label), score });
    }
  }
  return found;
}

/** Finds that overlap become one mark. The longest of them names it, of several the surest. */
function merged(found: ScoredMark[]): Mark[] {
  found.sort((a, b) => a.start - b.start);
  const marks: Mark[] = [];
  let best: ScoredMark | undefined;
  for (const one of found) {
    const last = marks.at(-1);
    if (!last || !best || one.start >= last.end) {
      marks.push({ start: one.start, end: one.end, label: one.label });
      best = one;
      continue;
    }
    last.end = Math.max(last.end, one.end);
    if (isBetter(one, best)) {
      best = one;
      last.label = one.label;
    }
  }
  return marks;
}

function isBetter(one: ScoredMark, other: ScoredMark): boolean {
  const [length, otherLength] = [one.end - one.start, other.end - other.start];
  return length === otherLength ? one.score > other.score : length > otherLength;
}

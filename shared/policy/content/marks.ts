/**
 * Which parts of a text are taken out of it: what the violated policies have found by detectors whose finds can be marked. A mark
 * names what stood there, such as CREDIT_CARD. A pure function of the finds and the verdict.
 */

import { evaluateExpression, NO, type Truth } from '../detect-expression.js';
import type { Finds } from '../engine/scan.js';
import type { Selected, TeamPlan } from '../plan.js';
import { truthIn } from '../questions.js';
import type { Mark, Redaction, Verdict } from '../types.js';
import type { ItemFinds } from '../verdict.js';

/** Marks of a request: a text with more is not redacted at all. */
export const MOST_MARKS = 10_000;

export const TOO_MANY = `it has more than ${MOST_MARKS} findings`;
export const NOT_EVALUATED = 'it could not be evaluated';
const NOT_FOUND_OUT = 'a detector whose findings would be replaced could not run';

/** Of a text in which nothing was found. */
export const NOTHING: Redaction = Object.freeze({ marks: [], why: '', blocked: false });

/** `items`: the finds in each text, all of them; none where there is no text. Where there are several, they stand one behind the other. */
export function redactionOf(team: TeamPlan, items: readonly ItemFinds[], verdict: Verdict): Redaction {
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
  for (const { finds, policies } of looked) {
    if (!finds) continue;
    const detectors = new Set(policies.flatMap(({ look }) => look.detectors));
    if (!finds.over) for (const mark of merged(marksOf(team, finds, detectors))) marks.push(mark);
    if (finds.over || marks.length > MOST_MARKS) return { marks: [], why: TOO_MANY, blocked };
  }
  return { marks, why: '', blocked };
}

/** What holds of the text once everything that can be marked is gone. */
function truthWithout({ marks }: TeamPlan, finds: Finds | undefined): (detector: number) => Truth {
  const truth = finds ? truthIn(finds) : (): Truth => NO;
  return (detector) => (marks[detector] ? NO : truth(detector));
}

/** Whether something that would be marked may have been missed: a detector failed, or whether its policy applies could not be told. */
function isUnknown({ marks }: TeamPlan, { selection: { selected, undecided }, finds }: ItemFinds): boolean {
  const isMarked = (detector: number): boolean => marks[detector] !== undefined;
  if (undecided.some((place) => selected[place]!.look.detectors.some(isMarked))) return true;
  return finds !== undefined && [...finds.failed].some(isMarked);
}

interface Scored extends Mark {
  score: number;
}

function marksOf({ marks }: TeamPlan, { evidence }: Finds, detectors: Iterable<number>): Scored[] {
  const found: Scored[] = [];
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
function merged(found: Scored[]): Mark[] {
  found.sort((a, b) => a.start - b.start);
  const marks: Mark[] = [];
  let best: Scored | undefined;
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

function isBetter(one: Scored, other: Scored): boolean {
  const [length, otherLength] = [one.end - one.start, other.end - other.start];
  return length === otherLength ? one.score > other.score : length > otherLength;
}

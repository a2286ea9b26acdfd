/**
 * Questions to backends and models. Evaluating asks nobody: a detector with a question has no answer at first, which counts as "could not run".
 * Where that leaves a policy open, the verdict says what to ask. With the answers the item is evaluated again.
 */

import { type Expression, NO, openIn, type Truth, UNKNOWN, YES } from './detect-expression.js';
import { type Finds, MAX_EVIDENCE } from './engine/scan.js';
import type { Selected, Selection, TeamPlan } from './plan.js';
import { type DetectorQuestion, type EventContent, TOO_LONG, type Verdict } from './types.js';

export const truthIn =
  ({ evidence, failed }: Finds) =>
  (detector: number): Truth =>
    evidence.has(detector) ? YES : failed.has(detector) ? UNKNOWN : NO;

/** The language for which alone an expression is open; undefined: other detectors of it could not run, too. */
export function foreignIn(expression: Expression, finds: Finds): string | undefined {
  const { foreign } = finds;
  if (!foreign) return undefined;
  const languages = openIn(expression, truthIn(finds), () => true).map((detector) => foreign.get(detector));
  return languages.includes(undefined) ? undefined : languages[0];
}

/** `finds` with what was said. A detector without an answer could not run; an empty text needs none, and fires nothing. */
export function withAnswers(
  team: TeamPlan,
  { asked }: Selection,
  { text, answers }: Pick<EventContent, 'text' | 'answers'>,
  finds: Finds | undefined,
): Finds | undefined {
  if (text.length === 0) return finds;
  const all: Finds = finds ?? { evidence: new Map(), failed: new Set() };
  for (const detector of asked) {
    const said = answers?.get(detector);
    if (!said || said === TOO_LONG) {
      all.failed.add(detector);
      if (said !== TOO_LONG) all.passing = (all.passing ?? new Set()).add(detector);
    } else {
      const evidence = team.questions.get(detector)!.evidence(said, text);
      if (evidence.length > 0) all.evidence.set(detector, evidence.slice(0, MAX_EVIDENCE));
    }
  }
  return all.evidence.size > 0 || all.failed.size > 0 ? all : undefined;
}

/** Whether a policy that could not be evaluated may be another time: detectors decide it that need something which was not there. */
export function mayPass({ look, undecided }: Selected, finds: Finds): boolean {
  const { passing } = finds;
  // Whether it is selected at all is told by the item alone.
  if (undecided || !passing) return false;
  return openIn(look.expression, truthIn(finds), (detector) => passing.has(detector)).length > 0;
}

/** What may decide the policies at the places `unknown`; undefined: no answer can. */
export function asksOf(
  { questions }: TeamPlan,
  { selection, finds, text }: { selection: Selection; finds: Finds; text: string },
  unknown: readonly number[],
): Pick<Verdict, 'asks'> | undefined {
  const of = new Map<number, DetectorQuestion>();
  for (const place of unknown) {
    const { policy, look, undecided } = selection.selected[place]!;
    // Whether it is selected at all could not be told, and no answer tells it.
    if (undecided) continue;
    for (const detector of openIn(look.expression, truthIn(finds), (each) => questions.has(each))) {
      const { about } = questions.get(detector)!;
      if (!of.has(detector)) of.set(detector, { detector, policy: policy.id, ...about });
    }
  }
  return of.size === 0 ? undefined : { asks: { text, of: [...of.values()] } };
}

/** From what was found to what is answered: expressions decide, the policies map and its evidence follow. */
import type { Finds } from './engine.js';
import { evaluateExpression, NO, type Truth, UNKNOWN, YES } from './expression.js';
import type { CompiledPolicy, TeamPlan } from './plan.js';
import { mapOf, type Selection, sessionEntry } from './selection.js';
import type { Evidence, Source, Verdict, Violation } from './types.js';

/** Places in a selection, ascending: flagged policies, and those that could not be evaluated. */
interface Judged {
  flagged: readonly number[];
  unknown: readonly number[];
}

/** What was found of one item, under the selection of its source. */
export interface ItemFinds {
  selection: Selection;
  finds: Finds | undefined;
}

/** The verdict of one item; `failClosed`: what could not be evaluated counts as flagged. */
export function decide(
  team: TeamPlan,
  { selection, finds }: ItemFinds,
  failClosed: boolean = team.failClosed,
): Verdict {
  const { quiet } = selection;
  if (!finds) return quiet;
  const { flagged, unknown } = judge(failClosed, selection, finds);
  if (unknown.length === 0 && flagged.length === 0 && !quiet.flagged) return quiet;
  const { selected } = selection;
  const omitted = failClosed ? [] : unknown;
  return {
    flagged: flagged.length > 0,
    policies: mapOf(team, selection, flagged, omitted),
    ...countedWithout(selection, omitted),
    violations: flagged.map((place) =>
      violationOf(selected[place]!.policy, [selection.source], evidenceOf(selected[place]!.policy, [finds])),
    ),
    note: noteOf(unknown.length, failClosed),
  };
}

/** Only policies that use a detector which fired or failed are looked at; the others are as when nothing fires. */
function judge(failClosed: boolean, selection: Selection, finds: Finds): Judged {
  const { selected, users, base } = selection;
  const truth = (detector: number): Truth => {
    if (finds.evidence.has(detector)) return YES;
    return finds.failed.has(detector) ? UNKNOWN : NO;
  };
  const flagged = new Set(base);
  const unknown: number[] = [];
  const touched = new Set<number>();
  for (const detector of finds.evidence.keys()) for (const place of users.get(detector) ?? []) touched.add(place);
  for (const detector of finds.failed) for (const place of users.get(detector) ?? []) touched.add(place);
  for (const place of touched) {
    const result = evaluateExpression(selected[place]!.policy.expression, truth);
    if (result === UNKNOWN) unknown.push(place);
    if (result === YES || (result === UNKNOWN && failClosed)) flagged.add(place);
    else flagged.delete(place);
  }
  return { flagged: ascending(flagged), unknown: ascending(unknown) };
}

function ascending(places: Iterable<number>): number[] {
  return [...places].sort((a, b) => a - b);
}

/** What became of the images of a session; null: that one could not be looked at. */
export type SessionImages = readonly (ItemFinds | null)[];

/**
 * The verdict of a session over its text and its images (2.1): a policy is flagged with every source that triggered it, and
 * is evaluated only if it was for all items it is for. `all` has the same policies as the selections of the items.
 */
export function combine(team: TeamPlan, all: Selection, text: ItemFinds | undefined, images: SessionImages): Verdict {
  const items = [text, ...images].filter((item) => item != null);
  const flagged = new Map<number, Source[]>();
  const unknown = new Set<number>();
  const flag = (place: number, source: Source): void => {
    const sources = flagged.get(place) ?? [];
    if (!sources.includes(source)) flagged.set(place, [...sources, source]);
  };
  for (const { selection, finds } of items) {
    const judged = finds ? judge(team.failClosed, selection, finds) : { flagged: selection.base, unknown: [] };
    for (const place of judged.flagged) flag(place, selection.source);
    for (const place of judged.unknown) unknown.add(place);
  }
  if (images.includes(null)) {
    all.selected.forEach(({ policy }, place) => {
      if (!policy.image) return;
      unknown.add(place);
      if (team.failClosed) flag(place, 'image');
    });
  }
  const omitted = ascending(unknown).filter((place) => !flagged.has(place));
  const entries = all.selected.flatMap(({ policy }, place) =>
    omitted.includes(place) ? [] : [sessionEntry(policy, flagged.get(place) ?? [])],
  );
  const every = items.flatMap(({ finds }) => finds ?? []);
  const evaluated = all.selected.filter(({ policy }) => items.some(({ selection }) => policy[selection.source]));
  return {
    flagged: flagged.size > 0,
    policies: `{${entries.join(',')}}`,
    evaluated: without(
      all.selected,
      evaluated.map(({ policy }) => policy.id),
      omitted,
    ),
    notEvaluated: omitted.length,
    violations: ascending(flagged.keys()).map((place) => {
      const { policy } = all.selected[place]!;
      return violationOf(policy, flagged.get(place)!, evidenceOf(policy, every));
    }),
    note: noteOf(team.failClosed ? unknown.size : omitted.length, team.failClosed),
  };
}

function countedWithout(
  { selected, quiet }: Selection,
  omitted: readonly number[],
): Pick<Verdict, 'evaluated' | 'notEvaluated'> {
  return { evaluated: without(selected, quiet.evaluated, omitted), notEvaluated: omitted.length };
}

function without(
  selected: Selection['selected'],
  evaluated: readonly string[],
  omitted: readonly number[],
): readonly string[] {
  if (omitted.length === 0) return evaluated;
  const left = new Set(omitted.map((place) => selected[place]!.policy.id));
  return evaluated.filter((id) => !left.has(id));
}

function evidenceOf(policy: CompiledPolicy, all: readonly Finds[]): Evidence[] {
  return policy.detectors.flatMap((detector) => all.flatMap((finds) => finds.evidence.get(detector) ?? []));
}

function violationOf(policy: CompiledPolicy, sources: readonly Source[], evidence: readonly Evidence[]): Violation {
  const { id, name, severity } = policy;
  return { id, name, severity, sources, evidence };
}

function noteOf(unknown: number, failClosed: boolean): string {
  if (unknown === 0) return '';
  const what = unknown === 1 ? '1 policy' : `${unknown} policies`;
  if (!failClosed) return `${what} could not be evaluated`;
  return `${what} could not be evaluated and ${unknown === 1 ? 'is' : 'are'} flagged, as the team fails closed`;
}

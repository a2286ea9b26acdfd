/** Verdicts from finds: expressions decide which policies are flagged; the policies map and the evidence follow. */
import { MAX_CONDITION_STEPS } from './condition-steps.js';
import type { Finds } from './engine/scan.js';
import { evaluateExpression, NO, type Truth, UNKNOWN, YES } from './expression.js';
import type { CompiledPolicy, Selected, Selection, TeamPlan } from './plan.js';
import { mapOf, sessionEntry, severitiesOf } from './selection.js';
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
  { selection, finds: found }: ItemFinds,
  failClosed: boolean = team.failClosed,
): Verdict {
  const { quiet, undecided } = selection;
  if (!found && undecided.length === 0) return quiet;
  const finds = found ?? NOTHING_FOUND;
  const { flagged, unknown } = judge(failClosed, selection, finds);
  if (unknown.length === 0 && flagged.length === 0 && !quiet.flagged) return quiet;
  const { selected } = selection;
  const omitted = failClosed ? [] : unknown;
  return {
    flagged: flagged.length > 0,
    policies: mapOf(team, selection, flagged, omitted),
    ...countedWithout(selection, omitted),
    unknown: unknown.length,
    violations: flagged.map((place) =>
      violationOf(selected[place]!.policy, [selection.source], evidenceOf(selected[place]!, finds)),
    ),
    ...(undecided.length === 0 ? undefined : { stopped: true }),
    note:
      undecided.length === 0 ? noteOf(unknown.length, failClosed) : `${noteOf(unknown.length, failClosed)}; ${STOPPED}`,
  };
}

const NOTHING_FOUND: Finds = { evidence: new Map(), failed: new Set() };
const STOPPED = `the conditions take more than ${MAX_CONDITION_STEPS} steps over its metadata`;

/** Evaluates only policies that use a detector which fired or failed. The others are as when nothing fires. */
function judge(failClosed: boolean, selection: Selection, finds: Finds): Judged {
  const { selected, users, base, undecided } = selection;
  const truth = (detector: number): Truth => {
    if (finds.evidence.has(detector)) return YES;
    return finds.failed.has(detector) ? UNKNOWN : NO;
  };
  const flagged = new Set(failClosed ? [...base, ...undecided] : base);
  const unknown = [...undecided];
  const touched = new Set<number>();
  for (const detector of finds.evidence.keys()) for (const place of users.get(detector) ?? []) touched.add(place);
  for (const detector of finds.failed) for (const place of users.get(detector) ?? []) touched.add(place);
  for (const place of touched) {
    const result = evaluateExpression(selected[place]!.look.expression, truth);
    if (result === UNKNOWN) unknown.push(place);
    if (result === YES || (result === UNKNOWN && failClosed)) flagged.add(place);
    else flagged.delete(place);
  }
  return { flagged: ascending(flagged), unknown: ascending(unknown) };
}

function ascending(places: Iterable<number>): number[] {
  return [...places].sort((a, b) => a - b);
}

/** The outcome of a policy over the items of a session that it looks at. */
interface Overall {
  sources: Source[];
  evidence: Evidence[];
  /** it could not be evaluated for some item */
  unknown: boolean;
}

/** Finds in the text of a session, if it has one, and in its images; null: an image that could not be looked at. */
export interface SessionItems {
  text: ItemFinds | undefined;
  images: readonly (ItemFinds | null)[];
  /** the selection of images */
  image: Selection;
}

/**
 * The verdict of a session over its text and its images (2.1). A policy is in the map if it looks at one of them, and is flagged with
 * every source that triggered it. It counts as evaluated only if that holds for all items that it looks at. `policies` give the order.
 */
export function combine(
  team: TeamPlan,
  policies: readonly CompiledPolicy[],
  { text, images, image }: SessionItems,
): Verdict {
  const all = new Map<CompiledPolicy, Overall>();
  const overall = ({ policy }: Selected): Overall => {
    const known = all.get(policy) ?? { sources: [], evidence: [], unknown: false };
    all.set(policy, known);
    return known;
  };
  const flag = (of: Overall, source: Source): void => {
    if (!of.sources.includes(source)) of.sources.push(source);
  };
  for (const [place, item] of [text, ...images].entries()) {
    if (!item) continue;
    const { selection, finds } = item;
    const judged = finds ? judge(team.failClosed, selection, finds) : { flagged: selection.base, unknown: [] };
    for (const selected of selection.selected) {
      const of = overall(selected);
      if (finds) of.evidence.push(...evidenceOf(selected, finds).map((each) => ofImage(each, place - 1)));
    }
    for (const place of judged.flagged) flag(overall(selection.selected[place]!), selection.source);
    for (const place of judged.unknown) overall(selection.selected[place]!).unknown = true;
  }
  if (images.includes(null)) {
    for (const selected of image.selected) {
      overall(selected).unknown = true;
      if (team.failClosed) flag(overall(selected), 'image');
    }
  }
  const idle = [...(text ? [text.selection] : []), image].flatMap(({ quiet }) => quiet.note || []);
  return noted(verdictOf(team, policies, all), idle.join('; '));
}

/** `image`: the number of the image; -1: the text */
const ofImage = (evidence: Evidence, image: number): Evidence => (image < 0 ? evidence : { ...evidence, image });

/** The verdict with `more` before its note. */
export function noted(verdict: Verdict, more: string): Verdict {
  if (more === '') return verdict;
  return { ...verdict, note: verdict.note === '' ? more : `${more}; ${verdict.note}` };
}

function verdictOf(
  { failClosed }: TeamPlan,
  policies: readonly CompiledPolicy[],
  all: ReadonlyMap<CompiledPolicy, Overall>,
): Verdict {
  const looked = policies.filter((policy) => all.has(policy));
  const omitted = looked.filter((policy) => all.get(policy)!.unknown && all.get(policy)!.sources.length === 0);
  const shown = looked.filter((policy) => !omitted.includes(policy));
  const flagged = shown.filter((policy) => all.get(policy)!.sources.length > 0);
  const unknown = looked.filter((policy) => all.get(policy)!.unknown);
  return {
    flagged: flagged.length > 0,
    policies: `{${shown.map((policy) => sessionEntry(policy, all.get(policy)!.sources)).join(',')}}`,
    evaluated: shown.map(({ id }) => id),
    severities: severitiesOf(shown),
    notEvaluated: omitted.length,
    unknown: unknown.length,
    violations: flagged.map((policy) => violationOf(policy, all.get(policy)!.sources, all.get(policy)!.evidence)),
    note: noteOf(failClosed ? unknown.length : omitted.length, failClosed),
  };
}

function countedWithout(
  { selected, quiet }: Selection,
  omitted: readonly number[],
): Pick<Verdict, 'evaluated' | 'severities' | 'notEvaluated'> {
  if (omitted.length === 0) return { evaluated: quiet.evaluated, severities: quiet.severities, notEvaluated: 0 };
  const left = new Set(omitted);
  const shown = selected.filter((_, place) => !left.has(place)).map(({ policy }) => policy);
  return { evaluated: shown.map(({ id }) => id), severities: severitiesOf(shown), notEvaluated: omitted.length };
}

function evidenceOf({ look }: Selected, finds: Finds): Evidence[] {
  return look.detectors.flatMap((detector) => finds.evidence.get(detector) ?? []);
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

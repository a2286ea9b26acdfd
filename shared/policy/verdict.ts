/** Verdicts from finds: expressions decide which policies are flagged; the policies map and the evidence follow. */
import { MAX_CONDITION_STEPS } from './condition-steps.js';
import { evaluateExpression, UNKNOWN, YES } from './detect-expression.js';
import type { Finds } from './engine/scan.js';
import type { CompiledPolicy, Panel, Selected, Selection, Shadow, TeamPlan } from './plan.js';
import { asksOf, foreignIn, mayPass, truthIn } from './questions.js';
import { mapOf, sessionEntry, severitiesOf } from './selection.js';
import type { DetectorQuestion, Evidence, ShadowVerdict, Source, Verdict, Violation } from './types.js';

/** The verdict of an item that was not evaluated. */
export const NO_VERDICT: Verdict = {
  flagged: false,
  policies: '{}',
  evaluated: [],
  severities: '',
  violations: [],
  notEvaluated: 0,
  unknown: 0,
  note: '',
};

/** Places in a panel, ascending: flagged policies, those that could not be evaluated, and those that do not know the language. */
interface JudgedPanel {
  flagged: readonly number[];
  unknown: readonly number[];
  foreign: readonly ForeignPlace[];
}

/** A policy that is left out of the verdict on a text, and the language of that. */
interface ForeignPlace {
  place: number;
  language: string;
}

/** What was found of one item, under the selection of its source. */
export interface ItemFinds {
  selection: Selection;
  finds: Finds | undefined;
  /** the text, where backends may still be asked about it */
  askable?: string | undefined;
}

/** The verdict of one item; `failClosed`: what could not be evaluated counts as flagged. */
export function decide(team: TeamPlan, item: ItemFinds, failClosed: boolean = team.failClosed): Verdict {
  const verdict = decideLive(team, item, failClosed);
  const { source, shadow, quiet } = item.selection;
  if (!shadow) return verdict;
  const said = decideShadow(shadow, item.finds, source);
  if (verdict === quiet) return said === shadow.quiet ? quiet : { ...quiet, shadow: said };
  // It was made just now, for this item.
  verdict.shadow = said;
  return verdict;
}

/** Without the shadow, or with one in which no detector fires. */
function decideLive(team: TeamPlan, { selection, finds: found, askable }: ItemFinds, failClosed: boolean): Verdict {
  const { quiet, undecided } = selection;
  if (!found && undecided.length === 0) return quiet;
  const finds = found ?? NOTHING_FOUND;
  const { flagged, unknown, foreign } = judge(failClosed, selection, finds);
  if (unknown.length === 0 && flagged.length === 0 && foreign.length === 0 && !quiet.flagged) return quiet;
  const { selected, source } = selection;
  const absent = failClosed ? NONE : unknown;
  const omitted = foreign.length === 0 ? absent : ascending([...absent, ...foreign.map(({ place }) => place)]);
  const told = foreign.map(({ place, language }) => ({ policy: selected[place]!.policy, language }));
  const note = joined(noteOf(unknown.length, failClosed), foreignNote(told));
  const { evaluated, severities } = countedWithout(selection, omitted);
  const verdict: Verdict = {
    flagged: flagged.length > 0,
    policies: mapOf(team, selection, flagged, omitted),
    evaluated,
    severities,
    notEvaluated: absent.length,
    unknown: unknown.length,
    violations: flagged.map((place) =>
      violationOf(selected[place]!.policy, [source], evidenceOf(selection, place, finds)),
    ),
    note: undecided.length === 0 ? note : `${note}; ${STOPPED}`,
  };
  if (foreign.length > 0) verdict.foreign = foreign.length;
  if (undecided.length > 0) verdict.stopped = true;
  if (unknown.some((place) => mayPass(selected[place]!, finds))) verdict.passing = true;
  const asking = askable === undefined ? undefined : asksOf(team, { selection, finds, text: askable }, unknown);
  if (asking?.asks) verdict.asks = asking.asks;
  return verdict;
}

const NONE: readonly number[] = [];

/** No team fails closed here: what could not be evaluated is only counted. */
function decideShadow(shadow: Shadow, finds: Finds | undefined, source: Source): ShadowVerdict {
  const { selected, quiet } = shadow;
  if (!finds || !concerns(finds, shadow)) return quiet;
  const { flagged, unknown, foreign } = judge(false, shadow, finds);
  if (unknown.length === 0 && flagged.length === 0 && foreign.length === 0 && quiet.violations.length === 0)
    return quiet;
  return {
    evaluated: shownOf(shadow, [...unknown, ...foreign.map(({ place }) => place)]).map(({ id }) => id),
    violations: flagged.map((place) => {
      return violationOf(selected[place]!.policy, [source], evidenceOf(shadow, place, finds));
    }),
    notEvaluated: unknown.length,
  };
}

/** Whether a detector of the panel fired or failed. Most finds are of live policies alone. */
function concerns({ evidence, failed }: Finds, { users }: Panel): boolean {
  for (const detector of evidence.keys()) if (users.has(detector)) return true;
  for (const detector of failed) if (users.has(detector)) return true;
  return false;
}

const NOTHING_FOUND: Finds = { evidence: new Map(), failed: new Set() };
const STOPPED = `the conditions take more than ${MAX_CONDITION_STEPS} steps over its metadata`;

/** Evaluates only policies that use a detector which fired or failed. The others are as when nothing fires. */
function judge(failClosed: boolean, { selected, users, base, undecided }: Panel, finds: Finds): JudgedPanel {
  const flagged = new Set(failClosed ? [...base, ...undecided] : base);
  const unknown = [...undecided];
  const foreign: ForeignPlace[] = [];
  const truth = truthIn(finds);
  const touched = new Set<number>();
  for (const detector of finds.evidence.keys()) for (const place of users.get(detector) ?? []) touched.add(place);
  for (const detector of finds.failed) for (const place of users.get(detector) ?? []) touched.add(place);
  for (const place of touched) {
    const result = evaluateExpression(selected[place]!.look.expression, truth);
    const { policy, look } = selected[place]!;
    // Unless it asks to know every language.
    const language = result === UNKNOWN && !policy.failsForeign ? foreignIn(look.expression, finds) : undefined;
    if (language !== undefined) foreign.push({ place, language });
    else if (result === UNKNOWN) unknown.push(place);
    if (result === YES || (result === UNKNOWN && language === undefined && failClosed)) flagged.add(place);
    else flagged.delete(place);
  }
  foreign.sort((a, b) => a.place - b.place);
  return { flagged: ascending(flagged), unknown: ascending(unknown), foreign };
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
  /** for one of them it may be another time */
  passing: boolean;
  /** the language of one of them, which it does not know */
  foreign: string | undefined;
}

/** Finds in the texts of a session and in its images; null: an image that could not be looked at. */
export interface SessionItems {
  texts: readonly ItemFinds[];
  images: readonly (ItemFinds | null)[];
  /** the selection of images; undefined: it has none */
  image: Selection | undefined;
}

/**
 * The verdict of a session over its texts and its images (2.1). A policy is in the map if it looks at one of them, and is flagged with
 * every source that triggered it. It counts as evaluated only if that holds for all items that it looks at. `policies` give the order.
 */
export function combine(team: TeamPlan, policies: readonly CompiledPolicy[], items: SessionItems): Verdict {
  const { texts, image } = items;
  const all = overallOf(items, (selection) => selection, team.failClosed);
  const verdict = { ...verdictOf(team, policies, all), ...asksAbout(team, texts) };
  const selections = [...texts.map(({ selection }) => selection), ...(image ? [image] : [])];
  const idle = selections.flatMap(({ quiet }) => quiet.note || []).join('; ');
  if (selections.every(({ shadow }) => shadow === undefined)) return noted(verdict, idle);
  const { shown, flagged, omitted } = outcomesOf(
    policies,
    overallOf(items, ({ shadow }) => shadow, false),
  );
  const shadow: ShadowVerdict = {
    evaluated: shown.map(({ id }) => id),
    violations: flagged,
    notEvaluated: omitted.length,
  };
  return { ...noted(verdict, idle), shadow };
}

/** Live policies alone ask: one in the shadow must not delay an answer. All texts are asked about as one. */
function asksAbout(team: TeamPlan, texts: readonly ItemFinds[]): Pick<Verdict, 'asks'> | undefined {
  const all = new Map<number, DetectorQuestion>();
  let text = '';
  for (const { selection, finds, askable } of texts) {
    if (!finds || askable === undefined) continue;
    text = askable;
    const { unknown } = judge(team.failClosed, selection, finds);
    for (const asked of asksOf(team, { selection, finds, text }, unknown)?.asks?.of ?? [])
      all.set(asked.detector, asked);
  }
  return all.size === 0 ? undefined : { asks: { text, of: [...all.values()] } };
}

/** By policy of the panels that `panelOf` takes from the selections of the items. */
function overallOf(
  { texts, images, image }: SessionItems,
  panelOf: (selection: Selection) => Panel | undefined,
  failClosed: boolean,
): Map<CompiledPolicy, Overall> {
  const all = new Map<CompiledPolicy, Overall>();
  const overall = ({ policy }: Selected): Overall => {
    const known = all.get(policy) ?? {
      sources: [],
      evidence: [],
      unknown: false,
      passing: false,
      foreign: undefined,
    };
    all.set(policy, known);
    return known;
  };
  const flag = (of: Overall, source: Source): void => {
    if (!of.sources.includes(source)) of.sources.push(source);
  };
  for (const [place, item] of [...texts, ...images].entries()) {
    if (!item) continue;
    const { selection, finds } = item;
    const panel = panelOf(selection);
    if (!panel) continue;
    const judged = finds ? judge(failClosed, panel, finds) : { flagged: panel.base, unknown: [], foreign: [] };
    panel.selected.forEach((selected, at) => {
      const of = overall(selected);
      if (finds) of.evidence.push(...evidenceOf(panel, at, finds).map((each) => ofImage(each, place - texts.length)));
    });
    for (const place of judged.flagged) flag(overall(panel.selected[place]!), selection.source);
    for (const { place: at, language } of judged.foreign) overall(panel.selected[at]!).foreign ??= language;
    for (const place of judged.unknown) {
      const of = overall(panel.selected[place]!);
      of.unknown = true;
      if (finds && mayPass(panel.selected[place]!, finds)) of.passing = true;
    }
  }
  if (image && images.includes(null)) {
    for (const selected of panelOf(image)?.selected ?? []) {
      Object.assign(overall(selected), { unknown: true, passing: true });
      if (failClosed) flag(overall(selected), 'image');
    }
  }
  return all;
}

/** `image`: the number of the image; below 0: a text */
const ofImage = (evidence: Evidence, image: number): Evidence => (image < 0 ? evidence : { ...evidence, image });

/** The verdict with `more` before its note. */
export function noted(verdict: Verdict, more: string): Verdict {
  if (more === '') return verdict;
  return { ...verdict, note: verdict.note === '' ? more : `${more}; ${verdict.note}` };
}

/** Of the policies that looked at something. */
interface Outcomes {
  omitted: CompiledPolicy[];
  /** left out, with the language that they do not know */
  foreign: ForeignPolicy[];
  shown: CompiledPolicy[];
  flagged: Violation[];
  unknown: CompiledPolicy[];
}

function outcomesOf(policies: readonly CompiledPolicy[], all: ReadonlyMap<CompiledPolicy, Overall>): Outcomes {
  const looked = policies.filter((policy) => all.has(policy));
  const quiet = looked.filter((policy) => all.get(policy)!.sources.length === 0);
  const omitted = quiet.filter((policy) => all.get(policy)!.unknown);
  const foreign = quiet.flatMap((policy) => {
    const { unknown, foreign: language } = all.get(policy)!;
    return unknown || language === undefined ? [] : [{ policy, language }];
  });
  const absent = new Set([...omitted, ...foreign.map(({ policy }) => policy)]);
  const shown = looked.filter((policy) => !absent.has(policy));
  const flagged = shown.filter((policy) => all.get(policy)!.sources.length > 0);
  return {
    omitted,
    foreign,
    shown,
    flagged: flagged.map((policy) => violationOf(policy, all.get(policy)!.sources, all.get(policy)!.evidence)),
    unknown: looked.filter((policy) => all.get(policy)!.unknown),
  };
}

function verdictOf(
  { failClosed }: TeamPlan,
  policies: readonly CompiledPolicy[],
  all: ReadonlyMap<CompiledPolicy, Overall>,
): Verdict {
  const { omitted, foreign, shown, flagged, unknown } = outcomesOf(policies, all);
  const verdict: Verdict = {
    flagged: flagged.length > 0,
    policies: `{${shown.map((policy) => sessionEntry(policy, all.get(policy)!.sources)).join(',')}}`,
    evaluated: shown.map(({ id }) => id),
    severities: severitiesOf(shown),
    notEvaluated: omitted.length,
    unknown: unknown.length,
    violations: flagged,
    note: joined(noteOf(failClosed ? unknown.length : omitted.length, failClosed), foreignNote(foreign)),
  };
  if (foreign.length > 0) verdict.foreign = foreign.length;
  if (unknown.some((policy) => all.get(policy)!.passing)) verdict.passing = true;
  return verdict;
}

function countedWithout(selection: Selection, omitted: readonly number[]): Pick<Verdict, 'evaluated' | 'severities'> {
  const { quiet } = selection;
  if (omitted.length === 0) return quiet;
  const shown = shownOf(selection, omitted);
  return { evaluated: shown.map(({ id }) => id), severities: severitiesOf(shown) };
}

/** All policies of a panel but those at the places `omitted`. */
function shownOf({ selected }: Panel, omitted: readonly number[]): CompiledPolicy[] {
  const left = new Set(omitted);
  return selected.filter((_, place) => !left.has(place)).map(({ policy }) => policy);
}

/**
 * Only what the panel looks for: a policy that is undecided may have a detector that another panel asks for. What two detectors of a
 * policy found alike, as a detector with two thresholds does, is one.
 */
function evidenceOf({ selected, users }: Panel, place: number, finds: Finds): Evidence[] {
  const { detectors } = selected[place]!.look;
  const all = detectors.flatMap((detector) => (users.has(detector) ? (finds.evidence.get(detector) ?? []) : []));
  if (all.length < 2) return all;
  const seen = new Set<string>();
  return all.filter(({ detector, view, start, end }) => {
    const { size } = seen;
    return seen.add(`${detector} ${view} ${start} ${end}`).size > size;
  });
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

interface ForeignPolicy {
  policy: CompiledPolicy;
  language: string;
}

/** Names that a note has. */
const MOST_NAMES = 8;

/** The note about policies that are left out since they do not know the language of what is checked; '' if there are none. */
function foreignNote(foreign: readonly ForeignPolicy[]): string {
  const byLanguage = new Map<string, string[]>();
  for (const { policy, language } of foreign) {
    const names = byLanguage.get(language) ?? [];
    byLanguage.set(language, names);
    names.push(policy.name);
  }
  const notes = [...byLanguage].map(([language, names]) => {
    const more = names.length > MOST_NAMES ? ` and ${names.length - MOST_NAMES} more` : '';
    return `left out, since ${names.length === 1 ? 'it does' : 'they do'} not know ${language}: ${names.slice(0, MOST_NAMES).join(', ')}${more}`;
  });
  return notes.join('; ');
}

const joined = (note: string, more: string): string => (note === '' || more === '' ? note + more : `${note}; ${more}`);

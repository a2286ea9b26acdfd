import { evaluateExpression, NO, YES } from './detect-expression.js';
import type {
  CompiledCondition,
  CompiledPolicy,
  ContextGroup,
  KeptMaps,
  Panel,
  Selected,
  Selection,
  SelectionCache,
  Shadow,
  TeamPlan,
} from './plan.js';
import type { Source, Verdict, Violation } from './types.js';

/** Policies in all selections that a team keeps. Callers decide how many there are, by metadata and lists of policies. */
export const MAX_SELECTED = 200_000;
/** Characters of policy maps kept by a team, over all selections. */
const MAX_KEPT = 16 * 1024 * 1024;

/** Conditions of an event: those that match, and those that could not be evaluated. */
export interface Matched {
  matched: readonly CompiledCondition[];
  undecided: readonly CompiledCondition[];
}

/** Turns policies that look at `source` into the selected of an event (2.2), with the conditions that selected each. */
export function selectedForEvent(
  { matched, undecided }: Matched,
  source: Source,
  applies: (p: CompiledPolicy) => boolean,
): Selected[] {
  const selected = reasonsOf(matched, applies);
  const others = reasonsOf(undecided, (policy) => applies(policy) && !selected.has(policy));
  return [...selected, ...others].flatMap(([policy, reasons]) => {
    const entry = (flagged: boolean): string =>
      `${JSON.stringify(policy.id)}:${JSON.stringify({ flagged, name: policy.name, enabled_by_conditions: reasons })}`;
    const look = policy.looks[source];
    if (!look) return [];
    return { policy, look, undecided: !selected.has(policy), clean: entry(false), flagged: entry(true) };
  });
}

type Reasons = Map<CompiledPolicy, { id: string; name: string }[]>;

function reasonsOf(conditions: readonly CompiledCondition[], applies: (p: CompiledPolicy) => boolean): Reasons {
  const by: Reasons = new Map();
  for (const { id, name, policies } of conditions) {
    for (const policy of policies) {
      if (!applies(policy)) continue;
      const reasons = by.get(policy);
      if (reasons) reasons.push({ id, name });
      else by.set(policy, [{ id, name }]);
    }
  }
  return by;
}

/** Turns policies that look at `source` into the selected of a session or an artifact (2.1), for an item of it. */
export function selectedForSession(policies: readonly CompiledPolicy[], source: Source): Selected[] {
  return policies.flatMap((policy) => {
    const look = policy.looks[source];
    if (!look) return [];
    return { policy, look, undecided: false, clean: sessionEntry(policy, []), flagged: sessionEntry(policy, [source]) };
  });
}

/** Entry of a session's or an artifact's policies map, key included. */
export function sessionEntry(policy: CompiledPolicy, sources: readonly Source[]): string {
  const result = { name: policy.name, flagged: sources.length > 0, flagged_source: sources };
  return `${JSON.stringify(policy.id)}:${JSON.stringify(result)}`;
}

/** How a selection is made that is not in the cache. */
export interface SelectionRecipe {
  source: Source;
  /** the note where no policy is selected */
  idle: string;
  make(): Selected[];
}

/** The selection under `key` in `cache`; made and kept where it is not there. */
export function selectionOf(team: TeamPlan, cache: SelectionCache, key: string, recipe: SelectionRecipe): Selection {
  const known = cache.get(key);
  if (known) return known;
  const selection = buildSelection(team, recipe);
  const size = selection.selected.length + (selection.shadow?.selected.length ?? 0) + 1;
  if (team.kept.selected + size > MAX_SELECTED) forget(team);
  team.kept.selected += size;
  cache.set(key, selection);
  return selection;
}

function forget(team: TeamPlan): void {
  team.kept.selected = 0;
  team.selections.clear();
  for (const environment of team.environments.values()) {
    environment.selections.clear();
    environment.selected = new WeakMap();
  }
  for (const { selections } of team.deployments.values()) selections.clear();
}

function buildSelection(team: TeamPlan, { source, idle, make }: SelectionRecipe): Selection {
  const all = make();
  const live = panelOf(all.filter(({ policy }) => !policy.shadow));
  const hidden = all.filter(({ policy }) => policy.shadow);
  const shadow = hidden.length > 0 ? shadowOf(hidden, source) : undefined;
  const detectors = [...new Set([...live.users.keys(), ...(shadow?.users.keys() ?? [])])];
  const { selected, base } = live;
  const number = numberOf(team.kept, source, selected);
  return {
    source,
    number,
    ...live,
    detectors,
    ...(shadow ? { shadow } : undefined),
    wanted: team.engine.wanted(detectors),
    alone: team.engine.wanted(
      detectors.filter(
        (detector) =>
          team.contexts[detector] === 0 || Number.isFinite(team.reaches[detector]) || team.anchored[detector],
      ),
    ),
    groups: contextGroups(team, detectors, live.users),
    asked: detectors.filter((detector) => team.questions.has(detector)),
    quiet: Object.freeze({
      flagged: base.length > 0,
      policies: mapOf(team, { number, selected }, base, []),
      evaluated: selected.map(({ policy }) => policy.id),
      severities: severitiesOf(selected.map(({ policy }) => policy)),
      violations: quietViolations(live, source),
      notEvaluated: 0,
      unknown: 0,
      note: selected.length === 0 ? idle : '',
      ...(shadow ? { shadow: shadow.quiet } : undefined),
    } satisfies Verdict),
  };
}

function panelOf(selected: readonly Selected[]): Panel {
  const users = new Map<number, number[]>();
  const base: number[] = [];
  const undecided: number[] = [];
  selected.forEach(({ look, ...each }, place) => {
    if (each.undecided) {
      undecided.push(place);
      return;
    }
    for (const detector of look.detectors) {
      const places = users.get(detector);
      if (places) places.push(place);
      else users.set(detector, [place]);
    }
    if (evaluateExpression(look.expression, () => NO) === YES) base.push(place);
  });
  return { selected, users, base, undecided };
}

function shadowOf(selected: readonly Selected[], source: Source): Shadow {
  const panel = panelOf(selected);
  const quiet = Object.freeze({
    evaluated: selected.filter(({ undecided }) => !undecided).map(({ policy }) => policy.id),
    violations: quietViolations(panel, source),
    notEvaluated: panel.undecided.length,
  });
  return { ...panel, quiet };
}

/** Of the policies that are flagged when no detector fires. */
function quietViolations({ selected, base }: Panel, source: Source): Violation[] {
  return base.map((place) => {
    const { id, name, severity } = selected[place]!.policy;
    return { id, name, severity, sources: [source], evidence: [] };
  });
}

/** The first letter of each severity. */
export function severitiesOf(policies: readonly Pick<CompiledPolicy, 'severity'>[]): string {
  let letters = '';
  for (const { severity } of policies) letters += severity[0]!;
  return letters;
}

/** `live`: detectors of live policies. What is scanned for them must not depend on the reach of one in the shadow. */
function contextGroups(
  team: TeamPlan,
  detectors: readonly number[],
  live: Pick<Panel['users'], 'has'>,
): ContextGroup[] {
  const groups = new Map<string, number[]>();
  for (const detector of detectors) {
    const context = team.contexts[detector]!;
    if (context === 0) continue;
    const key = `${context} ${Number.isFinite(team.reaches[detector]) ? live.has(detector) : 'all'}`;
    groups.set(key, [...(groups.get(key) ?? []), detector]);
  }
  return [...groups.values()].map((members) => ({
    context: team.contexts[members[0]!]!,
    reach: Math.max(...members.map((detector) => team.reaches[detector]!)),
    wanted: team.engine.wanted(members),
  }));
}

function makeRoom(kept: KeptMaps): void {
  if (kept.characters <= MAX_KEPT) return;
  kept.maps.clear();
  kept.numbers.clear();
  kept.characters = 0;
}

function numberOf(kept: KeptMaps, source: Source, selected: readonly Selected[]): number {
  // The entries of flagged policies name the source.
  const entries = `${source} ${selected.map((each) => each.clean).join(',')}`;
  const known = kept.numbers.get(entries);
  if (known !== undefined) return known;
  makeRoom(kept);
  const number = kept.next++;
  kept.numbers.set(entries, number);
  kept.characters += entries.length;
  return number;
}

/**
 * JSON text of the policies map; the same string for the same outcome. `flagged` and `omitted` are places in ascending
 * order.
 */
export function mapOf(
  team: TeamPlan,
  selection: Pick<Selection, 'number' | 'selected'>,
  flagged: readonly number[],
  omitted: readonly number[],
): string {
  const { kept } = team;
  const key = `${flagged.join()}|${omitted.join()}|${selection.number}`;
  const known = kept.maps.get(key);
  if (known !== undefined) return known;
  const set = new Set(flagged);
  const left = new Set(omitted);
  const entries: string[] = [];
  selection.selected.forEach((each, place) => {
    if (!left.has(place)) entries.push(set.has(place) ? each.flagged : each.clean);
  });
  const text = `{${entries.join(',')}}`;
  makeRoom(kept);
  kept.maps.set(key, text);
  kept.characters += text.length + key.length;
  return text;
}

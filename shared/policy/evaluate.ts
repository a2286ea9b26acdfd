/**
 * Evaluating: conditions and selectors choose the policies, the engine scans the text once, expressions decide. A pure
 * function of (plan, content, context).
 */
import { type Finds, MAX_EVIDENCE } from './engine.js';
import { evaluateExpression, NO, type Truth, UNKNOWN, YES } from './expression.js';
import type { CompiledCondition, CompiledPolicy, EnvironmentPlan, Plan, TeamPlan } from './plan.js';
import {
  type ContextGroup,
  mapOf,
  type Selection,
  selectedForEvent,
  selectedForSession,
  selectionOf,
} from './selection.js';
import type { EventContent, Evidence, SessionContent, Verdict, Violation } from './types.js';

export const NO_CONDITION_NOTE = 'no active condition matched';

// Verdicts that many events share are frozen.
const NO_CONDITION: Verdict = Object.freeze({
  flagged: false,
  policies: '{}',
  evaluated: [],
  violations: [],
  notEvaluated: 0,
  note: NO_CONDITION_NOTE,
});

/**
 * One event against the policies that its environment's conditions select (section 6). `context`: earlier texts of the
 * conversation, oldest first. Throws a RangeError when the plan has no such team or environment.
 */
export function evaluateEvent(
  plan: Plan,
  scope: { team: string; environment: string },
  content: EventContent,
  context: readonly string[] = [],
): Verdict {
  const team = teamOf(plan, scope.team);
  const environment = team.environments.get(scope.environment);
  if (!environment) throw missing(plan, `environment ${scope.environment} of team ${scope.team}`);
  const key = matchKey(environment, content);
  if (key === '') return NO_CONDITION;
  const kind = content.type === 'message' ? `message.${content.role}` : `${content.type}.${content.field}`;
  const selection = selectionOf(team, environment.selections, `${kind}|${key}`, () =>
    selectedForEvent(matchedBy(environment, key), (policy) => appliesTo(policy, content)),
  );
  return decide(team, selection, content.text, context);
}

/**
 * The last message of a session against its deployment's policies, or those of `restrict` (4.1). Throws a RangeError when
 * the plan has no such team or deployment.
 */
export function evaluateSession(
  plan: Plan,
  scope: { team: string; deployment: string },
  content: SessionContent,
  restrict?: readonly string[],
  context: readonly string[] = [],
): Verdict {
  const team = teamOf(plan, scope.team);
  const deployment = team.deployments.get(scope.deployment);
  if (!deployment) throw missing(plan, `deployment ${scope.deployment} of team ${scope.team}`);
  const wanted = restrict?.map((id) => id.toLowerCase());
  const key = wanted ? `${content.direction}|${[...wanted].sort().join()}` : content.direction;
  const selection = selectionOf(team, deployment.selections, key, () =>
    selectedForSession(
      deployment.policies.filter(
        (policy) =>
          (policy.direction === 'any' || policy.direction === content.direction) &&
          (!wanted || wanted.includes(policy.id)),
      ),
    ),
  );
  return decide(team, selection, content.text, context);
}

/** `text` against every text policy of a team, whatever its direction and whoever selects it. */
export function evaluateText(plan: Plan, scope: { team: string }, text: string): Verdict {
  const team = teamOf(plan, scope.team);
  const selection = selectionOf(team, team.selections, 'all', () =>
    selectedForSession(team.policies.filter((policy) => policy.text)),
  );
  return decide(team, selection, text, []);
}

function teamOf(plan: Plan, id: string): TeamPlan {
  const team = plan.teams.get(id);
  if (!team) throw missing(plan, `team ${id}`);
  return team;
}

function missing(plan: Plan, what: string): RangeError {
  return new RangeError(`configuration version ${plan.version} has no ${what}`);
}

/** Kinds of events remembered for one metadata object. */
const MAX_KINDS = 64;

/**
 * Numbers of the conditions that match, joined by commas; empty when none does. Remembered by metadata object: callers
 * who hand the same object in again for the same metadata (and the same one for none) pay for their conditions once.
 */
function matchKey(environment: EnvironmentPlan, content: EventContent): string {
  const { metadata, type, role, name } = content;
  const kind = `${type}.${role}.${environment.named ? name : ''}`;
  let known = environment.matches.get(metadata);
  if (!known || known.size >= MAX_KINDS) {
    known = new Map();
    environment.matches.set(metadata, known);
  }
  let key = known.get(kind);
  if (key !== undefined) return key;
  key = '';
  const event = { type, role, name };
  const { conditions } = environment;
  for (let i = 0; i < conditions.length; i++) {
    const { always, condition } = conditions[i]!;
    if (always || condition.matches(metadata, event)) key = key === '' ? String(i) : `${key},${i}`;
  }
  known.set(kind, key);
  return key;
}

function matchedBy(environment: EnvironmentPlan, key: string): CompiledCondition[] {
  return key.split(',').map((place) => environment.conditions[Number(place)]!);
}

/** Whether `policy` is for this event: its source, selectors and, on messages, direction. */
function appliesTo(policy: CompiledPolicy, { type, field, role }: EventContent): boolean {
  const image = type === 'artifact';
  if (image ? !policy.image : !policy.text) return false;
  const { events, direction } = policy;
  if (events && !events.has(type) && !events.has(`${type}.${image ? 'image' : field}`)) return false;
  if (type !== 'message' || direction === 'any') return true;
  return direction === (role === 'assistant' ? 'output' : 'input');
}

function decide(team: TeamPlan, selection: Selection, text: string, context: readonly string[]): Verdict {
  const finds = scan(team, selection, text, context);
  return finds ? judge(team, selection, finds) : selection.quiet;
}

function scan(team: TeamPlan, selection: Selection, text: string, context: readonly string[]): Finds | undefined {
  const { groups } = selection;
  if (context.length === 0 || groups.length === 0) return team.engine.scan(text, selection.wanted, 0);
  let all = team.engine.scan(text, selection.alone, 0);
  for (const group of groups) {
    const finds = scanWithContext(team, group, text, context);
    if (!all) all = finds;
    else if (finds) add(all, finds);
  }
  return all;
}

/**
 * Looks for finds that reach from earlier texts into `text`. Where their length has a bound, only the edge between the
 * two is looked at; folding removes characters from other than ASCII texts, so those have no such bound.
 */
function scanWithContext(
  team: TeamPlan,
  { context: depth, reach, wanted }: ContextGroup,
  text: string,
  context: readonly string[],
): Finds | undefined {
  const prefix = `${context.slice(-depth).join('\n')}\n`;
  if (Number.isFinite(reach)) {
    // One character more on either side shows whether a word goes on.
    const edge = prefix.slice(-reach - 1) + text.slice(0, reach + 1);
    if (!BEYOND_ASCII.test(edge)) return team.engine.scan(edge, wanted, Math.min(prefix.length, reach + 1), true);
  }
  return team.engine.scan(prefix + text, wanted, prefix.length);
}

const BEYOND_ASCII = /[\u0080-\uffff]/;

function add(all: Finds, more: Finds): void {
  for (const [detector, evidence] of more.evidence) {
    const known = all.evidence.get(detector);
    if (!known) all.evidence.set(detector, evidence);
    else {
      const fresh = evidence.filter((one) => !known.some(({ start, end }) => start <= one.start && end >= one.end));
      known.push(...fresh.slice(0, MAX_EVIDENCE - known.length));
    }
  }
  for (const detector of more.failed) all.failed.add(detector);
}

/** Only policies that use a detector which fired or failed are looked at; the others are as when nothing fires. */
function judge(team: TeamPlan, selection: Selection, finds: Finds): Verdict {
  const { selected, users, base, quiet } = selection;
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
    if (result === YES || (result === UNKNOWN && team.failClosed)) flagged.add(place);
    else flagged.delete(place);
  }
  if (unknown.length === 0 && flagged.size === 0)
    return quiet.flagged ? verdictOf(team, selection, [], finds, []) : quiet;
  return verdictOf(team, selection, ascending(flagged), finds, ascending(unknown));
}

function ascending(places: Iterable<number>): number[] {
  return [...places].sort((a, b) => a - b);
}

function verdictOf(
  team: TeamPlan,
  selection: Selection,
  flagged: readonly number[],
  finds: Finds,
  unknown: readonly number[],
): Verdict {
  const { selected, quiet } = selection;
  const omitted = team.failClosed ? [] : unknown;
  const left = new Set(omitted.map((place) => selected[place]!.policy.id));
  return {
    flagged: flagged.length > 0,
    policies: mapOf(team, selection, flagged, omitted),
    evaluated: left.size === 0 ? quiet.evaluated : quiet.evaluated.filter((id) => !left.has(id)),
    violations: flagged.map((place) => violationOf(selected[place]!.policy, finds)),
    notEvaluated: omitted.length,
    note: noteOf(unknown.length, team.failClosed),
  };
}

function violationOf(policy: CompiledPolicy, finds: Finds): Violation {
  const evidence: Evidence[] = [];
  for (const detector of policy.detectors) evidence.push(...(finds.evidence.get(detector) ?? []));
  const { id, name, severity } = policy;
  return { id, name, severity, sources: ['text'], evidence };
}

function noteOf(unknown: number, failClosed: boolean): string {
  if (unknown === 0) return '';
  const what = unknown === 1 ? '1 policy' : `${unknown} policies`;
  if (!failClosed) return `${what} could not be evaluated`;
  return `${what} could not be evaluated and ${unknown === 1 ? 'is' : 'are'} flagged, as the team fails closed`;
}

/**
 * Evaluation of an item: conditions and selectors choose the policies, the engine scans the text once, expressions decide. A pure
 * function of (plan, content, context).
 */

import { MAX_CONDITION_STEPS } from './condition-steps.js';
import { NOTHING, redactionOf, type TextFinds } from './content/marks.js';
import { type DeploymentScope, deploymentSelections, missing, teamOf } from './deployment.js';
import type { Finds } from './engine/scan.js';
import { imageFinds, imageWants } from './image-finds.js';
import type { CompiledPolicy, EnvironmentPlan, Plan, Selection, TeamPlan } from './plan.js';
import { withAnswers } from './questions.js';
import { firstOf, scanItem } from './scan-item.js';
import { type Matched, selectedForEvent, selectedForSession, selectionOf } from './selection.js';
import type {
  AllFound,
  EventContent,
  ImageContent,
  ImageWants,
  MessagesContent,
  Redaction,
  SessionContent,
  Verdict,
} from './types.js';
import { combine, decide, type ItemFinds, NO_VERDICT, noted } from './verdict.js';

export const NO_CONDITION_NOTE = 'no active condition matched';

// Verdicts that many events share are frozen.
const NO_CONDITION: Verdict = Object.freeze({ ...NO_VERDICT, note: NO_CONDITION_NOTE });

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
  const selection = eventSelection(plan, team, scope.environment, content);
  if (!selection) return content.redact ? { ...NO_CONDITION, redaction: NOTHING } : NO_CONDITION;
  return judgeText(team, selection, content, context);
}

type TextContent = Pick<EventContent, 'text' | 'inBytes' | 'decoded' | 'answers' | 'redact' | 'scans'> &
  Pick<SessionContent, 'every'>;

/** The verdict on a text alone. */
function judgeText(team: TeamPlan, selection: Selection, content: TextContent, context: readonly string[]): Verdict {
  if (content.every) return judgeWhole(team, selection, content, context);
  const item = findsIn(team, selection, content, context);
  if (!content.redact) return decide(team, item);
  const verdict = decide(team, shown(item));
  const redaction = redactionOf(team, [{ ...item, text: content.text }], verdict, content.scans);
  if (redaction !== NOTHING) return { ...verdict, redaction };
  const known = untouched.get(verdict);
  if (known) return known;
  const made = Object.freeze({ ...verdict, redaction });
  untouched.set(verdict, made);
  return made;
}

/** The same with all that is found. */
function judgeWhole(team: TeamPlan, selection: Selection, content: TextContent, context: readonly string[]): Verdict {
  const item = findsIn(team, selection, { ...content, redact: true }, context);
  const verdict = decide(team, shown(item));
  const { violations } = verdict.flagged ? decide(team, item) : verdict;
  const found: AllFound = { violations, ...(item.finds?.over ? { over: true } : {}) };
  if (!content.redact) return { ...verdict, found };
  return { ...verdict, found, redaction: redactionOf(team, [{ ...item, text: content.text }], verdict, content.scans) };
}

/** Verdicts with nothing to redact, by the same ones without that: most items share one. */
const untouched = new WeakMap<Verdict, Verdict>();

/** What is found in a text, and what backends have said of it. */
function findsIn(team: TeamPlan, selection: Selection, content: TextContent, context: readonly string[]): ItemFinds {
  const finds = scanItem(team, selection, content, context);
  if (selection.asked.length === 0) return { selection, finds };
  const { text, answers } = content;
  return { selection, finds: withAnswers(team, selection, content, finds), askable: answers ? undefined : text };
}

/** With the finds alone that evidence has. */
const shown = (item: ItemFinds): ItemFinds => (item.finds ? { ...item, finds: firstOf(item.finds) } : item);

/** An artifact event. Its image is looked at, not `content.text`. */
export function evaluateImageEvent(
  plan: Plan,
  scope: { team: string; environment: string },
  content: EventContent,
  image: ImageContent,
): Verdict {
  const team = teamOf(plan, scope.team);
  const selection = eventSelection(plan, team, scope.environment, content);
  if (!selection) return NO_CONDITION;
  return decide(team, { selection, finds: imageFinds(team, selection, image) });
}

/** The same for an image that could not be looked at, so that no policy for it could be evaluated. */
export function evaluateLostImageEvent(
  plan: Plan,
  scope: { team: string; environment: string },
  content: EventContent,
): Verdict {
  const team = teamOf(plan, scope.team);
  const selection = eventSelection(plan, team, scope.environment, content);
  if (!selection) return NO_CONDITION;
  return decide(team, { selection, finds: { evidence: new Map(), failed: new Set(selection.detectors) } });
}

/** What is selected for an event, with its team; undefined where no condition matches. Throws as {@link evaluateEvent}. */
export function selectionOfEvent(
  plan: Plan,
  scope: { team: string; environment: string },
  event: Omit<EventContent, 'text'>,
): { team: TeamPlan; selection: Selection } | undefined {
  const team = teamOf(plan, scope.team);
  const selection = eventSelection(plan, team, scope.environment, event);
  return selection && { team, selection };
}

/** What must be measured of the image of an artifact event before it is evaluated. Throws as {@link evaluateImageEvent}. */
export function wantedOfEvent(
  plan: Plan,
  scope: { team: string; environment: string },
  content: EventContent,
): ImageWants {
  const team = teamOf(plan, scope.team);
  const selection = eventSelection(plan, team, scope.environment, content);
  return selection ? imageWants(team, selection) : NOTHING_WANTED;
}

const NOTHING_WANTED: ImageWants = { lists: [], text: false, models: [] };

/** So many selections are remembered for one metadata object. */
const MAX_PLACES = 64;

/**
 * What is selected for an event; undefined where no condition matches. It is remembered by metadata object, so conditions are
 * evaluated once where the caller passes the same object for the same metadata (and one object for none).
 */
function eventSelection(
  plan: Plan,
  team: TeamPlan,
  id: string,
  content: Omit<EventContent, 'text'>,
): Selection | undefined {
  const environment = team.environments.get(id);
  if (!environment) throw missing(plan, `environment ${id}`);
  const { metadata, type, field, role, name } = content;
  const { named, selected } = environment;
  const known = selected.get(metadata);
  // There are few, so comparing is faster than a look-up by a key that is made of the parts.
  for (let i = 0; known !== undefined && i < known.length; i++) {
    const place = known[i]!;
    if (place.field === field && place.type === type && place.role === role && (!named || place.name === name))
      return place.selection;
  }
  const selection = selectionFor(team, environment, content);
  const made = { type, field, role, name: named ? name : '', selection };
  if (known && known.length < MAX_PLACES) known.push(made);
  else selected.set(metadata, [made]);
  return selection;
}

function selectionFor(
  team: TeamPlan,
  environment: EnvironmentPlan,
  content: Omit<EventContent, 'text'>,
): Selection | undefined {
  const key = matchKey(environment, content);
  if (key === '') return undefined;
  const kind = content.type === 'message' ? `message.${content.role}` : `${content.type}.${content.field}`;
  const source = content.type === 'artifact' ? 'image' : 'text';
  return selectionOf(team, environment.selections, `${kind}|${key}`, {
    source,
    idle: `no policy was selected that looks at ${source === 'image' ? 'images' : kind}`,
    make: () => selectedForEvent(matchedBy(environment, key), source, (policy) => appliesTo(policy, content)),
  });
}

/**
 * The last message of a session against its deployment's policies, or those of `restrict` (4.1). Throws a RangeError when
 * the plan has no such team or deployment.
 */
export function evaluateSession(
  plan: Plan,
  scope: DeploymentScope,
  content: SessionContent,
  context: readonly string[] = [],
): Verdict {
  const { team, of, note } = deploymentSelections(plan, scope, content.direction);
  const selection = of('text');
  const verdict = judgeText(team, selection, { ...content, text: content.text ?? '' }, context);
  return noted(verdict, note([selection]));
}

/**
 * The same for messages with images that are checked as one: each text is judged by the policies of its direction. Null is an image that
 * could not be looked at. `artifacts` are the verdicts of the images alone, in their order.
 */
export function evaluateMessages(
  plan: Plan,
  scope: DeploymentScope,
  { texts: said, images, direction, redact, answers, scans }: MessagesContent,
  context: readonly string[] = [],
): { session: Verdict; artifacts: (Verdict | null)[] } {
  const { team, policies, of, note } = deploymentSelections(plan, scope, direction);
  const others = said.find((one) => one.direction !== direction) && deploymentSelections(plan, scope, OTHER[direction]);
  const image = images.length > 0 || said.length === 0 ? of('image') : undefined;
  const found = images.map((each): ItemFinds | null =>
    each === null || !image ? null : { selection: image, finds: imageFinds(team, image, each) },
  );
  const whole = said.map(({ text }) => text).join('\n');
  const withText = (item: ItemFinds, i: number): TextFinds => ({ ...item, text: said[i]!.text });
  let at = 0;
  const texts = said.map((one): ItemFinds => {
    const selection = (one.direction === direction ? of : others!.of)('text');
    const finds = behind(scanItem(team, selection, { ...one, redact, scans }, context), at);
    at += one.text.length + 1;
    if (selection.asked.length === 0) return { selection, finds };
    // Backends and models are asked once, about all texts.
    const answered = withAnswers(team, selection, { text: whole, answers }, finds);
    return { selection, finds: answered, askable: answers ? undefined : whole };
  });
  const selections = [...texts.map(({ selection }) => selection), ...(image ? [image] : [])];
  const all = others ? inOrder(team, scope, [...policies(), ...others.policies()]) : policies();
  const items = { texts: redact ? texts.map(shown) : texts, images: found, image };
  const session = noted(combine(team, all, items), note(selections));
  return {
    session: redact ? { ...session, redaction: redactionOf(team, texts.map(withText), session, scans) } : session,
    artifacts: found.map((item) => item && noted(decide(team, item, NEVER_CLOSED), note([item.selection]))),
  };
}

const OTHER = { input: 'output', output: 'input' } as const;

/** Each of `policies` once, in the order in which the deployment has them. */
function inOrder(
  team: TeamPlan,
  { deployment }: DeploymentScope,
  policies: readonly CompiledPolicy[],
): CompiledPolicy[] {
  const wanted = new Set(policies);
  return team.deployments.get(deployment)!.policies.filter((policy) => wanted.has(policy));
}

/** Finds in a text that stands behind others. */
function behind(finds: Finds | undefined, at: number): Finds | undefined {
  if (!finds || at === 0) return finds;
  const evidence = new Map(
    [...finds.evidence].map(([detector, all]) => [
      detector,
      all.map((one) => ({ ...one, start: one.start + at, end: one.end + at })),
    ]),
  );
  return { ...finds, evidence };
}

/**
 * What policies with `action: redact` take out of a text that is not judged itself, as an earlier message is not. Throws as
 * {@link evaluateSession} does.
 */
export function redactionOfContext(
  plan: Plan,
  { team, deployment }: DeploymentScope,
  content: SessionContent,
): Redaction {
  const restrict = teamOf(plan, team)
    .deployments.get(deployment)
    ?.policies.filter(({ action }) => action === 'redact')
    .map(({ id }) => id);
  const { team: of, of: selected } = deploymentSelections(plan, { team, deployment, restrict }, content.direction);
  const text = content.text ?? '';
  const item = findsIn(of, selected('text'), { ...content, text }, []);
  // Whether it could be judged does not matter, only whether what would be marked was looked for.
  const verdict = { ...decide(of, shown(item), NEVER_CLOSED), notEvaluated: 0 };
  return redactionOf(of, [{ ...item, text }], verdict, content.scans);
}

/** An artifact that could not be evaluated is neither flagged nor clean, however its team fails (section 7). */
const NEVER_CLOSED = false;

/** A standalone image against its deployment's policies (4.5); conditions play no part. */
export function evaluateArtifact(
  plan: Plan,
  scope: DeploymentScope,
  direction: SessionContent['direction'],
  image: ImageContent,
): Verdict {
  const { team, of, note } = deploymentSelections(plan, scope, direction);
  const selection = of('image');
  const verdict = decide(team, { selection, finds: imageFinds(team, selection, image) }, NEVER_CLOSED);
  return noted(verdict, note([selection]));
}

/** What must be measured of an image, alone or in a session, before it is evaluated. Throws as {@link evaluateArtifact}. */
export function wantedOfArtifact(
  plan: Plan,
  scope: DeploymentScope,
  direction: SessionContent['direction'],
): ImageWants {
  const { team, of } = deploymentSelections(plan, scope, direction);
  return imageWants(team, of('image'));
}

/** `text` against all policies of a team that look at texts, whatever their direction and whether anything selects them. */
export function evaluateText(
  plan: Plan,
  scope: { team: string },
  text: string,
  more: Pick<EventContent, 'decoded' | 'answers' | 'redact' | 'scans'> = {},
): Verdict {
  const team = teamOf(plan, scope.team);
  const selection = selectionOf(team, team.selections, 'all', {
    source: 'text',
    idle: 'no policy of the team looks at texts',
    make: () => selectedForSession(team.policies, 'text'),
  });
  return judgeText(team, selection, { ...more, text }, []);
}

/**
 * Numbers of the conditions that match, joined by commas, such as `0,2`. After a question mark stand those that could not be
 * evaluated, such as `0,2?3`. Empty when there are none of either.
 */
function matchKey(environment: EnvironmentPlan, { metadata, type, role, name }: Omit<EventContent, 'text'>): string {
  const event = { type, role, name };
  const steps = { left: MAX_CONDITION_STEPS };
  const { conditions } = environment;
  let key = '';
  let undecided = '';
  for (let i = 0; i < conditions.length; i++) {
    const { always, condition } = conditions[i]!;
    const matches = always || condition.matches(metadata, event, steps);
    if (matches) key = key === '' ? String(i) : `${key},${i}`;
    else if (matches === null) undecided = undecided === '' ? String(i) : `${undecided},${i}`;
  }
  return undecided === '' ? key : `${key}?${undecided}`;
}

function matchedBy({ conditions }: EnvironmentPlan, key: string): Matched {
  const [matched, undecided] = key.split('?').map((list) => {
    return list === '' ? [] : list.split(',').map((place) => conditions[Number(place)]!);
  });
  return { matched: matched!, undecided: undecided ?? [] };
}

/** Whether `policy` is for this event: its selectors and, on messages, its direction. */
function appliesTo(policy: CompiledPolicy, { type, field, role }: Omit<EventContent, 'text'>): boolean {
  const image = type === 'artifact';
  const { events, direction } = policy;
  if (events && !events.has(type) && !events.has(`${type}.${image ? 'image' : field}`)) return false;
  if (type !== 'message' || direction === 'any') return true;
  return direction === (role === 'assistant' ? 'output' : 'input');
}

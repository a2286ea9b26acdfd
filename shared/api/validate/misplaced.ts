/**
 * Fields in the wrong place of a request (decisions, General). Ignored like an unknown field, such a field would be lost
 * without a word: metadata that no condition sees, content that is not checked. So it is a 400 that names its place.
 */
import { STORED_TEXTS } from '../requests.js';
import type { EventType } from '../types.js';
import type { Issues } from './issues.js';

/** Where fields belong, by name. A map, since a caller may send the name `__proto__`. */
export type FieldHints = ReadonlyMap<string, FieldHint>;

interface FieldHint {
  /** where the field belongs, or what to use in its place */
  hint: string;
  /** a field that says the same: beside it the other one is an extra like any */
  unless?: string;
}

const EVENT_FIELDS = [
  'type',
  'event_id',
  'metadata',
  'external_artifact_id',
  'name',
  ...STORED_TEXTS,
  'role',
  'parent',
  'links',
  'content',
  'arguments',
  'output',
  'definition',
  'input',
  'instructions',
  'state',
];
const CHECK_FIELDS = ['deployment_id', 'external_session_id', 'include_context', 'policies', 'policy_ids'];

const all = (names: readonly string[], hint: string): [string, FieldHint][] => names.map((name) => [name, { hint }]);

/** Other names of fields, each with the name to use. They are refused where that one is absent. */
const others = (names: Readonly<Record<string, string>>): [string, FieldHint][] =>
  Object.entries(names).map(([name, use]) => [name, { hint: `use ${use}`, unless: use }]);

const camelCase = (name: string): string => name.replaceAll(/_(.)/g, (_, letter: string) => letter.toUpperCase());

/** Our names as libraries of JavaScript write theirs. One without underscores is written alike. */
const inCamelCase = (...names: string[]): [string, FieldHint][] =>
  others(Object.fromEntries(names.filter((name) => name.includes('_')).map((name) => [camelCase(name), name])));

/** Other names for the causes of an event. Beside `parent` or `links` they may name further ones, so they are always refused. */
const CAUSES: [string, FieldHint][] = [
  ...all(['parent_event_id', 'parentEventId', 'parent_id', 'parentId'], 'use parent.event_id, in the event'),
  ...all(['parents'], 'an event has one parent: use parent, and links for other events'),
  ...all(['caused_by', 'causedBy', 'causes', 'causal_links', 'causalLinks'], 'use links, in the event'),
];
const OF_SESSIONS: [string, FieldHint][] = [
  ...all(
    ['policies', 'policy_ids', 'policyIds'],
    'belongs to session and artifact checks; the conditions of the environment select the policies of an event',
  ),
  ...all(['deployment_id', 'deploymentId'], 'belongs to session and artifact checks; an event has an environment_id'),
];
const EVENT_IDS = inCamelCase('run_id', 'environment_id', 'external_session_id');
const LINK_FIELDS: [string, FieldHint][] = [
  ...all(['relation'], 'belongs into an element of links'),
  ...all(['internal_event_id', 'internalEventId'], 'belongs into parent or an element of links'),
];
const IMAGE_FIELDS = ['kind', 'url', 'data', 'mime_type'];
const SESSION_ID = all(['session_id', 'sessionId'], 'use internal_session_id or external_session_id, beside content');

const IN_OR_BESIDE: [string, FieldHint][] = [...LINK_FIELDS, ...CAUSES, ...OF_SESSIONS, ...EVENT_IDS];
const BESIDE_ANY: [string, FieldHint][] = [...IN_OR_BESIDE, ...all(['eventId'], 'use event_id, in the event')];

export const BESIDE_EVENT: FieldHints = new Map([
  ...all(EVENT_FIELDS, 'belongs into event'),
  ...BESIDE_ANY,
  ...all(['events'], 'belongs to POST /api/events, expected one of event and events'),
]);
/** Beside the piece of a stream. */
export const BESIDE_DELTA: FieldHints = new Map([
  ...all(['content', 'text'], 'use delta'),
  ...all(['event', 'events', 'messages'], 'belongs to other checks; the text of a stream comes in delta'),
  ...all(['policies', 'policy_ids'], 'belongs to session and artifact checks; a stream has all policies of its scope'),
  ...inCamelCase('stream_id', 'environment_id', 'deployment_id', 'run_id', 'external_session_id'),
]);
export const BESIDE_EVENTS: FieldHints = new Map([
  ...all(EVENT_FIELDS, 'belongs into events[…], the event that it is of'),
  ...BESIDE_ANY,
  ...all(['event'], 'belongs into events, or to POST /api/event'),
]);
const IN_ANY_EVENT: [string, FieldHint][] = [
  ...IN_OR_BESIDE,
  ...inCamelCase('event_id', ...STORED_TEXTS),
  ...all(['event'], 'an event has no event in it, expected its fields'),
  ...all(['events'], 'belongs beside event, to POST /api/events'),
];
const IN_ARTIFACT_EVENT: [string, FieldHint][] = [
  ...all(IMAGE_FIELDS, 'belongs into content'),
  ...all(['session_id', 'sessionId'], 'use external_session_id'),
  ...inCamelCase('external_artifact_id'),
];
/** Other names for the name of a tool, a function or an agent, which conditions read: without it they may select no policy. */
const named = (type: EventType): [string, FieldHint][] => others({ [`${type}_name`]: 'name', [`${type}Name`]: 'name' });
const inEvent = (own: readonly [string, FieldHint][]): FieldHints => new Map([...IN_ANY_EVENT, ...own]);
export const IN_EVENT: Readonly<Record<EventType, FieldHints>> = {
  message: inEvent([]),
  artifact: inEvent(IN_ARTIFACT_EVENT),
  tool: inEvent(named('tool')),
  function: inEvent(named('function')),
  agent: inEvent(named('agent')),
  reasoning: inEvent([]),
};
const IN_REFERENCE = inCamelCase('event_id', 'run_id', 'internal_event_id');
export const IN_PARENT: FieldHints = new Map([
  ...IN_REFERENCE,
  ...all(['relation'], 'belongs into an element of links'),
]);
export const IN_LINK: FieldHints = new Map([...IN_REFERENCE, ...others({ relationship: 'relation', rel: 'relation' })]);
export const BESIDE_MESSAGES: FieldHints = new Map([
  ...all(
    ['role', 'content', 'tool_calls', 'function_call', 'refusal'],
    'belongs into messages[…], the message that it is of',
  ),
  ...inCamelCase('deployment_id', 'external_session_id', 'internal_session_id', 'include_context', 'policy_ids'),
  ...all(['external_artifact_id'], 'belongs into a part of type artifact'),
]);
export const IN_MESSAGE: FieldHints = new Map([
  ...all(CHECK_FIELDS, 'belongs beside messages'),
  ...all(['text'], 'belongs into content'),
  ...all(['external_artifact_id'], 'belongs into a part of type artifact'),
]);
export const IN_TEXT_PART: FieldHints = new Map([
  ...all(['content'], 'is no field of a text part; an image goes in a part of type artifact'),
  ...all(['external_artifact_id'], 'belongs into a part of type artifact'),
]);
export const IN_ARTIFACT_PART: FieldHints = new Map([
  ...all([...IMAGE_FIELDS, 'name'], 'belongs into content'),
  ...all(['text'], 'is no field of an artifact part; text goes in a part of type text'),
]);
export const BESIDE_CONTENT: FieldHints = new Map([
  ...all([...IMAGE_FIELDS, 'name'], 'belongs into content'),
  ...SESSION_ID,
  ...inCamelCase('deployment_id', 'external_artifact_id', 'external_session_id', 'internal_session_id', 'policy_ids'),
]);
export const BESIDE_TEXTS: FieldHints = new Map([
  ...all(['text', 'content', 'input', 'prompt', 'messages'], 'belongs into texts'),
  ...all(['image'], 'belongs into images'),
]);
const BESIDE_IT = 'belongs beside content';
export const IN_CONTENT: FieldHints = new Map([
  ...all(['external_artifact_id', 'role', 'metadata', ...CHECK_FIELDS], BESIDE_IT),
  ...all(['internal_session_id'], BESIDE_IT),
  ...SESSION_ID,
]);
export const IN_EVENT_CONTENT: FieldHints = new Map(
  all(
    [
      'event_id',
      'run_id',
      'environment_id',
      'metadata',
      'external_artifact_id',
      'external_session_id',
      'parent',
      'links',
    ],
    BESIDE_IT,
  ),
);

/** Adds an issue for each field of `holder` that has a value and belongs elsewhere. `path`: that of `holder`. */
export function checkMisplaced(issues: Issues, holder: unknown, path: string, places: FieldHints): void {
  if (typeof holder !== 'object' || holder === null) return;
  for (const name in holder) {
    if (issues.full()) return;
    misplaced(issues, holder, name, { path, places });
  }
}

/** The same for one field. Returns whether it is misplaced. */
export function misplaced(
  issues: Issues,
  holder: object,
  name: string,
  { path, places }: { path: string; places: FieldHints },
): boolean {
  const place = places.get(name);
  const fields = holder as Record<string, unknown>;
  if (place === undefined || fields[name] == null) return false;
  if (place.unless !== undefined && fields[place.unless] != null) return false;
  issues.add(path === '' ? name : `${path}.${name}`, 'misplaced', place.hint);
  return true;
}

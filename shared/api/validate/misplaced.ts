/**
 * Fields in the wrong place of a request (decisions, General). Ignored like an unknown field, such a field would be lost
 * without a word: metadata that no condition sees, content that is not checked. So it is a 400 that names its place.
 */
import type { Issues } from './issues.js';

/** Where each field belongs, by name. A map, since a caller may send the name `__proto__`. */
export type Places = ReadonlyMap<string, string>;

const EVENT_FIELDS = [
  'type',
  'event_id',
  'metadata',
  'external_artifact_id',
  'name',
  'call_id',
  'format',
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

const all = (names: readonly string[], place: string): [string, string][] => names.map((name) => [name, place]);

const PARENT: [string, string] = ['parent_event_id', 'use parent.event_id, in the event'];
const LINK_FIELDS: [string, string][] = [
  ['relation', 'belongs into an element of links'],
  ['internal_event_id', 'belongs into parent or an element of links'],
];
const IMAGE_FIELDS = ['kind', 'url', 'data', 'mime_type'];
const SESSION_ID: [string, string] = ['session_id', 'use internal_session_id or external_session_id, beside content'];

export const BESIDE_EVENT: Places = new Map([
  ...all(EVENT_FIELDS, 'belongs into event'),
  ...LINK_FIELDS,
  ['events', 'belongs to POST /api/events, expected one of event and events'],
  PARENT,
]);
export const BESIDE_EVENTS: Places = new Map([
  ...all(EVENT_FIELDS, 'belongs into events[…], the event that it is of'),
  ...LINK_FIELDS,
  ['event', 'belongs into events, or to POST /api/event'],
  PARENT,
]);
export const IN_EVENT: Places = new Map([
  ...LINK_FIELDS,
  ['parent_event_id', 'use parent.event_id'],
  ['event', 'an event has no event in it, expected its fields'],
  ['events', 'belongs beside event, to POST /api/events'],
]);
export const IN_ARTIFACT_EVENT: Places = new Map([...IN_EVENT, ...all(IMAGE_FIELDS, 'belongs into content')]);
export const IN_PARENT: Places = new Map([['relation', 'belongs into an element of links']]);
export const BESIDE_MESSAGES: Places = new Map([
  ...all(
    ['role', 'content', 'tool_calls', 'function_call', 'refusal'],
    'belongs into messages[…], the message that it is of',
  ),
  ['external_artifact_id', 'belongs into a part of type artifact'],
]);
export const IN_MESSAGE: Places = new Map([
  ...all(CHECK_FIELDS, 'belongs beside messages'),
  ['text', 'belongs into content'],
  ['external_artifact_id', 'belongs into a part of type artifact'],
]);
export const IN_TEXT_PART: Places = new Map([
  ['content', 'is no field of a text part; an image goes in a part of type artifact'],
  ['external_artifact_id', 'belongs into a part of type artifact'],
]);
export const IN_ARTIFACT_PART: Places = new Map([
  ...all([...IMAGE_FIELDS, 'name'], 'belongs into content'),
  ['text', 'is no field of an artifact part; text goes in a part of type text'],
]);
export const BESIDE_CONTENT: Places = new Map([...all([...IMAGE_FIELDS, 'name'], 'belongs into content'), SESSION_ID]);
export const BESIDE_TEXTS: Places = new Map([
  ...all(['text', 'content', 'input', 'prompt', 'messages'], 'belongs into texts'),
  ['image', 'belongs into images'],
]);
const BESIDE_IT = 'belongs beside content';
export const IN_CONTENT: Places = new Map([
  ...all(['external_artifact_id', 'role', 'metadata', ...CHECK_FIELDS], BESIDE_IT),
  ['internal_session_id', BESIDE_IT],
  SESSION_ID,
]);
export const IN_EVENT_CONTENT: Places = new Map(
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
export function checkMisplaced(issues: Issues, holder: unknown, path: string, places: Places): void {
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
  { path, places }: { path: string; places: Places },
): boolean {
  const place = places.get(name);
  if (place === undefined || (holder as Record<string, unknown>)[name] == null) return false;
  issues.add(path === '' ? name : `${path}.${name}`, 'misplaced', place);
  return true;
}

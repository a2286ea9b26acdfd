/**
 * Fields that mean something elsewhere in the same request (decisions, General). Taken for an unknown field, such a one would
 * be dropped in silence: metadata that no condition sees, content that nobody checks. So it is a 400 that says its place.
 */
import type { Issues } from './issues.js';

/** Where each field belongs, by name. A map: `__proto__` is a name like any other. */
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

/** Fields in which vendors send images beside a text. */
const IMAGES = ['images', 'image_url', 'image_urls', 'attachments', 'experimental_attachments'];
/** What a message of a chat has beside its content; an event has one thing to check. */
const MESSAGE_FIELDS: [string, string][] = [
  ...all(['tool_calls', 'function_call'], 'expected each call in an event of type tool or function'),
  ...all(
    ['reasoning_content', 'reasoning', 'reasoning_details', 'thinking', 'thinking_blocks', 'refusal', 'parts', 'text'],
    'expected it in content, of an event of its own where there is more',
  ),
  ...all(IMAGES, 'expected each image in an event of type artifact'),
  ['messages', 'belongs to POST /api/session/check'],
];

const CHAT_FIELDS: ReadonlySet<string> = new Set(MESSAGE_FIELDS.map(([name]) => name));

export const BESIDE_EVENT: Places = new Map([
  ...all(EVENT_FIELDS, 'belongs into event'),
  ...MESSAGE_FIELDS,
  ...LINK_FIELDS,
  ['events', 'belongs to POST /api/events, expected one of event and events'],
  PARENT,
]);
export const BESIDE_EVENTS: Places = new Map([
  ...all(EVENT_FIELDS, 'belongs into events[…], the event that it is of'),
  ...MESSAGE_FIELDS,
  ...LINK_FIELDS,
  ['event', 'belongs into events, or to POST /api/event'],
  PARENT,
]);
export const IN_EVENT: Places = new Map([
  ...MESSAGE_FIELDS,
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
/** What the last message may not have, since it would go unchecked. */
export const IN_LAST_MESSAGE: Places = new Map(
  all(IMAGES, 'an image belongs into content, in a part of type artifact'),
);
export const IN_LAST_TEXT_PART: Places = new Map(
  all(
    [...IMAGES, 'image', 'input_audio', 'file'],
    'is no field of a text part; an image goes in a part of type artifact',
  ),
);
export const IN_TEXT_PART: Places = new Map([
  ['content', 'is no field of a text part; an image goes in a part of type artifact'],
  ['external_artifact_id', 'belongs into a part of type artifact'],
]);
export const IN_ARTIFACT_PART: Places = new Map([
  ...all([...IMAGE_FIELDS, 'name'], 'belongs into content'),
  ['text', 'is no field of an artifact part; text goes in a part of type text'],
]);
export const BESIDE_CONTENT: Places = new Map(all([...IMAGE_FIELDS, 'name'], 'belongs into content'));
const BESIDE_IT = 'belongs beside content';
export const IN_CONTENT: Places = new Map([
  ...all(['external_artifact_id', 'role', 'metadata', ...CHECK_FIELDS], BESIDE_IT),
  ['internal_session_id', BESIDE_IT],
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

/** Adds an issue for each field of `holder`, at `path`, that has a value and belongs elsewhere. */
export function checkMisplaced(issues: Issues, holder: unknown, path: string, places: Places): void {
  if (typeof holder !== 'object' || holder === null) return;
  for (const name in holder) {
    if (issues.full()) return;
    misplaced(issues, holder, name, { path, places });
  }
}

export const isNothing = (value: unknown): boolean => value == null || (Array.isArray(value) && value.length === 0);

/** The same for one field; says whether it is misplaced. */
export function misplaced(
  issues: Issues,
  holder: object,
  name: string,
  { path, places }: { path: string; places: Places },
): boolean {
  const place = places.get(name);
  if (place === undefined) return false;
  const value = (holder as Record<string, unknown>)[name];
  // Copies of a chat's messages say that there are none.
  if (CHAT_FIELDS.has(name) ? isNothing(value) : value == null) return false;
  issues.add(path === '' ? name : `${path}.${name}`, 'misplaced', place);
  return true;
}

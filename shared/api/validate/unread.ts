/**
 * Finds fields with content beside the checked content of an event. Unknown fields of an event are ignored (decisions, General). Those
 * that hold content in the messages of model APIs and libraries are named in the note, since content that was not checked must not
 * pass as clean.
 */
import { isMemberName, saysNothing } from '../../policy/content/no-content.js';
import { IMAGE_FIELDS } from '../../policy/content/parts.js';
import type { ArtifactContent, EventInput } from '../types.js';

/** An event has one field to check, so every other field of a message is beside it. */
export const BESIDE_CONTENT: readonly string[] = [
  // what it says
  'text',
  'message',
  'messages',
  'body',
  'blocks',
  'content_blocks',
  'parts',
  'refusal',
  'audio',
  'reasoning_content',
  'reasoning_text',
  'reasoning',
  'reasoning_details',
  'thinking',
  'thinking_blocks',
  'thought',
  'summary',
  'tool_plan',
  'annotations',
  'citations',
  'context',
  'documents',
  'search_results',
  'related_questions',
  'groundingMetadata',
  'grounding_metadata',
  // what functions take and return, models are asked and answer, under the names of libraries
  'args',
  'result',
  'response',
  'tool_input',
  'tool_output',
  'action_input',
  'observation',
  'parameters',
  'kwargs',
  'query',
  'error',
  'stdout',
  'stderr',
  'structuredContent',
  'structured_content',
  'prompt',
  'completion',
  // images and files
  'images',
  'image_url',
  'image_urls',
  'attachments',
  'experimental_attachments',
  // calls
  'tool_calls',
  'function_call',
  'toolInvocations',
  'toolUse',
  'toolResult',
  'additional_kwargs',
  'invalid_tool_calls',
  'executed_tools',
  'provider_specific_fields',
];

const BESIDE: ReadonlySet<string> = new Set(BESIDE_CONTENT);

const NONE: readonly string[] = [];

/** Names of the fields of an event that hold content beside its own. */
export function unreadOfEvent(event: EventInput): readonly string[] {
  let found: string[] | undefined;
  for (const name in event) {
    if (!BESIDE.has(name) || isEmpty((event as unknown as Record<string, unknown>)[name])) continue;
    found ??= [];
    found.push(name);
  }
  return found ?? NONE;
}

/** Names of the members of an image that are none of its fields and hold content, such as `content.caption`. */
export function unreadOfImage(content: ArtifactContent): readonly string[] {
  const found = new Set<string>();
  for (const [name, value] of Object.entries(content)) {
    if (IMAGE_FIELDS.has(name) || (isMemberName(name) && saysNothing(name, value))) continue;
    // Other names may be content themselves.
    found.add(isMemberName(name) ? `content.${name}` : 'a member of content');
  }
  return [...found].slice(0, MOST_NAMES);
}

const MOST_NAMES = 8;

/** Messages that are copied from a chat often have fields without a value. */
const isEmpty = (value: unknown): boolean =>
  value == null ||
  value === '' ||
  typeof value === 'boolean' ||
  (typeof value === 'object' && Object.keys(value).length === 0);

/** The note about such fields beside `what`; '' if there are none. */
export function unreadNote(names: readonly string[], what = 'content'): string {
  if (names.length === 0) return '';
  return `${names.join(', ')} beside the ${what} ${names.length === 1 ? 'was' : 'were'} not looked at`;
}

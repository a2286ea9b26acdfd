/**
 * Finds fields with content beside the checked content of an event. Unknown fields of an event are ignored (decisions, General). Those
 * that hold content in the messages of model APIs and libraries are named in the note, since content that was not checked must not
 * pass as clean.
 */
import type { EventInput } from '../types.js';

/** An event has one field to check, so every other field of a message is beside it. */
const BESIDE: ReadonlySet<string> = new Set([
  // what it says
  'text',
  'parts',
  'refusal',
  'audio',
  'reasoning_content',
  'reasoning_text',
  'reasoning',
  'reasoning_details',
  'thinking',
  'thinking_blocks',
  'annotations',
  'citations',
  // what functions take and return, models are asked and answer, under the names of libraries
  'args',
  'result',
  'response',
  'tool_input',
  'tool_output',
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
  'additional_kwargs',
  'invalid_tool_calls',
  'executed_tools',
  'provider_specific_fields',
]);

const NONE: readonly string[] = [];

/** Names of the fields of an event that hold content beside its own. */
export function unreadOfEvent(event: EventInput): readonly string[] {
  let found: string[] | undefined;
  for (const name in event) {
    if (!BESIDE.has(name)) continue;
    const value = (event as unknown as Record<string, unknown>)[name];
    // Messages that are copied from a chat often have these fields empty.
    if (value == null || value === '' || isEmpty(value)) continue;
    found ??= [];
    found.push(name);
  }
  return found ?? NONE;
}

const isEmpty = (value: unknown): boolean => typeof value === 'object' && Object.keys(value as object).length === 0;

/** The note about such fields; '' if there are none. */
export function unreadNote(names: readonly string[]): string {
  if (names.length === 0) return '';
  return `${names.join(', ')} beside the content ${names.length === 1 ? 'was' : 'were'} not looked at`;
}

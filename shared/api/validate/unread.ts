/**
 * Finds fields with content beside the checked content. Unknown fields are ignored (decisions, General). Those that
 * hold content are named in the note, since content that was not checked must not pass as clean.
 */
import type { ContentPart, EventInput, MessageInput } from '../types.js';
import { SPOKEN } from './session.js';

/** Fields in which vendors send images beside a text. */
const IMAGES = ['images', 'image_url', 'image_urls', 'attachments', 'experimental_attachments'];

/** Fields in which libraries of agents keep the calls of a message. */
const CALLS = ['toolInvocations', 'additional_kwargs', 'invalid_tool_calls'];

/** An event has one field to check, so every other field of a message is beside it. */
const IN_EVENT: ReadonlySet<string> = new Set([...SPOKEN, 'text', ...IMAGES, ...CALLS]);
const IN_MESSAGE: ReadonlySet<string> = new Set([...IMAGES, ...CALLS]);
const IN_TEXT_PART: ReadonlySet<string> = new Set([...IMAGES, 'image', 'input_audio', 'file']);

const NONE: readonly string[] = [];

function unread(holder: object, fields: ReadonlySet<string>): readonly string[] {
  let found: string[] | undefined;
  for (const name in holder) {
    if (!fields.has(name)) continue;
    const value = (holder as Record<string, unknown>)[name];
    // Messages that are copied from a chat often have these fields empty.
    if (value == null || value === '' || isEmpty(value)) continue;
    found ??= [];
    found.push(name);
  }
  return found ?? NONE;
}

const isEmpty = (value: unknown): boolean => typeof value === 'object' && Object.keys(value as object).length === 0;

/** Names of the fields of an event that hold content beside its own. */
export const unreadOfEvent = (event: EventInput): readonly string[] => unread(event, IN_EVENT);

/** The same for a message of a session and its text parts, each name once. */
export function unreadOfMessage(message: MessageInput, texts: readonly ContentPart[]): readonly string[] {
  const ofMessage = unread(message, IN_MESSAGE);
  if (texts.length === 0) return ofMessage;
  return [...new Set([...ofMessage, ...texts.flatMap((part) => unread(part, IN_TEXT_PART))])];
}

/** The note about such fields; '' if there are none. */
export function unreadNote(names: readonly string[]): string {
  if (names.length === 0) return '';
  return `${names.join(', ')} beside the content ${names.length === 1 ? 'was' : 'were'} not looked at`;
}

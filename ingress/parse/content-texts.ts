/**
 * The texts of what a body had checked, as detectors saw them: all strings of a content, joined by newlines. Evidence leads into these
 * (`stored-evidence.ts`).
 */
import { CHECKABLE_FIELDS } from '../../shared/api/event-types.js';
import type { CheckKind, EventType, MessageInput } from '../../shared/api/types.js';
import { eachElement, memberAt, skipValue, unescaped, valueStart } from '../../shared/json.js';
import { createReader } from '../../shared/policy/content/content.js';
import { isOneString, readMessage } from '../../shared/policy/content/message.js';

/** By number of the item; without items that have no text. `body`: one that was validated. */
export function contentTexts(kind: CheckKind, body: Buffer, items: readonly number[]): Map<number, string> {
  const json = body.toString();
  const texts = new Map<number, string>();
  const root = valueStart(json);
  const add = (item: number, text: string | undefined): void => {
    if (text !== undefined) texts.set(item, text);
  };
  if (kind === 'session') add(1, messageText(json, lastAt(json, memberAt(json, root, 'messages'))));
  else if (kind === 'event') add(1, eventText(json, memberAt(json, root, 'event')));
  else if (kind === 'events') {
    const wanted = new Set(items);
    eachElement(json, memberAt(json, root, 'events'), (index, at) => {
      if (wanted.has(index + 1)) add(index + 1, eventText(json, at));
      return skipValue(json, at);
    });
  }
  return texts;
}

function lastAt(json: string, list: number): number {
  let last = -1;
  eachElement(json, list, (_, at) => {
    last = at;
    return skipValue(json, at);
  });
  return last;
}

function messageText(json: string, at: number): string | undefined {
  const source = json.slice(at, skipValue(json, at));
  const message = JSON.parse(source) as MessageInput;
  return isOneString(message) ? (message.content as string) : readMessage(message, source).reading?.text;
}

/** The text of the one field that is checked. */
function eventText(json: string, at: number): string | undefined {
  const type = memberAt(json, at, 'type');
  const fields = CHECKABLE_FIELDS[unescaped(json.slice(type + 1, skipValue(json, type) - 1)) as EventType] ?? [];
  for (const field of fields) {
    const value = memberAt(json, at, field);
    if (value >= 0 && !json.startsWith('null', value)) return textOf(json.slice(value, skipValue(json, value)));
  }
  return undefined;
}

/** The text of an event's content, given as JSON. */
export function textOf(source: string): string {
  if (source.startsWith('"')) return unescaped(source.slice(1, -1));
  const reader = createReader();
  reader.json(source);
  return reader.done().text;
}

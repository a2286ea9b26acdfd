/** The text of a message of a session (2.3): its content, and the tool calls in it. */

import type { ContentPart, MessageInput } from '../../../../shared/api/types.js';
import { type Media, mediaWithin } from '../../../../shared/api/validate/media-within.js';
import {
  CALL_PARTS,
  SPOKEN,
  saidAs,
  TEXT_PARTS,
  textMember,
  textOfPart,
} from '../../../../shared/api/validate/session.js';
import { unreadOfMessage } from '../../../../shared/api/validate/unread.js';
import {
  eachElement,
  eachMember,
  isFieldName,
  memberAt,
  nameOf,
  skipValue,
  unescaped,
} from '../../../../shared/json.js';
import {
  createReader,
  type Path,
  type Reader,
  type Reading,
  readString,
} from '../../../../shared/policy/content/content.js';

/** What is evaluated of a message, and what is only noted. */
export interface MessageReading {
  /** null: it has images only */
  reading: Reading | null;
  /** media within its text and calls, which are not looked at */
  media: Media;
  /** fields beside its content that are not looked at either */
  unread: readonly string[];
}

const spokenIn = (message: MessageInput): (typeof SPOKEN)[number][] => SPOKEN.filter((name) => message[name] != null);

/** Whether the text of a message is its content as it stands. */
export const isOneString = (message: MessageInput): boolean =>
  typeof message.content === 'string' && spokenIn(message).length === 0;

/**
 * `json`: the message as it was sent. Without it numbers in calls are read as they were parsed, which is enough for messages that are only
 * context. `reader`: is told what is read, with the path to it from the message; for messages that are not one string.
 */
export function readMessage(message: MessageInput, json?: string, reader: Reader = createReader()): MessageReading {
  const { content } = message;
  const spoken = spokenIn(message);
  if (typeof content === 'string' && spoken.length === 0) {
    return { reading: readString(content), media: mediaWithin(content, content), unread: unreadOfMessage(message, []) };
  }
  // The data of artifact parts is long and no text. So only the JSON of calls is read.
  const parts = Array.isArray(content)
    ? content.filter(({ type }) => TEXT_PARTS.has(type) || CALL_PARTS.has(type))
    : [];
  const isRead = spoken.length > 0 || parts.some(isCall) || reader.placing;
  const source = isRead ? (json ?? JSON.stringify(message)) : '';
  if (typeof content === 'string' && content !== '') {
    reader.string(content, '/content', reader.placing && memberAt(source, 0, 'content'));
  }
  if (Array.isArray(content)) readParts(reader, content, source);
  for (const name of spoken) readSpoken(reader, source, name);
  const reading = reader.done();
  const said = spoken.map((name) => saidAs(message, name));
  const media = mediaWithin([said, Array.isArray(content) ? parts : content], reading.text);
  const silent = Array.isArray(content) && content.length > 0 && parts.length === 0 && spoken.length === 0;
  const unread = unreadOfMessage(
    message,
    parts.filter(({ type }) => TEXT_PARTS.has(type)),
  );
  return { reading: silent ? null : reading, media, unread };
}

const isCall = ({ type }: ContentPart): boolean => CALL_PARTS.has(type);

/** Where the values begin that the text of a message is read from, in order. `json`: the message as it was sent. */
export function valuesOf(message: MessageInput, json: string): number[] {
  if (isOneString(message)) return [memberAt(json, 0, 'content')];
  const values: number[] = [];
  const add = (_text: string, _path?: Path, at = -1): void => void values.push(at);
  readMessage(message, json, { placing: true, string: add, json: add, done: () => ({ text: '' }) });
  return values;
}

/** Text of a message, null when it has images only. */
export const textOrNone = (message: MessageInput): string | null => readMessage(message).reading?.text ?? null;

/** The same, empty when it has images only. */
export const messageText = (message: MessageInput): string => textOrNone(message) ?? '';

/** Adds the parts that have text. */
function readParts(reader: Reader, parts: readonly ContentPart[], source: string): void {
  const starts: number[] = [];
  if (parts.some(isCall) || reader.placing) {
    eachElement(source, memberAt(source, 0, 'content'), (_, start) => {
      starts.push(start);
      return skipValue(source, start);
    });
  }
  for (const [i, part] of parts.entries()) {
    const path = reader.placing && `/content/${i}`;
    if (isCall(part)) readCall(reader, source, { at: starts[i]!, path });
    else if (TEXT_PARTS.has(part.type)) {
      const member = textMember(part);
      const at = reader.placing && memberAt(source, starts[i]!, member);
      reader.string(textOfPart(part) ?? '', path && `${path}/${member}`, at);
    }
  }
}

/** Adds what a message says beside its content: a text, or calls and thoughts of any shape. */
function readSpoken(reader: Reader, source: string, name: (typeof SPOKEN)[number]): void {
  let at = memberAt(source, 0, name);
  // Audio is not text, but its transcript is.
  if (name === 'audio') at = memberAt(source, at, 'transcript');
  if (at < 0) return;
  const path = reader.placing && (name === 'audio' ? '/audio/transcript' : `/${name}`);
  if (source[at] !== '[') readCall(reader, source, { at, path });
  else eachElement(source, at, (i, start) => readCall(reader, source, { at: start, path: path && `${path}/${i}` }));
}

/** A value of a message. */
interface Placed {
  at: number;
  path: Path;
}

const pathOf = ({ path }: Placed, name: string): Path => path && (isFieldName(name) ? `${path}/${name}` : null);

/** Members of a call without content: its ids, its kind, how it is cached. */
const ENVELOPE: ReadonlySet<string> = new Set([
  'id',
  'type',
  'index',
  'status',
  'call_id',
  'tool_call_id',
  'toolCallId',
  'tool_use_id',
  'cache_control',
  'signature',
  'encrypted_content',
]);
/** Members that only wrap the content of a call. */
const HOLDERS: ReadonlySet<string> = new Set(['function', 'custom']);

/** Adds the content of a call at `at`, of any shape: its name, and its arguments as text and as JSON. */
function readCall(reader: Reader, source: string, call: Placed, holds = HOLDERS): number {
  if (source[call.at] !== '{') return readValue(reader, source, call);
  return eachMember(source, call.at, (at, nameAt) => {
    const name = nameOf(source, nameAt);
    if (ENVELOPE.has(name)) return skipValue(source, at);
    const member = { at, path: pathOf(call, name) };
    if (holds.has(name)) return readCall(reader, source, member, NONE);
    return readValue(reader, source, member);
  });
}

const NONE: ReadonlySet<string> = new Set();

function readValue(reader: Reader, source: string, { at, path }: Placed): number {
  const end = skipValue(source, at);
  if (source[at] === '"') reader.string(unescaped(source.slice(at + 1, end - 1)), path, at);
  else reader.json(source.slice(at, end), path, at);
  return end;
}

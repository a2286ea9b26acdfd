/**
 * The text of a message of a session (2.3): its content, and whatever else has text in it. The content comes first, then the other
 * members of its parts, then those of the message, each in the order in which they were sent.
 *
 * Every member is read but for those without content (`no-content.ts`). The members of the message, of its parts, and of its calls
 * are read by what they hold; what stands deeper, such as the arguments of a call, is read as JSON, names included. What cannot be
 * read, such as images and recordings, is told: how many, or by name.
 */
import type { ContentPart, MessageInput } from '../../api/types.js';
import {
  isDataUri,
  isHeard,
  isMedia,
  isMediaData,
  mediaInMembers,
  mediaWithin,
  type UncheckedMedia,
} from '../../api/validate/media-within.js';
import { eachElement, eachMember, isFieldName, memberAt, nameOf, skipValue, unescaped } from '../../json.js';
import { type ContentPath, type ContentReader, type ContentReading, createReader, readString } from './content.js';
import { hasNoContent, isMemberName, saysNothing } from './no-content.js';
import { CALL_PARTS, IMAGE_FIELDS, imageMember, TEXT_PARTS, textMember } from './parts.js';

/** What is evaluated of a message, and what is only noted. */
export interface MessageReading {
  /** null: it has images only */
  reading: ContentReading | null;
  /** media within it, which are not looked at */
  media: UncheckedMedia;
  /** where it has other content that nobody can read, such as `images` and `content[0].file` */
  unread: readonly string[];
  /** how many parts of its content are of no known kind; only in messages that are context */
  unknown: number;
}

type MessageFields = Record<string, unknown>;

const isObject = (value: unknown): value is MessageFields =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** The member of a message that is kept as it came, whatever it holds (2.3). */
const KEPT = 'metadata';

/** Whether all that a message says is its content, a string. */
export function isOneString(message: MessageInput): boolean {
  if (typeof message.content !== 'string') return false;
  for (const name in message) {
    if (name === 'content' || name === KEPT) continue;
    if (!isMemberName(name) || !saysNothing(name, (message as unknown as MessageFields)[name])) return false;
  }
  return true;
}

/** `json`: the message as it was sent. `reader`: is told what is read; for messages that are not one string. */
export function readMessage(
  message: MessageInput,
  json: string,
  reader: ContentReader = createReader(),
): MessageReading {
  const { content } = message;
  if (typeof content === 'string' && isOneString(message)) {
    return { reading: readString(content), media: mediaWithin(content, content), unread: [], unknown: 0 };
  }
  const parts = Array.isArray(content) ? content.map(besideImage) : content;
  const media = mediaInMembers({ ...message, content: parts, audio: null, [KEPT]: null }, json);
  const walk = createWalk(json, media.holders, reader);
  readContent(walk, content);
  eachMember(json, 0, (at, nameAt) => {
    const name = nameOf(json, nameAt);
    const end = skipValue(json, at);
    if (name === 'content' || name === KEPT) return end;
    readBeside(walk, { name, nameAt, at, path: '', told: '' }, memberOf(message, name));
    return end;
  });
  const silent = Array.isArray(content) && content.length > 0 && walk.isEmpty();
  return {
    reading: silent ? null : reader.done(),
    media,
    unread: walk.unread,
    unknown: walk.unknown,
  };
}

/** Where the values begin that the text of a message is read from, in order. `json`: the message as it was sent. */
export function valuesOf(message: MessageInput, json: string): number[] {
  if (isOneString(message)) return [memberAt(json, 0, 'content')];
  const values: number[] = [];
  const add = (_text: string, _path?: ContentPath, at = -1): void => void values.push(at);
  readMessage(message, json, { placing: true, string: add, json: add, done: () => ({ text: '' }) });
  return values;
}

/** State of the reading of one message. */
interface Walk {
  readonly json: string;
  /** the objects and lists of the message that are images or files, or hold some */
  readonly holders: ReadonlySet<unknown>;
  readonly unread: string[];
  unknown: number;
  string(text: string, path: ContentPath, at: number): void;
  /** Adds the value from `at` to `end`, which is no string. */
  value(at: number, end: number, path: ContentPath): void;
  isEmpty(): boolean;
}

function createWalk(json: string, holders: ReadonlySet<unknown>, reader: ContentReader): Walk {
  let empty = true;
  return {
    json,
    holders,
    unread: [],
    unknown: 0,
    string(text, path, at) {
      empty = false;
      if (reader.placing) reader.string(text, path, at);
      else reader.string(text);
    },
    value(at, end, path) {
      // true, false, null and what is empty have no text.
      if (end - at <= 2 ? '{['.includes(json[at]!) : 'tfn'.includes(json[at]!)) return;
      empty = false;
      if (reader.placing) reader.json(json.slice(at, end), path, at);
      else reader.json(json.slice(at, end));
    },
    isEmpty: () => empty,
  };
}

/** A member of an object on the way to content. */
interface MessageMember {
  name: string;
  nameAt: number;
  at: number;
  /** pointer to the object that has it */
  path: ContentPath;
  /** the same for notes, such as `content[0]` */
  told: string;
}

const pathTo = (path: ContentPath, name: string): ContentPath =>
  path === null ? null : isFieldName(name) ? `${path}/${name}` : null;
const toldOf = ({ told, name }: MessageMember): string => (told === '' ? name : `${told}.${name}`);
const memberOf = (holder: unknown, name: string): unknown => (isObject(holder) ? holder[name] : undefined);

function readContent(walk: Walk, content: MessageInput['content']): void {
  const at = memberAt(walk.json, 0, 'content');
  if (typeof content === 'string' && content !== '') walk.string(content, '/content', at);
  else if (isObject(content)) walk.unknown++;
  if (!Array.isArray(content)) return;
  const starts: number[] = [];
  eachElement(walk.json, at, (_, start) => {
    starts.push(start);
    return skipValue(walk.json, start);
  });
  for (const [i, part] of content.entries()) readPart(walk, part, { at: starts[i]!, path: `/content/${i}` });
  for (const [i, part] of content.entries()) {
    const own = ownMembers(part);
    if (own) readRest(walk, { own, at: starts[i]!, path: `/content/${i}`, told: `content[${i}]` }, part);
  }
}

/** Reads the members of a part, or of its image, that are not its `own`. */
function readRest(
  walk: Walk,
  { own, at, path, told }: PlacedValue & { own: Own; told: string },
  holder: unknown,
): void {
  const counted = own !== OF_IMAGE_PART && own !== IMAGE_FIELDS && isMedia(holder);
  eachMember(walk.json, at, (start, nameAt) => {
    const name = nameOf(walk.json, nameAt);
    const end = skipValue(walk.json, start);
    const value = memberOf(holder, name);
    const member = { name, nameAt, at: start, path, told };
    if (!own.has(name)) readBeside(walk, member, value, counted);
    else if (own === OF_IMAGE_PART && isObject(value)) {
      readRest(walk, { own: IMAGE_FIELDS, at: start, path: pathTo(path, name), told: toldOf(member) }, value);
    }
    return end;
  });
}

/** A value of a message. */
interface PlacedValue {
  at: number;
  path: ContentPath;
}

/** Reads what a part is about. */
function readPart(walk: Walk, part: ContentPart, { at, path }: PlacedValue): void {
  if (TEXT_PARTS.has(part?.type)) {
    const member = textMember(part);
    const text: unknown = part[member];
    if (typeof text === 'string') walk.string(text, pathTo(path, member), memberAt(walk.json, at, member));
    else walk.unknown++;
  } else if (CALL_PARTS.has(part?.type)) readMembers(walk, { at, path }, part);
  else if (part?.type !== 'artifact' || !isImage(part)) walk.unknown++;
}

const isImage = (part: ContentPart): boolean => {
  const member = imageMember(part);
  return (member === undefined ? part.kind : memberOf(part[member], 'kind')) === 'image';
};

type Own = ReadonlySet<string>;

/** The members of a part that {@link readPart} has read, or that are of its image; undefined: all of them, or it is of no known kind. */
function ownMembers(part: ContentPart): Own | undefined {
  if (TEXT_PARTS.has(part?.type)) return textMember(part) === 'text' ? OF_TEXT : OF_REFUSAL;
  return part?.type === 'artifact' && isImage(part) ? OF_IMAGE_PART : undefined;
}

const OF_TEXT: Own = new Set(['text']);
const OF_REFUSAL: Own = new Set(['refusal']);
const OF_IMAGE_PART: Own = new Set([...IMAGE_FIELDS, 'content', 'artifact', 'external_artifact_id']);

/** What is beside the image in a part, and in its image. */
function besideImage(part: ContentPart): unknown {
  if (part?.type !== 'artifact') return part;
  if (!isImage(part)) return null;
  const member = imageMember(part);
  const beside = without(OF_IMAGE_PART, part);
  if (member) beside[member] = without(IMAGE_FIELDS, part[member] as object);
  return beside;
}

const without = (own: Own, holder: object): MessageFields =>
  Object.fromEntries(Object.entries(holder).filter(([name]) => !own.has(name)));

/** Members of a message or a part that hold images and files of any shape. */
const MEDIA_MEMBERS: ReadonlySet<string> = new Set(
  (
    'image images image_url image_urls attachments experimental_attachments audio input_audio video videos file ' +
    'files'
  ).split(' '),
);

/** Reads a member of a message, or of a part, that stands beside what it is about. `counted`: the media of the holder are counted. */
function readBeside(walk: Walk, member: MessageMember, value: unknown, counted = false): void {
  const { name, nameAt, at } = member;
  if (!isMemberName(name)) walk.string(name, null, nameAt);
  if (saysNothing(name, value) || hasNoContent(name, walk.json, at)) return;
  const path = pathTo(member.path, name);
  const heard = name === 'audio' && isHeard(value);
  const isOfMedia = MEDIA_MEMBERS.has(name);
  // Media that are counted need no second note.
  const told = counted || heard || (name !== 'audio' && hasMedia(walk, value));
  if (isOfMedia && !told) walk.unread.push(toldOf(member));
  const inMedia = isOfMedia || isMedia(value);
  if (walk.json[at] === '{') readMembers(walk, { at, path }, value, inMedia);
  else readElements(walk, { at, path }, value, { name: isOfMedia ? 'data' : name, inMedia });
}

const hasMedia = ({ holders }: Walk, value: unknown): boolean =>
  typeof value === 'string' ? isDataUri(value) : holders.has(value);

/** Members that only wrap calls, or what a library keeps beside a message. */
const HOLDERS: ReadonlySet<string> = new Set(
  (
    'function custom function_call functionCall functionResponse tool_call tool_calls toolInvocation toolUse ' +
    'toolResult provider_specific_fields'
  ).split(' '),
);

/** Reads the members of a call, or of another object that stands in a message. Returns where it ends. */
function readMembers(walk: Walk, { at, path }: PlacedValue, value: unknown, around = false): number {
  const { json } = walk;
  const inMedia = around || isMedia(value);
  return eachMember(json, at, (start, nameAt) => {
    const name = nameOf(json, nameAt);
    if (hasNoContent(name, json, start)) return skipValue(json, start);
    if (!isMemberName(name)) walk.string(name, null, nameAt);
    const member = { at: start, path: pathTo(path, name) };
    const inner = memberOf(value, name);
    if (!HOLDERS.has(name)) return readValue(walk, member, inner, { name, inMedia });
    if (json[start] === '{') return readMembers(walk, member, inner, inMedia);
    return readElements(walk, member, inner, { name, inMedia });
  });
}

/** Reads a list of calls or the like; or a value of another shape. Returns where it ends. */
function readElements(walk: Walk, { at, path }: PlacedValue, list: unknown, around: ValueSurroundings): number {
  if (walk.json[at] !== '[') return readValue(walk, { at, path }, list, around);
  return eachElement(walk.json, at, (i, start) => {
    const element = { at: start, path: path && `${path}/${i}` };
    const value: unknown = Array.isArray(list) ? list[i] : undefined;
    if (walk.json[start] === '{') return readMembers(walk, element, value, around.inMedia);
    return readValue(walk, element, value, around);
  });
}

/** Of a value: its name, and whether it is in an image or a file, the data of which is not read. */
interface ValueSurroundings {
  name: string;
  inMedia: boolean;
}

/** Reads a value of any shape. Returns where it ends. */
function readValue(
  walk: Walk,
  { at, path }: PlacedValue,
  value: unknown,
  { name, inMedia }: ValueSurroundings,
): number {
  const { json } = walk;
  const end = skipValue(json, at);
  if (json[at] === '"') {
    const text = unescaped(json.slice(at + 1, end - 1));
    const isData = (inMedia && isMediaData(name, text)) || isDataUri(text);
    if (text !== '' && !isData) walk.string(text, path, at);
    return end;
  }
  if (!inMedia && !walk.holders.has(value)) {
    walk.value(at, end, path);
    return end;
  }
  const within = inMedia || isMedia(value);
  if (json[at] === '[') {
    eachElement(json, at, (i, start) => {
      const inner: unknown = Array.isArray(value) ? value[i] : undefined;
      return readValue(walk, { at: start, path: path && `${path}/${i}` }, inner, { name, inMedia: within });
    });
  } else if (json[at] === '{') {
    eachMember(json, at, (start, nameAt) => {
      const inner = nameOf(json, nameAt);
      walk.string(inner, null, nameAt);
      const member = { at: start, path: pathTo(path, inner) };
      return readValue(walk, member, memberOf(value, inner), { name: inner, inMedia: within });
    });
  } else walk.value(at, end, path);
  return end;
}

/** What is checked of a session: its last message, or where an adapter made it several messages (`shared/api/checked-messages.ts`). */
import { type CheckedMessages, CONVERSATION, numbersOf } from '../../../../shared/api/checked-messages.js';
import type { MessageInput, SessionRequest } from '../../../../shared/api/types.js';
import type { UncheckedMedia } from '../../../../shared/api/validate/media-within.js';
import { baseRole } from '../../../../shared/api/validate/session.js';
import { memberAt, skipValue } from '../../../../shared/json.js';
import { type ContentReader, type ContentReading, createReader } from '../../../../shared/policy/content/content.js';
import { isOneString, type MessageReading, readMessage, valuesOf } from '../../../../shared/policy/content/message.js';
import type { MessagesContent } from '../../../../shared/policy/types.js';

/** A message, and where it is in the body. */
export interface PlacedMessage {
  message: MessageInput;
  direction: 'input' | 'output';
  /** as it was sent */
  source: string;
  at: number;
  /** leads to it in what an adapter was sent; '' for a message that is no part of a conversation */
  path: string;
}

export interface Checked {
  /** at least one, in order */
  checked: readonly PlacedMessage[];
  /** those before them; none of a session that no adapter made */
  before: readonly PlacedMessage[];
}

/** `starts`: where each message begins in the body. */
export function checkedOf(
  { messages }: SessionRequest,
  made: CheckedMessages | undefined,
  { json, starts }: { json: string; starts: readonly number[] },
): Checked {
  const last = messages.length - 1;
  const from = Math.min(made?.from ?? last, last);
  const numbers = made ? numbersOf(made) : [];
  const placed = (i: number): PlacedMessage => {
    const [message, at, number] = [messages[i]!, starts[i]!, numbers[i] ?? -1];
    const path = number < 0 ? '' : `/${CONVERSATION}/${number}`;
    return { message, direction: directionOf(message), source: json.slice(at, skipValue(json, at)), at, path };
  };
  const range = (first: number, end: number): PlacedMessage[] =>
    Array.from({ length: end - first }, (_, i) => placed(first + i));
  return { checked: range(from, messages.length), before: made ? range(0, from) : [] };
}

export const directionOf = ({ role }: MessageInput): 'input' | 'output' =>
  baseRole(role) === 'assistant' ? 'output' : 'input';

export interface CheckedReading {
  /** of each message */
  readings: readonly MessageReading[];
  texts: (MessagesContent['texts'][number] & ContentReading)[];
  /** all texts, joined by newlines; '' where there is none */
  text: string;
  media: UncheckedMedia;
  unread: readonly string[];
}

/** What several messages say in each direction, in the order of {@link sided}. */
export function readChecked(messages: readonly PlacedMessage[]): CheckedReading {
  const readings = messages.map(({ message, source }) => readMessage(message, source));
  const texts = sided(messages).flatMap(([direction, side]) => {
    const reading = joined(side.map((i) => ({ ...messages[i]!, reading: readings[i]!.reading })));
    return reading ? [{ direction, ...reading }] : [];
  });
  const media = readings.map((reading) => reading.media);
  return {
    readings,
    texts,
    text: texts.map(({ text }) => text).join('\n'),
    media: {
      images: sum(media.map(({ images }) => images)),
      files: sum(media.map(({ files }) => files)),
      paths: media.flatMap(({ paths }) => paths),
    },
    unread: [...new Set(readings.flatMap(({ unread }) => unread))],
  };
}

const sum = (numbers: readonly number[]): number => numbers.reduce((all, one) => all + one, 0);

/** The numbers of the messages of each direction, in the order in which the directions come first. */
function sided(messages: readonly PlacedMessage[]): [direction: 'input' | 'output', numbers: number[]][] {
  const sides = new Map<'input' | 'output', number[]>();
  for (const [i, { direction }] of messages.entries()) {
    const side = sides.get(direction);
    if (side) side.push(i);
    else sides.set(direction, [i]);
  }
  return [...sides];
}

/** Messages in the order in which {@link readChecked} reads them. */
export const inOrder = (messages: readonly PlacedMessage[]): PlacedMessage[] =>
  sided(messages).flatMap(([, numbers]) => numbers.map((i) => messages[i]!));

/** The readings of messages as one; null: they have images only. */
function joined(messages: readonly (PlacedMessage & { reading: ContentReading | null })[]): ContentReading | null {
  const read = messages.filter(({ reading }) => reading !== null);
  if (read.length < 2) return read[0]?.reading ?? null;
  const reader = createReader();
  readAll(reader, read);
  return reader.done();
}

const NOTHING: ContentReading = { text: '' };

/** Reads messages one behind the other, with paths from what an adapter was sent. */
export function readAll(reader: ContentReader, messages: readonly PlacedMessage[]): void {
  for (const { message, source, path: base } of messages) {
    const behind = (path: string | null | undefined): string | null | undefined =>
      typeof path === 'string' ? `${base}${path}` : path;
    const within: ContentReader = {
      ...(reader.placing ? { placing: true } : {}),
      string: (text, path, at) => (reader.placing ? reader.string(text, behind(path), at) : reader.string(text)),
      json: (json, path, at) => (reader.placing ? reader.json(json, behind(path), at) : reader.json(json)),
      // It is asked for after each message, and is the same long text again.
      done: () => NOTHING,
    };
    if (!isOneString(message)) readMessage(message, source, within);
    else within.string(message.content as string, '/content', memberAt(source, 0, 'content'));
  }
}

/** Where the values begin in the body that the texts of messages are read from. */
export const valuesIn = (messages: readonly PlacedMessage[]): number[] =>
  inOrder(messages).flatMap(({ message, source, at }) => valuesOf(message, source).map((value) => at + value));

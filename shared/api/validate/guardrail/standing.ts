/**
 * Finds the texts and calls of a gateway's call in its messages, which they were taken from. A gateway lists them in the order of the
 * messages, but may have translated the messages from another API: then several texts may stand in one string.
 */
import type { Message } from './roles.js';

/** Where a text stands: number of the message, and the way to the string in it. */
export interface MessageTextPlace {
  message: number;
  path: readonly (string | number)[];
}

/** Where a text of the list stands; `whole`: it is all of that string. */
export interface Standing extends MessageTextPlace {
  whole: boolean;
}

interface Spoken extends MessageTextPlace {
  text: string;
  /** up to here it is found already */
  taken: number;
}

/** Strings behind the last one that was found in which a part of one is sought. */
const NEAR = 64;

/** Where each of `texts` stands in `messages`; undefined: in none. Each string counts once. Messages for which `in` is false are skipped. */
export function standingIn(
  texts: readonly string[],
  messages: readonly Message[],
  isIn: (message: number) => boolean,
): (Standing | undefined)[] {
  const spoken = messages.flatMap((message, i) => (isIn(i) ? stringsOf(message, i) : []));
  const known = new Map<string, number[]>();
  for (const [i, { text }] of spoken.entries()) {
    const places = known.get(text);
    if (places) places.push(i);
    else known.set(text, [i]);
  }
  // Taken from the end: a list that is shifted is copied each time.
  for (const places of known.values()) places.reverse();
  let next = 0;
  return texts.map((text) => {
    const exact = known.get(text)?.pop();
    if (exact !== undefined) {
      next = exact + 1;
      spoken[exact]!.taken = text.length;
      return { ...placeOf(spoken[exact]!), whole: true };
    }
    if (text === '') return undefined;
    for (let i = Math.max(0, next - 1); i < Math.min(spoken.length, next + NEAR); i++) {
      const string = spoken[i]!;
      const end = endOfPart(string, text);
      if (end < 0) continue;
      string.taken = end;
      next = i + 1;
      return { ...placeOf(string), whole: false };
    }
    return undefined;
  });
}

const placeOf = ({ message, path }: Spoken): MessageTextPlace => ({ message, path });

/** Where a part ends that begins where the one before it ended, or behind the space there; -1: it is none. */
function endOfPart({ text, taken }: Spoken, part: string): number {
  if (text.startsWith(part, taken)) return taken + part.length;
  let at = taken;
  while (at > 0 && /\s/.test(text.charAt(at))) at++;
  return at > taken && text.startsWith(part, at) ? at + part.length : -1;
}

/** The strings of a message that a gateway may take for texts, in order. */
export function stringsOf(message: Message, number: number): Spoken[] {
  const found: Spoken[] = [];
  const add = (value: unknown, path: (string | number)[]): void => {
    if (typeof value === 'string') found.push({ text: value, message: number, path, taken: 0 });
    else if (Array.isArray(value)) for (const [i, one] of value.entries()) addPart(one, [...path, i]);
  };
  const addPart = (part: unknown, path: (string | number)[]): void => {
    if (typeof part === 'string') add(part, path);
    if (typeof part !== 'object' || part === null) return;
    for (const name of TEXTS) if (name in part) add((part as Message)[name], [...path, name]);
  };
  for (const name of CONTENTS) add(message[name], [name]);
  return found;
}

/** Members of a message, and of its parts, that hold texts. */
const CONTENTS = ['content', 'output'] as const;
const TEXTS = ['text', 'refusal', 'content', 'output'] as const;

/** What tells one call of a tool from another: its name and its arguments. */
export function callKey(call: unknown): string {
  const { function: inner, name, arguments: given, input, args } = (call ?? {}) as Message;
  if (typeof inner === 'object' && inner !== null) return callKey(inner);
  const written = given ?? input ?? args ?? null;
  return JSON.stringify([name ?? null, typeof written === 'string' ? written : JSON.stringify(written)]);
}

/** Keys of all calls in a message. */
export function callsIn({ tool_calls, function_call, content, ...item }: Message): string[] {
  const parts = Array.isArray(content) ? content : [];
  const calls = [...(Array.isArray(tool_calls) ? tool_calls : []), function_call, ...parts, item];
  return calls.filter(isCall).map(callKey);
}

const isCall = (value: unknown): boolean =>
  typeof value === 'object' && value !== null && ('function' in value || 'name' in value);

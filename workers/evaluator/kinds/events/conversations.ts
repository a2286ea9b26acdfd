/** Earlier texts of the conversations of a batch, which grow with each of its events. Kept only where the plan looks back. */

import { keys } from '../../../../shared/streams/keys.js';
import type { Draft, Entry } from '../../draft.js';
import { contextMember } from '../../gather/context.js';

export interface Conversations {
  /** texts before the current one, oldest first */
  before(conversation: string): readonly string[];
  add(conversation: string, item: number, text: string): void;
  /** texts of the batch that later checks may look back on. `kept`: what is kept of the text of an item; undefined: nothing is */
  written(kept?: (item: number, text: string) => string | undefined): Draft['context'];
}

const NO_TEXTS: readonly string[] = [];
const NO_CONVERSATIONS: Conversations = { before: () => NO_TEXTS, add: () => {}, written: () => [] };

export function conversationsOf({ header, gathered }: Entry): Conversations {
  if (header.conversations === undefined) return NO_CONVERSATIONS;
  const texts = new Map<string, string[]>();
  const items = new Map<string, number[]>();
  const depth = header.contextDepth ?? 0;
  for (const [conversation, earlier] of Object.entries(gathered.context)) texts.set(conversation, [...earlier]);
  return {
    before: (conversation) => texts.get(conversation) ?? NO_TEXTS,
    add(conversation, item, text) {
      keepLast(texts, conversation, text, depth);
      keepLast(items, conversation, item, depth);
    },
    written: (kept = (_, text) => text) =>
      [...items].flatMap(([conversation, numbers]): Draft['context'] => {
        const last = texts.get(conversation)!.slice(-numbers.length);
        const members = numbers.flatMap((item, i) => {
          const text = kept(item, last[i]!);
          return text === undefined ? [] : [contextMember('events', header.id, item, text)];
        });
        return members.length === 0 ? [] : [[keys.context(header.team, header.scope, conversation), members]];
      }),
  };
}

/** Appends to a list, and drops its oldest element beyond `depth`: no policy looks further back. */
function keepLast<T>(lists: Map<string, T[]>, key: string, value: T, depth: number): void {
  const list = lists.get(key);
  if (!list) lists.set(key, [value]);
  else if (list.push(value) > depth) list.shift();
}

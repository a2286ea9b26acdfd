/**
 * Earlier texts of conversations, made again from stored events as they were kept in Redis: as many, as long and as many bytes of them,
 * for an hour after the last. Events come in the order of their sequence.
 */
import { CONTEXT_BYTES, CONTEXT_SECONDS, contextMember, endOf } from '../../../workers/evaluator/gather/context.js';

/** A text, or null where it is not stored any more. */
type Text = string | null;

interface PastConversation {
  /** of earlier requests, oldest first */
  kept: Text[];
  /** of the request with this sequence */
  sequence: number;
  fresh: Text[];
  /** Unix ms of the last text */
  last: number;
}

export interface EarlierTexts {
  /** The texts before an event, oldest first; undefined: some of them is not stored. */
  before(conversation: string, sequence: number, time: number): readonly string[] | undefined;
  add(conversation: string, event: { sequence: number }, time: number, text: Text): void;
  /** Drops conversations whose time is over at `time`, and beyond the limit of characters the oldest. */
  drop(time: number): void;
}

/** Characters of texts that a thread holds. */
const MOST_CHARACTERS = 128 * 1024 * 1024;
const LIFE_MS = CONTEXT_SECONDS * 1000;
const MOST_BYTES = CONTEXT_BYTES.events;
/** Bytes of a member beside its text. */
const FRAME = contextMember('events', '0'.repeat(36), 1, '').length;

/** `depth`: texts that policies look at. */
export function createEarlierTexts(depth: number): EarlierTexts {
  const conversations = new Map<string, PastConversation>();
  const missing: readonly Text[] = [null];
  /** conversations before this time may be forgotten */
  let forgotten = 0;

  /** The conversation at an event of a request. What earlier requests added is kept as Redis does. */
  function at(id: string, sequence: number, time: number): PastConversation {
    let known = conversations.get(id);
    if (!known || time - known.last > LIFE_MS) {
      const kept = forgotten > 0 && time - forgotten < LIFE_MS ? [...missing] : [];
      known = { kept, sequence, fresh: [], last: time };
      conversations.set(id, known);
    }
    if (known.sequence !== sequence) {
      known.kept = trimmed([...known.kept, ...known.fresh.map(shortened)], depth);
      known.fresh = [];
      known.sequence = sequence;
    }
    return known;
  }

  return {
    before(id, sequence, time) {
      const { kept, fresh } = at(id, sequence, time);
      const texts = [...kept, ...fresh].slice(-depth);
      return texts.includes(null) ? undefined : (texts as string[]);
    },
    add(id, { sequence }, time, text) {
      const known = at(id, sequence, time);
      known.fresh.push(text);
      if (known.fresh.length > depth) known.fresh.shift();
      known.last = time;
      // The order of insertion is that of use.
      conversations.delete(id);
      conversations.set(id, known);
    },
    drop(time) {
      let characters = 0;
      for (const each of conversations.values()) characters += sizeOf(each);
      for (const [id, each] of conversations) {
        const over = time - each.last > LIFE_MS;
        if (!over && characters <= MOST_CHARACTERS) break;
        if (!over) forgotten = Math.max(forgotten, each.last);
        characters -= sizeOf(each);
        conversations.delete(id);
      }
    },
  };
}

const sizeOf = ({ kept, fresh }: PastConversation): number =>
  [...kept, ...fresh].reduce((sum, text) => sum + (text?.length ?? 0) + FRAME, 0);

const shortened = (text: Text): Text => text && endOf(text, MOST_BYTES - FRAME);

/** The last texts that are kept: one at least, and no more than `depth` and the limit of bytes. */
function trimmed(texts: readonly Text[], depth: number): Text[] {
  const kept: Text[] = [];
  let bytes = 0;
  for (const text of texts.slice(-depth).reverse()) {
    bytes += FRAME + Buffer.byteLength(text ?? '');
    if (bytes > MOST_BYTES && kept.length > 0) break;
    kept.unshift(text);
  }
  return kept;
}

/** An event as it is put in order. */
interface Ordered {
  id: string;
  sequence: number;
  /** Unix ms */
  time: number;
  conversation: string;
}

/**
 * The events of a slice that ends at `end`, in the order of their results. Of the events after it those are among them whose result came
 * before that of an event of the slice, in the same conversation. They are added to `early`, and the next slice is without them.
 */
export function inOrder<T extends Ordered>(events: readonly T[], end: number, early: Set<string>): T[] {
  const sorted = events
    .filter(({ id }) => !early.has(id))
    // Those of one request share a sequence. Their ids end with their numbers.
    .sort((a, b) => a.sequence - b.sequence || (a.id < b.id ? -1 : 1));
  const last = new Map<string, number>();
  for (const [i, { time, conversation }] of sorted.entries()) if (time < end) last.set(conversation, i);
  early.clear();
  return sorted.filter(({ id, time, conversation }, i) => {
    if (time < end) return true;
    if (i > (last.get(conversation) ?? -1)) return false;
    early.add(id);
    return true;
  });
}

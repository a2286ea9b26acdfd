/** Reads the items of a caller's session in their order, the oldest first, with what was checked where that is asked for. */
import { partsOf } from '../../ids.js';
import type { Ask } from './ask.js';
import { placesOf } from './items.js';
import { itemsAt, type PastItem, type PastItemRow, pastItem } from './past.js';
import { type PastFilter, parametersOf, wanted } from './past-filter.js';

export interface ConversationQuestion extends PastFilter {
  /** id of an item: only those that came after it; '': from the oldest on */
  after: string;
  limit: number;
  /** what was checked is wanted, too */
  contents: boolean;
}

export interface ConversationPage {
  /** `content`: absent where it is not asked for, or not stored (any more) */
  messages: (PastItem & { content?: string })[];
  /** there may be more after this item */
  next: string | undefined;
}

/** Throws `HistoryUnavailable`. */
export interface ConversationQueries {
  conversation(question: ConversationQuestion): Promise<ConversationPage>;
}

/** Bytes of contents of a page; one message alone may have more. */
const MOST_BYTES = 1024 * 1024;

const oldest = (
  conditions: string,
): string => `SELECT toUnixTimestamp64Milli(ts) AS ms, scope, toString(items.id) AS id FROM items
  WHERE ${conditions} ORDER BY ts, toUInt128(items.id) LIMIT 1 BY items.id LIMIT {most:UInt32}`;
/** The time of an item is that of its id. */
const AFTER = `(ts, toUInt128(items.id)) > (fromUnixTimestamp64Milli({after_ms:Int64}, 'UTC'), toUInt128({after:UUID}))`;

const PLACES = `PREWHERE (team, scope, ts, contents.id) IN {places:Array(Tuple(String, String, DateTime64(3, 'UTC'), UUID))}`;
const SIZES = `SELECT toString(contents.id) AS id, max(length(content)) AS bytes FROM contents ${PLACES} GROUP BY contents.id`;
const CONTENTS = `SELECT toString(contents.id) AS id, argMax(content, version) AS text FROM contents ${PLACES} GROUP BY contents.id`;

interface PlaceRow {
  ms: string | number;
  scope: string;
  id: string;
}

export function conversationQueries({ bounded, select }: Ask): ConversationQueries {
  return {
    conversation: ({ after, limit, contents, ...filter }) =>
      bounded(filter.team, async (signal) => {
        const conditions = wanted({ ...filter, verdict: '' });
        const parameters = parametersOf(filter);
        const cursor = after === '' ? {} : { after, after_ms: partsOf(after)!.time };
        const found = await select<PlaceRow>(
          oldest(after === '' ? conditions : `${conditions} AND ${AFTER}`),
          { ...parameters, ...cursor, most: limit + 1 },
          signal,
        );
        const first = found.slice(0, limit);
        if (first.length === 0) return { messages: [], next: undefined };
        const at = (some: readonly PlaceRow[]) => ({
          places: some.flatMap(({ ms, scope, id }) => placesOf([{ ms: Number(ms), id }], [filter.team, scope])),
        });
        const sizes = contents ? await select<{ id: string; bytes: string | number }>(SIZES, at(first), signal) : [];
        const page = fitting(first, new Map(sizes.map(({ id, bytes }) => [id, Number(bytes)])));
        const rows = await select<PastItemRow>(itemsAt(conditions), { ...parameters, ...at(page) }, signal);
        const texts = contents ? await select<{ id: string; text: string }>(CONTENTS, at(page), signal) : [];
        const textOf = new Map(texts.map(({ id, text }) => [id, text]));
        const messages = rows.map(pastItem).reverse();
        return {
          messages: messages.map((item) => {
            // Content that is not kept is stored as an empty one. Of an image it would be where that came from.
            const content = item.type === 'artifact' ? '' : (textOf.get(item.id) ?? '');
            return content === '' ? item : { ...item, content };
          }),
          next: found.length > page.length ? page.at(-1)!.id : undefined,
        };
      }),
  };
}

/** As many of the first as have room together, one at least. */
function fitting(all: readonly PlaceRow[], sizes: ReadonlyMap<string, number>): readonly PlaceRow[] {
  let bytes = 0;
  const end = all.findIndex(({ id }, i) => {
    bytes += sizes.get(id) ?? 0;
    return bytes > MOST_BYTES && i > 0;
  });
  return end < 0 ? all : all.slice(0, end);
}

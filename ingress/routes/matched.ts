/**
 * The texts that evidence leads into, where the query asks for what was found (`matched=true`). A check still has its body. A look-up asks
 * history, which has a content from when it is archived until it is no longer kept.
 */
import { viewedItem } from '../../shared/api/results/explanation.js';
import { kindOf, type ResultRecord, type StoredItem } from '../../shared/api/results/record.js';
import { actorOf } from '../audit/actor.js';
import type { CheckRequest } from '../dispatch/types.js';
import type { Edge, Exchange } from '../http/exchange.js';
import { textOf } from '../parse/content-texts.js';

export type ItemTexts = ReadonlyMap<number, string>;

/** Evidence in texts, as it is written in explanations. */
export const OF_TEXT = '"source":"text"';

/** The texts of the items of a check that have evidence in them. Undefined: there is none. A reference has no text of its own. */
export function checkedTexts(
  edge: Edge,
  { kind, body, team, requestId }: CheckRequest,
  record: ResultRecord,
): ItemTexts | Promise<ItemTexts> | undefined {
  const found = record.items.filter(
    ({ target, explained }) => target === null && record.fragments[explained]?.includes(OF_TEXT),
  );
  if (found.length === 0) return undefined;
  return edge.parser.texts({ kind, body, items: found.map(({ item }) => item) }, team, requestId);
}

const GONE = 'no matched texts: the content is not archived yet, or no longer kept';
const UNREAD = 'no matched texts: stored content cannot be read at the moment';

/** Most items whose contents are read at once. */
const MOST_AT_ONCE = 10;

/** Stored items of one team and scope as the query wants them. */
export async function viewedStored(
  edge: Edge,
  exchange: Exchange,
  items: readonly StoredItem[],
): Promise<StoredItem[]> {
  const { view } = exchange;
  if (!view.matched) return items.map((item) => viewedItem(item, view));
  const viewed: StoredItem[] = [];
  for (let i = 0; i < items.length; i += MOST_AT_ONCE) {
    const some = items.slice(i, i + MOST_AT_ONCE);
    const wanted = some.filter(({ explained }) => explained.includes(OF_TEXT));
    const contents = wanted.length === 0 ? NONE : await readContents(edge, exchange, wanted);
    for (const item of some) {
      const content = contents?.get(item.id);
      const text = content === undefined ? undefined : storedText(item, content);
      const told = text !== undefined || !wanted.includes(item) ? item : noted(item, contents ? GONE : UNREAD);
      viewed.push(viewedItem(told, view, text === undefined ? undefined : { kept: text }));
    }
  }
  return viewed;
}

const NONE: ReadonlyMap<string, string> = new Map();

/** Undefined: history cannot be asked, or the audit log cannot be told. */
async function readContents(
  edge: Edge,
  exchange: Exchange,
  items: readonly StoredItem[],
): Promise<ReadonlyMap<string, string> | undefined> {
  const contents = await contentsOf(edge, items);
  const read = items.filter(({ id }) => contents?.has(id));
  if (read.length === 0) return contents;
  const actor = actorOf(exchange);
  const told = edge.audit.tell(
    read.map((item) => ({
      team: item.team,
      action: 'content.read',
      actor,
      scope: item.scope,
      subject: { kind: kindOf(item), id: item.id },
    })),
  );
  return await told.then(
    () => contents,
    () => undefined,
  );
}

/** Undefined: history cannot be asked. */
async function contentsOf(edge: Edge, items: readonly StoredItem[]): Promise<ReadonlyMap<string, string> | undefined> {
  const { team, scope } = items[0]!;
  const ids = items.map(({ id }) => id);
  const found = await edge.lookup.contents(team, scope, ids);
  return found.status === 'found' ? found.value : undefined;
}

/** Of a chat, history has the text itself. Of an event it has a string as it was, which evidence has no paths in, or JSON. */
export const storedText = ({ kind, explained }: Pick<StoredItem, 'kind' | 'explained'>, content: string): string =>
  kind !== 'session' && explained.includes('"path":') ? textOf(content) : content;

/** An item with one more note. */
export const noted = (item: StoredItem, more: string): StoredItem => ({
  ...item,
  note: item.note === '' ? more : `${item.note}; ${more}`,
});

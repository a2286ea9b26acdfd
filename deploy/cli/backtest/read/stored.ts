/** Reads what is stored of a slice: the items with their verdicts, and their contents. */
import type { HistoryClient } from '../../../../shared/history/client.js';
import { GIVEN } from '../../../../shared/history/read/labels.js';
import { AnswerTooLarge, ask, askRows } from './ask.js';
import { type BacktestSlice, EVENTS, OF_SLICE } from './question.js';

/** An item as it is stored, without its content. */
export interface BacktestItem {
  id: string;
  version: number;
  kind: 'events' | 'event' | 'session' | 'artifact';
  type: string;
  field: string;
  role: string;
  name: string;
  /** number of the configuration that it was judged by */
  config: number;
  /** policies that could not be evaluated then */
  notEvaluated: number;
  /** it had no verdict, or one without some policies */
  failed: boolean;
  /** stands for the policies map */
  map: string;
  /** it is among those that are evaluated */
  chosen: boolean;
  sequence: number;
  runId: string;
  externalSessionId: string;
}

/** One of `parts` shares of the conversations of a scope. */
export interface ConversationShare {
  part: number;
  parts: number;
}

/** Which items of a slice are read. */
export interface SliceSelection {
  /** of a million items, by their ids, so many are evaluated */
  perMillion: number;
  /** no sessions and artifacts */
  eventsOnly: boolean;
  /** only items that have a label */
  labelledOnly: boolean;
  /** absent: all of them, and nothing of their conversations */
  share?: ConversationShare;
}

const SAMPLED = 'cityHash64(id) % 1000000 < {perMillion:UInt32}';
const LABELLED = `id IN (SELECT id FROM labels FINAL WHERE ${OF_SLICE} AND ${GIVEN})`;
const evaluated = ({ labelledOnly }: SliceSelection): string => (labelledOnly ? `${SAMPLED} AND ${LABELLED}` : SAMPLED);
const SHARE = `cityHash64(coalesce(external_session_id, run_id, '')) % {parts:UInt32} = {part:UInt32}`;

/** With conversations all items are read: those that are not evaluated may be earlier texts of others. */
const itemsWhere = (reading: SliceSelection): string =>
  `${OF_SLICE} AND ${reading.share ? SHARE : evaluated(reading)}${reading.eventsOnly ? ` AND ${EVENTS}` : ''}`;
const CONVERSATION = `toString(sequence), ifNull(run_id, ''), ifNull(external_session_id, '')`;

/** The items of a slice by id, each in its newest version. */
export async function readItems(
  client: HistoryClient,
  slice: BacktestSlice,
  reading: SliceSelection,
): Promise<Map<string, BacktestItem>> {
  const items = new Map<string, BacktestItem>();
  const columns = `id, version, kind, type, field, ifNull(role, ''), ifNull(name, ''), config, not_evaluated, status = 'failed', toString(cityHash64(policies)), ${evaluated(reading)}`;
  const query = `SELECT ${columns}${reading.share ? `, ${CONVERSATION}` : ''} FROM items WHERE ${itemsWhere(reading)}`;
  await askRows(client, query, parametersOf(slice, reading), {
    begin: () => items.clear(),
    take(row) {
      const item = itemOf(row);
      const known = items.get(item.id);
      if (!known || known.version < item.version) items.set(item.id, item);
    },
  });
  return items;
}

function itemOf(row: readonly unknown[]): BacktestItem {
  const [id, version, kind, type, field, role, name, config, notEvaluated, failed, map, chosen, ...conversation] = row;
  const [sequence = '0', runId = '', externalSessionId = ''] = conversation as string[];
  return {
    id,
    version,
    kind,
    type,
    field,
    role,
    name,
    config,
    notEvaluated,
    failed: failed === 1,
    map,
    chosen: chosen === 1,
    sequence: Number(sequence),
    runId,
    externalSessionId,
  } as BacktestItem;
}

/** Characters of contents of a slice. A slice with more is read in parts. */
const MOST_CHARACTERS = 64 * 1024 * 1024;

/** The contents of `items` that are stored, by id. Throws {@link AnswerTooLarge} where they are too large for memory. */
export async function readContents(
  client: HistoryClient,
  slice: BacktestSlice,
  { items, ...reading }: SliceSelection & { items: ReadonlyMap<string, BacktestItem> },
): Promise<Map<string, { content: string; metadata: string }>> {
  const contents = new Map<string, { content: string; metadata: string }>();
  if (items.size === 0) return contents;
  let characters = 0;
  const among = reading.share ? `id IN (SELECT id FROM items WHERE ${itemsWhere(reading)})` : evaluated(reading);
  const query = `SELECT id, version, content, ifNull(metadata, '') FROM contents WHERE ${OF_SLICE} AND ${among}`;
  await askRows(client, query, parametersOf(slice, reading), {
    begin() {
      contents.clear();
      characters = 0;
    },
    take(row) {
      const [id, version, content, metadata] = row as [string, number, string, string];
      // A dead letter that was replayed has another version until it is merged.
      if (items.get(id)?.version !== version || contents.has(id)) return;
      characters += content.length + metadata.length;
      if (characters > MOST_CHARACTERS) throw new AnswerTooLarge(`contents of more than ${MOST_CHARACTERS} characters`);
      contents.set(id, { content, metadata });
    },
  });
  return contents;
}

/** The policies maps that stand behind the hashes `maps`, which are those of items of the slice. */
export async function readMaps(
  client: HistoryClient,
  slice: BacktestSlice,
  maps: readonly string[],
): Promise<Map<string, string>> {
  const rows = await ask<{ map: string; json: string }>(
    client,
    `SELECT toString(cityHash64(policies)) AS map, any(policies) AS json FROM items
     WHERE ${OF_SLICE} AND toString(cityHash64(policies)) IN {maps:Array(String)} GROUP BY map`,
    { ...slice, maps },
  );
  return new Map(rows.map(({ map, json }) => [map, json]));
}

const parametersOf = (slice: BacktestSlice, { perMillion, share }: SliceSelection): Record<string, unknown> => ({
  ...slice,
  perMillion,
  ...share,
});

/** A configuration that was applied, as it is stored. */
export interface AppliedConfiguration {
  number: number;
  /** Unix ms */
  applied: number;
  json: string;
}

/** The configuration that a number stood for at a time. Numbers are used again where Redis was emptied. */
export async function readConfigurations(client: HistoryClient): Promise<AppliedConfiguration[]> {
  const rows = await ask<{ number: number; ms: string; configuration: string }>(
    client,
    `SELECT number, toString(toUnixTimestamp64Milli(applied)) AS ms, configuration FROM configurations FINAL ORDER BY applied`,
    {},
  );
  return rows.map(({ number, ms, configuration }) => ({ number, applied: Number(ms), json: configuration }));
}

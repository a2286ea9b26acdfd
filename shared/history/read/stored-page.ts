/**
 * Reads a page of what was checked, with what was checked, so that it can be judged again: the newest first, as many items as a page may have, and
 * fewer where they are long. Of an item that is stored more than once, the row with the highest version counts.
 */
import type { CheckKind } from '../../api/types.js';
import { partsOf } from '../../ids.js';
import type { StoredPage } from '../../streams/tries.js';
import type { Ask, SelectRows } from './ask.js';
import { AT_PLACES, placeOf, placesOf } from './items.js';
import { BEFORE } from './past.js';

export interface StoredPageQuestion {
  team: string;
  /** environment, or deployment */
  scope: string;
  kind: 'environment' | 'deployment';
  /** Unix ms; `to` is not in it */
  from: number;
  to: number;
  /** id of an item: only those that came before it; '': from the newest on, which also counts all */
  before: string;
}

/** Items as they are stored, without labels. */
export interface ReadPage {
  page: StoredPage;
  /** there may be more behind the last one */
  more: boolean;
  /** items of the whole time, on the first page */
  total: number | undefined;
}

/** Throws `HistoryUnavailable`. */
export interface StoredPageQueries {
  storedPage(question: StoredPageQuestion): Promise<ReadPage>;
}

/** Items of a page, and bytes of their contents and policies maps; one item alone may have more. */
const MOST_ITEMS = 200;
const MOST_BYTES = 1024 * 1024;

const KINDS: Record<StoredPageQuestion['kind'], readonly CheckKind[]> = {
  environment: ['events', 'event'],
  deployment: ['session', 'artifact'],
};

const WHERE = `team = {team:String} AND scope = {scope:String} AND kind IN {kinds:Array(String)}
  AND ts >= fromUnixTimestamp64Milli({from:Int64}, 'UTC') AND ts < fromUnixTimestamp64Milli({to:Int64}, 'UTC')`;

const items = (
  conditions: string,
): string => `SELECT toString(items.id) AS item, toString(request_id) AS request, kind, type, field, ifNull(role, '') AS role,
    ifNull(name, '') AS name, config, not_evaluated, status = 'failed' AS has_failed, toString(cityHash64(policies)) AS map
  FROM items WHERE ${conditions} ORDER BY ts DESC, toUInt128(items.id) DESC, version DESC LIMIT 1 BY items.id LIMIT {most:UInt32}`;

const COUNT = `SELECT uniqExact(id) AS total FROM items WHERE ${WHERE}`;
const MAPS = `SELECT toString(cityHash64(policies)) AS map, any(policies) AS json FROM items ${AT_PLACES} GROUP BY map`;
const SIZES = `SELECT toString(id) AS item, max(length(content) + length(ifNull(metadata, ''))) AS bytes FROM contents ${AT_PLACES} GROUP BY item`;
const CONTENTS = `SELECT toString(id) AS item, version, content, ifNull(metadata, '') AS metadata FROM contents ${AT_PLACES}`;
/** Chats that came with images. */
const WITH_IMAGES = `SELECT DISTINCT toString(request_id) AS request FROM items
  WHERE team = {team:String} AND scope = {scope:String} AND kind = 'session' AND type = 'artifact'
    AND ts IN {times:Array(DateTime64(3, 'UTC'))} AND request_id IN {requests:Array(UUID)}`;

interface ItemRow {
  item: string;
  request: string;
  kind: CheckKind;
  type: string;
  field: string;
  role: string;
  name: string;
  config: number;
  not_evaluated: number;
  has_failed: number;
  map: string;
}

interface ContentRow {
  item: string;
  version: number;
  content: string;
  metadata: string;
}

export function storedPageQueries({ bounded, select }: Ask): StoredPageQueries {
  return {
    storedPage: (question) =>
      bounded(question.team, (signal) => readPage((query, parameters) => select(query, parameters, signal), question)),
  };
}

async function readPage(rows: SelectRows, { before, kind, ...rest }: StoredPageQuestion): Promise<ReadPage> {
  const where = { ...rest, kinds: KINDS[kind] };
  const total = before === '' ? Number((await rows<{ total: string | number }>(COUNT, where))[0]!.total) : undefined;
  const cursor = before === '' ? {} : { before, before_ms: partsOf(before)!.time };
  const found = await rows<ItemRow>(items(before === '' ? WHERE : `${WHERE} AND ${BEFORE}`), {
    ...where,
    ...cursor,
    most: MOST_ITEMS + 1,
  });
  const first = found.slice(0, MOST_ITEMS);
  if (first.length === 0) return { page: { items: [], maps: [] }, more: false, total };
  const { team, scope } = rest;
  const at = (some: readonly ItemRow[]): Record<string, unknown> => ({
    team,
    scope,
    places: placesOf(some.map(({ item }) => placeOf(item))),
  });
  const maps = new Map((await rows<{ map: string; json: string }>(MAPS, at(first))).map((row) => [row.map, row.json]));
  const sizes = await rows<{ item: string; bytes: string | number }>(SIZES, at(first));
  const chosen = fitting(first, maps, new Map(sizes.map(({ item, bytes }) => [item, Number(bytes)])));
  const contents = await rows<ContentRow>(CONTENTS, at(chosen));
  // The highest version is the last one that is put in.
  contents.sort((a, b) => a.version - b.version);
  const stored = new Map(contents.map((row) => [row.item, row]));
  const images = await withImages(rows, { team, scope }, chosen);
  return { page: pageOf(chosen, { maps, stored, images }), more: found.length > chosen.length, total };
}

/** As many of the first as have room together, one at least. */
function fitting(
  all: readonly ItemRow[],
  maps: ReadonlyMap<string, string>,
  sizes: ReadonlyMap<string, number>,
): ItemRow[] {
  const seen = new Set<string>();
  let bytes = 0;
  const end = all.findIndex(({ item, map }, i) => {
    bytes += (sizes.get(item) ?? 0) + (seen.has(map) ? 0 : (maps.get(map)?.length ?? 0));
    seen.add(map);
    return bytes > MOST_BYTES && i > 0;
  });
  return end < 0 ? [...all] : all.slice(0, end);
}

async function withImages(
  rows: SelectRows,
  owner: { team: string; scope: string },
  some: readonly ItemRow[],
): Promise<ReadonlySet<string>> {
  const chats = some.filter(({ kind, type }) => kind === 'session' && type !== 'artifact');
  if (chats.length === 0) return new Set();
  const times = [...new Set(chats.map(({ item }) => placeOf(item).ms))].map((ms) =>
    (ms / 1000).toFixed(3).padStart(14, '0'),
  );
  const requests = chats.map(({ request }) => request);
  const found = await rows<{ request: string }>(WITH_IMAGES, { ...owner, times, requests });
  return new Set(found.map(({ request }) => request));
}

interface PageParts {
  maps: ReadonlyMap<string, string>;
  stored: ReadonlyMap<string, ContentRow>;
  /** requests */
  images: ReadonlySet<string>;
}

function pageOf(chosen: readonly ItemRow[], { maps, stored, images }: PageParts): StoredPage {
  const numbers = new Map<string, number>();
  const numberOf = (map: string): number => {
    const known = numbers.get(map) ?? numbers.size;
    numbers.set(map, known);
    return known;
  };
  const all = chosen.map(({ item, request, not_evaluated, has_failed, map, ...row }) => {
    const { content = null, metadata = '' } = stored.get(item) ?? {};
    return {
      ...row,
      id: item,
      notEvaluated: not_evaluated,
      failed: Number(has_failed) === 1,
      image: row.type === 'artifact' || images.has(request),
      map: numberOf(map),
      content,
      metadata,
      truths: [],
    };
  });
  return { items: all, maps: [...numbers.keys()].map((map) => maps.get(map) ?? '{}') };
}

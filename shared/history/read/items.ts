/** Reads stored items by their place. Of one item, the row with the highest version counts. */
import { TupleParam } from '@clickhouse/client';
import {
  type ItemKind,
  kindOf,
  type RecordOwner,
  type ResultRecord,
  type StoredItem,
} from '../../api/results/record.js';
import type { CheckKind, EventStatus } from '../../api/types.js';
import { itemId, partsOf } from '../../ids.js';
import type { Ask } from './ask.js';
import { createJoined } from './joined.js';

/** Where an item is: time and id are the rest of the sorting key. */
export interface ItemPlace {
  /** Unix ms */
  ms: number;
  id: string;
}

export interface ItemKey extends RecordOwner {
  /** `event` finds an event of a batch too; `artifact` also finds an artifact that is a part of a session */
  kind: ItemKind;
  id: string;
}

/** A request, by its id (item 0). */
export interface RequestKey extends RecordOwner {
  kind: CheckKind;
  id: string;
}

export interface ItemQueries {
  /** with the metadata of an event */
  itemById(key: ItemKey): Promise<StoredItem | undefined>;
  /** those of items `numbers` of a request that are stored, without metadata */
  requestItems(request: RequestKey, numbers: readonly number[]): Promise<StoredItem[]>;
  /** whether one of items `numbers` of a request was erased */
  isErased(request: RequestKey, numbers: readonly number[]): Promise<boolean>;
}

/** What is read beside items: the metadata of events, or the sessions that artifacts are linked to. */
export type BesideItem = 'metadata' | 'session';

/**
 * Time and id are the rest of the sorting key, so each item costs one granule. Nearly all of the time of such a query goes into planning it,
 * and grows with every name in it. So PREWHERE says what the engine would work out, and the highest version is chosen here. As one tuple a key
 * costs 0.3 ms less for two tables than as three conditions, and the values of a row as one 0.2 ms less than as four.
 */
export const AT_PLACES = `PREWHERE team = {team:String} AND scope = {scope:String}
    AND (ts, id) IN {places:Array(Tuple(DateTime64(3, 'UTC'), UUID))}`;
const AT_FEW = "PREWHERE (team, scope, ts, id) IN {places:Array(Tuple(String, String, DateTime64(3, 'UTC'), UUID))}";
/**
 * Most items that are asked for by their whole keys: of many the parameter would be too long. Look-ups of as many share one query with all that
 * belongs to them. More are looked for first: many at a time are mostly absent ones, and metadata may be large.
 */
const FEW = 4;

/** A {@link StoredRow} each. */
const ITEMS = `SELECT toJSONString(tuple(id, version, request_id, kind, type, event_id, run_id, external_session_id,
    external_artifact_id, status, flagged, policies, explained, note, error, sequence, toUnixTimestamp64Milli(received),
    toUnixTimestamp64Milli(completed))) AS value FROM items`;

/**
 * A {@link BesideRow} each. One query for two tables costs half of two queries. A tuple of plain columns alone would have their names, and be
 * written as an object, on servers with `enable_named_columns_in_function_tuple`: hence `toString`.
 */
const BESIDES: Record<BesideItem, string> = {
  metadata: 'SELECT toJSONString(tuple(toString(id), version, metadata)) AS value FROM contents',
  session: 'SELECT toJSONString(tuple(toString(id), version, session_id)) AS value FROM images',
};

type BesideRow = [id: string, version: number, beside: string | null];

type StoredRow = [
  id: string,
  version: number,
  requestId: string,
  kind: CheckKind,
  type: string,
  eventId: string | null,
  runId: string | null,
  externalSessionId: string | null,
  externalArtifactId: string | null,
  status: EventStatus,
  flagged: boolean | null,
  policies: string,
  explained: string | null,
  note: string | null,
  error: string | null,
  sequence: string | number,
  received: string | number,
  completed: string | number,
];

const isBeside = (row: StoredRow | BesideRow): row is BesideRow => row.length === 3;

/** The time is that in the id. */
export const placeOf = (id: string): ItemPlace => ({ ms: partsOf(id)!.time, id });

/** An array parameter of places: what is `before`, time and id of each. The engine reads a number of at least ten digits as seconds since 1970. */
export const placesOf = (places: readonly ItemPlace[], before: readonly string[] = []): TupleParam[] =>
  places.map(({ ms, id }) => new TupleParam([...before, (ms / 1000).toFixed(3).padStart(14, '0'), id]));

/** The items at `places`, by id. Without `beside`, metadata and sessions of artifacts are empty. */
export async function selectItems(
  { select }: Ask,
  owner: RecordOwner,
  { places, beside, signal }: { places: readonly ItemPlace[]; beside?: BesideItem | undefined; signal: AbortSignal },
): Promise<Map<string, StoredItem>> {
  const { team, scope } = owner;
  const few = places.length <= FEW;
  const at = few ? AT_FEW : AT_PLACES;
  const parameters = few ? { places: placesOf(places, [team, scope]) } : { team, scope, places: placesOf(places) };
  const query = [ITEMS, ...(beside === undefined ? [] : [BESIDES[beside]])].map((rows) => `${rows} ${at}`);
  const found = await select<{ value: string }>(query.join(' UNION ALL '), parameters, signal);
  const rows = found.map(({ value }) => JSON.parse(value) as StoredRow | BesideRow);
  // The highest version is the last one that is put in.
  rows.sort((a, b) => a[1] - b[1]);
  const besides = new Map(rows.filter(isBeside).map(([id, , value]) => [id, value]));
  const items = rows.filter((row) => !isBeside(row)) as StoredRow[];
  return new Map(items.map((row) => [row[0], storedItem(owner, row, beside, besides.get(row[0]) ?? '')]));
}

/** What is read beside an item of a kind: a session answers without its metadata. */
const BESIDE: Record<ItemKind, BesideItem | undefined> = { event: 'metadata', artifact: 'session', session: undefined };

interface WantedItem extends ItemPlace {
  beside: BesideItem | undefined;
}

export function itemQueries(ask: Ask): ItemQueries {
  const { bounded } = ask;
  const byId = createJoined<WantedItem, { item: StoredItem; whole: boolean }>(ask, {
    texts: ({ id, beside = '' }) => [id, beside],
    async ask({ team, kind: scope }, wanted, signal) {
      const besides = new Set(wanted.map((one) => one.beside));
      const whole = wanted.length <= FEW && besides.size === 1;
      const beside = whole ? wanted[0]!.beside : undefined;
      const found = await selectItems(ask, { team, scope }, { places: wanted, beside, signal });
      return wanted.map((one) => {
        const item = found.get(one.id);
        return item && { item, whole: beside === one.beside };
      });
    },
  });
  return {
    async itemById({ kind, team, scope, id }) {
      const parts = partsOf(id);
      if (parts === undefined || parts.item === 0) return undefined;
      const beside = BESIDE[kind];
      const place = { ms: parts.time, id: id.toLowerCase() };
      const found = await byId.find(team, scope, { ...place, beside });
      if (found === undefined || kindOf(found.item) !== kind) return undefined;
      if (found.whole) return found.item;
      const items = await bounded(team, (signal) =>
        selectItems(ask, { team, scope }, { places: [place], beside, signal }),
      );
      return items.get(place.id);
    },
    async requestItems({ kind, team, scope, id }, numbers) {
      const places = placesIn(id, numbers);
      if (places.length === 0) return [];
      const beside = kind === 'artifact' ? 'session' : undefined;
      const found = await bounded(team, (signal) => selectItems(ask, { team, scope }, { places, beside, signal }));
      return [...found.values()];
    },
    async isErased({ team, scope, id }, numbers) {
      const parameters = { team, scope, places: placesOf(placesIn(id, numbers)) };
      const query = `SELECT 1 AS one FROM erased ${AT_PLACES} LIMIT 1`;
      const found = await bounded(team, (signal) => ask.select(query, parameters, signal));
      return found.length > 0;
    },
  };
}

/** Where items of a request are; none where the id is not one of ours. */
function placesIn(requestId: string, numbers: readonly number[]): ItemPlace[] {
  const time = partsOf(requestId)?.time;
  return time === undefined ? [] : numbers.map((number) => ({ ms: time, id: itemId(requestId, number) }));
}

function storedItem(
  { team, scope }: RecordOwner,
  row: StoredRow,
  beside: BesideItem | undefined,
  besideValue: string,
): StoredItem {
  const [
    id,
    version,
    requestId,
    kind,
    type,
    eventId,
    runId,
    externalSessionId,
    external,
    status,
    flagged,
    policies,
    explained,
    note,
    error,
    sequence,
    received,
    completed,
  ] = row;
  const session = beside === 'session' ? besideValue : '';
  return {
    ...(kindOf({ kind, type }) === 'artifact' ? { artifact: { external: external ?? '', session } } : {}),
    id,
    requestId,
    kind,
    team,
    scope,
    type,
    eventId: eventId ?? '',
    runId: runId ?? '',
    externalSessionId: externalSessionId ?? '',
    status,
    flagged,
    policies,
    explained: explained ?? '',
    metadata: beside === 'metadata' ? besideValue : '',
    note: note ?? '',
    sequence: Number(sequence),
    version,
    created: Number(received),
    completed: Number(completed),
    error: error === null ? null : (JSON.parse(error) as ResultRecord['error']),
  };
}

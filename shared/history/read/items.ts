/** Reads stored items by their place. Of one item, the row with the highest version counts. */
import { type ItemKind, kindOf, type ResultRecord, type StoredItem } from '../../api/results/record.js';
import type { CheckKind, EventStatus } from '../../api/types.js';
import { itemId, partsOf } from '../../ids.js';
import type { Ask } from './ask.js';
import { createJoined } from './joined.js';

export interface Owner {
  team: string;
  /** environment or deployment */
  scope: string;
}

/** Where an item is: time and id are the rest of the sorting key. */
export interface ItemPlace {
  /** Unix ms */
  ms: number;
  id: string;
}

export interface ItemKey extends Owner {
  /** `event` finds an event of a batch too; `artifact` also finds an artifact that is a part of a session */
  kind: ItemKind;
  id: string;
}

/** A request, by its id (item 0). */
export interface RequestKey extends Owner {
  kind: CheckKind;
  id: string;
}

export interface ItemQueries {
  itemById(key: ItemKey): Promise<StoredItem | undefined>;
  /** those of items `numbers` of a request that are stored; without the metadata of events and sessions */
  requestItems(request: RequestKey, numbers: readonly number[]): Promise<StoredItem[]>;
}

const COLUMNS = `id, request_id, kind, team, scope, type, event_id, run_id, external_session_id, external_artifact_id, status, flagged, policies,
  explained, note, error, sequence, version, toUnixTimestamp64Milli(received) AS received_ms, toUnixTimestamp64Milli(completed) AS completed_ms,
  toUnixTimestamp64Milli(ts) AS ms`;

/** Time and id are the rest of the sorting key, so each item costs one granule. */
const AT_PLACES = `team = {team:String} AND scope = {scope:String} AND (ts, id) IN (
    SELECT arrayJoin(arrayMap((ms, id) -> (fromUnixTimestamp64Milli(ms, 'UTC'), id), {ms:Array(Int64)}, {ids:Array(UUID)})))
  ORDER BY version DESC LIMIT 1 BY id`;

const ITEMS = `SELECT ${COLUMNS} FROM items WHERE ${AT_PLACES}`;
const METADATA = `SELECT id, metadata FROM contents WHERE ${AT_PLACES}`;
const LINKED = `SELECT id, session_id FROM images WHERE ${AT_PLACES}`;
const NOT_LINKED = '00000000-0000-0000-0000-000000000000';

export interface ItemRow {
  id: string;
  request_id: string;
  kind: CheckKind;
  team: string;
  scope: string;
  type: string;
  event_id: string;
  run_id: string;
  external_session_id: string;
  external_artifact_id: string;
  status: EventStatus;
  flagged: boolean | null;
  policies: string;
  explained: string;
  note: string;
  error: string;
  sequence: string | number;
  version: number;
  received_ms: string | number;
  completed_ms: string | number;
  ms: string | number;
}

/** Parameters of a query at places: the arrays have one element per place. */
export type At = { team: string; scope: string; ms: number[]; ids: string[] };

export const atPlaces = ({ team, scope }: Owner, places: readonly ItemPlace[]): At => ({
  team,
  scope,
  ms: places.map(({ ms }) => ms),
  ids: places.map(({ id }) => id),
});

export const selectItems = ({ select }: Ask, at: At, signal: AbortSignal): Promise<ItemRow[]> =>
  select<ItemRow>(ITEMS, at, signal);

/**
 * Completes the items of `rows` from other tables: with metadata, and artifacts with the sessions that they are linked to. A
 * query costs the engine milliseconds to plan, however little it finds. So the tables are asked only about items that exist,
 * and at the same time as rows that are still on their way.
 */
export async function complete(
  { select }: Ask,
  rows: ItemRow[] | Promise<ItemRow[]>,
  { at, signal, artifacts = false }: { at: At; signal: AbortSignal; artifacts?: boolean },
): Promise<Map<string, StoredItem>> {
  const [found, contents, linked] = await Promise.all([
    rows,
    select<{ id: string; metadata: string }>(METADATA, at, signal),
    artifacts ? select<{ id: string; session_id: string }>(LINKED, at, signal) : [],
  ]);
  const metadata = new Map(contents.map((row) => [row.id, row.metadata]));
  const sessions = new Map(linked.map((row) => [row.id, row.session_id]));
  const items = new Map(found.map((row) => [row.id, storedItem(row, metadata.get(row.id) ?? '')]));
  for (const { id, artifact } of items.values()) {
    const session = sessions.get(id) ?? NOT_LINKED;
    if (artifact) artifact.session = session === NOT_LINKED ? '' : session;
  }
  return items;
}

export function itemQueries(ask: Ask): ItemQueries {
  const { bounded } = ask;
  const rowsById = createJoined<ItemPlace, ItemRow>(ask, {
    texts: ({ id }) => [id],
    async ask({ team, kind: scope }, wanted, signal) {
      const found = await selectItems(ask, atPlaces({ team, scope }, wanted), signal);
      const rows = new Map(found.map((row) => [row.id, row]));
      return wanted.map(({ id }) => rows.get(id));
    },
  });
  return {
    async itemById({ kind, team, scope, id }) {
      const parts = partsOf(id);
      if (parts === undefined || parts.item === 0) return undefined;
      const place = { ms: parts.time, id: id.toLowerCase() };
      const row = await rowsById.find(team, scope, place);
      if (!row || kindOf(storedItem(row, '')) !== kind) return undefined;
      const at = atPlaces({ team, scope }, [place]);
      const artifacts = kind === 'artifact';
      const found = await bounded(team, (signal) => complete(ask, [row], { at, signal, artifacts }));
      return found.get(place.id);
    },
    async requestItems({ kind, team, scope, id: requestId }, numbers) {
      const time = partsOf(requestId)?.time;
      if (time === undefined || numbers.length === 0) return [];
      const places = numbers.map((number) => ({ ms: time, id: itemId(requestId, number) }));
      const at = atPlaces({ team, scope }, places);
      const found = await bounded(team, async (signal) => {
        const rows = await selectItems(ask, at, signal);
        const artifacts = kind === 'artifact';
        return artifacts && rows.length > 0 ? complete(ask, rows, { at, signal, artifacts }) : withoutMetadata(rows);
      });
      return [...found.values()];
    },
  };
}

export const withoutMetadata = (rows: readonly ItemRow[]): Map<string, StoredItem> =>
  new Map(rows.map((row) => [row.id, storedItem(row, '')]));

function storedItem(row: ItemRow, metadata: string): StoredItem {
  const isArtifact = kindOf(row) === 'artifact';
  return {
    ...(isArtifact ? { artifact: { external: row.external_artifact_id, session: '' } } : {}),
    id: row.id,
    requestId: row.request_id,
    kind: row.kind,
    team: row.team,
    scope: row.scope,
    type: row.type,
    eventId: row.event_id,
    runId: row.run_id,
    externalSessionId: row.external_session_id,
    status: row.status,
    flagged: row.flagged,
    policies: row.policies,
    explained: row.explained,
    metadata,
    note: row.note,
    sequence: Number(row.sequence),
    version: row.version,
    created: Number(row.received_ms),
    completed: Number(row.completed_ms),
    error: row.error === '' ? null : (JSON.parse(row.error) as ResultRecord['error']),
  };
}

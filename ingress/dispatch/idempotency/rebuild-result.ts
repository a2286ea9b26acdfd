/**
 * Rebuilds the record of a request whose result has left Redis from its rows in ClickHouse, for the answer of a retry. Checked
 * items come back as they were answered. References have no rows. They are resolved again, as of the request's own place in the
 * order of results, so that later checks do not change the answer. Exception: a reference that failed because it could not be
 * looked up then has its target now.
 */
import { kindOf, type RecordItem, type ResultRecord, type StoredItem } from '../../../shared/api/results/record.js';
import {
  type Referred,
  referenceItem,
  type SentReference,
  targetOf,
  withoutCauses,
} from '../../../shared/api/results/reference.js';
import type { HistoryQueries } from '../../../shared/history/read/queries.js';
import { generatedId, partsOf, sequenceOf } from '../../../shared/ids.js';
import { later, mayBeArchived } from '../../../shared/latest.js';
import type { Redis } from '../../../shared/streams/client.js';
import { hotEvents } from '../../../shared/streams/hot/runs.js';
import type { CheckRequest, Retry } from '../types.js';

/** A request that may be finished. */
export interface Remembered {
  requestId: string;
  config: number;
  /** id of its work entry, or '' when unknown */
  entry: string;
}

/**
 * Undefined when ClickHouse has nothing of it; `erased` when an item of it was erased, so that it has no answer any more. Rejects when Redis or
 * ClickHouse cannot be asked.
 */
export type Recall = (
  request: CheckRequest,
  retry: Retry,
  remembered: Remembered,
) => Promise<ResultRecord | 'erased' | undefined>;

type History = Pick<HistoryQueries, 'latestEvents' | 'requestItems' | 'isErased'>;

/** Some rows of a request are missing: they have not reached this replica of ClickHouse yet. */
export class PartlyThere extends Error {}

export function createRecall(redis: Redis, history: History): Recall {
  return async (request, retry, remembered) => {
    const { requestId } = remembered;
    const wanted = retry.eventIds.flatMap((eventId, index) => (eventId === null ? [] : [index + 1]));
    const { kind, team, scope } = request;
    const key = { kind, team, scope, id: requestId };
    const rows = await history.requestItems(key, wanted);
    if (rows.length < wanted.length && (await history.isErased(key, wanted))) return 'erased';
    if (wanted.length > 0 && rows.length === 0) return undefined;
    // A request of references alone has no rows. Its entry shows that it was finished.
    if (wanted.length === 0 && remembered.entry === '') return undefined;
    if (rows.length < wanted.length) throw new PartlyThere(`history has ${rows.length} of ${wanted.length} items`);
    const sequence = rows[0]?.sequence ?? sequenceOf(remembered.entry);
    const found = await resolve(request, retry, sequence);
    return rebuild(request, retry, { remembered, rows, found, sequence });
  };

  /** The target of each reference to an event outside the batch, by its position. */
  async function resolve(request: CheckRequest, { referred }: Retry, sequence: number) {
    const { team, scope } = request;
    const found = new Map<number, StoredItem | undefined>();
    const outside = new Set(request.references.map(({ index }) => index));
    const named = referred.filter(({ index }) => outside.has(index));
    const hot = await hotEvents(redis, { team, environment: scope, before: sequence }, named);
    for (const [i, { index }] of named.entries()) found.set(index, hot[i]);
    const cold = named.filter((_, i) => mayBeArchived(hot[i]));
    if (cold.length > 0) {
      const items = await history.latestEvents(team, scope, cold, sequence);
      for (const [i, { index }] of cold.entries()) found.set(index, later(found.get(index), items[i]));
    }
    return found;
  }
}

interface RebuiltParts {
  remembered: Remembered;
  rows: StoredItem[];
  found: Map<number, StoredItem | undefined>;
  sequence: number;
}

function rebuild(
  request: CheckRequest,
  retry: Retry,
  { remembered, rows, found, sequence }: RebuiltParts,
): ResultRecord {
  const { requestId } = remembered;
  const fragments: string[] = [];
  const fragment = (text: string): number => {
    const at = fragments.indexOf(text);
    return at < 0 ? fragments.push(text) - 1 : at;
  };
  const byItem = new Map(rows.map((row) => [partsOf(row.id)?.item, row]));
  const received = rows[0]?.created ?? partsOf(requestId)?.time ?? request.received;
  const completed = rows[0]?.completed ?? received;
  const items: RecordItem[] = [];
  const checked = new Map<string, StoredItem>();
  for (const [index, eventId] of retry.eventIds.entries()) {
    const row = eventId === null ? undefined : byItem.get(index + 1);
    if (row) {
      items.push(asItem(row, index + 1, fragment));
      checked.set(`${row.runId} ${row.eventId}`, row);
      continue;
    }
    const reference = retry.referred.find((one) => one.index === index)!;
    const named = namedBy(reference, requestId);
    const target = checked.get(`${named.runId} ${named.eventId}`) ?? found.get(index);
    const item = referenceItem(named, target && referred(target), fragment);
    items.push(reference.declares ? withoutCauses(item) : item);
  }
  const { kind, team, scope } = request;
  const shared = { kind, id: requestId, team, scope, config: remembered.config, sequence, received, completed };
  return { ...shared, items, fragments, error: rows[0]?.error ?? null };
}

function asItem(row: StoredItem, item: number, fragment: (text: string) => number): RecordItem {
  const { type, eventId, runId, externalSessionId, status, note } = row;
  // An event is flagged or not (2.8). A session or artifact that could not be evaluated is neither.
  const flagged = kindOf(row) === 'event' ? row.flagged === true : row.flagged;
  const named = { item, type, eventId, runId, externalSessionId };
  const artifact = row.artifact ? { artifact: row.artifact } : {};
  const policies = fragment(row.policies);
  const explained = row.explained === '' ? -1 : fragment(row.explained);
  return { ...named, ...artifact, status, flagged, policies, explained, metadata: -1, note, target: null };
}

function namedBy(reference: Retry['referred'][number], requestId: string): SentReference {
  const { index, type, event_id: eventId, run_id: run, external_session_id: externalSessionId } = reference;
  return { item: index + 1, type, eventId, runId: run || generatedId('run', requestId), externalSessionId };
}

function referred(stored: StoredItem): Referred {
  const { id, created, completed, status, type, externalSessionId, flagged, note, policies, explained } = stored;
  const target = targetOf(status, { id, created, completed });
  return { type, externalSessionId, flagged, note, policies, explained, target };
}

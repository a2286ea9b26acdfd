/** Reads hot results: those that are committed and have not left Redis. */
import {
  decodeRecord,
  isOf,
  isOutcome,
  type RecordOwner,
  type ResultRecord,
  type StoredItem,
} from '../../../shared/api/results/record.js';
import { storedItem } from '../../../shared/api/results/render.js';
import { type IdParts, partsOf } from '../../../shared/ids.js';
import type { Redis } from '../../../shared/streams/client.js';
import { MOST_INDEX_MEMBERS, requestOf } from '../../../shared/streams/hot/indexes.js';
import { hotRecord } from '../../../shared/streams/hot/records.js';
import { keys } from '../../../shared/streams/keys.js';

/** Members read from an index at a time. */
const PAGE = 64;

export interface HotItem {
  item: StoredItem | undefined;
  /** the owner's request is finished and hot, whether or not it has this item */
  finished: boolean;
}

/** Most records are shorter. The owner of a record stands within these bytes. */
const HEAD_BYTES = 4096;

/**
 * The item that `id` names, if `owner` owns it. Only the head of another owner's record is read: a record may be megabytes
 * long, and the time for that would tell a foreign id from an absent one.
 */
export async function hotItem(redis: Redis, id: IdParts, owner: RecordOwner): Promise<HotItem> {
  const head = await redis.getrangeBuffer(keys.result(id.partition, id.requestId), 0, HEAD_BYTES - 1);
  if (!isOf(head, owner)) return { item: undefined, finished: false };
  const record = head.length < HEAD_BYTES ? decodeRecord(head) : await hotRecord(redis, id.partition, id.requestId);
  const item = record?.items.find((candidate) => candidate.item === id.item);
  // A reference is answered with the id of the event that it names. No caller knows an id with its own number.
  const checked = record && item && item.target === null && item.status !== 'not_found';
  return { item: checked ? storedItem(record, item) : undefined, finished: record !== undefined };
}

/** The latest hot session check of an external session id that has a verdict or was given up. */
export async function hotSession(
  redis: Redis,
  team: string,
  deployment: string,
  external: string,
): Promise<StoredItem | undefined> {
  const key = keys.ext(team, deployment, external);
  return walk(redis, key, (record) => {
    if (record.team !== team || record.scope !== deployment || record.kind !== 'session') return undefined;
    return isOutcome(record.error) ? storedItem(record, record.items[0]!) : undefined;
  });
}

/** The newest `most` hot session checks of an external session id that have a verdict. */
export async function hotSessions(
  redis: Redis,
  team: string,
  deployment: string,
  external: string,
  most: number,
): Promise<StoredItem[]> {
  const sessions: StoredItem[] = [];
  const seen = new Set<string>();
  await walk(redis, keys.ext(team, deployment, external), (record) => {
    if (record.team !== team || record.scope !== deployment || record.kind !== 'session') return undefined;
    if (record.error || seen.has(record.id)) return undefined;
    seen.add(record.id);
    const session = storedItem(record, record.items[0]!);
    return sessions.push(session) === most ? session : undefined;
  });
  return sessions;
}

/**
 * Whether a full index may have dropped members that are not archived yet, which nobody can find now. An index drops its oldest
 * members. When the oldest that is left is archived, those before it are archived too.
 */
export async function hasLost(redis: Redis, index: string): Promise<boolean> {
  if ((await redis.zcard(index)) < MOST_INDEX_MEMBERS) return false;
  const [oldest] = await redis.zrange(index, '0', '0');
  return oldest !== undefined && (await redis.zscore(keys.unarchived(index), requestOf(oldest))) !== null;
}

async function walk(
  redis: Redis,
  key: string,
  pick: (record: ResultRecord) => StoredItem | undefined,
): Promise<StoredItem | undefined> {
  for (let from = 0; ; from += PAGE) {
    const members = await redis.zrevrange(key, from, from + PAGE - 1);
    for (const member of members) {
      const parts = partsOf(requestOf(member));
      // A member without a stored result belongs to a request in flight and does not count.
      const record = parts && (await hotRecord(redis, parts.partition, parts.requestId));
      const found = record && pick(record);
      if (found) return found;
    }
    if (members.length < PAGE) return undefined;
  }
}

/** Hot results: what has been committed and not yet left Redis. */
import type { AwaitedArtifact } from '../api/artifact.js';
import {
  decodeRecord,
  isOutcome,
  mayBeOf,
  type RecordOwner,
  type ResultRecord,
  type StoredItem,
} from '../api/results/record.js';
import { storedItem } from '../api/results/render.js';
import { type IdParts, itemId, partsOf } from '../ids.js';
import type { Redis } from './client.js';
import { requestOf } from './indexes.js';
import { keys } from './keys.js';
import { MOST_INDEX_MEMBERS } from './scripts.js';

/** Members read from an index at a time. */
const PAGE = 64;
/** Item number of a session in its check. */
const SESSION = 1;

/** The record of a request, or undefined. */
export async function hotRecord(redis: Redis, partition: number, requestId: string): Promise<ResultRecord | undefined> {
  const text = await redis.get(keys.result(partition, requestId));
  return text === null ? undefined : decodeRecord(text);
}

export interface HotItem {
  item: StoredItem | undefined;
  /** the owner's request is finished and still hot, whether or not it has such an item */
  finished: boolean;
}

/** Most records are no longer than this; and in this much of one it says whose it is. */
const HEAD_BYTES = 4096;

/**
 * The item that `id` names, if it is of `owner`. Of anything else no more than its head is read: a record may be
 * megabytes long, and the time that takes would tell a foreign id from an absent one.
 */
export async function hotItem(redis: Redis, id: IdParts, owner: RecordOwner): Promise<HotItem> {
  const head = await redis.getrangeBuffer(keys.result(id.partition, id.requestId), 0, HEAD_BYTES - 1);
  if (!mayBeOf(head.toString(), owner)) return { item: undefined, finished: false };
  const record =
    head.length < HEAD_BYTES ? decodeRecord(head.toString()) : await hotRecord(redis, id.partition, id.requestId);
  if (record && (record.team !== owner.team || record.scope !== owner.scope))
    return { item: undefined, finished: false };
  const item = record?.items.find((candidate) => candidate.item === id.item);
  // A reference is answered with the id of the event it names; its own number is nobody's id.
  const checked = record && item && item.target === null && item.status !== 'not_found';
  return { item: checked ? storedItem(record, item) : undefined, finished: record !== undefined };
}

/** Latest session check of an external session id among hot results that has a verdict, or was given up. */
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

/** The newest `most` checks of an external session id among hot results that have a verdict. */
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
 * Whether an index may have dropped, for want of room, what is not archived yet, so that nobody can find it now. What is
 * dropped is the oldest, and what is archived before the oldest that is left is archived too.
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
      // A member whose result is not stored yet belongs to a request in flight: it does not count.
      const record = parts && (await hotRecord(redis, parts.partition, parts.requestId));
      const found = record && pick(record);
      if (found) return found;
    }
    if (members.length < PAGE) return undefined;
  }
}

/** What a status answer needs while a request that was answered 504 is still under way. */
export interface Awaited {
  /** what its ids name */
  kind: 'event' | 'session' | 'artifact';
  team: string;
  scope: string;
  /** of a session: the caller's id; absent: none */
  session?: string;
  /** of an artifact: what it is called and belongs to */
  artifact?: AwaitedArtifact;
}

/** An event of a request that is late, by the caller's ids. */
export interface LateEvent {
  item: number;
  run: string;
  event: string;
}

/** How long a request that was answered 504 may stay unfinished before a look-up no longer calls it pending. */
const AWAIT_SECONDS = 3600;

/** Late session checks that are remembered of one external id, and late events of one run. */
const MOST_LATE = 100;
const MOST_LATE_EVENTS = 1000;

/** Marks a request as accepted and unfinished, for `seconds`, before its caller is told so: a session by the caller's id, too. */
export async function markAwaited(
  redis: Redis,
  partition: number,
  requestId: string,
  awaited: Awaited,
  seconds: number = AWAIT_SECONDS,
): Promise<void> {
  const marked = redis.set(keys.await(partition, requestId), JSON.stringify(awaited), 'EX', seconds);
  const { team, scope, kind, session } = awaited;
  const named = kind === 'session' && session;
  const late = named && markLate(redis, keys.accepted(team, scope, 'late', session), [requestId], MOST_LATE);
  // Together: of two that fail, neither may be left for nobody to hear, which would end the process.
  await Promise.all([marked, late]);
}

/** Marks events of a request that is marked as awaited by the caller's ids, before he is told that they are late. */
export async function markLateEvents(
  redis: Redis,
  requestId: string,
  { team, scope }: RecordOwner,
  events: readonly LateEvent[],
): Promise<void> {
  const byRun = new Map<string, string[]>();
  for (const { run, item, event } of events) {
    const member = lateMember(requestId, item, event);
    byRun.set(run, [...(byRun.get(run) ?? []), member]);
  }
  const marks = [...byRun].map(([run, members]) =>
    markLate(redis, keys.accepted(team, scope, 'event', run), members, MOST_LATE_EVENTS),
  );
  await Promise.all(marks);
}

const lateMember = (requestId: string, item: number, event: string): string =>
  `${requestId}${String(item).padStart(2, '0')}:${event}`;

async function markLate(redis: Redis, key: string, members: readonly string[], most: number): Promise<void> {
  await redis
    .multi()
    .zadd(key, ...members.flatMap((member) => [partsOf(requestOf(member))!.time, member]))
    .zremrangebyrank(key, 0, -most - 1)
    .expire(key, AWAIT_SECONDS)
    .exec();
}

/** Internal ids of the checks of an external session id that were late, the last submitted first, at most `most`. */
export async function lateSessions(
  redis: Redis,
  { team, scope }: RecordOwner,
  external: string,
  most: number,
): Promise<string[]> {
  const requests = await redis.zrevrange(keys.accepted(team, scope, 'late', external), 0, most - 1);
  return requests.map((requestId) => itemId(requestId, SESSION));
}

/** Internal ids of the events of a run and event id that were late, the last submitted first, at most `most`. */
export async function lateEvents(
  redis: Redis,
  { team, scope }: RecordOwner,
  { run, event, most }: { run: string; event: string; most: number },
): Promise<string[]> {
  const members = await redis.zrevrange(keys.accepted(team, scope, 'event', run), 0, -1);
  return members
    .filter((member) => member.slice(39) === event)
    .slice(0, most)
    .map((member) => itemId(requestOf(member), Number(member.slice(36, 38))));
}

export async function unmarkAwaited(redis: Redis, partition: number, requestId: string): Promise<void> {
  await redis.del(keys.await(partition, requestId));
}

export async function readAwaited(redis: Redis, id: IdParts): Promise<Awaited | undefined> {
  const text = await redis.get(keys.await(id.partition, id.requestId));
  return text === null ? undefined : (JSON.parse(text) as Awaited);
}

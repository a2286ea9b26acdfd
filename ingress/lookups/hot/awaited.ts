/**
 * Marks of requests that were accepted and are unfinished, by their id and by the callers' ids: of sessions with an id of the caller's from
 * their acceptance on, of others when they are answered 504.
 */
import type { AwaitedArtifact } from '../../../shared/api/artifact.js';
import type { RecordOwner } from '../../../shared/api/results/record.js';
import { type IdParts, itemId, partsOf } from '../../../shared/ids.js';
import type { Redis } from '../../../shared/streams/client.js';
import { requestOf } from '../../../shared/streams/hot/indexes.js';
import { checkAccepted } from '../../../shared/streams/hot/losses.js';
import { keys } from '../../../shared/streams/keys.js';
import type { RedisCommand } from '../../../shared/streams/script.js';
import { sendTogether, transact } from '../../../shared/streams/send.js';

/** Item number of a session in its check. */
const SESSION = 1;

/** What a look-up answers with while a request is unfinished. */
export interface AwaitedItem {
  /** what the ids of the request name */
  kind: 'event' | 'session' | 'artifact';
  team: string;
  scope: string;
  /** of a session: the caller's id; absent: none */
  session?: string;
  /** of an artifact: the caller's id and its session */
  artifact?: AwaitedArtifact;
}

/** An event of a late request, by the caller's ids. */
export interface LateEvent {
  item: number;
  run: string;
  event: string;
}

/** After this time a look-up no longer calls an unfinished request pending. */
const AWAIT_SECONDS = 3600;

/** Most unfinished session checks that are remembered of one external id, and most late events of one run. */
export const MOST_UNFINISHED = 100;
const MOST_LATE_EVENTS = 1000;

/** Marks a request as unfinished for `seconds`, before its caller is told so. Marks a session by the caller's id too. */
export async function markAwaited(
  redis: Redis,
  partition: number,
  requestId: string,
  awaited: AwaitedItem,
  seconds: number = AWAIT_SECONDS,
): Promise<void> {
  const { kind, session } = awaited;
  const marked: RedisCommand = ['SET', keys.await(partition, requestId), JSON.stringify(awaited), 'EX', seconds];
  const named = kind === 'session' && session ? bySession(awaited, session, requestId) : [];
  const answers = await sendTogether(redis, [marked, ...named]);
  const refused = answers.find((answer) => answer instanceof Error);
  if (refused) throw refused;
}

/** Commands that mark a session by the caller's id. */
function bySession({ team, scope }: RecordOwner, session: string, requestId: string): RedisCommand[] {
  const key = keys.accepted(team, scope, 'late', session);
  return [
    ['ZADD', key, partsOf(requestId)!.time, requestId],
    ['ZREMRANGEBYRANK', key, 0, -MOST_UNFINISHED - 1],
    ['EXPIRE', key, AWAIT_SECONDS],
  ];
}

/** Marks events of an awaited request by the caller's ids, before the caller is told that they are late. */
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
  await transact(redis, [
    ['ZADD', key, ...members.flatMap((member) => [partsOf(requestOf(member))!.time, member])],
    ['ZREMRANGEBYRANK', key, 0, -most - 1],
    ['EXPIRE', key, AWAIT_SECONDS],
  ]);
}

/** Internal ids of at most `most` checks of an external session id that were marked, the last submitted first. */
export async function markedSessions(
  redis: Redis,
  { team, scope }: RecordOwner,
  external: string,
  most: number,
): Promise<string[]> {
  const key = keys.accepted(team, scope, 'late', external);
  const requests = await redis.zrevrange(key, 0, most - 1);
  await checkAccepted(redis, key);
  return requests.map((requestId) => itemId(requestId, SESSION));
}

/** Internal ids of at most `most` late events of a run and event id, the last submitted first. */
export async function lateEvents(
  redis: Redis,
  { team, scope }: RecordOwner,
  { run, event, most }: { run: string; event: string; most: number },
): Promise<string[]> {
  const key = keys.accepted(team, scope, 'event', run);
  const members = await redis.zrevrange(key, 0, -1);
  await checkAccepted(redis, key);
  return members
    .filter((member) => member.slice(39) === event)
    .slice(0, most)
    .map((member) => itemId(requestOf(member), Number(member.slice(36, 38))));
}

export async function unmarkAwaited(redis: Redis, partition: number, requestId: string): Promise<void> {
  await redis.del(keys.await(partition, requestId));
}

/** Undoes {@link markAwaited} of a session that was not accepted after all. */
export async function unmarkSession(
  redis: Redis,
  partition: number,
  requestId: string,
  { team, scope, session = '' }: AwaitedItem,
): Promise<void> {
  await Promise.all([
    unmarkAwaited(redis, partition, requestId),
    redis.zrem(keys.accepted(team, scope, 'late', session), requestId),
  ]);
}

export async function readAwaited(redis: Redis, id: IdParts): Promise<AwaitedItem | undefined> {
  const text = await redis.get(keys.await(id.partition, id.requestId));
  return text === null ? undefined : (JSON.parse(text) as AwaitedItem);
}

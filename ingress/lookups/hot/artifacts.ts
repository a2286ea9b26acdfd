/**
 * Artifacts in Redis. One that comes by itself is found from the moment it is accepted, since its caller may be told to
 * come back for it (4.4): until it is finished by `accepted:…` and `await:…`, afterwards like any other hot result.
 */
import {
  type AwaitedArtifact,
  newestArtifacts,
  processingArtifact,
  type StoredArtifact,
  storedArtifact,
} from '../../../shared/api/artifact.js';
import {
  decodeRecord,
  kindOf,
  mayBeOf,
  type RecordOwner,
  type ResultRecord,
} from '../../../shared/api/results/record.js';
import { storedItem } from '../../../shared/api/results/render.js';
import { itemId, partsOf } from '../../../shared/ids.js';
import type { Redis } from '../../../shared/streams/client.js';
import { requestOf } from '../../../shared/streams/indexes.js';
import { keys } from '../../../shared/streams/keys.js';
import { type Awaited, markAwaited, unmarkAwaited } from './awaited.js';

/** Item number of an artifact that came by itself. */
const ARTIFACT = 1;
/** Artifacts that are remembered as accepted lately, for one id. */
export const MOST_ACCEPTED = 100;
const ACCEPTED_SECONDS = 3600;
/** Members read from an index at a time. */
const PAGE = 64;

/** What finds an artifact: the caller's id of it, and the ids of the session that it belongs to. */
type Name = readonly [kind: 'artifact' | 'internal' | 'external', id: string];

const namesOf = ({ external, session }: AwaitedArtifact): Name[] =>
  (
    [
      ['artifact', external],
      ['internal', session.internal],
      ['external', session.external],
    ] as const
  ).filter(([, id]) => id !== '');

/** An artifact that is being accepted; `awaited.artifact` is set. */
export interface Accepting {
  requestId: string;
  partition: number;
  awaited: Awaited & { artifact: AwaitedArtifact };
}

/** Makes an artifact findable as under way, for `seconds` by its internal id. The commands are sent before this returns. */
export async function noteAccepted(redis: Redis, accepting: Accepting, seconds: number): Promise<void> {
  const { requestId, partition, awaited } = accepting;
  const created = partsOf(requestId)!.time;
  await Promise.all([
    markAwaited(redis, partition, requestId, awaited, seconds),
    ...namesOf(awaited.artifact).map(([kind, id]) => {
      const key = keys.accepted(awaited.team, awaited.scope, kind, id);
      return redis
        .multi()
        .zadd(key, created, requestId)
        .zremrangebyrank(key, 0, -MOST_ACCEPTED - 1)
        .expire(key, ACCEPTED_SECONDS)
        .exec();
    }),
  ]);
}

/** Takes back {@link noteAccepted}: the artifact was not accepted after all. */
export async function forgetAccepted(redis: Redis, { requestId, partition, awaited }: Accepting): Promise<void> {
  await Promise.all([
    unmarkAwaited(redis, partition, requestId),
    ...namesOf(awaited.artifact).map(([kind, id]) =>
      redis.zrem(keys.accepted(awaited.team, awaited.scope, kind, id), requestId),
    ),
  ]);
}

/** Internal ids of the artifacts accepted last under a caller's id, the last first, at most `most`. */
export async function acceptedLately(
  redis: Redis,
  { team, scope }: RecordOwner,
  external: string,
  most: number,
): Promise<string[]> {
  const requests = await redis.zrevrange(keys.accepted(team, scope, 'artifact', external), 0, most - 1);
  return requests.map((requestId) => itemId(requestId, ARTIFACT));
}

/** The last created hot artifact of a caller's id. */
export async function hotArtifact(
  redis: Redis,
  owner: RecordOwner,
  external: string,
): Promise<StoredArtifact | undefined> {
  const index = keys.artifact(owner.team, owner.scope, external);
  const found = await hotArtifacts(redis, owner, { index, most: 1, wanted: (one) => one.external === external });
  // A session may have several with one id.
  return newestArtifacts(found, 1)[0];
}

/** Ids of a session: of one check of it, and the caller's; '' where there is none. */
export interface SessionIds {
  internal: string;
  external: string;
}

/** Hot artifacts of a session and those that are under way; each of the two lists at most `most` per id, newest first. */
export async function hotSessionArtifacts(
  redis: Redis,
  owner: RecordOwner,
  session: SessionIds,
  most: number,
): Promise<StoredArtifact[]> {
  const wanted = (one: StoredArtifact): boolean =>
    (session.internal !== '' && one.session.internal === session.internal) ||
    (session.external !== '' && one.session.external === session.external);
  const found: StoredArtifact[] = [];
  for (const kind of ['internal', 'external'] as const) {
    if (session[kind] === '') continue;
    const index = keys.sessionArtifacts(owner.team, owner.scope, kind, session[kind]);
    // Those under way are read first: what is finished in between is then among the others, too.
    found.push(...(await underWay(redis, owner, kind, session[kind])));
    found.push(...(await hotArtifacts(redis, owner, { index, most, wanted })));
  }
  return found;
}

interface Wanted {
  index: string;
  /** enough of them, and then the others of the last record */
  most: number;
  wanted(artifact: StoredArtifact): boolean;
}

async function hotArtifacts(
  redis: Redis,
  owner: RecordOwner,
  { index, most, wanted }: Wanted,
): Promise<StoredArtifact[]> {
  const found: StoredArtifact[] = [];
  // Most often the first record has what is wanted of one.
  let page = Math.min(most, PAGE);
  for (let from = 0; found.length < most; from += page, page = PAGE) {
    const members = await redis.zrevrange(index, from, from + page - 1);
    const results = await readAll(redis, members.map(requestOf), keys.result);
    for (const text of results) {
      if (text !== null && mayBeOf(text, owner)) found.push(...artifactsOf(decodeRecord(text), owner).filter(wanted));
    }
    if (members.length < page) break;
  }
  return found;
}

function artifactsOf(record: ResultRecord, { team, scope }: RecordOwner): StoredArtifact[] {
  if (record.team !== team || record.scope !== scope) return [];
  const items = record.items.map((item) => storedItem(record, item));
  return items.filter((item) => kindOf(item) === 'artifact').map(storedArtifact);
}

/** Artifacts of a session that were accepted and have no hot result; history may have one. */
async function underWay(
  redis: Redis,
  { team, scope }: RecordOwner,
  kind: 'internal' | 'external',
  session: string,
): Promise<StoredArtifact[]> {
  const requests = await redis.zrange(keys.accepted(team, scope, kind, session), '0', '-1');
  const awaited = await readAll(redis, requests, keys.await);
  return requests.flatMap((requestId, i) => {
    const text = awaited[i];
    const { artifact } = text == null ? {} : (JSON.parse(text) as Awaited);
    const created = partsOf(requestId)?.time;
    return artifact && created !== undefined
      ? [processingArtifact(itemId(requestId, ARTIFACT), created, artifact)]
      : [];
  });
}

/** Strings under a key of each request, in one round trip; null where there is none. */
async function readAll(
  redis: Redis,
  requests: readonly string[],
  keyOf: (partition: number, requestId: string) => string,
): Promise<(string | null)[]> {
  if (requests.length === 0) return [];
  const pipeline = redis.pipeline();
  for (const requestId of requests) pipeline.get(keyOf(partsOf(requestId)?.partition ?? 0, requestId));
  const replies = (await pipeline.exec()) ?? [];
  return replies.map(([error, text]) => {
    if (error) throw error;
    return text as string | null;
  });
}

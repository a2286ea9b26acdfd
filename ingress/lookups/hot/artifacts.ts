/**
 * Artifacts in Redis. An artifact that comes by itself can be found as soon as it is accepted, since its caller may be told to
 * come back for it (4.4). Until it is finished, `accepted:…` and `await:…` find it; then its hot result does.
 */
import {
  type AwaitedArtifact,
  newestArtifacts,
  processingArtifact,
  type StoredArtifact,
  storedArtifact,
} from '../../../shared/api/artifact.js';
import { decodeRecord, isOf, kindOf, type RecordOwner, type ResultRecord } from '../../../shared/api/results/record.js';
import { storedItem } from '../../../shared/api/results/render.js';
import { itemId, partsOf } from '../../../shared/ids.js';
import type { Redis } from '../../../shared/streams/client.js';
import { requestOf } from '../../../shared/streams/hot/indexes.js';
import { checkAccepted, wholeFrom } from '../../../shared/streams/hot/losses.js';
import { keys } from '../../../shared/streams/keys.js';
import { sendTogether, transact } from '../../../shared/streams/send.js';
import { type AwaitedItem, markAwaited, unmarkAwaited } from './awaited.js';

/** Item number of an artifact that came by itself. */
const ARTIFACT = 1;
/** Most recently accepted artifacts that are remembered for one id. */
export const MOST_ACCEPTED = 100;
const ACCEPTED_SECONDS = 3600;
/** Members read from an index at a time. */
const PAGE = 64;

/** An id that finds an artifact: the caller's id of it, or an id of its session. */
type ArtifactName = readonly [kind: 'artifact' | 'internal' | 'external', id: string];

const namesOf = ({ external, session }: AwaitedArtifact): ArtifactName[] =>
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
  awaited: AwaitedItem & { artifact: AwaitedArtifact };
}

/** Makes an unfinished artifact findable; for `seconds` by its internal id. Sends its commands before it returns. */
export async function noteAccepted(redis: Redis, accepting: Accepting, seconds: number): Promise<void> {
  const { requestId, partition, awaited } = accepting;
  const created = partsOf(requestId)!.time;
  await Promise.all([
    markAwaited(redis, partition, requestId, awaited, seconds),
    ...namesOf(awaited.artifact).map(([kind, id]) => {
      const key = keys.accepted(awaited.team, awaited.scope, kind, id);
      return transact(redis, [
        ['ZADD', key, created, requestId],
        ['ZREMRANGEBYRANK', key, 0, -MOST_ACCEPTED - 1],
        ['EXPIRE', key, ACCEPTED_SECONDS],
      ]);
    }),
  ]);
}

/** Undoes {@link noteAccepted} when the artifact was not accepted after all. */
export async function forgetAccepted(redis: Redis, { requestId, partition, awaited }: Accepting): Promise<void> {
  await Promise.all([
    unmarkAwaited(redis, partition, requestId),
    ...namesOf(awaited.artifact).map(([kind, id]) =>
      redis.zrem(keys.accepted(awaited.team, awaited.scope, kind, id), requestId),
    ),
  ]);
}

/** Internal ids of at most `most` artifacts that were accepted under a caller's id, the last one first. */
export async function acceptedLately(
  redis: Redis,
  { team, scope }: RecordOwner,
  external: string,
  most: number,
): Promise<string[]> {
  const key = keys.accepted(team, scope, 'artifact', external);
  const requests = await redis.zrevrange(key, 0, most - 1);
  await checkAccepted(redis, key);
  return requests.map((requestId) => itemId(requestId, ARTIFACT));
}

/** The hot artifact of a caller's id that was created last. */
export async function hotArtifact(
  redis: Redis,
  owner: RecordOwner,
  external: string,
): Promise<StoredArtifact | undefined> {
  const index = keys.artifact(owner.team, owner.scope, external);
  const found = await hotArtifacts(redis, owner, { index, most: 1, wanted: (one) => one.external === external });
  // A session may have several artifacts with one id.
  return newestArtifacts(found, 1)[0];
}

/** Whether an artifact came by itself, and not in a message of a session. */
const cameAlone = (id: string): boolean => partsOf(id)?.item === ARTIFACT;

/** Ids of a session: ours of one check of it, and the caller's; '' where there is none. */
export interface SessionIds {
  internal: string;
  external: string;
}

/**
 * Hot and unfinished artifacts of a session check: those of its message, and those that came by themselves for it or for its session. At
 * most `most` per id, newest first.
 */
export async function hotSessionArtifacts(
  redis: Redis,
  owner: RecordOwner,
  session: SessionIds,
  most: number,
): Promise<StoredArtifact[]> {
  const wanted = (one: StoredArtifact): boolean =>
    (session.internal !== '' && one.session.internal === session.internal) ||
    (session.external !== '' && one.session.external === session.external && cameAlone(one.id));
  const found: StoredArtifact[] = [];
  for (const kind of ['internal', 'external'] as const) {
    if (session[kind] === '') continue;
    const index = keys.sessionArtifacts(owner.team, owner.scope, kind, session[kind]);
    // Unfinished ones are read first. One that is finished in between is then among the hot ones.
    found.push(...(await underWay(redis, owner, kind, session[kind])));
    found.push(...(await hotArtifacts(redis, owner, { index, most, wanted })));
  }
  return found;
}

/** Rejects with a `HistoryUnavailable` while the indexes of a session's artifacts may lack some. */
export async function sessionIndexesAreWhole(
  redis: Redis,
  { team, scope }: RecordOwner,
  session: SessionIds,
): Promise<void> {
  for (const kind of ['internal', 'external'] as const) {
    if (session[kind] === '') continue;
    await wholeFrom(redis, keys.sessionArtifacts(team, scope, kind, session[kind]));
    await checkAccepted(redis, keys.accepted(team, scope, kind, session[kind]));
  }
}

interface ArtifactSearch {
  index: string;
  /** stops after the record in which this number is reached */
  most: number;
  wanted(artifact: StoredArtifact): boolean;
}

async function hotArtifacts(
  redis: Redis,
  owner: RecordOwner,
  { index, most, wanted }: ArtifactSearch,
): Promise<StoredArtifact[]> {
  const found: StoredArtifact[] = [];
  // One artifact is mostly in the first record.
  let page = Math.min(most, PAGE);
  for (let from = 0; found.length < most; from += page, page = PAGE) {
    const members = await redis.zrevrange(index, from, from + page - 1);
    const results = await readAll(redis, members.map(requestOf), keys.result);
    for (const bytes of results) {
      if (bytes !== null && isOf(bytes, owner)) found.push(...artifactsOf(decodeRecord(bytes)).filter(wanted));
    }
    if (members.length < page) break;
  }
  return found;
}

function artifactsOf(record: ResultRecord): StoredArtifact[] {
  const items = record.items.map((item) => storedItem(record, item));
  return items.filter((item) => kindOf(item) === 'artifact').map(storedArtifact);
}

/** Artifacts of a session that were accepted and have no hot result. History may have one. */
async function underWay(
  redis: Redis,
  { team, scope }: RecordOwner,
  kind: 'internal' | 'external',
  session: string,
): Promise<StoredArtifact[]> {
  const requests = await redis.zrange(keys.accepted(team, scope, kind, session), '0', '-1');
  const awaited = await readAll(redis, requests, keys.await);
  return requests.flatMap((requestId, i) => {
    const json = awaited[i];
    const { artifact } = json == null ? {} : (JSON.parse(json.toString()) as AwaitedItem);
    const created = partsOf(requestId)?.time;
    return artifact && created !== undefined
      ? [processingArtifact(itemId(requestId, ARTIFACT), created, artifact)]
      : [];
  });
}

/** The string of each request under a key, or null. One round trip. */
async function readAll(
  redis: Redis,
  requests: readonly string[],
  keyOf: (partition: number, requestId: string) => string,
): Promise<(Buffer | null)[]> {
  if (requests.length === 0) return [];
  const answers = await sendTogether(
    redis,
    requests.map((requestId) => ['GET', keyOf(partsOf(requestId)?.partition ?? 0, requestId)]),
  );
  return answers.map((bytes) => {
    if (bytes instanceof Error) throw bytes;
    return bytes as Buffer | null;
  });
}

/**
 * What Redis remembers of an Idempotency-Key: the claim (which request has the key, and what was sent with it), and the id of
 * the work entry. The claim is in the Redis Cluster slot of its API key, the entry in that of its partition:
 *
 *     claimed ──add──> pending ──commit──> done ──archived──> gone (ClickHouse has it)
 *        │                                   └── without a verdict ──> claim released
 *        ├── add was refused ──> claim abandoned
 *        └── fate unknown ──> taken over by a retry, which adds the same request
 *                                 └── add was refused ──> barred, then claim abandoned
 *
 * One script adds the entry and remembers its id, and the commit decides once per request id. So any number of retries may add
 * at any time: there is one entry, and even if there were two, there would be one result. A claim that was taken over is abandoned only after its request was
 * barred, since its first owner may still be about to add it.
 */
import { createHash } from 'node:crypto';
import { decodeRecord, type ResultRecord } from '../../../shared/api/results/record.js';
import type { Redis } from '../../../shared/streams/client.js';
import { keys, type WorkStream } from '../../../shared/streams/keys.js';
import { script } from '../../../shared/streams/script.js';
import { deleteSegments } from '../../../shared/streams/segments.js';
import { carry, type DispatchConnections, naming } from '../add-entry.js';

/** A key is remembered this long. */
export const CLAIM_MS = 3_600_000;
/** Most keys of one API key that are remembered. */
export const MOST_CLAIMS = 100_000;

const claim = script('idempotency/claim-key');
const abandon = script('idempotency/abandon-claim');
const take = script('idempotency/take-claim');
const release = script('idempotency/release-claim');
const add = script('idempotency/add-check');
const bar = script('idempotency/bar-check');
const find = script('idempotency/find-check');

/** An Idempotency-Key of one API key. It is hashed, so that its length and characters do not matter. */
export interface ClaimKey {
  team: string;
  /** id of the API key */
  key: string;
  /** SHA-256 of the Idempotency-Key */
  name: string;
}

export function hashedKey(team: string, key: string, idempotencyKey: string): ClaimKey {
  return { team, key, name: createHash('sha256').update(idempotencyKey).digest('base64url') };
}

/** What is remembered of the first request. */
export interface Claim {
  requestId: string;
  /** hash of route, scope and body */
  fingerprint: string;
  /** configuration version of the request, and the number of earlier texts that it looks back on */
  config: number;
  contextDepth: number;
}

export type Claimed =
  | { status: 'claimed' }
  /** too many keys are remembered; `ms` until one is forgotten */
  | { status: 'full'; ms: number }
  /** another request claimed it `age` ms ago */
  | { status: 'held'; claim: Claim; age: number };

export interface ClaimLimits {
  lifeMs: number;
  most: number;
}

export const CLAIM_LIMITS: ClaimLimits = { lifeMs: CLAIM_MS, most: MOST_CLAIMS };

const keysOf = ({ team, key, name }: ClaimKey): string[] => [keys.claim(team, key, name), keys.claims(team, key)];

/** Claims `key` for a request; only `owner` can abandon the claim. */
export async function claimKey(
  redis: Redis,
  key: ClaimKey,
  { owner, ...wanted }: Claim & { owner: string },
  limits: ClaimLimits = CLAIM_LIMITS,
): Promise<Claimed> {
  const { requestId, fingerprint, config, contextDepth } = wanted;
  const values = [requestId, fingerprint, config, contextDepth, owner, limits.lifeMs, limits.most, key.name];
  const reply = (await claim(redis, keysOf(key), values)) as [string, ...unknown[]];
  if (reply[0] === 'claimed') return { status: 'claimed' };
  if (reply[0] === 'full') return { status: 'full', ms: Number(reply[1]) };
  const [, request, print, version, depth, age] = reply;
  return {
    status: 'held',
    claim: {
      requestId: String(request),
      fingerprint: String(print),
      config: Number(version),
      contextDepth: Number(depth),
    },
    age: Number(age),
  };
}

/** Removes the claim of a request that was not accepted. False: it was taken over, or was not there. */
export async function abandonClaim(redis: Redis, key: ClaimKey, owner: string): Promise<boolean> {
  return (await abandon(redis, keysOf(key), [owner, key.name])) === 1;
}

/**
 * Removes the claim of a request that was barred or has ended without a verdict. Any process may do that. False: the claim is
 * not, or no longer, that of `requestId`.
 */
export async function releaseClaim(redis: Redis, key: ClaimKey, requestId: string): Promise<boolean> {
  return (await release(redis, keysOf(key), [requestId, key.name, 'counts'])) === 1;
}

/** Removes the claim of a request whose result is kept elsewhere. It no longer counts among those of its API key. */
export async function forgetClaim(redis: Redis, key: ClaimKey, requestId: string): Promise<void> {
  await release(redis, keysOf(key), [requestId, key.name, 'forgotten']);
}

/** Takes over a claim whose request was not seen to be accepted; only `owner` can abandon it then. False: it is not `requestId`'s any more. */
export async function takeClaim(redis: Redis, key: ClaimKey, requestId: string, owner: string): Promise<boolean> {
  return (await take(redis, [keysOf(key)[0]!], [requestId, owner])) === 1;
}

const requestKeys = ({ partition, lane }: WorkStream, requestId: string): string[] => [
  keys.checks(partition, lane),
  keys.result(partition, requestId),
  keys.entry(partition, requestId),
];

/** The work of a request that may be retried. */
export interface ClaimedRequest {
  /** a function of the request, so that every retry uses the same stream */
  stream: WorkStream;
  requestId: string;
  header: string;
  body: Buffer;
}

/** `barred`: the request was given up and will never be added. */
export type Added = 'added' | 'there' | 'barred';

/**
 * Adds the work entry unless it was added before. `lost` is the id of an entry without a result in ClickHouse, or ''. That it was added is
 * remembered for `lifeMs`: for longer than any claim that can lead here.
 */
export async function addCheck(
  connections: DispatchConnections,
  { stream, requestId, header, body }: ClaimedRequest,
  { lost = '', lifeMs = CLAIM_MS } = {},
): Promise<Added> {
  const carried = await carry(connections, stream.partition, body);
  const segments = 'key' in carried ? carried : undefined;
  const names = [...requestKeys(stream, requestId), ...(segments ? [segments.key] : [])];
  const values = [header, carried.value, Math.ceil(lifeMs), lost, segments?.count ?? 0];
  const reply = await naming(connections.large, stream.partition, carried, add(connections.redis, names, values));
  if (segments && reply !== 1) await deleteSegments(connections.large, stream.partition, segments.value);
  return reply === 1 ? 'added' : reply === 0 ? 'there' : 'barred';
}

/** Bars a request from ever being added, so that its claim can be abandoned. False: it was added. */
export async function barCheck(redis: Redis, partition: number, requestId: string): Promise<boolean> {
  const names = [keys.result(partition, requestId), keys.entry(partition, requestId)];
  return (await bar(redis, names, [CLAIM_MS])) === 1;
}

export type Whereabouts =
  | { status: 'done'; record: ResultRecord }
  | { status: 'pending' }
  /** it was added as `entry`; neither entry nor result is in Redis any more */
  | { status: 'gone'; entry: string }
  | { status: 'none' }
  /** it was given up and will never be added; its claim is about to be removed */
  | { status: 'barred' };

/** Says where a claimed request is. */
export async function findCheck(redis: Redis, stream: WorkStream, requestId: string): Promise<Whereabouts> {
  const answer = await find.bytes(redis, requestKeys(stream, requestId), []);
  const [status, detail] = answer as [status: Buffer, detail: Buffer];
  const said = status.toString();
  if (said === 'done') return { status: said, record: decodeRecord(detail) };
  if (said === 'gone') return { status: said, entry: detail.toString() };
  if (said === 'pending' || said === 'barred') return { status: said };
  return { status: 'none' };
}

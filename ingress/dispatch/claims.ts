/**
 * What Redis remembers of an Idempotency-Key: the claim (which request has the key, and what was sent with it), and
 * the work entry that the request became. A claim is in the slot of its API key, the entry in that of its partition:
 *
 *     claimed ──add──> pending ──commit──> done ──archived──> gone (ClickHouse has it)
 *        │                                   └── without a verdict ──> claim released
 *        ├── add was refused ──> claim given up
 *        └── nobody knows ──> taken over by a retry, which adds the same request
 *                                 └── add was refused ──> barred, then claim given up
 *
 * Adding is atomic with remembering that it was done, and the commit decides once per request id, so any number of
 * retries may add at any time: one entry comes of it, or at least one result. Before a claim that was taken over is given
 * up, its request is barred from being added: who claimed it first may still be about to.
 */
import { createHash } from 'node:crypto';
import { decodeRecord, type ResultRecord } from '../../shared/api/results/record.js';
import type { Redis } from '../../shared/streams/client.js';
import { keys, type Place } from '../../shared/streams/keys.js';
import { script } from '../../shared/streams/script.js';

/** How long a key is remembered. */
export const CLAIM_MS = 3_600_000;
/** Most keys of one API key that are remembered at a time. */
export const MOST_CLAIMS = 100_000;

const claimScript = script('idempotency/claim-key');
const unclaimScript = script('idempotency/abandon-claim');
const takeScript = script('idempotency/take-claim');
const addScript = script('idempotency/add-check');
const barScript = script('idempotency/bar-check');
const releaseScript = script('idempotency/release-claim');
const findScript = script('idempotency/find-check');

/** An Idempotency-Key of one API key, as it stands in Redis: hashed, so that its length and characters do not matter. */
export interface ClaimKey {
  team: string;
  /** id of the API key */
  key: string;
  /** SHA-256 of the Idempotency-Key */
  name: string;
}

export function claimKey(team: string, key: string, idempotencyKey: string): ClaimKey {
  return { team, key, name: createHash('sha256').update(idempotencyKey).digest('base64url') };
}

/** What is remembered of the first request. */
export interface Claim {
  requestId: string;
  /** hash of route, scope and body */
  fingerprint: string;
  /** configuration version that judges it, and how many earlier texts that looks back on */
  config: number;
  contextDepth: number;
}

export type Claimed =
  | { status: 'claimed' }
  /** too many are remembered; `ms` until one is forgotten */
  | { status: 'full'; ms: number }
  /** another request has it, claimed `age` ms ago */
  | { status: 'held'; claim: Claim; age: number };

export interface ClaimLimits {
  lifeMs: number;
  most: number;
}

export const CLAIM_LIMITS: ClaimLimits = { lifeMs: CLAIM_MS, most: MOST_CLAIMS };

const keysOf = ({ team, key, name }: ClaimKey): string[] => [keys.claim(team, key, name), keys.claims(team, key)];

/** Claims `key` for `claim`; `owner` is what it can be given up with. */
export async function claim(
  redis: Redis,
  key: ClaimKey,
  { owner, ...wanted }: Claim & { owner: string },
  limits: ClaimLimits = CLAIM_LIMITS,
): Promise<Claimed> {
  const { requestId, fingerprint, config, contextDepth } = wanted;
  const values = [requestId, fingerprint, config, contextDepth, owner, limits.lifeMs, limits.most, key.name];
  const reply = (await claimScript(redis, keysOf(key), values)) as [string, ...unknown[]];
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

/** Gives up a claim whose request was not accepted. False: it had been taken over, or was not there. */
export async function unclaim(redis: Redis, key: ClaimKey, owner: string): Promise<boolean> {
  return (await unclaimScript(redis, keysOf(key), [owner, key.name])) === 1;
}

/**
 * Gives up the claim of a request of which nothing more can come: one that was barred, or is finished without a verdict.
 * Whoever finds it so may do that. False: the claim is not `requestId`'s, or not any more.
 */
export async function release(redis: Redis, key: ClaimKey, requestId: string): Promise<boolean> {
  return (await releaseScript(redis, keysOf(key), [requestId, key.name])) === 1;
}

/**
 * Takes over a claim of which nobody knows what became; only `owner` can give it up then. False: it is not `requestId`'s
 * any more.
 */
export async function takeClaim(redis: Redis, key: ClaimKey, requestId: string, owner: string): Promise<boolean> {
  return (await takeScript(redis, [keysOf(key)[0]!], [requestId, owner])) === 1;
}

const requestKeys = ({ partition, lane }: Place, requestId: string): string[] => [
  keys.checks(partition, lane),
  keys.result(partition, requestId),
  keys.entry(partition, requestId),
];

/** The work of a request that may be repeated. */
export interface Work {
  /** a function of the request, so that every retry looks and adds where the first one did */
  place: Place;
  requestId: string;
  header: string;
  body: Buffer;
}

/** `barred`: it was given up before, and never will be added. */
export type Added = 'added' | 'there' | 'barred';

/** Adds the work entry unless it was added before; `lost` is an entry id of which ClickHouse knows no result, or ''. */
export async function addOnce(redis: Redis, work: Work, lost = ''): Promise<Added> {
  // Remembered for longer than any claim that can still lead here.
  const values = [work.header, work.body, CLAIM_MS, lost];
  const reply = await addScript(redis, requestKeys(work.place, work.requestId), values);
  if (reply === 1) return 'added';
  return reply === 0 ? 'there' : 'barred';
}

/** Makes sure that a request is never added, so that its claim can be given up. False: it was added. */
export async function bar(redis: Redis, partition: number, requestId: string): Promise<boolean> {
  const names = [keys.result(partition, requestId), keys.entry(partition, requestId)];
  return (await barScript(redis, names, [CLAIM_MS])) === 1;
}

export type Whereabouts =
  | { status: 'done'; record: ResultRecord }
  | { status: 'pending' }
  /** it was added as `entry`, and neither that nor a result is in Redis */
  | { status: 'gone'; entry: string }
  | { status: 'none' }
  /** it was given up, and never will be added; its claim is about to be */
  | { status: 'barred' };

/** Where a claimed request is. */
export async function findCheck(redis: Redis, place: Place, requestId: string): Promise<Whereabouts> {
  const [status, detail] = (await findScript(redis, requestKeys(place, requestId), [])) as [string, string];
  if (status === 'done') return { status, record: decodeRecord(detail) };
  if (status === 'gone') return { status, entry: detail };
  if (status === 'pending' || status === 'barred') return { status };
  return { status: 'none' };
}

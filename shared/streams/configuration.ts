/**
 * The configuration of an installation: numbered versions in Redis, one of them active.
 *
 *     stored ──(every live worker reports that it compiles)──> active
 *
 * A version never changes. Ingress stamps the active one on each request and the evaluator uses exactly that one, so
 * old versions stay readable (the last 20).
 */
import type { Redis } from './client.js';
import { keys } from './keys.js';
import { script } from './script.js';

const VERSIONS_KEPT = 20;
/** A worker that has not been heard of for this long is not waited for. */
const WORKER_SILENCE_MS = 5000;
/** A worker that has not been heard of for this long is dropped from the list. */
const FORGET_MS = 20 * WORKER_SILENCE_MS;
const REPORT_SECONDS = 3600;

const store = script('store-version');
const moveForward = script('activate');
const beat = script('heartbeat');
const reports = script('readiness');

/** Number of the active version; 0 when nothing was applied yet. */
export async function activeVersion(redis: Redis): Promise<number> {
  return Number((await redis.get(keys.configActive())) ?? '0');
}

/** JSON text of a version, or undefined when it is no longer kept. */
export async function readVersion(redis: Redis, version: number): Promise<string | undefined> {
  return (await redis.hget(keys.configVersions(), String(version))) ?? undefined;
}

/** Whether a version is still kept. */
export async function hasVersion(redis: Redis, version: number): Promise<boolean> {
  return (await redis.hexists(keys.configVersions(), String(version))) === 1;
}

/** Stores a new version (not active yet), and drops the oldest. Workers find it at their next heartbeat. Returns its number. */
export async function storeVersion(redis: Redis, json: string): Promise<number> {
  const scriptKeys = [keys.configNext(), keys.configVersions(), keys.configActive()];
  return (await store(redis, scriptKeys, [json, VERSIONS_KEPT])) as number;
}

/**
 * Makes a version the active one, unless a newer one is: of two that apply at once, the one that stored last wins,
 * whoever is ready first. Returns the number that is active now.
 */
export async function activate(redis: Redis, version: number): Promise<number> {
  return (await moveForward(redis, [keys.configActive()], [version])) as number;
}

/** A worker says that it lives; returns the newest version there is, which it should be able to use. */
export async function heartbeat(redis: Redis, worker: string): Promise<number> {
  return (await beat(redis, [keys.configWorkers(), keys.configNext()], [worker, FORGET_MS])) as number;
}

/** A worker that stops is not waited for. */
export async function retire(redis: Redis, worker: string): Promise<void> {
  await redis.zrem(keys.configWorkers(), worker);
}

/** A worker says whether it could compile `version`: `ok`, or the reason why not. */
export async function report(redis: Redis, version: number, worker: string, outcome: string): Promise<void> {
  await redis.hset(keys.configReports(version), worker, outcome);
  await redis.expire(keys.configReports(version), REPORT_SECONDS);
}

export interface Readiness {
  /** live workers that have not reported yet */
  waiting: string[];
  /** worker → why it cannot use the version */
  refused: Map<string, string>;
}

/** What the live workers say of `version`. */
export async function readiness(redis: Redis, version: number): Promise<Readiness> {
  const scriptKeys = [keys.configWorkers(), keys.configReports(version)];
  const list = (await reports(redis, scriptKeys, [WORKER_SILENCE_MS])) as string[];
  const waiting: string[] = [];
  const refused = new Map<string, string>();
  for (let i = 0; i + 1 < list.length; i += 2) {
    const [worker, outcome] = [list[i]!, list[i + 1]!];
    if (outcome === '') waiting.push(worker);
    else if (outcome !== 'ok') refused.set(worker, outcome);
  }
  return { waiting, refused };
}

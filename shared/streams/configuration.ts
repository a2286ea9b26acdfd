/**
 * The configuration of an installation: numbered versions in Redis, one of them active.
 *
 *     stored ──(every live worker reports that it compiles)──> active ──(every live process works by it)──> in force
 *
 * A version never changes. Ingress stamps the active one on each request, and the evaluator uses exactly that one. So the last
 * 20 versions stay readable.
 *
 * A number alone does not identify a configuration: a Redis that was emptied or restored from a backup uses numbers again. So
 * its {@link Identity} also has a hash of the content and the id of the installation. That id is random. It is made with the
 * first configuration, and is lost when Redis loses its data.
 */
import { createHash, randomBytes } from 'node:crypto';
import type { Redis } from './client.js';
import { keys } from './keys.js';
import { type RedisCommand, type RedisConnection, script } from './script.js';
import { transact } from './send.js';

const VERSIONS_KEPT = 20;
const REPORT_SECONDS = 3600;

const store = script('configuration/store-version');
const makeActive = script('configuration/activate-version');
const readActive = script('configuration/read-active-version');

export const NO_CONFIGURATION =
  'There is no configuration: nothing was applied yet, or Redis was emptied. weir apply FILE.';

/** Identifies a configuration, even when its number was used before. */
export interface Identity {
  version: number;
  /** number, hash of the content and installation, such as `7-3f0c…@9a41…` */
  id: string;
}

export interface StoredConfiguration extends Identity {
  /** JSON */
  text: string;
}

const contentOf = (text: string): string => createHash('sha256').update(text).digest('hex').slice(0, 16);

export const identityOf = (version: number, content: string, installation: string): Identity => ({
  version,
  id: `${version}-${content}@${installation}`,
});

/** Number of the active version; 0 when none was applied yet. */
export async function activeVersion(redis: Redis): Promise<number> {
  return Number((await redis.get(keys.configActive())) ?? '0');
}

/** The active configuration; undefined when none was applied yet, or Redis has lost it. */
export async function activeIdentity(redis: Redis): Promise<Identity | undefined> {
  const scriptKeys = [keys.configInstallation(), keys.configActive(), keys.configContents()];
  const [installation, version, content] = (await readActive(redis, scriptKeys, [])) as [string, number, string];
  if (version === 0) return undefined;
  return installation === '' || content === '' ? undefined : identityOf(version, content, installation);
}

/** A version with its text, or undefined when it is no longer kept. */
export async function readConfiguration(
  redis: RedisConnection,
  version: number,
): Promise<StoredConfiguration | undefined> {
  const text = await readVersion(redis, version);
  if (text === undefined) return undefined;
  const installation = await redis.get(keys.configInstallation());
  return installation === null ? undefined : { ...identityOf(version, contentOf(text), installation), text };
}

/** JSON text of a version, or undefined when it is no longer kept. */
export async function readVersion(redis: RedisConnection, version: number): Promise<string | undefined> {
  return (await redis.hget(keys.configVersions(), String(version))) ?? undefined;
}

/** Models of texts, by the SHA-256 of their files: the files, packed as {@link readPackedModel} returns them. */
export type PackedModels = ReadonlyMap<string, Buffer>;

/**
 * Stores a new version with the models that it names. It is not active yet. Drops the oldest version, and models that none names.
 * Workers find it at their next heartbeat. Its number is above `used`, the highest number that is known to have been used. Returns its
 * number.
 */
export async function storeVersion(
  redis: Redis,
  json: string,
  used = 0,
  models: PackedModels = new Map(),
): Promise<number> {
  const scriptKeys = [
    keys.configNext(),
    keys.configVersions(),
    keys.configActive(),
    keys.configInstallation(),
    keys.configContents(),
    keys.configModels(),
    keys.configModelUses(),
    keys.configApplied(),
  ];
  const values = [json, VERSIONS_KEPT, contentOf(json), newInstallation(), used, ...[...models].flat()];
  return (await store(redis, scriptKeys, values)) as number;
}

/** Puts the models of a version back that Redis has lost. */
export async function restoreModels(redis: Redis, version: number, models: PackedModels): Promise<void> {
  if (models.size === 0) return;
  await transact(redis, [
    ['HSET', keys.configModelUses(), version, [...models.keys()].join(' ')],
    ...[...models].map(([sha256, file]): RedisCommand => ['HSETNX', keys.configModels(), sha256, file]),
  ]);
}

/** SHA-256s of the models that a version names. */
export async function modelsNamedBy(redis: Redis, version: number): Promise<string[]> {
  const list = await redis.hget(keys.configModelUses(), String(version));
  return list === null || list === '' ? [] : list.split(' ');
}

/** The file of a model, packed; undefined when Redis has lost it. */
export async function readPackedModel(redis: Redis, sha256: string): Promise<Buffer | undefined> {
  return (await redis.hgetBuffer(keys.configModels(), sha256)) ?? undefined;
}

/** Whether Redis knows this installation. It does not before the first configuration, nor after its data was lost. */
export async function isInstalled(redis: Redis): Promise<boolean> {
  return (await redis.exists(keys.configInstallation())) === 1;
}

const newInstallation = (): string => randomBytes(6).toString('hex');

/**
 * Makes a version the active one, unless a newer one is active or Redis has lost the version. When two operators apply at once,
 * the version that was stored last wins, whichever is ready first. Returns the number that is active now.
 */
export async function activate(redis: Redis, version: number, who: Operator = UNKNOWN): Promise<number> {
  const scriptKeys = [keys.configActive(), keys.configVersions(), keys.configApplied()];
  return (await makeActive(redis, scriptKeys, [version, JSON.stringify(who)])) as number;
}

/** Who applies a configuration, and what they say of it. */
export interface Operator {
  user: string;
  host: string;
  message: string;
}

const UNKNOWN: Operator = { user: '', host: '', message: '' };

/** A version that was made the active one: when, and by whom. */
export interface AppliedVersion {
  version: number;
  applied: Operator & { at: Date };
}

/** The versions that are kept and were active, by their numbers. Those that a release without this note applied are missing. */
export async function appliedVersions(redis: RedisConnection): Promise<AppliedVersion[]> {
  return Object.entries(await redis.hgetall(keys.configApplied()))
    .map(([version, text]) => ({ version: Number(version), applied: readApplied(text) }))
    .sort((a, b) => a.version - b.version);
}

/** A version that is kept. One that was stored and never became active was not applied. */
export interface KeptVersion extends Partial<AppliedVersion> {
  version: number;
  /** hash of its content */
  content: string;
  active: boolean;
}

/** The versions that are kept, by their numbers. */
export async function keptVersions(redis: RedisConnection): Promise<KeptVersion[]> {
  const [kept, applied, active] = await Promise.all([
    redis.hgetall(keys.configContents()),
    appliedVersions(redis),
    redis.get(keys.configActive()),
  ]);
  const notes = new Map(applied.map((one) => [one.version, one]));
  return Object.entries(kept)
    .map(([version, content]) => {
      return { version: Number(version), content, active: version === active, ...notes.get(Number(version)) };
    })
    .sort((a, b) => a.version - b.version);
}

function readApplied(text: string): Operator & { at: Date } {
  const space = text.indexOf(' ');
  const who = JSON.parse(text.slice(space + 1)) as Operator;
  return { ...who, at: new Date(Number(text.slice(0, space))) };
}

/** Records whether a worker could compile `version`: `ok`, or the reason why not. */
export async function report(redis: Redis, version: number, worker: string, outcome: string): Promise<void> {
  await redis.hset(keys.configReports(version), worker, outcome);
  await redis.expire(keys.configReports(version), REPORT_SECONDS);
}

/**
 * How a configuration is applied: it is checked, stored as a new version, made the active one once every live worker has compiled it, and in
 * force once every live ingress uses it.
 *
 *     read ──> prepared ──> active ──> everywhere
 */
import { setTimeout as sleep } from 'node:timers/promises';
import { type Configuration, loadConfiguration, problemText } from '../../../shared/configuration/configuration.js';
import { modelsOf } from '../../../shared/configuration/text-models.js';
import { createHistoryClient, type HistoryAddress } from '../../../shared/history/client.js';
import { highestConfiguration } from '../../../shared/history/configurations.js';
import { packModel } from '../../../shared/policy/models/packed.js';
import { regionText } from '../../../shared/region.js';
import { connectCommands, type Redis, waitForRedis } from '../../../shared/streams/client.js';
import {
  activate,
  activeIdentity,
  activeVersion,
  isInstalled,
  type Operator,
  type PackedModels,
  readVersion,
  restoreModels,
  storeVersion,
} from '../../../shared/streams/configuration.js';
import type { RedisEndpoint } from '../../../shared/streams/endpoint.js';
import { liveMembers, readiness } from '../../../shared/streams/fleet.js';
import { readLayout } from '../../../shared/streams/partitions.js';
import { shippedPacks } from '../../packs.js';
import { type CommandOutput, LongError } from '../command.js';
import type { FilesBeside } from './file.js';
import type { ConfigurationChanges } from './review.js';

/** Limit for workers to report that they can use a version. */
const REPORT_MS = 30_000;
/** Limit for ClickHouse to say which numbers were used. */
const HISTORY_MS = 3000;
/** Limit for ingress processes to take a new version. They look twice a second. */
const FOLLOW_MS = 15_000;
/** After this time, and then this often, it says who is waited for. */
const PROGRESS_MS = 3000;
const LOOK_MS = 50;
const MOST_NAMES = 10;

export interface Applied {
  version: number;
  /** false: it was the active version already */
  changed: boolean;
  /** live ingress processes that did not take it in time; absent: all did */
  behind?: string[];
}

/** Why a file is not applied. */
export const KEYLESS =
  'it has no keys, so nobody could use it. weir keys create prints an entry for "keys:"; "keys: []" says that none is wanted';

/** The configuration was not applied, and nothing has changed. There is a line for each problem. */
export class NotApplied extends LongError {}

export interface ApplyOptions extends RedisEndpoint {
  text: string;
  /** name of the text in messages */
  file: string;
  /** those that it names; absent: there are none */
  files?: FilesBeside | undefined;
  /** the models that it names, where they are at hand; absent: they are read from `files` */
  models?: PackedModels;
  /** what a file without `keys` is completed to; absent: such a file is refused */
  completed?(configuration: Configuration): Configuration;
  /** Called before anything is stored, unless it is active already. Why it is not to be applied, a line for each reason. */
  review?(change: ConfigurationChanges): string[];
  /** rows name the configuration numbers that were used; a Redis that has lost its data would use them again */
  history?: HistoryAddress | undefined;
  /** what is wrong beyond the file, a line for each problem; absent: nothing is looked for */
  tryOut?(configuration: Configuration): Promise<string[]>;
  /** who applies it, as {@link operator} says */
  who?: Operator;
  /** prints who is waited for */
  say?(line: string): void;
  /** limit for ingress processes to take it */
  followMs?: number;
}

/** Applies a configuration. Rejects with {@link NotApplied}. */
export async function applyConfiguration(options: ApplyOptions): Promise<Applied> {
  const read = await readForApplying(options);
  const redis = connectCommands(options, 'weir-apply');
  redis.on('error', () => undefined);
  try {
    await waitForRedis(redis, options);
    const prepared = await prepare(redis, read, options);
    if (prepared.changed) await makeActive(redis, prepared.version, options.who);
    return {
      version: prepared.version,
      changed: prepared.changed,
      ...(await everywhere(redis, prepared.version, options)),
    };
  } finally {
    redis.disconnect();
  }
}

/** A configuration that is fit to be applied: as it is stored, and the models that it names. */
export interface ReadForApplying {
  configuration: Configuration;
  json: string;
  models: PackedModels;
}

/** Reads and checks the text, whatever is active. Rejects with {@link NotApplied}. */
export async function readForApplying(options: Omit<ApplyOptions, keyof RedisEndpoint>): Promise<ReadForApplying> {
  const loaded = loadConfiguration(options.text, options.file, options.files, shippedPacks);
  if (!loaded.ok) {
    throw new NotApplied(loaded.problems.map(problemText));
  }
  if (loaded.keyless && !options.completed) throw new NotApplied([`${options.file}: ${KEYLESS}`]);
  const configuration = (loaded.keyless && options.completed?.(loaded.configuration)) || loaded.configuration;
  const problems = (await options.tryOut?.(configuration)) ?? [];
  if (problems.length > 0) throw new NotApplied(problems.map((each) => `${options.file}: ${each}`));
  return {
    configuration,
    json: JSON.stringify(configuration),
    models: options.models ?? packedModels(configuration, options),
  };
}

/** A version that every live worker can use. Nothing works by it yet, unless it has not `changed`: then it was active before. */
export interface PreparedVersion {
  version: number;
  changed: boolean;
  /** the version that was active; 0: none */
  active: number;
}

type PrepareOptions = Pick<ApplyOptions, 'file' | 'review' | 'history' | 'say'>;

/** Stores the configuration as a new version, and waits until every live worker has compiled it. Rejects with {@link NotApplied}. */
export async function prepare(
  redis: Redis,
  { configuration, json, models }: ReadForApplying,
  options: PrepareOptions,
): Promise<PreparedVersion> {
  const { region } = await readLayout(redis);
  const named = configuration.regions?.[region.number];
  if (named !== undefined && named !== region.name) {
    throw new NotApplied([
      `${options.file}: regions: this installation is the region ${regionText(region)}, and the file names that "${named}". Nothing has changed.`,
    ]);
  }
  const active = await activeVersion(redis);
  const current = active > 0 ? await readVersion(redis, active) : undefined;
  if (current === json) {
    await restoreModels(redis, active, models);
    return { version: active, changed: false, active };
  }
  const before = current === undefined ? undefined : (JSON.parse(current) as Configuration);
  const reasons = options.review?.({ before, after: configuration }) ?? [];
  if (reasons.length > 0) throw new NotApplied(reasons);
  const used = options.history && !(await isInstalled(redis)) ? await usedBefore(options.history) : 0;
  const version = await storeVersion(redis, json, used, models);
  await allReady(redis, version, options);
  return { version, changed: true, active };
}

/** Makes a version that is prepared the active one. Rejects with {@link NotApplied}. */
export async function makeActive(redis: Redis, version: number, who: Operator | undefined): Promise<void> {
  const now = await activate(redis, version, who);
  if (now < version) {
    throw new NotApplied([`Version ${version} was not activated: Redis has lost it meanwhile. Apply the file again.`]);
  }
  if (now !== version) {
    throw new NotApplied([
      `Version ${version} was not activated: version ${now} has been applied meanwhile, and is active.`,
    ]);
  }
}

/** The models that its policies name. */
function packedModels(
  configuration: Configuration,
  { file, files }: Pick<ApplyOptions, 'file' | 'files'>,
): PackedModels {
  const read = files?.models();
  return new Map(
    [...modelsOf(configuration)].map(([sha256, name]) => {
      const bytes = read?.get(sha256);
      if (!bytes)
        throw new NotApplied([`${file}: ${name}: a model is read beside the configuration, and it was not read`]);
      return [sha256, packModel(bytes)];
    }),
  );
}

/** The highest number that rows name. 0 without ClickHouse: numbers then follow those that Redis and live processes know. */
async function usedBefore(history: HistoryAddress): Promise<number> {
  const client = createHistoryClient(history);
  try {
    return await highestConfiguration(client, HISTORY_MS);
  } catch {
    return 0;
  } finally {
    await client.close();
  }
}

/** Calls `look`, which lists the processes to wait for, until there are none or `limitMs` have passed. Returns those that are left. */
async function waitFor(
  look: () => Promise<string[]>,
  { limitMs, say }: { limitMs: number; say(waiting: string[]): void },
): Promise<string[]> {
  const began = performance.now();
  let said = began;
  for (;;) {
    const waiting = await look();
    const now = performance.now();
    if (waiting.length === 0 || now - began > limitMs) return waiting;
    if (now - said > PROGRESS_MS) {
      say(waiting);
      said = now;
    }
    await sleep(LOOK_MS);
  }
}

const listed = (names: readonly string[]): string =>
  names.length > MOST_NAMES
    ? `${names.slice(0, MOST_NAMES).join(', ')} and ${names.length - MOST_NAMES} more`
    : names.join(', ');

async function allReady(redis: Redis, version: number, { say }: Pick<ApplyOptions, 'say'>): Promise<void> {
  const look = async (): Promise<string[]> => {
    const { waiting, refused } = await readiness(redis, version);
    if (refused.size > 0) {
      const reasons = [...new Set(refused.values())].join('; ');
      throw new NotApplied([
        `${refused.size} worker(s) cannot use this configuration: ${reasons}. Nothing has changed.`,
      ]);
    }
    return waiting;
  };
  const silent = await waitFor(look, {
    limitMs: REPORT_MS,
    say: (waiting) => say?.(`Waiting for ${waiting.length} worker(s) to compile it: ${listed(waiting)} …`),
  });
  if (silent.length > 0) {
    throw new NotApplied([
      `${silent.length} worker(s) did not report within ${REPORT_MS / 1000} s: ${listed(silent)}. Nothing has changed; try again.`,
    ]);
  }
}

/** Waits until every live ingress has the version, or a newer version is active. */
export async function everywhere(
  redis: Redis,
  version: number,
  { say, followMs = FOLLOW_MS }: Pick<ApplyOptions, 'say' | 'followMs'>,
): Promise<Pick<Applied, 'behind'>> {
  const look = async (): Promise<string[]> => {
    const active = await activeIdentity(redis);
    if (active?.version !== version) return [];
    const members = await liveMembers(redis, 'ingress');
    return members.flatMap(({ name, inForce }) => (inForce === active.id ? [] : [name]));
  };
  const behind = await waitFor(look, {
    limitMs: followMs,
    say: (waiting) =>
      say?.(`Version ${version} is active; waiting for ${waiting.length} ingress to take it: ${listed(waiting)} …`),
  });
  return behind.length > 0 ? { behind } : {};
}

/** Says what came of it. Returns the exit code. */
export function sayApplied({ version, changed, behind }: Applied, output: CommandOutput): number {
  output.out(changed ? `Version ${version} is active.` : `Nothing to do: version ${version} is active and the same.`);
  if (!behind) return 0;
  output.err(
    `${behind.length} ingress did not take it within ${FOLLOW_MS / 1000} s: ${listed(behind)}. Look at its log, or end it: it still uses an earlier version.`,
  );
  return 1;
}

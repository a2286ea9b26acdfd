/**
 * `weir apply FILE`: checks a configuration, waits until every live worker has compiled it, makes it the active one, and
 * returns once every live ingress uses it.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import { type Configuration, loadConfiguration, problemText } from '../../../../shared/configuration/configuration.js';
import { modelsOf } from '../../../../shared/configuration/text-models.js';
import { createHistoryClient, type HistoryAddress } from '../../../../shared/history/client.js';
import { highestConfiguration } from '../../../../shared/history/configurations.js';
import { packModel } from '../../../../shared/policy/models/packed.js';
import { connectCommands, type Redis, waitForRedis } from '../../../../shared/streams/client.js';
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
} from '../../../../shared/streams/configuration.js';
import { REDIS_SETTINGS, type RedisEndpoint } from '../../../../shared/streams/endpoint.js';
import { liveMembers, readiness } from '../../../../shared/streams/fleet.js';
import { shippedPacks } from '../../../packs.js';
import { type Command, type CommandOutput, CommandUsageError, LongError, optionsOf } from '../../command.js';
import { sayDiff } from '../../configuration/diff.js';
import {
  type FilesBeside,
  filesBeside,
  type ReadConfiguration,
  readConfigurationFile,
  readSourceFile,
} from '../../configuration/file.js';
import { messageOf, operator } from '../../configuration/operator.js';
import { type ConfigurationChanges, createReviewer, sayDoubts } from '../../configuration/review.js';
import { historyAddress, installationSettings, withInstallation } from '../../installation.js';
import { tryModels } from '../../model-problems.js';
import { textOption } from '../../options.js';
import { counted } from '../../progress.js';
import { sinceOf } from '../../since.js';
import { backtestOf } from '../policies/backtest.js';
import { KEYLESS } from './check-config.js';

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
  const loaded = loadConfiguration(options.text, options.file, options.files, shippedPacks);
  if (!loaded.ok) {
    throw new NotApplied(loaded.problems.map(problemText));
  }
  if (loaded.keyless && !options.completed) throw new NotApplied([`${options.file}: ${KEYLESS}`]);
  const configuration = (loaded.keyless && options.completed?.(loaded.configuration)) || loaded.configuration;
  const problems = (await options.tryOut?.(configuration)) ?? [];
  if (problems.length > 0) throw new NotApplied(problems.map((each) => `${options.file}: ${each}`));
  const json = JSON.stringify(configuration);
  const models = options.models ?? packedModels(configuration, options);
  const redis = connectCommands(options, 'weir-apply');
  redis.on('error', () => undefined);
  try {
    await waitForRedis(redis, options);
    const active = await activeVersion(redis);
    const current = active > 0 ? await readVersion(redis, active) : undefined;
    if (current === json) {
      await restoreModels(redis, active, models);
      return { version: active, changed: false, ...(await everywhere(redis, active, options)) };
    }
    const before = current === undefined ? undefined : (JSON.parse(current) as Configuration);
    const reasons = options.review?.({ before, after: configuration }) ?? [];
    if (reasons.length > 0) throw new NotApplied(reasons);
    const used = options.history && !(await isInstalled(redis)) ? await usedBefore(options.history) : 0;
    const version = await storeVersion(redis, json, used, models);
    await allReady(redis, version, options);
    const now = await activate(redis, version, options.who);
    if (now < version) {
      throw new NotApplied([
        `Version ${version} was not activated: Redis has lost it meanwhile. Apply the file again.`,
      ]);
    }
    if (now !== version) {
      throw new NotApplied([
        `Version ${version} was not activated: version ${now} has been applied meanwhile, and is active.`,
      ]);
    }
    return { version, changed: true, ...(await everywhere(redis, version, options)) };
  } finally {
    redis.disconnect();
  }
}

/** The models that its policies name. */
function packedModels(configuration: Configuration, { file, files }: ApplyOptions): PackedModels {
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

async function allReady(redis: Redis, version: number, { say }: ApplyOptions): Promise<void> {
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
async function everywhere(
  redis: Redis,
  version: number,
  { say, followMs = FOLLOW_MS }: ApplyOptions,
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

export const apply: Command = {
  usage: `weir apply FILE [--message TEXT] [--yes]
weir apply FILE --dry-run [--rehearse 1h]

  --message TEXT   why, as weir config list shows it
  --yes            also where all keys, environments, deployments or policies of a team are dropped
  --dry-run        say what would change, and change nothing
  --rehearse TIME  with --dry-run: also how many items since then would be judged otherwise, as weir backtest says it

Checks FILE, and the models that it names for texts where WEIR_MODELS has them. Stores it as a new version, waits until every live worker has compiled it, and then makes it the active one.
If anything is wrong, nothing changes. Returns once every live ingress uses the new version; the exit code is 1 when one
does not in time. Prints what has changed; weir config diff prints all of it.

A file without "keys" is refused, and without --yes also one that drops all keys, environments, deployments or policies that a
team has. A policy whose id follows from its name becomes another one with another name: a warning says so.

WEIR_REDIS_URL names the installation (default: that of npm start in WEIR_DATA_DIR, else redis://127.0.0.1:6379). When
Redis has lost its data, version numbers continue from the rows of WEIR_CLICKHOUSE_URL.`,
  options: optionsOf({ texts: 'message rehearse', flags: 'dry-run yes' }),
  async run(given, output) {
    const { positionals, values } = given;
    if (positionals.length !== 1) throw new CommandUsageError('expected one FILE');
    const message = messageOf(values);
    const since = textOption(given, 'rehearse');
    if (since !== undefined && values['dry-run'] !== true) throw new CommandUsageError('--rehearse is for --dry-run');
    if (values['dry-run'] === true) return await rehearse(positionals[0]!, since, output);
    const endpoint = installationSettings(REDIS_SETTINGS);
    const file = positionals[0]!;
    const text = readSourceFile(file);
    const reviewer = createReviewer(values.yes === true, output);
    const applied = await applyConfiguration({
      ...endpoint,
      text,
      file,
      files: filesBeside(file),
      history: historyAddress(),
      tryOut: async (configuration) => {
        const { problems, absent } = await tryModels(configuration);
        for (const each of absent) output.err(`warning: ${each}`);
        return problems;
      },
      who: operator(message),
      say: output.err,
      review: reviewer.review,
    });
    reviewer.sayChanges(applied);
    return sayApplied(applied, output);
  },
};

/** Says what came of it. Returns the exit code. */
export function sayApplied({ version, changed, behind }: Applied, output: CommandOutput): number {
  output.out(changed ? `Version ${version} is active.` : `Nothing to do: version ${version} is active and the same.`);
  if (!behind) return 0;
  output.err(
    `${behind.length} ingress did not take it within ${FOLLOW_MS / 1000} s: ${listed(behind)}. Look at its log, or end it: it still uses an earlier version.`,
  );
  return 1;
}

/** Says what applying the file would change, and how many of the items since `since` it would judge otherwise. */
async function rehearse(file: string, since: string | undefined, output: CommandOutput): Promise<number> {
  const after = readConfigurationFile(file, output);
  if (!after) return 1;
  if (after.keyless) throw new NotApplied([`${file}: ${KEYLESS}`]);
  const text = await withInstallation(async (redis) => await readVersion(redis, await activeVersion(redis)));
  if (text === undefined) {
    output.out('No configuration is active: all of the file would be new.');
    return 0;
  }
  const before = JSON.parse(text) as Configuration;
  sayDiff(before, after.configuration, output);
  sayDoubts(before, after.configuration, output);
  if (since !== undefined) await sayJudged(after, since, output);
  return 0;
}

async function sayJudged(read: ReadConfiguration, since: string, output: CommandOutput): Promise<void> {
  const until = Date.now();
  const window = { since: sinceOf(since, until, '--rehearse'), until };
  const { result } = await backtestOf(read, { window, examples: 0 }, output);
  const { items, evaluated, changed } = result.counts;
  const rest = items - evaluated;
  output.out(
    `${counted(changed)} of ${counted(evaluated)} items since ${since} would be judged otherwise${rest > 0 ? `; ${counted(rest)} could not be compared` : ''}.`,
  );
}

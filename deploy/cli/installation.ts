/** Finds the installation that a command works on. */
import { readFileSync } from 'node:fs';
import { parseEnv } from 'node:util';
import { HISTORY_SETTINGS, type HistoryAddress, historyAddressOf } from '../../shared/history/client.js';
import { loadSettings, type SettingName, type Settings, SettingsError } from '../../shared/settings.js';
import { connectCommands, isAway, type Redis, waitForRedis } from '../../shared/streams/client.js';
import { REDIS_SETTINGS, type RedisEndpoint } from '../../shared/streams/endpoint.js';
import { keys } from '../../shared/streams/keys.js';
import { readPartitions } from '../../shared/streams/partitions.js';
import { type ENGINE_USERS, environmentOf } from '../local/credentials.js';
import { type CommandOutput, CommandUsageError } from './command.js';

/**
 * Settings of a command. The environment comes first. What it does not set, the installation that runs in WEIR_DATA_DIR
 * (`npm start`) has written down there, with its passwords. `user`: of its ClickHouse.
 */
export function installationSettings<N extends SettingName>(
  names: readonly N[],
  user?: keyof typeof ENGINE_USERS,
): Settings<N> {
  const { dataDir } = loadSettings(process.env, ['dataDir']);
  const set = Object.entries(process.env).filter(([, value]) => value?.trim());
  return loadSettings({ ...environmentOf(dataDir, user), ...Object.fromEntries(set) }, names);
}

/**
 * The ClickHouse of the installation, with the rights of `user` where it is that of `npm start`. Undefined when only its Redis is set: the
 * default may be another installation's.
 */
export function historyAddress(user?: keyof typeof ENGINE_USERS): HistoryAddress | undefined {
  if (!process.env.WEIR_CLICKHOUSE_URL && process.env.WEIR_REDIS_URL) return undefined;
  return historyAddressOf(installationSettings(HISTORY_SETTINGS, user));
}

/** One of several installations that a command is for. */
export interface NamedInstallation {
  /** the file with its settings, as it was given */
  name: string;
  endpoint: RedisEndpoint;
  /** absent: only its Redis is set */
  history: HistoryAddress | undefined;
  /** what it sets */
  settings: Readonly<Record<string, string | undefined>>;
}

const MOST_INSTALLATIONS = 15;

/**
 * Installations by files of their settings, separated by commas: a line for each variable, as systemd and Compose read them. `WEIR_DATA_DIR` alone
 * names one that runs there by `npm start`. Nothing is taken from the environment.
 */
export function namedInstallations(list: string, option: string): NamedInstallation[] {
  const names = list.split(',').map((name) => name.trim());
  if (new Set(names).size < names.length || names.includes('')) {
    throw new CommandUsageError(`${option}: expected files that differ, separated by commas`);
  }
  if (names.length > MOST_INSTALLATIONS)
    throw new CommandUsageError(`${option}: expected at most ${MOST_INSTALLATIONS} files`);
  return names.map((name) => {
    const own = settingsFile(name);
    const settings = { ...(own.WEIR_DATA_DIR ? environmentOf(own.WEIR_DATA_DIR) : {}), ...own };
    if (!settings.WEIR_REDIS_URL) {
      throw new CommandUsageError(
        `${name}: expected WEIR_REDIS_URL=…, or WEIR_DATA_DIR=… of an installation that runs (npm start)`,
      );
    }
    try {
      return {
        name,
        endpoint: loadSettings(settings, REDIS_SETTINGS),
        history: settings.WEIR_CLICKHOUSE_URL ? historyAddressOf(loadSettings(settings, HISTORY_SETTINGS)) : undefined,
        settings,
      };
    } catch (error) {
      if (error instanceof SettingsError) throw new CommandUsageError(`${name}: ${error.message}`);
      throw error;
    }
  });
}

function settingsFile(name: string): Record<string, string | undefined> {
  try {
    const set = Object.entries(parseEnv(readFileSync(name, 'utf8'))).filter(([, value]) => value?.trim());
    return Object.fromEntries(set);
  } catch (error) {
    throw new CommandUsageError(`${name}: cannot be read (${(error as NodeJS.ErrnoException).code ?? String(error)})`);
  }
}

/** How long the command line waits for a Redis that does not answer. */
export const CONNECT_MS = 5000;

/** Runs `use` with a connection to a Redis. `wait`: until when. */
export async function withRedis<T>(
  endpoint: RedisEndpoint,
  use: (redis: Redis) => Promise<T>,
  wait: typeof waitForRedis = waitForRedis,
): Promise<T> {
  const redis = connectCommands(endpoint, 'weir-cli');
  // Commands report failures themselves. An error event without a listener would end the process before that.
  redis.on('error', () => undefined);
  try {
    await wait(redis, endpoint, { timeoutMs: CONNECT_MS });
    return await use(redis);
  } finally {
    redis.disconnect();
  }
}

/** Runs `use` with a connection to the Redis of the installation. */
export async function withInstallation<T>(
  use: (redis: Redis) => Promise<T>,
  wait: typeof waitForRedis = waitForRedis,
): Promise<T> {
  return await withRedis(installationSettings(REDIS_SETTINGS), use, wait);
}

/**
 * The partitions of the installation. Of a Cluster, those whose primary is there: the others are named, and `code` is 1, as of a command
 * that has done only a part.
 */
export async function partitionsThere(
  redis: Redis,
  output: Pick<CommandOutput, 'err'>,
): Promise<{ partitions: number[]; code: number }> {
  const all = Array.from({ length: await readPartitions(redis) }, (_, p) => p);
  const away = all.filter((p) => isAway(redis, keys.checks(p)));
  if (away.length > 0) output.err(`Left out, since their primary is away: partitions ${away.join(', ')}.`);
  return { partitions: all.filter((p) => !away.includes(p)), code: away.length > 0 ? 1 : 0 };
}

/** Finds the installation that a command works on. */
import { HISTORY_SETTINGS, type HistoryAddress, historyAddressOf } from '../../shared/history/client.js';
import { loadSettings, type SettingName, type Settings } from '../../shared/settings.js';
import { connectCommands, isAway, type Redis, waitForRedis } from '../../shared/streams/client.js';
import { REDIS_SETTINGS } from '../../shared/streams/endpoint.js';
import { keys } from '../../shared/streams/keys.js';
import { readPartitions } from '../../shared/streams/partitions.js';
import { type ENGINE_USERS, environmentOf } from '../local/credentials.js';
import type { CommandOutput } from './command.js';

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

/** How long the command line waits for a Redis that does not answer. */
const CONNECT_MS = 5000;

/** Runs `use` with a connection to the Redis of the installation. */
export async function withInstallation<T>(
  use: (redis: Redis) => Promise<T>,
  wait: typeof waitForRedis = waitForRedis,
): Promise<T> {
  const endpoint = installationSettings(REDIS_SETTINGS);
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

/** `weir apply FILE`: checks a configuration, has every live worker try it, and makes it the active one. */
import { readFile } from 'node:fs/promises';
import { createHistoryClient } from '../../../shared/history/client.js';
import { highestConfiguration } from '../../../shared/history/configurations.js';
import { loadConfiguration, problemText } from '../../../shared/policy/configuration.js';
import { connectCommands, type Redis, waitForRedis } from '../../../shared/streams/client.js';
import {
  activate,
  activeVersion,
  isInstalled,
  readVersion,
  storeVersion,
} from '../../../shared/streams/configuration.js';
import { readiness } from '../../../shared/streams/fleet.js';
import { type Command, UsageError } from '../command.js';
import { type HistoryAddress, historyAddress, installationSettings } from '../installation.js';

/** How long workers have to report that they can use a version. */
const REPORT_MS = 30_000;
/** How long ClickHouse has to say which numbers were used. */
const HISTORY_MS = 3000;

export interface Applied {
  version: number;
  /** false: it is the active version already */
  changed: boolean;
}

/** A configuration that was not applied; the message has a line per problem. This call has changed nothing. */
export class NotApplied extends Error {}

export interface ApplyOptions {
  redisUrl: string;
  text: string;
  /** name of the text in messages */
  file: string;
  /** where rows name configuration numbers, which a Redis that has lost its data would give out again */
  history?: HistoryAddress | undefined;
}

/** Applies a configuration. Rejects with {@link NotApplied}. */
export async function applyConfiguration(options: ApplyOptions): Promise<Applied> {
  const loaded = loadConfiguration(options.text, options.file);
  if (!loaded.ok) {
    throw new NotApplied(loaded.problems.map(problemText).join('\n'));
  }
  const json = JSON.stringify(loaded.configuration);
  const redis = connectCommands(options.redisUrl, 'weir-apply');
  redis.on('error', () => undefined);
  try {
    await waitForRedis(redis, options.redisUrl);
    const active = await activeVersion(redis);
    if (active > 0 && (await readVersion(redis, active)) === json) return { version: active, changed: false };
    const used = options.history && !(await isInstalled(redis)) ? await usedBefore(options.history) : 0;
    const version = await storeVersion(redis, json, used);
    await allReady(redis, version);
    const now = await activate(redis, version);
    if (now < version) {
      throw new NotApplied(`Version ${version} was not activated: Redis has lost it meanwhile. Apply the file again.`);
    }
    if (now !== version) {
      throw new NotApplied(
        `Version ${version} was not activated: somebody else has applied version ${now} meanwhile, and that is active.`,
      );
    }
    return { version, changed: true };
  } finally {
    redis.disconnect();
  }
}

/** ClickHouse may be away, or be set up later: numbers then begin where Redis, and the processes that live, know of none. */
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

async function allReady(redis: Redis, version: number): Promise<void> {
  const until = Date.now() + REPORT_MS;
  for (;;) {
    const { waiting, refused } = await readiness(redis, version);
    if (refused.size > 0) {
      const reasons = [...new Set(refused.values())].join('; ');
      throw new NotApplied(`${refused.size} worker(s) cannot use this configuration: ${reasons}. Nothing has changed.`);
    }
    if (waiting.length === 0) return;
    if (Date.now() > until) {
      throw new NotApplied(
        `${waiting.length} worker(s) did not report within ${REPORT_MS / 1000} s. Nothing has changed; try again.`,
      );
    }
    await new Promise((resolve) => setTimeout(resolve, 100));
  }
}

export const apply: Command = {
  name: 'apply',
  summary: 'check a configuration and make it the active one, everywhere and without a restart',
  usage: `weir apply FILE

Checks FILE, stores it as a new version, waits until every live worker has compiled it, and then makes it the active one.
If anything is wrong, nothing changes. WEIR_REDIS_URL names the installation (default: the one of npm start in
WEIR_DATA_DIR, else redis://127.0.0.1:6379). Where Redis has lost its data, versions are numbered on from the rows of
WEIR_CLICKHOUSE_URL.`,
  options: {},
  async run({ positionals }, output) {
    if (positionals.length !== 1) throw new UsageError('expected one FILE');
    const { redisUrl } = installationSettings(['redisUrl']);
    const file = positionals[0]!;
    const text = await readFile(file, 'utf8');
    const { version, changed } = await applyConfiguration({ redisUrl, text, file, history: historyAddress() });
    output.out(changed ? `Version ${version} is active.` : `Nothing to do: version ${version} is active and the same.`);
    return 0;
  },
};

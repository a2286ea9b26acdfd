/** A whole installation of a test's own: temporary folder, free ports, short times, gone afterwards. */
import { readFileSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type Stack, type StackOptions, startStack } from '#weir/deploy/local/stack';
import { DEMO_KEY } from '#weir/shared/configuration/api-keys';
import { packageRoot } from '#weir/shared/paths';
import { connectCommands, type Redis, waitForRedis } from '#weir/shared/streams/client';
import { fillHistory } from '../stores/clickhouse.js';
import { type LedgerOptions, type Summary, settleAccounts } from './ledger.js';
import { type Load, type LoadOptions, startLoad } from './load.js';
import { PATIENCE } from './patience.js';

export interface TestStack extends Stack {
  /** A connection of the test's own; it comes back after Redis does. */
  connection: Redis;
  key: string;
  partitions: number;
  configuration: string;
  load(name: string, options?: Partial<LoadOptions>): Load;
  /** Stops the load and checks all of it, see `settleAccounts`. */
  settle(name: string, load: Load, options?: Partial<LedgerOptions>): Promise<Summary>;
}

/** Times of a test: a silent worker's entries are taken after 1.5 s, what is archived leaves Redis after 2 s. */
const ENVIRONMENT = {
  WEIR_CLAIM_IDLE_MS: '1500',
  WEIR_HOT_SECONDS: '2',
  WEIR_BLOCK_DELAY_MS: '200',
  ...PATIENCE,
  WEIR_DEADLINE_MS: '30000',
  WEIR_LOG_LEVEL: 'silent',
};

export async function startTestStack(options: Partial<StackOptions> = {}): Promise<TestStack> {
  const dataDir = options.dataDir ?? (await mkdtemp(join(tmpdir(), 'weir-faults-')));
  const configuration = readFileSync(join(packageRoot, 'bench/policies.yaml'), 'utf8');
  const partitions = options.partitions ?? 2;
  const remove = (): Promise<void> => rm(dataDir, { recursive: true, force: true });
  if (options.dataDir === undefined) await fillHistory(dataDir);
  const stack = await startStack({
    separateArchiver: true,
    threads: 1,
    maxMemory: '1gb',
    ...options,
    dataDir,
    partitions,
    configuration: { text: configuration, file: 'weir.yaml' },
    env: {
      ...ENVIRONMENT,
      ...(process.env.WEIR_LOG_LEVEL ? { WEIR_LOG_LEVEL: process.env.WEIR_LOG_LEVEL } : {}),
      ...options.env,
    },
  }).catch(async (error) => {
    await remove();
    throw error;
  });
  const redis = connectCommands(stack.redisUrl, 'test', 5000);
  redis.on('error', () => undefined);
  await waitForRedis(redis, stack.redisUrl);
  const { parts } = stack;
  const loads: Load[] = [];
  return {
    ...stack,
    connection: redis,
    key: DEMO_KEY,
    partitions,
    configuration,
    load(name, more) {
      const load = startLoad({ url: stack.url, key: DEMO_KEY, name, ...more });
      loads.push(load);
      return load;
    },
    async settle(name, load, more) {
      await load.stop();
      await waitForRedis(redis, stack.redisUrl);
      for (const part of parts) if (!part.running) throw new Error(`${part.name} does not run`);
      return settleAccounts({ stack, redis, key: DEMO_KEY, partitions, name, sent: load.sent, ...more });
    },
    async close() {
      // A test that failed has not stopped its load.
      for (const load of loads) load.end();
      redis.disconnect();
      await stack.close();
      await remove();
    },
  };
}

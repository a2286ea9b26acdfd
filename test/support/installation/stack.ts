/** A whole installation of a test's own: temporary folder, free ports, short times, gone afterwards. */
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parse, stringify } from 'yaml';
import { createPart, type InstallationPart, startProcess } from '#weir/deploy/local/processes/part';
import { type Stack, type StackOptions, startStack } from '#weir/deploy/local/stack';
import { DEMO_KEY } from '#weir/shared/configuration/api-keys';
import { packageRoot, programPath } from '#weir/shared/paths';
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
  dataDir: string;
  /** Starts a further worker, which ends with the stack. */
  worker(name: string, roles: string): Promise<InstallationPart>;
  load(name: string, options?: Partial<LoadOptions>): Load;
  /** Stops the load and checks all of it, see `settleAccounts`. */
  account(name: string, load: Load, options?: Partial<LedgerOptions>): Promise<Summary>;
  /** The same, and fails where anything is not as it should be. */
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

export interface TestStackOptions extends Partial<StackOptions> {
  /** The configuration also has a policy in the shadow, and metrics. */
  beside?: boolean;
}

/** The sample configuration, with a policy in the shadow for every text, and metrics of every text and image. */
/** `notify`: where a webhook tells of flagged checks, signed with `TEST_HOOK_SECRET`. */
export const configurationWithMore = ({ notify = '' } = {}): string => withMore(sample(), notify);
const sample = (): string => readFileSync(join(packageRoot, 'bench/policies.yaml'), 'utf8');

function withMore(text: string, notify: string): string {
  const configuration = parse(text);
  if (notify !== '') {
    configuration.notify = [{ id: 'told', team: 'acme', url: notify, on: ['flagged'], secret_env: 'TEST_HOOK_SECRET' }];
  }
  const id = (n: number): string => `7a000000-0000-4000-8000-00000000000${n}`;
  const shadow = { id: id(1), team: 'acme', name: 'Quiet', mode: 'shadow', detect: { terms: { list: ['morning'] } } };
  configuration.policies.push(shadow);
  const metric = (n: number, kind: string) => ({ id: id(n), team: 'acme', name: kind, kind });
  configuration.metrics = [metric(2, 'characters'), metric(3, 'image_size')];
  for (const chosen of [configuration.deployments[0], configuration.environments[0].conditions[0]]) {
    chosen.policies.push(shadow.id);
    chosen.metrics = [id(2), id(3)];
  }
  return stringify(configuration);
}

export async function startTestStack({ beside = false, ...options }: TestStackOptions = {}): Promise<TestStack> {
  const dataDir = options.dataDir ?? (await mkdtemp(join(tmpdir(), 'weir-faults-')));
  const configuration = options.configuration?.text ?? (beside ? configurationWithMore() : sample());
  const partitions = options.partitions ?? 2;
  const remove = (): Promise<void> => rm(dataDir, { recursive: true, force: true });
  if (options.dataDir === undefined) await fillHistory(dataDir);
  const env = {
    ...ENVIRONMENT,
    ...(process.env.WEIR_LOG_LEVEL ? { WEIR_LOG_LEVEL: process.env.WEIR_LOG_LEVEL } : {}),
    ...options.env,
  };
  const stack = await startStack({
    separateArchiver: true,
    threads: 1,
    maxMemory: '1gb',
    ...options,
    dataDir,
    partitions,
    configuration: { text: configuration, file: 'weir.yaml' },
    env,
  }).catch(async (error) => {
    await remove();
    throw error;
  });
  const redis = connectCommands({ redisUrl: stack.redisUrl }, 'test', 5000);
  redis.on('error', () => undefined);
  await waitForRedis(redis, { redisUrl: stack.redisUrl });
  const { parts } = stack;
  const loads: Load[] = [];
  const more: InstallationPart[] = [];
  const account: TestStack['account'] = async (name, load, more) => {
    await load.stop();
    await waitForRedis(redis, { redisUrl: stack.redisUrl });
    for (const part of parts) if (!part.running) throw new Error(`${part.name} does not run`);
    return settleAccounts({
      stack,
      redis,
      key: DEMO_KEY,
      partitions,
      name,
      sent: load.sent,
      beside: { shadow: beside, metrics: beside },
      ...more,
    });
  };
  return {
    ...stack,
    connection: redis,
    key: DEMO_KEY,
    partitions,
    configuration,
    dataDir,
    async worker(name, roles) {
      const addresses = { WEIR_REDIS_URL: stack.redisUrl, WEIR_CLICKHOUSE_URL: stack.clickhouseUrl };
      const own = { ...env, ...addresses, WEIR_ROLES: roles, WEIR_METRICS_PORT: '0' };
      const part = await createPart(name, () => startProcess({ name, program: programPath('worker'), env: own }));
      more.push(part);
      return part;
    },
    load(name, more) {
      const load = startLoad({ url: stack.url, key: DEMO_KEY, name, ...more });
      loads.push(load);
      return load;
    },
    account,
    async settle(name, load, more) {
      const summary = await account(name, load, more);
      assert.deepEqual(summary.problems.slice(0, 20), []);
      return summary;
    },
    async close() {
      // A test that failed has not stopped its load.
      for (const load of loads) load.end();
      redis.disconnect();
      await Promise.all(more.map((part) => part.kill()));
      await stack.close();
      await remove();
    },
  };
}

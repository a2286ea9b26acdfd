/** What is measured: a running installation, or a stack on free ports with data in a temporary folder. */
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { packageRoot } from '../../shared/paths.js';
import { type BacktestFigures, measureBacktest } from '../measurement/backtest.js';
import type { WatchedProcess } from '../measurement/processes.js';
import { type RemoteSource, weirSource } from '../measurement/remote.js';
import { openStores, type WatchedStores } from '../measurement/stores.js';
import type { Options } from '../options.js';
import type { BenchScope } from '../workloads/bodies.js';
import { readConfigurations } from './configuration.js';
import { launchStack } from './stack.js';

export interface BenchTarget {
  url: string;
  key: string;
  scope: BenchScope;
  processes: readonly WatchedProcess[];
  /** processes of a running installation; absent: none are known */
  remote?: readonly RemoteSource[];
  stores: WatchedStores | undefined;
  configuration: string;
  policies: number | undefined;
  /** Evaluates all that is stored again; undefined for a running installation, whose configuration is not known. */
  rejudge: ((accepted: number) => Promise<BacktestFigures>) | undefined;
  stop(): Promise<void>;
}

/** What a stack of the benchmark's own is given beside the options. */
export interface Extra {
  env: Record<string, string>;
  /** changes the configuration with policies, which is JSON */
  configure(text: string): string;
}

/** `root`: of the project whose build a stack of its own runs. */
export function openTarget(
  options: Options,
  reportFolder: string,
  extra?: Extra,
  root = packageRoot,
): Promise<BenchTarget> {
  return options.installation === undefined
    ? ownStack(options, reportFolder, extra, root)
    : runningInstallation(options.installation);
}

async function runningInstallation(installation: NonNullable<Options['installation']>): Promise<BenchTarget> {
  const { url, key, environment, deployment, redis, clickhouse, metrics } = installation;
  const weir = await Promise.all(metrics.map(weirSource));
  const stores =
    redis === undefined || clickhouse === undefined
      ? undefined
      : await openStores({ redisUrl: redis, clickhouseUrl: clickhouse, database: 'weir' });
  return {
    url,
    key,
    scope: { environment, deployment },
    processes: [],
    remote: [...weir, ...(stores?.sources() ?? [])],
    stores,
    configuration: `of the installation at ${new URL(url).host}`,
    policies: undefined,
    rejudge: undefined,
    stop: async () => stores?.close(),
  };
}

async function ownStack(
  options: Options,
  reportFolder: string,
  extra: Extra | undefined,
  root: string,
): Promise<BenchTarget> {
  const path = resolve(options.configuration ?? join(packageRoot, 'bench', 'policies.yaml'));
  const configurations = readConfigurations(path);
  const folder = mkdtempSync(join(tmpdir(), 'weir-bench-'));
  const file = join(folder, 'policies.json');
  writeFileSync(file, extra?.configure(configurations.policies) ?? configurations.policies);
  if (options.profile) mkdirSync(reportFolder, { recursive: true });
  const remove = (): void => rmSync(folder, { recursive: true, force: true });
  try {
    const stack = await launchStack({
      root,
      dataDir: join(folder, 'data'),
      configuration: file,
      threads: options.threads,
      partitions: options.partitions,
      fsync: options.fsync,
      profileFolder: options.profile ? resolve(reportFolder) : undefined,
      ...(extra === undefined ? {} : { env: extra.env }),
    });
    const stores = await openStores(stack);
    const since = Date.now();
    return {
      url: stack.url,
      key: configurations.key,
      scope: configurations.scope,
      processes: stack.processes,
      stores,
      configuration: options.configuration ?? 'bench/policies.yaml',
      policies: configurations.policyCount,
      rejudge: (accepted) => {
        const processes = stack.processes.filter(({ name }) => name === 'clickhouse');
        return measureBacktest({ stores: stack, configuration: file, processes, since, accepted });
      },
      stop: async () => {
        await stores.close();
        await stack.stop();
        remove();
      },
    };
  } catch (error) {
    remove();
    throw error;
  }
}

/**
 * The stack that a benchmark starts for itself, in the same way as `npm start`: free ports, data in a folder of its own,
 * one ingress and one worker.
 */
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import type { InstallationPart } from '../../deploy/local/processes/part.js';
import type { Stack } from '../../deploy/local/stack.js';
import { packageRoot } from '../../shared/paths.js';
import { readGiven } from '../given.js';
import type { WatchedProcess } from '../measurement/processes.js';
import type { StoreAddresses } from '../measurement/stores.js';

export interface BenchStackOptions {
  /** of the project whose build is started: this one, or one of another commit */
  root: string;
  dataDir: string;
  /** file of the configuration to apply at start */
  configuration: string;
  /** 0: the worker decides */
  threads: number;
  partitions: number;
  fsync: 'everysec' | 'always' | 'off';
  /** folder for CPU profiles of ingress and worker; undefined: no profiles */
  profileFolder: string | undefined;
  /** settings of ingress and worker beside the defaults */
  env?: Record<string, string>;
}

export interface LaunchedStack extends StoreAddresses {
  url: string;
  processes: readonly WatchedProcess[];
  stop(): Promise<void>;
}

export async function launchStack(options: BenchStackOptions): Promise<LaunchedStack> {
  // Loaded only when a stack is wanted: to measure an installation by its address, this machine needs no engine.
  const load = (path: string) => import(pathToFileURL(join(options.root, 'dist', 'deploy', path)).href);
  const { startStack } = (await load('local/stack.js')) as typeof import('../../deploy/local/stack.js');
  const database = 'weir';
  const stack = await startStack({
    dataDir: options.dataDir,
    configuration: { text: readGiven(options.configuration), file: options.configuration },
    appendfsync: options.fsync,
    partitions: options.partitions,
    threads: options.threads,
    env: { WEIR_LOG_LEVEL: 'warn', WEIR_DIALECTS: 'all', ...profiling(options.profileFolder), ...options.env },
    database,
  });
  return {
    url: stack.url,
    redisUrl: stack.redisUrl,
    clickhouseUrl: stack.clickhouseUrl,
    database,
    processes: stack.parts.map((part) => ({ name: nameOf(part, stack), pid: part.pid })),
    stop: () => stack.close(),
  };
}

function nameOf(part: InstallationPart, { redis, clickhouse, ingresses }: Stack): string {
  if (part === redis) return 'redis';
  if (part === clickhouse) return 'clickhouse';
  return ingresses.includes(part) ? 'ingress' : 'worker';
}

/** Environment in which a process and each of its threads profile themselves from the start. */
function profiling(folder: string | undefined): Record<string, string> {
  if (folder === undefined) return {};
  // Node takes no --cpu-prof from the environment, and the command line is not ours to set.
  const preload = pathToFileURL(join(packageRoot, 'dist', 'bench', 'installation', 'profile.js')).href;
  return { NODE_OPTIONS: `--import=${preload}`, WEIR_BENCH_PROFILE: folder };
}

/**
 * The stack that a benchmark starts for itself, in the same way as `npm start`: free ports, data in a folder of its own,
 * one ingress and one worker.
 */
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { packageRoot } from '../../shared/paths.js';
import type { WatchedProcess } from '../measurement/processes.js';
import type { StoreAddresses } from '../measurement/stores.js';

export interface StackOptions {
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
  /** makes the configuration in a file the active one */
  apply(file: string): Promise<void>;
  stop(): Promise<void>;
}

/** What is used of deploy/local/stack.ts and deploy/cli/commands/apply.ts. */
interface Part {
  readonly name: string;
  readonly pid: number;
}
interface LocalStack {
  url: string;
  redisUrl: string;
  clickhouseUrl: string;
  redis: Part;
  clickhouse: Part;
  ingresses: Part[];
  parts: Part[];
  close(): Promise<void>;
}
interface StackModule {
  startStack(options: {
    dataDir: string;
    configuration: { text: string; file: string };
    appendfsync: StackOptions['fsync'];
    partitions: number;
    threads: number;
    env: Record<string, string>;
    database: string;
  }): Promise<LocalStack>;
}
interface ApplyModule {
  applyConfiguration(options: { redisUrl: string; text: string; file: string }): Promise<unknown>;
}

// Loaded only when a stack is wanted: to measure an installation by its address, this machine needs no engine.
async function load<T>(...path: string[]): Promise<T> {
  const file = join(packageRoot, 'dist', 'deploy', ...path);
  if (!existsSync(file)) throw new Error(`${file} is missing: run npm run build, or measure an installation by --url.`);
  return (await import(pathToFileURL(file).href)) as T;
}

export async function launchStack(options: StackOptions): Promise<LaunchedStack> {
  const { startStack } = await load<StackModule>('local', 'stack.js');
  const { applyConfiguration } = await load<ApplyModule>('cli', 'commands', 'apply.js');
  const database = 'weir';
  const stack = await startStack({
    dataDir: options.dataDir,
    configuration: { text: readFileSync(options.configuration, 'utf8'), file: options.configuration },
    appendfsync: options.fsync,
    partitions: options.partitions,
    threads: options.threads,
    env: { WEIR_LOG_LEVEL: 'warn', ...profiling(options.profileFolder), ...options.env },
    database,
  });
  return {
    url: stack.url,
    redisUrl: stack.redisUrl,
    clickhouseUrl: stack.clickhouseUrl,
    database,
    processes: stack.parts.map((part) => ({ name: nameOf(part, stack), pid: part.pid })),
    apply: async (file) => {
      await applyConfiguration({ redisUrl: stack.redisUrl, text: readFileSync(file, 'utf8'), file });
    },
    stop: () => stack.close(),
  };
}

function nameOf(part: Part, stack: LocalStack): string {
  if (part.pid === stack.redis.pid) return 'redis';
  if (part.pid === stack.clickhouse.pid) return 'clickhouse';
  return stack.ingresses.some((ingress) => ingress.pid === part.pid) ? 'ingress' : 'worker';
}

/** Environment in which a process and each of its threads profile themselves from the start. */
function profiling(folder: string | undefined): Record<string, string> {
  if (folder === undefined) return {};
  // Node takes no --cpu-prof from the environment, and the command line is not ours to set.
  const preload = pathToFileURL(join(packageRoot, 'dist', 'bench', 'installation', 'profile.js')).href;
  return { NODE_OPTIONS: `--import=${preload}`, WEIR_BENCH_PROFILE: folder };
}

/** Where a figure was measured. Figures compare only with others of the same environment. */
import { execFileSync } from 'node:child_process';
import { arch, cpus, release, totalmem, type } from 'node:os';
import { packageRoot } from '../../shared/paths.js';
import type { StoreVersions } from '../measurement/stores.js';

export interface BenchEnvironment {
  commit: string;
  /** whether files differed from the commit; undefined outside a repository */
  dirty?: boolean;
  cpu: string;
  cores: number;
  memoryGib: number;
  kernel: string;
  node: string;
  redis: string;
  /** appendfsync: everysec, always, no; `off` without an append-only file; `unknown` where Redis cannot be asked */
  fsync: string;
  clickhouse: string;
  /** policies of the configuration that was applied; undefined where it is not known */
  policies?: number;
  configuration: string;
  workload: string;
}

function git(...args: string[]): string | undefined {
  try {
    return execFileSync('git', args, {
      cwd: packageRoot,
      encoding: 'utf8',
      stdio: ['ignore', 'pipe', 'ignore'],
    }).trim();
  } catch {
    return undefined;
  }
}

export interface MeasuredSetup {
  workload: string;
  configuration: string;
  policies: number | undefined;
  versions: StoreVersions | undefined;
}

export function describeEnvironment({ workload, configuration, policies, versions }: MeasuredSetup): BenchEnvironment {
  const status = git('status', '--porcelain');
  return {
    commit: git('rev-parse', 'HEAD') ?? 'unknown',
    ...(status === undefined ? {} : { dirty: status !== '' }),
    cpu: cpus()[0]?.model.trim() ?? 'unknown',
    cores: cpus().length,
    memoryGib: Math.round(totalmem() / 2 ** 30),
    kernel: `${type()} ${release()} ${arch()}`,
    node: process.version,
    redis: versions?.redis ?? 'unknown',
    fsync: versions?.fsync ?? 'unknown',
    clickhouse: versions?.clickhouse ?? 'unknown',
    ...(policies === undefined ? {} : { policies }),
    configuration,
    workload,
  };
}

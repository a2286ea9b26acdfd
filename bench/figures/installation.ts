/**
 * The installation that figures are measured on: each tier a process of its own, a replica of Redis, and a count of the
 * bytes from the archiver to ClickHouse.
 */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { connect, createServer, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createPart, type InstallationPart, startProcess } from '../../deploy/local/processes/part.js';
import { startRedis } from '../../deploy/local/redis/server.js';
import { startStack } from '../../deploy/local/stack.js';
import { packageRoot, programPath } from '../../shared/paths.js';
import { connectCommands, type Redis } from '../../shared/streams/client.js';
import { readConfigurations } from '../installation/configuration.js';
import type { Extra } from '../installation/target.js';
import type { WatchedProcess } from '../measurement/processes.js';
import { openStores, type StoreAddresses, type WatchedStores } from '../measurement/stores.js';
import type { BenchScope } from '../workloads/bodies.js';

export interface FigureInstallation extends StoreAddresses {
  url: string;
  key: string;
  scope: BenchScope;
  processes: readonly WatchedProcess[];
  /** a connection of the benchmark's own */
  redis: Redis;
  stores: WatchedStores;
  /** bytes that the archiver has sent to ClickHouse so far */
  inserted(): number;
  close(): Promise<void>;
}

export interface FigureInstallationOptions {
  partitions: number;
  /** of ingress and evaluators */
  processes?: number;
  extra?: Extra;
}

/** Results stay hot, so that memory only grows while it is measured. */
const HOT_SECONDS = 3600;
/** The file is not rewritten while its growth is measured. */
const NO_REWRITE = ['auto-aof-rewrite-percentage', '0'] as const;
/** A replica gets what is written, and no copy of everything in between. */
const BACKLOG = ['repl-backlog-size', '256mb'] as const;

export async function startFigureInstallation(options: FigureInstallationOptions): Promise<FigureInstallation> {
  const { partitions, processes = 1, extra } = options;
  const configurations = readConfigurations(join(packageRoot, 'bench', 'policies.yaml'));
  const folder = mkdtempSync(join(tmpdir(), 'weir-figures-'));
  const file = join(folder, 'policies.json');
  const text = extra?.configure(configurations.policies) ?? configurations.policies;
  writeFileSync(file, text);
  const closing: (() => unknown)[] = [() => rmSync(folder, { recursive: true, force: true })];
  const close = async (): Promise<void> => {
    for (let one = closing.pop(); one !== undefined; one = closing.pop()) await one();
  };
  try {
    const env = { WEIR_LOG_LEVEL: 'warn', WEIR_HOT_SECONDS: String(HOT_SECONDS), ...extra?.env };
    const stack = await startStack({
      dataDir: join(folder, 'data'),
      configuration: { text, file },
      appendfsync: 'everysec',
      partitions,
      ingresses: processes,
      evaluators: processes,
      separateArchiver: true,
      env,
    });
    closing.push(() => stack.close());
    const counted = await countingProxy(stack.clickhouseUrl);
    closing.push(counted.close);
    await stack.archiver.close();
    const archiver = await startArchiver({ ...env, ...addressesFor(stack.redisUrl, counted.url) });
    closing.push(() => archiver.close());
    const redis = connectCommands({ redisUrl: stack.redisUrl }, 'weir-figures');
    redis.on('error', () => {});
    await redis.connect();
    closing.push(() => redis.disconnect());
    await redis.config('SET', ...NO_REWRITE);
    await redis.config('SET', ...BACKLOG);
    const replica = await startReplica(stack.redisUrl, join(folder, 'replica'));
    closing.push(replica.close);
    const addresses = { redisUrl: stack.redisUrl, clickhouseUrl: stack.clickhouseUrl, database: 'weir' };
    const stores = await openStores(addresses);
    closing.push(() => stores.close());
    const named = (name: string, parts: readonly { pid: number }[]) => parts.map(({ pid }) => ({ name, pid }));
    return {
      ...addresses,
      url: stack.url,
      key: configurations.key,
      scope: configurations.scope,
      processes: [
        ...named('ingress', stack.ingresses),
        ...named('evaluator', stack.evaluators).map((one) => ({ ...one, withChildren: true })),
        ...named('archiver', [archiver]),
        ...named('redis', [stack.redis]),
        ...named('replica', [replica]),
        ...named('clickhouse', [stack.clickhouse]),
      ],
      redis,
      stores,
      inserted: counted.bytes,
      close,
    };
  } catch (error) {
    await close();
    throw error;
  }
}

const addressesFor = (redisUrl: string, clickhouseUrl: string): Record<string, string> => ({
  WEIR_REDIS_URL: redisUrl,
  WEIR_REDIS_PASSWORD_FILE: '',
  WEIR_CLICKHOUSE_URL: clickhouseUrl,
  WEIR_CLICKHOUSE_PASSWORD_FILE: '',
  WEIR_CLICKHOUSE_DATABASE: 'weir',
  WEIR_METRICS_PORT: '0',
});

const startArchiver = (env: Record<string, string>): Promise<InstallationPart> =>
  createPart('archiver', () =>
    startProcess({
      name: 'archiver',
      program: programPath('worker'),
      env: { ...env, WEIR_ROLES: 'archiver,metrics,hooks' },
    }),
  );

async function startReplica(redisUrl: string, dataDir: string): Promise<{ pid: number; close(): Promise<void> }> {
  const primary = new URL(redisUrl);
  const { password } = primary;
  const server = await startRedis({ port: 0, dataDir, appendfsync: 'off', password });
  const commands = connectCommands({ redisUrl: server.url }, 'weir-figures');
  commands.on('error', () => {});
  await commands.connect();
  await commands.config('SET', 'masterauth', password);
  await commands.call('REPLICAOF', primary.hostname, primary.port);
  for (let tries = 0; tries < 200; tries++) {
    if (/master_link_status:up/.test(await commands.info('replication'))) break;
    await new Promise((resolve) => setTimeout(resolve, 100));
  }
  commands.disconnect();
  return { pid: server.pid, close: () => server.close() };
}

interface CountingProxy {
  url: string;
  /** sent to the address so far */
  bytes(): number;
  close(): Promise<void>;
}

/** Hands bytes on to the host and port of `url`, and counts them. */
async function countingProxy(url: string): Promise<CountingProxy> {
  const to = new URL(url);
  const open = new Set<Socket>();
  let bytes = 0;
  const server = createServer((from) => {
    const target = connect({ host: to.hostname, port: Number(to.port) });
    for (const socket of [from, target]) {
      open.add(socket);
      socket.on('error', () => {});
      socket.on('close', () => {
        open.delete(socket);
        from.destroy();
        target.destroy();
      });
    }
    from.on('data', (piece) => {
      bytes += piece.length;
    });
    from.pipe(target);
    target.pipe(from);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const at = new URL(url);
  at.port = String((server.address() as { port: number }).port);
  return {
    url: at.href.replace(/\/$/, ''),
    bytes: () => bytes,
    close: () =>
      new Promise<void>((resolve) => {
        for (const socket of open) socket.destroy();
        server.close(() => resolve());
      }),
  };
}

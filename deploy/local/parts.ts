/** The parts of an installation: how each is started, and in which order they stop. */
import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { programPath } from '../../shared/paths.js';
import { type Addresses, clickhouseUrlOf, type Passwords, passwordsOf, redisUrlOf } from './credentials.js';
import { freePort } from './ports.js';
import { createPart, type InstallationPart, type PartRun, startProcess } from './processes/part.js';
import { type RedisOptions, startRedis } from './redis/server.js';

export interface PartOptions {
  /** Folder of all data; one stack at a time. */
  dataDir: string;
  /** 0 or absent: any free port. */
  ports?: { ingress?: number; metrics?: number; redis?: number; clickhouse?: number };
  appendfsync?: RedisOptions['appendfsync'];
  maxMemory?: string;
  /** Default `weir`. */
  database?: string;
  /** Default 1 each. */
  ingresses?: number;
  evaluators?: number;
  /** Evaluation threads of each evaluator; 0: one less than the cores. */
  threads?: number;
  /** Evaluators and archiver, with the metrics, as processes of their own; default: one worker with all roles. */
  separateArchiver?: boolean;
  /** Default true: some worker computes metrics and tells webhooks. */
  followers?: boolean;
}

/** Each query holds one thread of the engine. With the default four, files and compression would wait behind queries. */
const ENGINE_THREADS = '10';

/** Kinds of parts in the order in which they stop, and how long each may take, in ms. The sum stays under 20 s. */
const LIMITS = { ingress: 6000, worker: 6000, clickhouse: 4000, redis: 3000 };
type PartKind = keyof typeof LIMITS;

const REDIS = 'redis-server';
const ENGINE = 'the ClickHouse engine';

export interface LocalStores {
  redis: InstallationPart;
  clickhouse: InstallationPart;
  at: Addresses;
  /** with passwords */
  redisUrl: string;
  clickhouseUrl: string;
}

/** Starts Redis and the engine. Like all starts here, it adds each part to `started` once it runs. */
export async function startStores(options: PartOptions, started: InstallationPart[]): Promise<LocalStores> {
  const database = options.database ?? 'weir';
  const passwords = passwordsOf(options.dataDir);
  // One after the other: if the second start fails, the first part is known and can be ended.
  const redis = await startRedisPart(options, passwords);
  started.push(redis);
  const clickhouse = await startEngine(options, database);
  started.push(clickhouse);
  const at = {
    redis: `redis://127.0.0.1:${redis.ready.port}`,
    clickhouse: `http://127.0.0.1:${clickhouse.ready.port}`,
    database,
  };
  return {
    redis,
    clickhouse,
    at,
    redisUrl: redisUrlOf(passwords, at.redis),
    clickhouseUrl: clickhouseUrlOf(passwords, at.clickhouse, 'writer'),
  };
}

export async function startWorkers(
  options: PartOptions,
  env: Record<string, string>,
  started: InstallationPart[],
): Promise<{ evaluators: InstallationPart[]; archiver: InstallationPart }> {
  const rest = options.followers === false ? 'archiver' : 'archiver,metrics,hooks';
  const roles = options.separateArchiver ? 'evaluator' : `evaluator,${rest}`;
  const threads: Record<string, string> =
    options.threads === undefined ? {} : { WEIR_THREADS: String(options.threads) };
  const evaluators: InstallationPart[] = [];
  for (let number = 1; number <= (options.evaluators ?? 1); number++) {
    evaluators.push(await startWorker(nameOf('worker', number), { ...env, ...threads, WEIR_ROLES: roles }));
    started.push(evaluators.at(-1)!);
  }
  if (!options.separateArchiver) return { evaluators, archiver: evaluators[0]! };
  const archiver = await startWorker('archiver', { ...env, WEIR_ROLES: rest });
  started.push(archiver);
  return { evaluators, archiver };
}

export async function startIngresses(
  options: PartOptions,
  env: Record<string, string>,
  started: InstallationPart[],
): Promise<InstallationPart[]> {
  const count = options.ingresses ?? 1;
  // Processes cannot share a port that the system picks when they listen (uSockets), so it is picked before.
  const shared = options.ports?.ingress || (count > 1 ? await freePort() : 0);
  const ingresses: InstallationPart[] = [];
  for (let number = 1; number <= count; number++) {
    const port = ingresses[0]?.ready.port ?? shared;
    const metrics = number === 1 ? (options.ports?.metrics ?? 0) : 0;
    ingresses.push(await startIngress(nameOf('ingress', number), { port, metrics, env }));
    started.push(ingresses.at(-1)!);
  }
  return ingresses;
}

/** Stops the parts, kind by kind. */
export async function closeParts(started: readonly InstallationPart[]): Promise<void> {
  for (const [kind, limitMs] of Object.entries(LIMITS)) {
    await Promise.all(started.filter((part) => kindOf(part) === kind).map((part) => part.close(limitMs)));
  }
}

function kindOf({ name }: InstallationPart): PartKind {
  if (name === REDIS) return 'redis';
  if (name === ENGINE) return 'clickhouse';
  return name.startsWith('ingress') ? 'ingress' : 'worker';
}

const nameOf = (kind: string, number: number): string => (number === 1 ? kind : `${kind} ${number}`);

function startRedisPart(options: PartOptions, passwords: Passwords): Promise<InstallationPart> {
  const dataDir = join(options.dataDir, 'redis');
  const pidFile = join(options.dataDir, 'redis.pid');
  return createPart(REDIS, async (previous): Promise<PartRun> => {
    const redis = await startRedis({
      port: previous?.port ?? options.ports?.redis ?? 0,
      dataDir,
      password: passwords.redis,
      ...(options.maxMemory ? { maxMemory: options.maxMemory } : {}),
      ...(options.appendfsync ? { appendfsync: options.appendfsync } : {}),
      pidFile,
    });
    return {
      pid: redis.pid,
      ready: { port: redis.port, metricsPort: 0 },
      exited: redis.exited.then(() => 'it stopped'),
      kill: redis.kill,
      close: async () => {
        await redis.close(LIMITS.redis);
        rmSync(pidFile, { force: true });
      },
    };
  });
}

function startEngine(options: PartOptions, database: string): Promise<InstallationPart> {
  return createPart(ENGINE, (previous) =>
    startProcess({
      name: 'The ClickHouse engine',
      program: programPath('clickhouse'),
      env: {
        UV_THREADPOOL_SIZE: ENGINE_THREADS,
        WEIR_CLICKHOUSE_PORT: String(previous?.port ?? options.ports?.clickhouse ?? 0),
        WEIR_CLICKHOUSE_DATABASE: database,
        WEIR_DATA_DIR: options.dataDir,
      },
    }),
  );
}

function startWorker(name: string, env: Record<string, string>): Promise<InstallationPart> {
  return createPart(name, (previous) =>
    startProcess({
      name: `The ${name}`,
      program: programPath('worker'),
      env: {
        WEIR_DRAIN_MS: String(LIMITS.worker - 1000),
        ...env,
        WEIR_METRICS_PORT: String(previous?.metricsPort ?? 0),
      },
    }),
  );
}

function startIngress(
  name: string,
  { port, metrics, env }: { port: number; metrics: number; env: Record<string, string> },
): Promise<InstallationPart> {
  return createPart(name, (previous) =>
    startProcess({
      name: `The ${name}`,
      program: programPath('ingress'),
      env: {
        WEIR_DRAIN_MS: String(LIMITS.ingress - 2000),
        // No load balancer probes it, so it need not wait for one.
        WEIR_STOP_DELAY_MS: '0',
        ...env,
        WEIR_PORT: String(previous?.port ?? port),
        WEIR_METRICS_PORT: String(previous?.metricsPort ?? metrics),
      },
    }),
  );
}

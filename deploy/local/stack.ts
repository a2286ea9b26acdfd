/**
 * A whole installation on this machine: Redis, the ClickHouse engine, workers and ingress, each a process of its own,
 * with handles to kill and restart every one. `npm start`, tests and measurements are all made of it.
 *
 * Start: Redis and engine → tables → configuration → workers → ingress. Stop is the other way round, so that whoever
 * hands work on ends before the one who takes it.
 */
import { rmSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { DEMO_KEY_SHA256 } from '../../shared/configuration/api-keys.js';
import { loadConfiguration } from '../../shared/configuration/configuration.js';
import { migrate } from '../../shared/history/migrate.js';
import { connectCommands, waitForRedis } from '../../shared/streams/client.js';
import { activeIdentity, readConfiguration, type StoredConfiguration } from '../../shared/streams/configuration.js';
import { type ApplyOptions, applyConfiguration } from '../cli/commands/apply.js';
import { retentionOf } from '../cli/commands/migrate.js';
import { clickhouseUrlOf, noteAddresses, type Passwords, passwordsOf, redisUrlOf } from './credentials.js';
import { lockFolder } from './lock.js';
import { checkPorts, type WantedPort } from './ports.js';
import { createPart, type Part, type Run, startProcess } from './processes/part.js';
import { endLeftover, freePort, type RedisOptions, startRedis } from './redis/server.js';

export interface StackOptions {
  /** Folder of all data; one stack at a time. */
  dataDir: string;
  /** 0 or absent: any free one. */
  ports?: { ingress?: number; metrics?: number; redis?: number; clickhouse?: number };
  /** Configuration that is made the active one, and the name of its file in messages. */
  configuration?: { text: string; file: string };
  /** Keep the configuration that is active already, if there is one. */
  keep?: boolean;
  appendfsync?: RedisOptions['appendfsync'];
  maxMemory?: string;
  /** Default 1 each. */
  partitions?: number;
  ingresses?: number;
  evaluators?: number;
  /** Evaluation threads of each evaluator; 0: one less than the cores. */
  threads?: number;
  /** Evaluators and archiver as processes of their own; default one worker with both roles. */
  separateArchiver?: boolean;
  /** Further environment of workers and ingress. */
  env?: Record<string, string>;
  database?: string;
  say?(line: string): void;
}

export interface Stack {
  url: string;
  /** the configuration in force has the key of the sample, which is public */
  demoKey: boolean;
  /** with its password */
  redisUrl: string;
  /** with the user who writes and his password, which are Weir's own */
  clickhouseUrl: string;
  /** for people's SQL, without user and password */
  sqlUrl: string;
  redis: Part;
  clickhouse: Part;
  /** All share one port. */
  ingresses: Part[];
  /** Workers that evaluate; with one role or both. */
  evaluators: Part[];
  /** The worker that archives: the first of `evaluators`, unless it is separate. */
  archiver: Part;
  /** All of them, in the order in which they start. */
  parts: Part[];
  /** Ends everything in order and frees the folder; what takes too long is ended by force. Under 20 s in all. */
  close(): Promise<void>;
}

/** The engine holds one thread a query; with the default four, files and compression would wait behind queries. */
const ENGINE_THREADS = '10';
/** Longest stops, in ms; their sum stays under 20 s. */
const LIMITS = { ingress: 6000, worker: 6000, clickhouse: 4000, redis: 3000 };

/** Starts everything. When a part does not start, the ones before it are ended and the error is thrown. */
export async function startStack(options: StackOptions): Promise<Stack> {
  const dataDir = resolve(options.dataDir);
  const release = lockFolder(dataDir);
  const started: Part[] = [];
  try {
    await endLeftover(join(dataDir, 'redis.pid'), join(dataDir, 'redis'));
    await checkPorts(wantedPorts(options));
    return await startParts({ ...options, dataDir }, started, release);
  } catch (error) {
    await closeParts(started);
    release();
    throw error;
  }
}

function wantedPorts({ ports = {}, env = {} }: StackOptions): WantedPort[] {
  const host = env.WEIR_HOST || process.env.WEIR_HOST || '127.0.0.1';
  const own = '127.0.0.1';
  return [
    { variable: 'WEIR_PORT', port: ports.ingress ?? 0, host, what: 'the HTTP interface' },
    { variable: 'WEIR_REDIS_PORT', port: ports.redis ?? 0, host: own, what: 'Redis' },
    { variable: 'WEIR_CLICKHOUSE_PORT', port: ports.clickhouse ?? 0, host: own, what: 'ClickHouse' },
  ];
}

async function startParts(options: StackOptions, started: Part[], release: () => void): Promise<Stack> {
  const say = options.say ?? (() => {});
  const database = options.database ?? 'weir';
  say('Starting Redis and the ClickHouse engine …');
  // One after the other, so that what has started is known when the other one fails.
  const passwords = passwordsOf(options.dataDir);
  const redis = await startRedisPart(options, passwords);
  started.push(redis);
  const clickhouse = await startEngine(options, database);
  started.push(clickhouse);
  const at = {
    redis: `redis://127.0.0.1:${redis.ready.port}`,
    clickhouse: `http://127.0.0.1:${clickhouse.ready.port}`,
    database,
  };
  const redisUrl = redisUrlOf(passwords, at.redis);
  const clickhouseUrl = clickhouseUrlOf(passwords, at.clickhouse, 'writer');
  const active = options.configuration && (await readActive(redisUrl));
  const wanted = options.keep && active ? { ...active, file: `version ${active.version}` } : options.configuration;
  // A file with problems is reported when it is applied; until then the tables stay as they are.
  const loaded = wanted && loadConfiguration(wanted.text);
  const retention = loaded?.ok ? { retention: retentionOf(loaded.configuration) } : {};
  const migrations = await migrate({ url: clickhouseUrl, database, ...retention });
  if (migrations > 0) say(`Applied ${migrations} migration${migrations === 1 ? '' : 's'} of the history tables.`);
  if (options.configuration) {
    const history = { url: clickhouseUrl, database };
    await configure({ redisUrl, history, ...options.configuration, say }, { keep: options.keep === true, active });
  }
  say('Starting workers and ingress …');
  const env = {
    WEIR_PARTITIONS: String(options.partitions ?? 1),
    ...options.env,
    WEIR_REDIS_URL: redisUrl,
    WEIR_CLICKHOUSE_URL: clickhouseUrl,
    WEIR_CLICKHOUSE_DATABASE: database,
    WEIR_METRICS_FALLBACK: '1',
  };
  const roles = options.separateArchiver ? 'evaluator' : 'evaluator,archiver';
  const evaluators: Part[] = [];
  for (let number = 1; number <= (options.evaluators ?? 1); number++) {
    evaluators.push(await startWorker(nameOf('worker', number), { ...env, ...threadsOf(options), WEIR_ROLES: roles }));
    started.push(evaluators.at(-1)!);
  }
  let archiver = evaluators[0]!;
  if (options.separateArchiver) {
    archiver = await startWorker('archiver', { ...env, WEIR_ROLES: 'archiver' });
    started.push(archiver);
  }
  const ingresses: Part[] = [];
  // A port that the system picks at the time of listening cannot be shared (uSockets), so it is picked before.
  const shared = options.ports?.ingress || ((options.ingresses ?? 1) > 1 ? await freePort() : 0);
  for (let number = 1; number <= (options.ingresses ?? 1); number++) {
    const port = ingresses[0]?.ready.port ?? shared;
    const metrics = number === 1 ? (options.ports?.metrics ?? 0) : 0;
    ingresses.push(await startIngress(nameOf('ingress', number), { port, metrics, env }));
    started.push(ingresses.at(-1)!);
  }
  const forget = noteAddresses(options.dataDir, at);
  let closing: Promise<void> | undefined;
  const close = (): Promise<void> => {
    forget();
    return closeParts(started).finally(release);
  };
  return {
    url: `http://127.0.0.1:${ingresses[0]?.ready.port}`,
    demoKey: loaded?.ok === true && loaded.configuration.keys.some(({ sha256 }) => sha256 === DEMO_KEY_SHA256),
    redisUrl,
    clickhouseUrl,
    sqlUrl: at.clickhouse,
    redis,
    clickhouse,
    ingresses,
    evaluators,
    archiver,
    parts: [...started],
    close: () => (closing ??= close()),
  };
}

/** The active configuration, with its text. */
async function readActive(redisUrl: string): Promise<StoredConfiguration | undefined> {
  const redis = connectCommands(redisUrl, 'weir-start');
  redis.on('error', () => undefined);
  try {
    await waitForRedis(redis, redisUrl);
    const active = await activeIdentity(redis);
    return active && (await readConfiguration(redis, active.version));
  } finally {
    redis.disconnect();
  }
}

/** Applies a file, or keeps what is active, and says which and how to have the other. */
async function configure(
  options: ApplyOptions & { say(line: string): void },
  { keep, active }: { keep: boolean; active: StoredConfiguration | undefined },
): Promise<void> {
  const { say, file, text } = options;
  if (keep && active) {
    const loaded = loadConfiguration(text, file);
    const same = loaded.ok && JSON.stringify(loaded.configuration) === active.text;
    const other = same ? '' : ` It is not what ${file} has; to use that: npx weir apply ${file}.`;
    say(`Configuration: version ${active.version}, as it was applied.${other}`);
    return;
  }
  const { version, changed } = await applyConfiguration(options);
  say(`Configuration ${file}: version ${version}${changed ? ', applied now' : ''}.`);
  if (changed && active) {
    say(
      `It replaces version ${active.version}. What is applied while Weir runs is kept when WEIR_CONFIG is not set at the next start.`,
    );
  }
}

const nameOf = (kind: string, number: number): string => (number === 1 ? kind : `${kind} ${number}`);

const threadsOf = (options: StackOptions): Record<string, string> =>
  options.threads === undefined ? {} : { WEIR_THREADS: String(options.threads) };

function startRedisPart(options: StackOptions, passwords: Passwords): Promise<Part> {
  const dataDir = join(options.dataDir, 'redis');
  const pidFile = join(options.dataDir, 'redis.pid');
  return createPart('redis-server', async (previous): Promise<Run> => {
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

function startEngine(options: StackOptions, database: string): Promise<Part> {
  return createPart('the ClickHouse engine', (previous) =>
    startProcess({
      name: 'The ClickHouse engine',
      module: 'dist/deploy/local/clickhouse/main.js',
      env: {
        UV_THREADPOOL_SIZE: ENGINE_THREADS,
        WEIR_CLICKHOUSE_PORT: String(previous?.port ?? options.ports?.clickhouse ?? 0),
        WEIR_CLICKHOUSE_DATABASE: database,
        WEIR_DATA_DIR: options.dataDir,
      },
    }),
  );
}

function startWorker(name: string, env: Record<string, string>): Promise<Part> {
  return createPart(name, (previous) =>
    startProcess({
      name: `The ${name}`,
      module: 'dist/workers/main.js',
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
): Promise<Part> {
  return createPart(name, (previous) =>
    startProcess({
      name: `The ${name}`,
      module: 'dist/ingress/main.js',
      env: {
        WEIR_DRAIN_MS: String(LIMITS.ingress - 2000),
        // Nothing stands before it that probes.
        WEIR_STOP_DELAY_MS: '0',
        ...env,
        WEIR_PORT: String(previous?.port ?? port),
        WEIR_METRICS_PORT: String(previous?.metricsPort ?? metrics),
      },
    }),
  );
}

async function closeParts(started: readonly Part[]): Promise<void> {
  const stores = new Set(['redis-server', 'the ClickHouse engine']);
  const closeAll = async (parts: readonly Part[], limit: number): Promise<void> => {
    await Promise.all(parts.map((part) => part.close(limit)));
  };
  await closeAll(
    started.filter((part) => part.name.startsWith('ingress')),
    LIMITS.ingress,
  );
  await closeAll(
    started.filter((part) => !part.name.startsWith('ingress') && !stores.has(part.name)),
    LIMITS.worker,
  );
  await closeAll(
    started.filter((part) => part.name === 'the ClickHouse engine'),
    LIMITS.clickhouse,
  );
  await closeAll(
    started.filter((part) => part.name === 'redis-server'),
    LIMITS.redis,
  );
}

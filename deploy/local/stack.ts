/**
 * A whole installation on this machine: Redis, the ClickHouse engine, workers and ingress. Each is a process of its own,
 * with a handle to kill and restart it. `npm start`, tests and measurements use it.
 *
 * Start: Redis and engine → tables → configuration → workers → ingress. Stop is the reverse, so that a process that
 * hands on work ends before the process that takes it.
 */
import { join, resolve } from 'node:path';
import { DEMO_KEY_SHA256 } from '../../shared/configuration/api-keys.js';
import { type Configuration, loadConfiguration } from '../../shared/configuration/configuration.js';
import { migrate } from '../../shared/history/migrate.js';
import { regionFrom } from '../../shared/region.js';
import { connectCommands, waitForRedis } from '../../shared/streams/client.js';
import { activeIdentity, readConfiguration, type StoredConfiguration } from '../../shared/streams/configuration.js';
import { retentionOf } from '../cli/commands/operation/migrate.js';
import { type ApplyOptions, applyConfiguration } from '../cli/configuration/applying.js';
import { operator } from '../cli/configuration/operator.js';
import { shippedPacks } from '../packs.js';
import { noteAddresses } from './credentials.js';
import { withDemoKey } from './demo-key.js';
import { lockFolder } from './lock.js';
import { closeParts, type LocalStores, type PartOptions, startIngresses, startStores, startWorkers } from './parts.js';
import { checkPorts, type WantedPort } from './ports.js';
import type { InstallationPart } from './processes/part.js';
import { endLeftover } from './redis/server.js';

export interface StackOptions extends PartOptions {
  /** Configuration that is made the active one, and the name of its file in messages. */
  configuration?: Pick<ApplyOptions, 'text' | 'file' | 'files'>;
  /** Keep the active configuration, if there is one. */
  keep?: boolean;
  /** Default 1. */
  partitions?: number;
  /** number and name, such as `1:eu`; default: none */
  region?: string;
  /** Further environment of workers and ingress. */
  env?: Record<string, string>;
  say?(line: string): void;
}

export interface Stack {
  url: string;
  /** the active configuration has the key of the sample, which is public */
  demoKey: boolean;
  /** with its password */
  redisUrl: string;
  /** with Weir's own user and its password */
  clickhouseUrl: string;
  /** for people's SQL, without user and password */
  sqlUrl: string;
  redis: InstallationPart;
  clickhouse: InstallationPart;
  /** All share one port. */
  ingresses: InstallationPart[];
  /** Workers that evaluate; with one role or both. */
  evaluators: InstallationPart[];
  /** The worker that archives: the first of `evaluators`, unless it is separate. */
  archiver: InstallationPart;
  /** All of them, in the order in which they start. */
  parts: InstallationPart[];
  /** Ends everything in order and frees the folder. A part that takes too long is killed. It takes less than 20 s. */
  close(): Promise<void>;
}

/** Starts everything. When a part does not start, it ends those before it and throws the error. */
export async function startStack(options: StackOptions): Promise<Stack> {
  const dataDir = resolve(options.dataDir);
  const release = lockFolder(dataDir);
  const started: InstallationPart[] = [];
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

async function startParts(options: StackOptions, started: InstallationPart[], release: () => void): Promise<Stack> {
  const say = options.say ?? (() => {});
  say('Starting Redis and the ClickHouse engine …');
  const stores = await startStores(options, started);
  const { demoKey } = await fillStores(options, stores, say);
  say('Starting workers and ingress …');
  const env = {
    WEIR_PARTITIONS: String(options.partitions ?? 1),
    ...(options.region ? { WEIR_REGION: options.region } : {}),
    ...options.env,
    WEIR_REDIS_URL: stores.redisUrl,
    WEIR_REDIS_PASSWORD_FILE: '',
    WEIR_CLICKHOUSE_URL: stores.clickhouseUrl,
    WEIR_CLICKHOUSE_PASSWORD_FILE: '',
    WEIR_CLICKHOUSE_DATABASE: stores.at.database,
    WEIR_METRICS_FALLBACK: '1',
  };
  const workers = await startWorkers(options, env, started);
  const ingresses = await startIngresses(options, env, started);
  const forget = noteAddresses(options.dataDir, stores.at);
  let closing: Promise<void> | undefined;
  const close = (): Promise<void> => {
    forget();
    return closeParts(started).finally(release);
  };
  return {
    url: `http://127.0.0.1:${ingresses[0]?.ready.port}`,
    demoKey,
    redisUrl: stores.redisUrl,
    clickhouseUrl: stores.clickhouseUrl,
    sqlUrl: stores.at.clickhouse,
    redis: stores.redis,
    clickhouse: stores.clickhouse,
    ingresses,
    ...workers,
    parts: [...started],
    close: () => (closing ??= close()),
  };
}

/** Creates or updates the tables, and makes a configuration the active one. */
async function fillStores(
  options: StackOptions,
  { redisUrl, clickhouseUrl, at: { database } }: LocalStores,
  say: (line: string) => void,
): Promise<Pick<Stack, 'demoKey'>> {
  const active = options.configuration && (await readActive(redisUrl));
  // What is stored holds what its files had when it was applied.
  const kept = options.keep ? active : undefined;
  const wanted = kept ? { text: kept.text, file: `version ${kept.version}`, files: undefined } : options.configuration;
  // A file with problems is reported when it is applied. Until then the tables stay as they are.
  const loaded = wanted && loadedWithKey(wanted);
  const retention = loaded ? { retention: retentionOf(loaded) } : {};
  const migrations = await migrate({
    url: clickhouseUrl,
    database,
    ...retention,
    region: regionFrom(options.region ?? '').name,
  });
  if (migrations > 0) say(`Applied ${migrations} migration${migrations === 1 ? '' : 's'} of the history tables.`);
  if (options.configuration) {
    const history = { url: clickhouseUrl, database };
    await configure({ redisUrl, history, ...options.configuration, say }, { keep: options.keep === true, active });
  }
  const demoKey = loaded?.keys.find(({ sha256 }) => sha256 === DEMO_KEY_SHA256);
  return { demoKey: demoKey !== undefined };
}

/** A configuration as it is applied here; undefined where it has problems. */
function loadedWithKey({
  text,
  file,
  files,
}: Pick<ApplyOptions, 'text' | 'file' | 'files'>): Configuration | undefined {
  const loaded = loadConfiguration(text, file, files, shippedPacks);
  if (!loaded.ok) return undefined;
  return loaded.keyless ? withDemoKey(loaded.configuration) : loaded.configuration;
}

/** The active configuration, with its text. */
async function readActive(redisUrl: string): Promise<StoredConfiguration | undefined> {
  const redis = connectCommands({ redisUrl }, 'weir-start');
  redis.on('error', () => undefined);
  try {
    await waitForRedis(redis, { redisUrl });
    const active = await activeIdentity(redis);
    return active && (await readConfiguration(redis, active.version));
  } finally {
    redis.disconnect();
  }
}

/** Applies a file or keeps what is active. Says which, and how to get the other. */
async function configure(
  options: ApplyOptions & { say(line: string): void },
  { keep, active }: { keep: boolean; active: StoredConfiguration | undefined },
): Promise<void> {
  const { say, file, text } = options;
  if (keep && active) {
    const same = JSON.stringify(loadedWithKey({ text, file, files: options.files })) === active.text;
    const other = same ? '' : ` It is not what ${file} has; to use that: npx weir apply ${file}.`;
    say(`Configuration: version ${active.version}, as it was applied.${other}`);
    return;
  }
  const { version, changed } = await applyConfiguration({ ...options, completed: withDemoKey, who: operator() });
  say(`Configuration ${file}: version ${version}${changed ? ', applied now' : ''}.`);
  if (changed && active) {
    say(
      `It replaces version ${active.version}. What is applied while Weir runs is kept when WEIR_CONFIG is not set at the next start.`,
    );
  }
}

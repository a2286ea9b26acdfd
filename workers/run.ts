/**
 * A worker process: evaluator, archiver, or both (`WEIR_ROLES`).
 *
 * Start: settings → Redis → partitions → roles → ready.
 * Stop (SIGTERM, SIGINT), each step for a reason:
 * 1. leave the fleet: nobody waits for our word on a new configuration;
 * 2. stop reading and finish what is under way, so that its callers are answered (at most `WEIR_DRAIN_MS`);
 * 3. end the threads: what is left is taken over by others;
 * 4. stop archiving after the block at hand: its position is stored with it;
 * 5. close connections and go.
 */
import { availableParallelism } from 'node:os';
import { setFlagsFromString } from 'node:v8';
import { repeat } from '../shared/async.js';
import { createHistoryClient } from '../shared/history/client.js';
import { highestConfiguration } from '../shared/history/configurations.js';
import { failureReporter } from '../shared/history/read/failures.js';
import { createHistoryQueries } from '../shared/history/read/queries.js';
import { createLogger, type Logger } from '../shared/log.js';
import { describeSettings, loadSettings, type SettingName, type Settings } from '../shared/settings.js';
import { stopOnSignal } from '../shared/shutdown.js';
import { rootWarning } from '../shared/start.js';
import { connectCommands, type Redis, waitForRedis } from '../shared/streams/client.js';
import { createPulse, memberName, retire } from '../shared/streams/fleet.js';
import { LANES, type Lane } from '../shared/streams/keys.js';
import { ensurePartitions, followPartitions } from '../shared/streams/partitions.js';
import { createRegistry, Gauge, type Registry, serveMetrics } from '../shared/telemetry.js';
import { createArchiver } from './archiver/archiver.js';
import { type Consumer, createConsumer } from './consumer/consumer.js';
import { createEvaluator } from './evaluator/evaluator.js';
import { createLinks } from './evaluator/images/link-sessions.js';
import { createEvaluatorMetrics } from './evaluator/metrics.js';
import { createPool } from './evaluator/threads/pool.js';
import { createConfigurationSource, joinFleet } from './fleet.js';
import { startMedia } from './images/start.js';

// Buffers outside the heap count against its limit, and a worker moves hundreds of megabytes of them a second through a
// heap of some 15 MB: with the default the engine collects all of it several times a second. Growing to eleven times
// what is alive costs some 60 MB of memory and saves a sixth of the worker's CPU (measured at 700 batches a second).
setFlagsFromString('--heap-growing-percent=1000');

const SETTINGS = [
  'redisUrl',
  'clickhouseUrl',
  'clickhouseDatabase',
  'historyTimeoutMs',
  'roles',
  'threads',
  'fetchAllow',
  'fetches',
  'decoders',
  'hashLists',
  'ocrLanguages',
  'models',
  'confine',
  'readers',
  'slowThreads',
  'slowEntries',
  'slowBytes',
  'partitions',
  'maxAttempts',
  'claimIdleMs',
  'hardLimitMs',
  'hotSeconds',
  'maxMemoryPercent',
  'blockDelayMs',
  'blockRows',
  'blockBytes',
  'rewriteSeconds',
  'drainMs',
  'metricsHost',
  'metricsPort',
  'allowedHosts',
  'logLevel',
] as const satisfies readonly SettingName[];
type WorkerSettings = Settings<(typeof SETTINGS)[number]>;

const BEAT_MS = 500;
/** A role whose loops have not turned for this long is stuck. */
const STALLED_MS = 30_000;
/** Work entries of one partition that a thread is given at a time. */
const CHUNK = 8;
/** What a worker holds of the fast lane at most: twice what one team may have on its way from one ingress. */
const FAST_AHEAD = { entries: 8192, bytes: 32 * 1024 * 1024 };

/**
 * Up to which attempt entries are evaluated among others. What a dead worker held is retried in groups once, since it is many
 * entries and hardly ever one of them is at fault. At least one attempt is left to be made alone.
 */
const attemptsTogether = (maxAttempts: number): number => Math.max(1, Math.min(2, maxAttempts - 1));

/** What a caller waits for the note on his declared causes, in line and for the answer: half a look-up at most. */
const causeBudget = (ms: number) => ({ timeoutMs: Math.ceil(ms / 4), waitMs: Math.ceil(ms / 4), longest: 64 });

interface Running {
  /** ms of the steady clock of the last sign of progress */
  lastProgress(): number;
  /** undefined: it can work; else why not, in a sentence */
  trouble(): string | undefined;
  stop(): Promise<void>;
}

interface Tools {
  settings: WorkerSettings;
  redis: Redis;
  logger: Logger;
  registry: Registry;
  partitions(): number;
}

async function startEvaluator(tools: Tools): Promise<Running> {
  const { settings, redis, logger, registry, partitions } = tools;
  const source = createConfigurationSource(redis, logger);
  const threads = settings.threads > 0 ? settings.threads : Math.max(1, availableParallelism() - 1);
  const slow = { threads: settings.slowThreads, tasks: settings.slowEntries };
  const pool = createPool({ threads, slow, logger });
  const name = memberName();
  const clickhouse = createHistoryClient({ url: settings.clickhouseUrl, database: settings.clickhouseDatabase });
  const history = createHistoryQueries(clickhouse, {
    timeoutMs: settings.historyTimeoutMs,
    waitMs: 2 * settings.historyTimeoutMs,
    runs: causeBudget(settings.historyTimeoutMs),
    onFailure: failureReporter(registry, logger),
  });
  const media = await startMedia(settings, { logger, registry });
  const together = attemptsTogether(settings.maxAttempts);
  const evaluator = createEvaluator({
    redis,
    pool,
    configurations: source,
    consumer: name,
    // What is archived and this old has left Redis, or is about to. As a sequence, see `sequenceOf`.
    archivedBelow: () => Math.max(0, Date.now() - settings.hotSeconds * 1000) * 4096,
    // Nothing leaves before its hot seconds are over. Half of them are for clocks that differ.
    lateBelow: () => Math.max(0, Date.now() - settings.hotSeconds * 500) * 4096,
    history: (team, environment, references) => history.latestEvents(team, environment, references),
    storedCauses: (team, environment, causes) => history.causes(team, environment, causes),
    media,
    links: createLinks((team, deployment, externals) => history.latestSessions(team, deployment, externals)),
    imageRoom: { entries: settings.slowEntries, bytes: settings.slowBytes },
    maxAttempts: settings.maxAttempts,
    attemptsTogether: together,
    hardLimitMs: settings.hardLimitMs,
    logger,
    metrics: createEvaluatorMetrics(registry),
  });
  const { redisUrl, claimIdleMs } = settings;
  const shared = { name, redisUrl, redis, partitions, claimIdleMs, attemptsTogether: together, logger };
  const { handle } = evaluator;
  const consumers: Record<Lane, Consumer> = {
    fast: createConsumer({
      ...shared,
      lane: 'fast',
      chunk: CHUNK,
      capacity: pool.capacity,
      spare: pool.capacity,
      ahead: FAST_AHEAD.entries,
      bytes: FAST_AHEAD.bytes,
      handle,
    }),
    slow: createConsumer({
      ...shared,
      lane: 'slow',
      chunk: 1,
      // One at work on each thread, one that is ready.
      capacity: 2 * settings.slowThreads,
      ahead: settings.slowEntries,
      bytes: settings.slowBytes,
      handle,
    }),
  };
  new Gauge({
    name: 'weir_entries_under_way',
    help: 'Work entries that this worker holds, by lane',
    labelNames: ['lane'] as const,
    registers: [registry],
    collect() {
      for (const lane of LANES) this.set({ lane }, consumers[lane].underWay());
    },
  });
  const membership = joinFleet(redis, name, {
    pool,
    source,
    logger,
    used: () => highestConfiguration(clickhouse, settings.historyTimeoutMs),
  });
  for (const lane of LANES) consumers[lane].start();
  return {
    lastProgress: () => Math.min(...LANES.map((lane) => consumers[lane].lastProgress())),
    trouble: membership.trouble,
    async stop() {
      await membership.stop();
      await Promise.all(LANES.map((lane) => consumers[lane].stop(settings.drainMs)));
      source.close();
      evaluator.stop();
      await media.close();
      await pool.end();
      await clickhouse.close();
    },
  };
}

async function startArchiver(tools: Tools): Promise<Running> {
  const { settings, logger, registry, partitions } = tools;
  const clickhouse = createHistoryClient({ url: settings.clickhouseUrl, database: settings.clickhouseDatabase });
  // Its reads are large: on a connection of its own they do not stand before the commits.
  const redis = connectCommands(settings.redisUrl, 'weir-archiver', 30_000);
  redis.on('error', (error) => logger.debug({ error: String(error) }, 'connection to Redis'));
  await waitForRedis(redis, settings.redisUrl);
  const archiver = createArchiver({ redis, clickhouse, partitions, settings, logger, registry });
  const pulse = createPulse(tools.redis);
  const sign = { kind: 'archiver', name: memberName() } as const;
  const beat = async (): Promise<void> => {
    await pulse.beat(sign).catch((error: unknown) => logger.debug({ error: String(error) }, 'heartbeat failed'));
  };
  let beating = beat();
  const stopBeating = repeat(BEAT_MS, () => {
    beating = beat();
    return beating;
  });
  archiver.start();
  return {
    lastProgress: () => archiver.progress().lastAdvance,
    trouble: pulse.trouble,
    async stop() {
      stopBeating();
      await archiver.stop();
      // A beat that arrives after the farewell would bring this archiver back.
      await beating;
      await retire(tools.redis, sign.kind, sign.name).catch(() => undefined);
      await clickhouse.close();
      redis.disconnect();
    },
  };
}

/** Resolves once it runs; it ends on SIGTERM or SIGINT. Rejects with a sentence when it cannot start. */
export async function run(): Promise<void> {
  if (process.argv.includes('--help')) {
    console.log(
      `Weir worker: evaluates checks and archives their results.\n\nSettings:\n${describeSettings(SETTINGS)}`,
    );
    return;
  }
  const settings = loadSettings(process.env, SETTINGS);
  const roles = settings.roles.split(',').map((role) => role.trim());
  const unknown = roles.find((role) => role !== 'evaluator' && role !== 'archiver');
  if (unknown !== undefined) throw new Error(`WEIR_ROLES may hold evaluator and archiver, but names "${unknown}".`);
  const logger = createLogger('worker', settings.logLevel);
  // `npm start` says it for all of its processes.
  const root = process.send ? undefined : rootWarning();
  if (root) logger.warn(root);
  const registry = createRegistry('worker');
  const redis = connectCommands(settings.redisUrl, 'weir-worker');
  redis.on('error', (error) => logger.debug({ error: String(error) }, 'connection to Redis'));
  await waitForRedis(redis, settings.redisUrl);
  const partitions = followPartitions(redis, await ensurePartitions(redis, settings.partitions), { logger });
  const tools: Tools = { settings, redis, logger, registry, partitions: partitions.current };
  const running: Running[] = [];
  let stopping = false;
  if (roles.includes('evaluator')) running.push(await startEvaluator(tools));
  if (roles.includes('archiver')) running.push(await startArchiver(tools));
  const metrics = await serveMetrics(registry, {
    host: settings.metricsHost,
    port: settings.metricsPort,
    allowedHosts: settings.allowedHosts,
    fallback: process.env.WEIR_METRICS_FALLBACK === '1',
    progress: () =>
      running.every((role) => performance.now() - role.lastProgress() < STALLED_MS)
        ? undefined
        : `A role has made no progress for ${STALLED_MS / 1000} s.`,
    ready: () => {
      if (stopping) return 'This process is stopping.';
      for (const role of running) {
        const trouble = role.trouble();
        if (trouble !== undefined) return trouble;
      }
      return undefined;
    },
  });
  logger.info({ roles, metricsPort: metrics.port, partitions: partitions.current() }, 'worker ready');
  process.send?.({ ready: true, metricsPort: metrics.port });

  stopOnSignal('worker', settings.drainMs, logger, async () => {
    stopping = true;
    for (const role of running) {
      try {
        await role.stop();
      } catch (error) {
        logger.error({ error: String(error) }, 'a role did not stop cleanly');
      }
    }
    partitions.stop();
    redis.disconnect();
    await metrics.close();
  });
}

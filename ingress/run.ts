/**
 * An ingress process: the HTTP edge.
 *
 *     starting (settings → Redis → configuration → listening) ──> ready ──SIGTERM, SIGINT──> stopping ──> ended
 *
 * Stopping, each step for a reason:
 * 1. `/readyz` fails and everything else goes on (`WEIR_STOP_DELAY_MS`): a load balancer notices and sends new work elsewhere, and
 *    what it has sent meanwhile is still served. A second signal ends this step.
 * 2. Listening stops, and each connection ends with its next answer, so that callers with open connections go elsewhere, too.
 * 3. New work is refused and pending verdicts are waited for, so that their callers are answered (2 and 3: at most `WEIR_DRAIN_MS`).
 * 4. Connections are closed, then the stores. Checks that were accepted and not answered go on: evaluators store their results.
 */
import { setFlagsFromString } from 'node:v8';
import { within } from '../shared/async.js';
import { DEMO_KEY_SHA256 } from '../shared/configuration/api-keys.js';
import { createHistoryClient, HISTORY_SETTINGS, historyAddressOf } from '../shared/history/client.js';
import { createAsker } from '../shared/history/read/asker.js';
import { failureReporter } from '../shared/history/read/failures.js';
import { createHistoryQueries } from '../shared/history/read/queries.js';
import { watchHistory } from '../shared/history/watch.js';
import { type Logger, processLogger } from '../shared/log.js';
import { localNames } from '../shared/loopback.js';
import { stopOnSignal } from '../shared/process/shutdown.js';
import { rootWarning } from '../shared/process/start.js';
import { describeSettings, loadSettings, type SettingName, type Settings } from '../shared/settings.js';
import { connectCommands, waitForRedis } from '../shared/streams/client.js';
import { REDIS_SETTINGS } from '../shared/streams/endpoint.js';
import { addErasure, readErasure } from '../shared/streams/erasures.js';
import { watchRedis } from '../shared/streams/watch.js';
import { createRegistry, gaugeConfiguration, type Registry, serveMetrics } from '../shared/telemetry.js';
import { startTraces, TRACE_SETTINGS } from '../shared/traces/traces.js';
import { unknownVariables } from '../shared/unknown-variables.js';
import { watchDirectory } from './admission/configuration.js';
import { createRateLimits } from './admission/rate-limit.js';
import { createAppealDesk } from './appeals/desk.js';
import { createAuditTrail } from './audit/trail.js';
import { createDispatcher } from './dispatch/dispatcher.js';
import { createRecall } from './dispatch/idempotency/rebuild-result.js';
import { isLocal } from './http/framing.js';
import { createServer, type IngressServer } from './http/server.js';
import { createRowStore } from './labels/store.js';
import { createLogins } from './logins/logins.js';
import { createLookup } from './lookups/lookup.js';
import { createOperation } from './operation/operation.js';
import { createVersionReader } from './versions/versions.js';

// Bodies lie outside the heap but count against its limit: with large ones V8 would collect all of a small heap several times a
// second. Growth to eleven times the live heap saves a third of the CPU that an image of 3 MB costs here. It takes 60 MB of memory
// then, and none under small bodies (measured).
setFlagsFromString('--heap-growing-percent=1000');
// So little survives a collection of young objects that sharing it among threads costs more than it saves.
setFlagsFromString('--no-parallel-scavenge');

const SETTINGS = [
  'host',
  'port',
  'metricsHost',
  'metricsPort',
  'allowedHosts',
  'versionHeaders',
  'defaultVersion',
  'dialects',
  'console',
  'oidcIssuer',
  'oidcClientId',
  'oidcClientSecretFile',
  'oidcRedirectUrl',
  'oidcScopes',
  'oidcGroupsClaim',
  'oidcUserClaim',
  'loginIdleMinutes',
  'loginHours',
  ...REDIS_SETTINGS,
  'redisReplicas',
  ...HISTORY_SETTINGS,
  'clickhouseQuorum',
  'historyTimeoutMs',
  'hotSeconds',
  'partitions',
  'region',
  'deadlineMs',
  'pendingBytes',
  'headMs',
  'transferMs',
  'stallMs',
  'bodyValues',
  'messageBytes',
  'hookBacklogBytes',
  'parseMs',
  'failedKeys',
  'addressConnections',
  'maxAgeMs',
  'maxSlowAgeMs',
  'maxMemoryPercent',
  'maxLoopLagMs',
  'stopDelayMs',
  'drainMs',
  ...TRACE_SETTINGS,
  'log',
  'logLevel',
] as const satisfies readonly SettingName[];

/** How long answers may take to be sent when the process stops. */
const SEND_MS = 1000;

/** Resolves once it runs; it ends on SIGTERM or SIGINT. Rejects with a sentence when it cannot start. */
export async function run(): Promise<void> {
  if (process.argv.includes('--help')) {
    console.log(`Weir ingress: the HTTP interface.\n\nSettings:\n${describeSettings(SETTINGS)}`);
    return;
  }
  const settings = loadSettings(process.env, SETTINGS);
  const logger = processLogger('ingress', settings);
  // Under `npm start` the parent process warns for all of its processes.
  const warnings = [rootWarning(), unknownVariables()];
  for (const warning of process.send ? [] : warnings) if (warning) logger.warn(warning);
  const registry = createRegistry('ingress');
  const parts = await connect(settings, { logger, registry });
  const { watch, dispatcher } = parts;
  let stopping = false;
  const ready = (): string | undefined => (stopping ? 'This process is stopping.' : watch.trouble());
  const server = await serve(settings, parts, ready);
  const metrics = await serveMetrics(registry, {
    host: settings.metricsHost,
    port: settings.metricsPort,
    allowedHosts: settings.allowedHosts,
    fallback: process.env.WEIR_METRICS_FALLBACK === '1',
    progress: dispatcher.progress,
    ready,
  });
  logger.info({ port: server.port, metricsPort: metrics.port }, 'ingress ready');
  process.send?.({ ready: true, port: server.port, metricsPort: metrics.port });

  stopOnSignal('ingress', settings.stopDelayMs + settings.drainMs, logger, async (again) => {
    stopping = true;
    await within(again, { ms: settings.stopDelayMs });
    const end = performance.now() + settings.drainMs;
    await server.quiesce(settings.drainMs);
    await dispatcher.drain(Math.max(0, end - performance.now()));
    await server.close();
    await watch.close();
    await dispatcher.close();
    parts.unwatch();
    parts.unwatchHistory();
    parts.redis.disconnect();
    parts.streams.disconnect();
    await parts.clickhouse.close();
    await parts.written.close();
    await parts.traces?.close();
    await metrics.close();
  });
}

type IngressSettings = Settings<(typeof SETTINGS)[number]>;

interface Tools {
  logger: Logger;
  registry: Registry;
}

/** Connects to the stores, and follows the configuration. */
async function connect(settings: IngressSettings, tools: Tools) {
  const { logger, registry } = tools;
  const redis = connectCommands(settings, 'weir-lookups', 2000);
  redis.on('error', (error) => logger.debug({ error: String(error) }, 'connection to Redis'));
  await waitForRedis(redis, settings, { say: (line) => logger.warn(line) });
  // Texts of streams are read and written on a connection of their own, so that look-ups do not wait for them.
  const streams = connectCommands(settings, 'weir-streams', 2000);
  streams.on('error', (error) => logger.debug({ error: String(error) }, 'connection to Redis'));
  await waitForRedis(streams, settings);
  const unwatch = watchRedis(redis, logger, registry);
  const watch = await watchDirectory(redis, logger);
  gaugeConfiguration(registry, () => watch.current().version);
  const unwatchHistory = watchHistory(historyAddressOf(settings), logger, registry);
  const clickhouse = createAsker(historyAddressOf(settings));
  const history = createHistoryQueries(clickhouse, {
    timeoutMs: settings.historyTimeoutMs,
    waitMs: 2 * settings.historyTimeoutMs,
    hotMs: settings.hotSeconds * 1000,
    onFailure: failureReporter(registry, logger),
  });
  const written = createHistoryClient({
    ...historyAddressOf(settings),
    quorum: settings.clickhouseQuorum,
    connections: 1,
  });
  const dispatcher = await createDispatcher(settings, {
    logger,
    registry,
    recall: createRecall(redis, history),
    failClosed: (team) => watch.current().failClosed(team),
    keepsContent: () => watch.current().keepsContent,
    masksContent: () => watch.current().masksContent,
  });
  const traces = await startTraces('weir-ingress', settings, tools);
  return { ...tools, redis, streams, unwatch, unwatchHistory, watch, clickhouse, written, history, dispatcher, traces };
}

async function serve(
  settings: IngressSettings,
  {
    redis,
    streams,
    watch,
    written,
    history,
    dispatcher,
    traces,
    logger,
    registry,
  }: Awaited<ReturnType<typeof connect>>,
  ready: () => string | undefined,
): Promise<IngressServer> {
  const names = localNames(settings.host, settings.allowedHosts);
  return await createServer({
    dispatcher,
    lookup: createLookup(redis, history),
    erasures: {
      async add(order) {
        const erasure = await addErasure(redis, order);
        if (erasure) await dispatcher.confirmErasure(erasure.id);
        return erasure;
      },
      find: (id) => readErasure(redis, id),
    },
    operation: createOperation(redis, settings, historyAddressOf(settings)),
    configurations: createVersionReader(redis, logger),
    labels: createRowStore(written, 'labels', logger),
    appeals: createAppealDesk(redis, {
      store: createRowStore(written, 'appeals', logger),
      directory: watch.current,
      hookBacklogBytes: settings.hookBacklogBytes,
      logger,
    }),
    audit: createAuditTrail(redis, logger),
    logins: createLogins(redis, settings, { logger, directory: watch.current }),
    rates: createRateLimits(redis, { logger, registry }),
    streams: { redis: streams, writes: watch.writes, logger, registry },
    directory: watch.current,
    // When the server closes, everything pending has been answered: only the sending is waited for.
    settings: { ...settings, drainMs: SEND_MS },
    logger,
    registry,
    traces,
    names,
    // The key of the sample configuration is public: whoever can reach this address, also through a proxy, could use it.
    keyAllowed: (sha256, headers) => sha256 !== DEMO_KEY_SHA256 || (names !== undefined && isLocal(headers)),
    ready,
    progress: dispatcher.progress,
  });
}

/**
 * A worker process: evaluator, archiver, metrics, hooks, or several of them (`WEIR_ROLES`).
 *
 * Start: settings → Redis → partitions → roles → ready.
 * Stop (SIGTERM, SIGINT), each step for a reason:
 * 1. Leave the fleet, so that a new configuration does not wait for this worker.
 * 2. Stop reading and finish what is under way, so that callers are answered (`WEIR_DRAIN_MS` at most).
 * 3. End the threads. Other workers take over what is left.
 * 4. Stop archiving after the current block, whose position is stored with it, computing metrics and telling webhooks.
 * 5. Close connections and exit.
 */

import { setFlagsFromString } from 'node:v8';
import { historyAddressOf } from '../shared/history/client.js';
import { watchHistory } from '../shared/history/watch.js';
import { processLogger } from '../shared/log.js';
import { stopOnSignal } from '../shared/process/shutdown.js';
import { rootWarning } from '../shared/process/start.js';
import { regionFrom } from '../shared/region.js';
import { describeSettings, loadSettings, SettingsError } from '../shared/settings.js';
import { connectCommands, waitForRedis } from '../shared/streams/client.js';
import { ensurePartitions, followPartitions } from '../shared/streams/partitions.js';
import { watchRedis } from '../shared/streams/watch.js';
import { createRegistry, metersOf, serveMetrics } from '../shared/telemetry.js';
import { startTraces } from '../shared/traces/traces.js';
import { unknownVariables } from '../shared/unknown-variables.js';
import { startArchiver } from './archiver/start.js';
import { startEvaluator } from './evaluator/start.js';
import { startHooks } from './hooks/start.js';
import { startMetrics } from './metrics/start.js';
import { ROLES, type Role, SETTINGS } from './role.js';

// Buffers outside the heap count against its limit. A worker moves hundreds of megabytes of them a second with a heap of some 15 MB,
// so by default the engine would collect the whole heap several times a second. Growing to eleven times the live size costs some
// 60 MB of memory and saves a sixth of the worker's CPU (measured at 700 batches a second).
setFlagsFromString('--heap-growing-percent=1000');
// So little survives a collection of young objects that sharing it among threads costs more than it saves.
setFlagsFromString('--no-parallel-scavenge');

/** A role whose loops have not turned for this long is stuck. */
const STALLED_MS = 30_000;

/** Resolves when the worker runs. It stops on SIGTERM or SIGINT. Rejects with a sentence when it cannot start. */
export async function run(): Promise<void> {
  if (process.argv.includes('--help')) {
    console.log(
      `Weir worker: evaluates checks, archives their results, computes metrics of them and tells webhooks.\n\nSettings:\n${describeSettings(SETTINGS)}`,
    );
    return;
  }
  const settings = loadSettings(process.env, SETTINGS);
  const roles = settings.roles.split(',').map((role) => role.trim());
  const unknown = roles.find((role) => !(ROLES as readonly string[]).includes(role));
  if (unknown !== undefined) {
    throw new SettingsError(`WEIR_ROLES may hold evaluator, archiver, metrics and hooks, but names "${unknown}".`);
  }
  const logger = processLogger('worker', settings);
  // Under `npm start` the parent process warns for all of its processes.
  const warnings = [rootWarning(), unknownVariables()];
  for (const warning of process.send ? [] : warnings) if (warning) logger.warn(warning);
  const registry = createRegistry('worker');
  const help = 'Whether this worker has the role (1) or not (0)';
  metersOf(registry).gaugeBy('role', ROLES, 'weir_role', help, (role) => (roles.includes(role) ? 1 : 0));
  const redis = connectCommands(settings, 'weir-worker');
  redis.on('error', (error) => logger.debug({ error: String(error) }, 'connection to Redis'));
  await waitForRedis(redis, settings, { say: (line) => logger.warn(line) });
  const unwatch = watchRedis(redis, logger, registry);
  const unwatchHistory = watchHistory(historyAddressOf(settings), logger, registry);
  const first = await ensurePartitions(redis, settings.partitions, regionFrom(settings.region));
  const partitions = followPartitions(redis, first, { logger });
  const traces = await startTraces('weir-worker', settings, { logger, registry });
  const tools = { settings, redis, logger, registry, traces, partitions: partitions.current };
  const running: Role[] = [];
  let stopping = false;
  if (roles.includes('evaluator')) running.push(await startEvaluator(tools));
  if (roles.includes('archiver')) running.push(await startArchiver(tools));
  if (roles.includes('metrics')) running.push(await startMetrics(tools));
  if (roles.includes('hooks')) running.push(await startHooks(tools));
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
    unwatch();
    unwatchHistory();
    redis.disconnect();
    await traces?.close();
    await metrics.close();
  });
}

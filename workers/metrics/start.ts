/** Starts the role that computes metrics, and says that it lives. */
import { repeat } from '../../shared/async.js';
import { createHistoryClient } from '../../shared/history/client.js';
import { connectCommands, waitForRedis } from '../../shared/streams/client.js';
import { createPulse, memberName, retire } from '../../shared/streams/fleet.js';
import type { Role, RoleTools } from '../role.js';
import { createCollector } from './collector.js';
import { createMetricMeters } from './meters.js';
import { createMetricsPool } from './pool.js';

const BEAT_MS = 500;

export async function startMetrics(tools: RoleTools): Promise<Role> {
  const { settings, logger, registry, partitions } = tools;
  const clickhouse = createHistoryClient({ url: settings.clickhouseUrl, database: settings.clickhouseDatabase });
  // Its reads are large: on a connection of their own they do not delay commits.
  const redis = connectCommands(settings.redisUrl, 'weir-metrics', 30_000);
  redis.on('error', (error) => logger.debug({ error: String(error) }, 'connection to Redis'));
  await waitForRedis(redis, settings.redisUrl);
  const pulse = createPulse(tools.redis);
  const sign = { kind: 'metrics', name: memberName() } as const;
  const beat = async (): Promise<void> => {
    await pulse.beat(sign).catch((error: unknown) => logger.debug({ error: String(error) }, 'heartbeat failed'));
  };
  let beating = beat();
  const stopBeating = repeat(BEAT_MS, () => {
    beating = beat();
    return beating;
  });
  const collector = createCollector({
    redis,
    clickhouse,
    partitions,
    name: sign.name,
    active: () => pulse.last()?.active,
    pool: createMetricsPool(settings.metricThreads, logger),
    meters: createMetricMeters(registry),
    logger,
  });
  collector.start();
  return {
    lastProgress: collector.lastProgress,
    trouble: pulse.trouble,
    async stop() {
      stopBeating();
      await collector.stop();
      // A beat that arrives after the farewell would bring this worker back.
      await beating;
      await retire(tools.redis, sign.kind, sign.name).catch(() => undefined);
      await clickhouse.close();
      redis.disconnect();
    },
  };
}

/** Starts the role that computes metrics. */
import { startLogReader } from '../log/reader.js';
import type { Role, RoleTools } from '../role.js';
import { createCollector } from './collector.js';
import { createMetricMeters } from './meters.js';
import { createMetricsPool } from './pool.js';

export const startMetrics = (tools: RoleTools): Promise<Role> =>
  startLogReader('metrics', tools, ({ redis, fleet, clickhouse, pulse, name }) => {
    const { settings, logger, registry, partitions } = tools;
    return createCollector({
      redis,
      fleet,
      clickhouse,
      partitions,
      name,
      active: () => pulse.last()?.active,
      pool: createMetricsPool(settings.metricThreads, logger),
      meters: createMetricMeters(registry),
      delayMs: settings.blockDelayMs,
      logger,
    });
  });

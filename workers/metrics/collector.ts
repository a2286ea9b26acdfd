/**
 * Computes the metrics of finished checks from the log, after their verdicts, and stores them in `weir.metrics`. It follows the log
 * (`follower.ts`): computes on threads what a round has read, and inserts all rows as one block.
 *
 * A crash between insert and move repeats rows. They have the same sorting key, and the table replaces by it: once per item and metric.
 */
import { liveMetrics } from '../../shared/configuration/metrics.js';
import type { HistoryClient } from '../../shared/history/client.js';
import { createFollower, type FollowerTools } from '../log/follower.js';
import type { LogReader } from '../log/reader.js';
import { insertMetrics } from './insert.js';
import type { MetricMeters } from './meters.js';
import type { MetricsPool } from './pool.js';

export interface CollectorOptions extends FollowerTools {
  clickhouse: HistoryClient;
  pool: MetricsPool;
  meters: MetricMeters;
}

export function createCollector(options: CollectorOptions): LogReader {
  const { clickhouse, pool, meters } = options;
  const follower = createFollower({
    ...options,
    kind: 'metrics',
    useOf: (configuration, { id, text }) => (liveMetrics(configuration).size > 0 ? { id, text } : undefined),
    async handle(entries, { during, persist, signal }) {
      const work = entries.map(({ format, rows, use }) => ({ format, rows, configuration: use }));
      const made = await during(pool.compute(work));
      if (made.rows > 0) {
        const failed = (): void => meters.failed('clickhouse');
        await persist(failed, () => insertMetrics(clickhouse, made.parts, signal));
      }
      meters.made(made);
    },
  });
  return {
    start: follower.start,
    lastProgress: follower.lastProgress,
    async stop() {
      // A batch that is computed ends with the pool.
      await Promise.all([follower.stop(), pool.end()]);
    },
  };
}

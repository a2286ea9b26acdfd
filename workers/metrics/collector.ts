/**
 * Computes the metrics of finished checks from the log, after their verdicts, and stores them in `weir.metrics`. It follows the log
 * (`follower.ts`): computes on threads what a round has read, and inserts all rows as one block.
 *
 * A crash between insert and move repeats rows. They have the same sorting key, and the table replaces by it: once per item and metric.
 *
 * Rows that ClickHouse refuses are found by halving the requests of the round. Such requests have no metrics: their rows are dropped,
 * since they can be computed again from what the archiver stores.
 */
import { liveMetrics } from '../../shared/configuration/metrics.js';
import type { HistoryClient } from '../../shared/history/client.js';
import { createFollower, type FollowerTools } from '../log/follower.js';
import type { LogReader } from '../log/reader.js';
import { type NarrowedSending, sendAll } from '../rows/narrow.js';
import { NotInserted } from '../rows/send-rows.js';
import { insertMetrics } from './insert.js';
import type { MetricMeters } from './meters.js';
import type { MetricsEntry, MetricsPool } from './pool.js';

export interface CollectorOptions extends FollowerTools {
  clickhouse: HistoryClient;
  pool: MetricsPool;
  meters: MetricMeters;
  /** as of the archiver: what Redis may still lose must not be in ClickHouse already */
  delayMs: number;
}

const isRefusal = (error: unknown): error is NotInserted => error instanceof NotInserted && error.rowFault;

export function createCollector(options: CollectorOptions): LogReader {
  const { clickhouse, pool, meters, logger } = options;
  const follower = createFollower({
    ...options,
    kind: 'metrics',
    useOf: (configuration, { id, text }) => (liveMetrics(configuration).size > 0 ? { id, text } : undefined),
    async handle(entries, { during, persist, signal }) {
      const work = entries.map(({ format, rows, use }) => ({ format, rows, configuration: use }));
      const whole = await during(pool.compute(work));
      const sending: NarrowedSending<MetricsEntry, NotInserted> = { left: [work], refused: new Map() };
      const store = async (group: readonly MetricsEntry[]): Promise<void> => {
        const made = group === work ? whole : await during(pool.compute(group));
        if (made.rows > 0) await insertMetrics(clickhouse, made.parts, signal);
        meters.made(made);
      };
      const failed = (): void => meters.failed('clickhouse');
      await persist(failed, () => sendAll(sending, store, isRefusal));
      const [first] = sending.refused.values();
      if (!first) return;
      meters.refused(sending.refused.size);
      const said = { requests: sending.refused.size, reason: first.error.message };
      logger.error(said, 'ClickHouse refuses metrics, and those of these requests are dropped');
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

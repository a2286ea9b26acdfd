/** What the role of metrics tells about itself. */
import { metersOf, type Registry } from '../../shared/telemetry.js';
import type { FollowerMeters } from '../log/follower.js';
import type { MetricsOutput } from './pool.js';

type MetricsFailureKind = 'redis' | 'clickhouse';

export interface MetricMeters extends FollowerMeters {
  made(made: MetricsOutput): void;
  /** requests whose rows ClickHouse refuses */
  refused(count: number): void;
  failed(kind: MetricsFailureKind): void;
}

export function createMetricMeters(registry: Registry): MetricMeters {
  const { counter, counterBy, gauge } = metersOf(registry);
  const rows = counterBy(
    'outcome',
    'weir_metric_rows_total',
    'Rows of metrics that were stored, with a value or with a note',
  );
  const seconds = counter('weir_metric_seconds_total', 'Time that threads computed metrics');
  const skipped = counter('weir_metric_requests_skipped_total', 'Requests whose metrics failed');
  const refusals = counter(
    'weir_metric_requests_refused_total',
    'Requests whose metrics ClickHouse refuses; they are dropped',
  );
  const errors = counterBy('kind', 'weir_metric_errors_total', 'Failed attempts; each is repeated until it succeeds');
  let oldestMs: number | undefined;
  gauge('weir_metric_lag_seconds', 'Age of the oldest result of this worker that waits for its metrics', () =>
    oldestMs === undefined ? 0 : Math.max(0, Date.now() - oldestMs) / 1000,
  );
  let lost = 0;
  const drops = "Requests of this worker's partitions that have no metrics, because Redis kept no more for them";
  gauge('weir_metric_requests_dropped', drops, () => lost);
  return {
    made(made) {
      rows.inc({ outcome: 'value' }, made.rows - made.notes);
      rows.inc({ outcome: 'note' }, made.notes);
      seconds.inc(made.microseconds / 1e6);
      skipped.inc(made.skipped);
    },
    refused: (count) => refusals.inc(count),
    failed: (kind) => errors.inc({ kind }),
    oldest(ms) {
      oldestMs = ms;
    },
    dropped(count) {
      lost = count;
    },
  };
}

/** What the role of metrics tells about itself. */
import { metersOf, type Registry } from '../../shared/telemetry.js';
import type { FollowerMeters } from '../log/follower.js';
import type { MetricsOutput } from './pool.js';

const FAILURE_KINDS = ['redis', 'clickhouse'] as const;
type MetricsFailureKind = (typeof FAILURE_KINDS)[number];

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
    ['value', 'note'],
    'weir_metric_rows_total',
    'Rows of metrics stored, with a value or with a note',
  );
  const seconds = counter('weir_metric_seconds_total', 'Time that threads spent computing metrics');
  const skipped = counter(
    'weir_metric_requests_skipped_total',
    'Requests whose metrics failed, or whose rows cannot be read',
  );
  const refusals = counter(
    'weir_metric_requests_refused_total',
    'Requests whose metrics ClickHouse refuses, or those of a request beside them; they are dropped',
  );
  const failures = 'Failed attempts, which are repeated for ever';
  const errors = counterBy('kind', FAILURE_KINDS, 'weir_metric_errors_total', failures);
  let oldestMs: number | undefined;
  gauge('weir_metric_lag_seconds', 'Age of the oldest result of this worker that waits for its metrics', () =>
    oldestMs === undefined ? 0 : Math.max(0, Date.now() - oldestMs) / 1000,
  );
  let lost = 0;
  const drops =
    "Requests of this worker's partitions without metrics, because Redis kept no more for them (WEIR_METRICS_BACKLOG_BYTES)";
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

/** What the role of webhooks tells about itself. */
import { metersOf, type Registry } from '../../shared/telemetry.js';
import type { FollowerMeters } from '../log/follower.js';
import { type DeliveryOutcome, OUTCOMES } from './post.js';

export interface HookMeters extends FollowerMeters {
  /** an attempt began (1) or ended (-1) */
  underWay(change: 1 | -1): void;
  attempted(outcome: DeliveryOutcome): void;
  /** a receiver has said when it may be called again */
  paused(): void;
  /** deliveries that were given up */
  gaveUp(): void;
  /** deliveries that found no room in Redis */
  noRoom(count: number): void;
  /** a delivery whose webhook the configuration has lost */
  removed(): void;
  /** requests whose rows could not be read */
  skipped(): void;
  /** what the queues of this worker's partitions hold */
  backlog(deliveries: number, bytes: number): void;
}

export function createHookMeters(registry: Registry): HookMeters {
  const { counter, counterBy, gauge } = metersOf(registry);
  const attempts = counterBy('outcome', OUTCOMES, 'weir_hook_attempts_total', 'Attempts to deliver to a webhook');
  const pauses = counter('weir_hook_pauses_total', 'Answers 429 and 503 that say when to come again (Retry-After)');
  const dead = counter('weir_hook_deliveries_given_up_total', 'Deliveries that were given up and can be replayed');
  const dropped = counter(
    'weir_hook_deliveries_dropped_total',
    'Deliveries that found no room in Redis (WEIR_HOOK_BACKLOG_BYTES)',
  );
  const removed = counter(
    'weir_hook_deliveries_removed_total',
    'Deliveries that waited when the configuration lost their webhook, and were dropped',
  );
  const skipped = counter('weir_hook_requests_skipped_total', 'Requests whose rows cannot be read');
  const errors = counter('weir_hook_errors_total', 'Calls to Redis that failed, which are repeated');
  let oldestMs: number | undefined;
  gauge('weir_hook_lag_seconds', 'Age of the oldest result of this worker that is not read for webhooks', () =>
    oldestMs === undefined ? 0 : Math.max(0, Date.now() - oldestMs) / 1000,
  );
  let lost = 0;
  const losses =
    "Requests of this worker's partitions that no webhook is told of, because Redis kept no more (WEIR_METRICS_BACKLOG_BYTES)";
  gauge('weir_hook_requests_dropped', losses, () => lost);
  let held = { deliveries: 0, bytes: 0 };
  gauge('weir_hook_deliveries_waiting', 'Deliveries that wait', () => held.deliveries);
  gauge('weir_hook_backlog_bytes', 'Bytes of the queues that have deliveries', () => held.bytes);
  let underWay = 0;
  gauge('weir_hook_attempts_under_way', 'Attempts now', () => underWay);
  return {
    underWay(change) {
      underWay += change;
    },
    attempted: (outcome) => attempts.inc({ outcome }),
    paused: () => pauses.inc(),
    gaveUp: () => dead.inc(),
    noRoom: (count) => dropped.inc(count),
    removed: () => removed.inc(),
    skipped: () => skipped.inc(),
    backlog(deliveries, bytes) {
      held = { deliveries, bytes };
    },
    failed: () => errors.inc(),
    oldest(ms) {
      oldestMs = ms;
    },
    dropped(count) {
      lost = count;
    },
  };
}

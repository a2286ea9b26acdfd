/** Counts and logs failed look-ups in ClickHouse. */
import type { Logger } from '../../log.js';
import { metersOf, type Registry } from '../../telemetry.js';

/** For `onFailure` of the queries. Logs causes but never parameters, which are callers' ids. */
export function failureReporter(registry: Registry, logger: Logger): (error: unknown) => void {
  const failures = metersOf(registry).counter(
    'weir_history_failures_total',
    'Questions, of one look-up or of several together, that ClickHouse did not answer in time, or was not asked because it kept failing',
  );
  return (error) => {
    failures.inc();
    const cause = error instanceof Error && error.cause instanceof Error ? error.cause : undefined;
    logger.debug({ error: String(error), cause: cause?.name }, 'a look-up in ClickHouse failed');
  };
}

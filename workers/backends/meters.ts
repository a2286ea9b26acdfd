/** How calls of backends end. */
import { metersOf, type Registry } from '../../shared/telemetry.js';

/**
 * - `answered`, `cached`
 * - of a call: `timeout`; `unreachable`, also where the connection broke; `server_error` (5xx); `rate_limited` (429); `refused` (any other
 *   status that is not 200); `malformed`, `too_large`: an answer that cannot be used
 * - without a call: `breaker_open`, `over_budget`, `no_time`, `no_room`, `no_key`, `too_long`
 */
const BACKEND_OUTCOMES = [
  'answered',
  'cached',
  'timeout',
  'unreachable',
  'server_error',
  'rate_limited',
  'refused',
  'malformed',
  'too_large',
  'breaker_open',
  'over_budget',
  'no_time',
  'no_room',
  'no_key',
  'too_long',
] as const;
export type BackendOutcome = (typeof BACKEND_OUTCOMES)[number];

export interface BackendMetrics {
  question(outcome: BackendOutcome): void;
  call(seconds: number): void;
  retry(): void;
  watch(counts: () => { open: number; waiting: number; calls: number }): void;
}

export function createBackendMetrics(registry: Registry): BackendMetrics {
  const { counter, counterBy, gauge, histogram } = metersOf(registry);
  const asked = 'Texts that a backend was to judge, one for each backend';
  const questions = counterBy('outcome', BACKEND_OUTCOMES, 'weir_backend_questions_total', asked);
  const seconds = histogram('weir_backend_call_seconds', 'Time of a call of a backend, however it ended');
  const retries = counter('weir_backend_retries_total', 'Calls of backends that were made a second time');
  return {
    question: (outcome) => questions.inc({ outcome }),
    call: (took) => seconds.observe(took),
    retry: () => retries.inc(),
    watch(counts) {
      gauge('weir_backends_open', 'Backends that are not called because they failed', () => counts().open);
      gauge('weir_backend_calls_under_way', 'Calls of backends now', () => counts().calls);
      gauge('weir_backend_calls_waiting', 'Texts that wait for their call', () => counts().waiting);
    },
  };
}

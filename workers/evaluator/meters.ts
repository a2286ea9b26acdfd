/** What an evaluator counts. */
import { metersOf, type Registry } from '../../shared/telemetry.js';

export type EvaluatorMetrics = ReturnType<typeof createEvaluatorMetrics>;

export function createEvaluatorMetrics(registry: Registry) {
  const { counter, counterBy } = metersOf(registry);
  return {
    checks: counterBy('kind', 'weir_checks_total', 'Requests committed, by kind'),
    items: counter('weir_items_total', 'Items checked and committed'),
    flagged: counter('weir_items_flagged_total', 'Items that violated a policy'),
    failed: counter('weir_items_failed_total', 'Items that could not be evaluated'),
    stopped: counter('weir_conditions_stopped_total', 'Events whose conditions took too many steps'),
    shadow: counterBy('outcome', 'weir_shadow_verdicts_total', 'Verdicts of policies in the shadow, by outcome'),
    late: counter('weir_commits_late_total', 'Outcomes dropped because somebody else had committed the check'),
    apart: counter('weir_entries_apart_total', 'Entries that waited for history apart from what was read with them'),
    asking: counter(
      'weir_entries_asking_total',
      'Entries that waited for backends or models apart from what was read with them',
    ),
    imagesRefused: counter(
      'weir_images_refused_total',
      'Images not looked at, since too many checks were waiting for theirs',
    ),
    causesSkipped: counter(
      'weir_causes_skipped_total',
      'Declared causes that history was not asked for, since too many entries waited for it',
    ),
    attemptsFailed: counter('weir_attempts_failed_total', 'Evaluations that threw, died or passed the hard limit'),
    deadLetters: counter('weir_dead_letters_total', 'Entries given up'),
    redisErrors: counter('weir_evaluator_redis_errors_total', 'Calls to Redis that had to be repeated'),
    threadSeconds: counter('weir_evaluation_seconds_total', 'Time threads spent evaluating'),
  };
}

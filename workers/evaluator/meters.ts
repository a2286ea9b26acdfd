/** What an evaluator counts. */
import { CHECK_KINDS } from '../../shared/api/types.js';
import { metersOf, type Registry } from '../../shared/telemetry.js';

export const SHADOW_OUTCOMES = ['flagged', 'clean', 'not_evaluated'] as const;

const TRY_OUTCOMES = ['answered', 'refused', 'late', 'failed'] as const;

export type EvaluatorMetrics = ReturnType<typeof createEvaluatorMetrics>;

export function createEvaluatorMetrics(registry: Registry) {
  const { counter, counterBy } = metersOf(registry);
  return {
    checks: counterBy('kind', CHECK_KINDS, 'weir_checks_total', 'Requests committed'),
    looks: counter('weir_looks_total', 'Looks at streams'),
    tries: counterBy('outcome', TRY_OUTCOMES, 'weir_tries_total', 'Tries of policies, which leave nothing behind'),
    items: counter('weir_items_total', 'Items committed'),
    flagged: counter('weir_items_flagged_total', 'Items flagged'),
    failed: counter('weir_items_failed_total', 'Items that could not be evaluated'),
    stopped: counter(
      'weir_conditions_stopped_total',
      'Events whose conditions took too many steps, so that policies were not evaluated',
    ),
    foreign: counter(
      'weir_items_foreign_total',
      'Items in a language that a policy does not know, which was left out of their verdict',
    ),
    shadow: counterBy('outcome', SHADOW_OUTCOMES, 'weir_shadow_verdicts_total', 'Verdicts of policies in the shadow'),
    late: counter('weir_commits_late_total', 'Outcomes dropped because another worker was first'),
    apart: counter(
      'weir_entries_apart_total',
      'Requests that waited for ClickHouse, apart from those that were read with them',
    ),
    asking: counter(
      'weir_entries_asking_total',
      'Requests that waited for backends or models, apart from those that were read with them',
    ),
    imagesRefused: counter(
      'weir_images_refused_total',
      'Images that were not looked at because too many checks of their team waited for theirs',
    ),
    causesSkipped: counter(
      'weir_causes_skipped_total',
      'Declared causes that ClickHouse was not asked for, because too many requests waited for it',
    ),
    attemptsFailed: counter('weir_attempts_failed_total', 'Evaluations that threw, died or passed the hard limit'),
    deadLetters: counter('weir_dead_letters_total', 'Entries given up'),
    redisErrors: counter('weir_evaluator_redis_errors_total', 'Calls to Redis that were repeated'),
    threadSeconds: counter('weir_evaluation_seconds_total', 'Time that threads spent evaluating'),
  };
}

/** How texts fare with models. */
import { metersOf, type Registry } from '../../shared/telemetry.js';
import type { Models } from './models.js';
import type { TextFailureReason, TextsEvent } from './text-model.js';

/**
 * - `scored`
 * - of a request: `timeout`; `crashed`; `cancelled`: nobody waits any more, or not longer; `failed`: the model failed on it;
 *   `too_long`: the text needs more windows than the model may be asked for
 * - without one: `no_model`: it is not there, or does not work, or is for images; `no_label`: it has no such label; `no_room`; `no_time`
 */
const TEXT_OUTCOMES = [
  'scored',
  'timeout',
  'crashed',
  'cancelled',
  'failed',
  'too_long',
  'no_model',
  'no_label',
  'no_room',
  'no_time',
] as const satisfies readonly ('scored' | TextFailureReason | (string & {}))[];
export type TextOutcome = (typeof TEXT_OUTCOMES)[number];

export interface TextModelMetrics {
  text(outcome: TextOutcome): void;
  request(event: TextsEvent): void;
  watch(models: Models): void;
}

export function createTextModelMetrics(registry: Registry): TextModelMetrics {
  const { counter, counterBy, gauge, histogram } = metersOf(registry);
  const asked = 'Texts that models were to score, one for each model';
  const texts = counterBy('outcome', TEXT_OUTCOMES, 'weir_onnx_texts_total', asked);
  const windows = counter('weir_onnx_windows_total', 'Windows of texts that were scored');
  const seconds = histogram('weir_onnx_seconds', 'Time of a model for a request of up to 8 texts, without waiting');
  const wait = histogram('weir_onnx_wait_seconds', 'Time that requests of texts waited for a model');
  return {
    text: (outcome) => texts.inc({ outcome }),
    request({ windows: scored, ms, waitedMs }) {
      wait.observe(waitedMs / 1000);
      if (scored > 0) seconds.observe((ms - waitedMs) / 1000);
      windows.inc(scored);
    },
    watch(models) {
      gauge('weir_onnx_models', 'Models of texts that are loaded', () => models.counts('text').models);
      gauge('weir_onnx_waiting', 'Requests of texts that wait for a model', () => models.counts('text').waiting);
    },
  };
}

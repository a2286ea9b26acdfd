/** How long reading text in images and scoring them by models takes, how often it fails, and why. */
import { Counter, Histogram, LATENCY_BUCKETS, type Registry } from '../../../shared/telemetry.js';
import { gaugeIn } from '../gauge.js';
import { SCORE_FAILURE_REASONS, type ScoreEvent } from './models/model.js';
import type { Models } from './models/models.js';
import { READ_FAILURE_REASONS, type ReadEvent, type TextReader } from './text-reader.js';

/** Pass `text` and `score` as `observe`, and the readers to `watch`. No label comes from a caller or a file. */
export interface ReaderMetrics {
  text(event: ReadEvent): void;
  score(event: ScoreEvent): void;
  watch(reader: TextReader, models: Models): void;
}

export function createReaderMetrics(registry: Registry): ReaderMetrics {
  const registers = [registry];
  const seconds = (name: string, help: string): Histogram =>
    new Histogram({ name, help, buckets: LATENCY_BUCKETS, registers });
  const failures = (name: string, help: string, reasons: readonly string[]): Counter<'reason'> => {
    const counter = new Counter({ name, help, labelNames: ['reason'] as const, registers });
    // From the start, so that a first failure shows as an increase.
    for (const reason of reasons) counter.inc({ reason }, 0);
    return counter;
  };
  const textSeconds = seconds('weir_image_text_seconds', 'Time to read the text of an image, without waiting');
  const scoreSeconds = seconds('weir_image_model_seconds', 'Time of an image model for an image, without waiting');
  const waitSeconds = new Histogram({
    name: 'weir_image_reader_wait_seconds',
    help: 'Time images waited for text recognition or a model',
    buckets: LATENCY_BUCKETS,
    labelNames: ['reader'] as const,
    registers,
  });
  const textFailures = failures(
    'weir_image_text_failures_total',
    'Images whose text could not be read, by reason',
    READ_FAILURE_REASONS,
  );
  const scoreFailures = failures(
    'weir_image_model_failures_total',
    'Images that a model could not score, by reason',
    SCORE_FAILURE_REASONS,
  );
  return {
    text({ outcome, ms, waitedMs }) {
      waitSeconds.observe({ reader: 'text' }, waitedMs / 1000);
      if (outcome === 'read') textSeconds.observe((ms - waitedMs) / 1000);
      else textFailures.inc({ reason: outcome });
    },
    score({ outcome, ms, waitedMs }) {
      waitSeconds.observe({ reader: 'model' }, waitedMs / 1000);
      if (outcome === 'scored') scoreSeconds.observe((ms - waitedMs) / 1000);
      else scoreFailures.inc({ reason: outcome });
    },
    watch(reader, models) {
      const gauge = gaugeIn(registry);
      gauge('weir_image_text_available', '1 where text in images can be read', () => (reader.unavailable ? 0 : 1));
      gauge('weir_image_models', 'Image models that are loaded', () => models.counts().models);
      gauge('weir_image_models_failed', 'Image models whose files do not work', () => models.problems().size);
      gauge('weir_image_text_waiting', 'Images waiting for text recognition', () => reader.counts().waiting);
      gauge('weir_image_model_waiting', 'Images waiting for a model', () => models.counts().waiting);
    },
  };
}

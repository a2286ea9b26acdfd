/** How long reading text in images and scoring them by models takes, how often it fails, and why. */
import { metersOf, type Registry } from '../../../shared/telemetry.js';
import { SCORE_FAILURE_REASONS, type ScoreEvent } from '../../onnx/model.js';
import type { Models } from '../../onnx/models.js';
import { READ_FAILURE_REASONS, type ReadEvent, type TextReader } from './text-reader.js';

/** Pass `text` and `score` as `observe`, and the readers to `watch`. No label comes from a caller or a file. */
export interface ReaderMetrics {
  text(event: ReadEvent): void;
  score(event: ScoreEvent): void;
  watch(reader: TextReader, models: Models): void;
}

export function createReaderMetrics(registry: Registry): ReaderMetrics {
  const { counterBy, gauge, histogram, histogramBy } = metersOf(registry);
  const textSeconds = histogram('weir_image_text_seconds', 'Time to read the text of an image, without waiting');
  const scoreSeconds = histogram('weir_image_model_seconds', 'Time of a model for an image, without waiting');
  const waiting = 'Time that images waited for text recognition or a model';
  const waitSeconds = histogramBy(['reader'], 'weir_image_reader_wait_seconds', waiting);
  for (const reader of ['text', 'model']) waitSeconds.zero({ reader });
  const unread = 'Images whose text could not be read';
  const textFailures = counterBy('reason', READ_FAILURE_REASONS, 'weir_image_text_failures_total', unread);
  const unscored = 'Images that a model could not score';
  const scoreFailures = counterBy('reason', SCORE_FAILURE_REASONS, 'weir_image_model_failures_total', unscored);
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
      gauge('weir_image_text_available', 'Whether text in images can be read (1) or not (0)', () =>
        reader.unavailable ? 0 : 1,
      );
      gauge('weir_image_models', 'Models of images that are loaded', () => models.counts().models);
      gauge(
        'weir_image_models_failed',
        'Models whose files do not work, those of texts included',
        () => models.problems().size,
      );
      gauge('weir_image_text_waiting', 'Images that wait for their text to be read', () => reader.counts().waiting);
      gauge('weir_image_model_waiting', 'Images that wait for a model', () => models.counts().waiting);
    },
  };
}

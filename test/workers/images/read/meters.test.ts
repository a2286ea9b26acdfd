import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { createLogger } from '#weir/shared/log';
import { createRegistry } from '#weir/shared/telemetry';
import { createReaderMetrics } from '#weir/workers/images/read/meters';
import { startTextReader } from '#weir/workers/images/read/text-reader';
import { startModels } from '#weir/workers/onnx/models';

describe('metrics of reading images', () => {
  it('count seconds of work and of waiting, failures by reason, and the readers that there are', async () => {
    const registry = createRegistry('worker');
    const metrics = createReaderMetrics(registry);
    const logger = createLogger('test', 'silent');
    const observe = metrics.text;
    const reader = await startTextReader({ logger, command: 'weir-no-such-program', observe });
    const models = await startModels({ folder: undefined, logger, observe: metrics.score });
    metrics.watch(reader, models);
    await reader.read({ width: 1, height: 1, channels: 1, data: Buffer.alloc(1) });
    metrics.text({ outcome: 'read', ms: 5000, waitedMs: 2000 });
    metrics.score({ outcome: 'scored', ms: 700, waitedMs: 100 });
    metrics.score({ outcome: 'timeout', ms: 700, waitedMs: 0 });
    const lines = (await registry.metrics()).split('\n').map((line) => line.replace(/(,?)process="worker",?/, ''));
    for (const line of [
      'weir_image_text_seconds_sum{} 3',
      'weir_image_text_seconds_count{} 1',
      'weir_image_model_seconds_sum{} 0.6',
      'weir_image_model_seconds_count{} 1',
      'weir_image_reader_wait_seconds_count{reader="text"} 2',
      'weir_image_reader_wait_seconds_count{reader="model"} 2',
      'weir_image_text_failures_total{reason="absent"} 1',
      'weir_image_text_failures_total{reason="timeout"} 0',
      'weir_image_model_failures_total{reason="timeout"} 1',
      'weir_image_model_failures_total{reason="failed"} 0',
      'weir_image_text_available{} 0',
      'weir_image_models{} 0',
      'weir_image_models_failed{} 0',
      'weir_image_text_waiting{} 0',
      'weir_image_model_waiting{} 0',
    ]) {
      assert.ok(
        lines.includes(line),
        `${line} is not among\n${lines.filter((each) => /weir_image/.test(each)).join('\n')}`,
      );
    }
    await models.close();
    await reader.close();
  });
});

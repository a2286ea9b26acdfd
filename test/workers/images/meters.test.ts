import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { createRegistry } from '#weir/shared/telemetry';
import { FAILURE_REASONS } from '#weir/workers/images/failure';
import { createMediaMetrics } from '#weir/workers/images/meters';

describe('metrics of images', () => {
  it('have every outcome from the start, so that the first of a kind shows as an increase', async () => {
    const registry = createRegistry('worker');
    const metrics = createMediaMetrics(registry);
    const counted = async (name: string): Promise<Record<string, number>> => {
      const { values } = await registry.getSingleMetric(name)!.get();
      return Object.fromEntries(values.map(({ labels, value }) => [labels.outcome, value]));
    };
    const none = (...good: string[]) =>
      Object.fromEntries([...good, ...FAILURE_REASONS].map((outcome) => [outcome, 0]));
    assert.deepEqual(await counted('weir_images_total'), none('looked_at'));
    assert.deepEqual(await counted('weir_image_fetches_total'), none('fetched', 'unchanged'));
    assert.deepEqual(await counted('weir_image_decodes_total'), none('decoded'));
    metrics.image('corrupt');
    metrics.decode({ outcome: 'corrupt', ms: 20, waitedMs: 10 });
    metrics.fetch({ outcome: 'fetched', ms: 30, bytes: 5, redirects: 0 });
    assert.deepEqual(await counted('weir_images_total'), { ...none('looked_at'), corrupt: 1 });
    assert.deepEqual(await counted('weir_image_decodes_total'), { ...none('decoded'), corrupt: 1 });
    assert.deepEqual(await counted('weir_image_fetches_total'), { ...none('fetched', 'unchanged'), fetched: 1 });
  });
});

import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { HistoryUnavailable } from '#weir/shared/history/breaker';
import { createLine } from '#weir/shared/history/line';
import { sleep } from '../../support/wait.ts';

describe('the line before ClickHouse', () => {
  it('lets a few in at a time, the others in their order', async () => {
    const line = createLine({ atOnce: 2 });
    let inside = 0;
    let most = 0;
    const order: number[] = [];
    await Promise.all(
      Array.from({ length: 20 }, (_, i) =>
        line.run(async () => {
          order.push(i);
          most = Math.max(most, ++inside);
          await sleep(1);
          inside--;
        }),
      ),
    );
    assert.equal(most, 2);
    assert.deepEqual(
      order,
      Array.from({ length: 20 }, (_, i) => i),
    );
  });

  it('goes on after a call that fails, with what it failed with', async () => {
    const line = createLine({ atOnce: 1 });
    const broken = line.run(() => Promise.reject(new Error('broken')));
    const next = line.run(async () => 'fine');
    await assert.rejects(broken, /broken/);
    assert.equal(await next, 'fine');
    assert.equal(await line.run(async () => 'again'), 'again');
  });

  it('refuses who would wait too long, or come last in too long a line', async () => {
    const line = createLine({ atOnce: 1, longest: 2, waitMs: 20 });
    let end = (): void => {};
    const holding = line.run(
      () =>
        new Promise<void>((resolve) => {
          end = resolve;
        }),
    );
    const late = [line.run(async () => 'a'), line.run(async () => 'b')];
    await assert.rejects(
      line.run(async () => 'c'),
      HistoryUnavailable,
    );
    for (const one of late) await assert.rejects(one, HistoryUnavailable);
    end();
    await holding;
    assert.equal(await line.run(async () => 'd'), 'd');
  });
});

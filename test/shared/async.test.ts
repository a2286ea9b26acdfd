import assert from 'node:assert/strict';
import { getEventListeners } from 'node:events';
import { describe, it } from 'node:test';
import { createPause, inTime, repeat, within } from '#weir/shared/async';

const never = new Promise<never>(() => undefined);
const failing = (): Promise<never> => Promise.reject(new Error('no'));

describe('waiting with a limit', () => {
  it('gives the result or the error of the work', async () => {
    assert.equal(await within(Promise.resolve(7), { ms: 60_000 }), 7);
    assert.equal(await within(Promise.resolve(7), {}), 7);
    await assert.rejects(within(failing(), { ms: 60_000 }), /no/);
    assert.equal(await inTime(Promise.resolve(7), 60_000, 'late'), 7);
    await assert.rejects(inTime(failing(), 60_000, 'late'), /no/);
  });

  it('ends with the time or the signal, whichever is first, and leaves no listener', async () => {
    const { signal } = new AbortController();
    assert.equal(await within(never, { ms: 1, signal }), undefined);
    assert.equal(await within(Promise.resolve(7), { signal }), 7);
    assert.deepEqual(getEventListeners(signal, 'abort'), []);
    const ended = new AbortController();
    const left = within(never, { ms: 3_600_000, signal: ended.signal });
    ended.abort();
    assert.equal(await left, undefined);
    assert.equal(await within(never, { signal: ended.signal }), undefined);
    assert.equal(await within(never, { ms: -1 }), undefined);
    await assert.rejects(inTime(never, -1, 'late'), /^Error: late$/);
  });

  it('drops the error of work that fails after its time', async () => {
    let fail = (_: Error): void => undefined;
    const work = new Promise<never>((_, reject) => {
      fail = reject;
    });
    assert.equal(await within(work, { ms: 1 }), undefined);
    await assert.rejects(inTime(work, 1, 'late'), /late/);
    // An unhandled rejection would end this process.
    fail(new Error('no'));
    await new Promise((resolve) => setImmediate(resolve));
  });
});

describe('a pause', () => {
  it('ends for all sleepers, for good', async () => {
    const pause = createPause();
    const sleepers = Array.from({ length: 30 }, () => pause.sleep(3_600_000));
    pause.end();
    await Promise.all([...sleepers, pause.sleep(3_600_000)]);
  });

  it('is over after its time', async () => {
    await createPause().sleep(1);
  });
});

describe('repeated work', () => {
  it('is never under way twice, and not begun again once it is stopped', async () => {
    let [begun, atOnce] = [0, 0];
    await new Promise<void>((resolve) => {
      const stop = repeat(1, async () => {
        begun++;
        assert.equal(++atOnce, 1);
        await new Promise((next) => setTimeout(next, 5));
        atOnce--;
        if (begun === 3) {
          stop();
          resolve();
        }
      });
    });
    await new Promise((next) => setTimeout(next, 20));
    assert.equal(begun, 3);
  });
});

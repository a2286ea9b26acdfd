import assert from 'node:assert/strict';
import { after, describe, it } from 'node:test';
import sharp from 'sharp';
import { UNCONFINED } from '#weir/workers/child-process/confine';
import { startWorker } from '#weir/workers/images/decode/child';
import { createDecoder } from '#weir/workers/images/decode/pool';
import type { DecodeRequest } from '#weir/workers/images/decode/types';
import { until } from '../../../support/wait.js';

const NOTHING = Buffer.alloc(0);
const picture = (width: number, height: number): Promise<Buffer> =>
  sharp({ create: { width, height, channels: 3, background: 'teal' } })
    .jpeg()
    .toBuffer();
const asked = (width: number, height: number): DecodeRequest => ({
  image: { kind: 'jpeg', width, height },
  renditions: [],
  hashed: true,
});

describe('an image that is sent ahead', async () => {
  const times = { cpuMs: 60_000, limitMs: 60_000 };
  const limits = { memoryBytes: 2 ** 30, pixels: 50_000_000, ...times, confinement: UNCONFINED };
  const worker = startWorker(limits);
  after(() => worker.end());
  const [a, b, c] = [await picture(80, 60), await picture(50, 40), await picture(30, 20)];
  const sizeOf = async (request: DecodeRequest, bytes: Buffer): Promise<unknown> => {
    const { made } = await worker.run(request, bytes);
    return made.ok ? [made.measured.width, made.measured.height] : made.reason;
  };

  it('begins by itself when the one before is done, and is not sent again', async () => {
    const next = asked(50, 40);
    const first = sizeOf(asked(80, 60), a);
    worker.prepare(next, b);
    // One is sent ahead at most.
    worker.prepare(asked(30, 20), c);
    assert.deepEqual(await first, [80, 60]);
    assert.deepEqual(await sizeOf(next, NOTHING), [50, 40]);
    assert.deepEqual(await sizeOf(asked(30, 20), c), [30, 20]);
  });

  it('is dropped when another one is asked for instead', async () => {
    for (const bytes of [b, b.subarray(0, b.length >> 1)]) {
      const next = asked(50, 40);
      const first = sizeOf(asked(80, 60), a);
      worker.prepare(next, bytes);
      assert.deepEqual(await first, [80, 60]);
      const other = sizeOf(asked(30, 20), c);
      // That one is next already.
      worker.prepare(asked(80, 60), a);
      assert.deepEqual(await other, [30, 20]);
      assert.deepEqual(await sizeOf(next, b), [50, 40]);
    }
  });

  it('is answered also when it was done before it was asked for', async () => {
    const next = asked(50, 40);
    const first = sizeOf(asked(80, 60), a);
    worker.prepare(next, b);
    assert.deepEqual(await first, [80, 60]);
    await new Promise((resolve) => setTimeout(resolve, 100));
    assert.deepEqual(await sizeOf(next, NOTHING), [50, 40]);
  });

  it('has a limit of time of its own, and is hashed before its renditions', async (t) => {
    const slow = startWorker({ ...limits, limitMs: 4000 });
    t.after(() => slow.end());
    const renditions = [{ width: 20, height: 10, kind: 'rgb', fit: 'fill' } as const];
    const next = { ...asked(50, 40), renditions };
    const first = slow.run(asked(80, 60), a);
    slow.prepare(next, b);
    assert.ok((await first).made.ok);
    const hashed: number[] = [];
    const { made } = await slow.run(next, NOTHING, ({ width }) => hashed.push(width));
    assert.deepEqual([made.ok && made.pixels.length, hashed], [1, [50]]);
    // It is stopped, so the image that begins takes too long by the clock; unless that was done already.
    for (let done = true; done; ) {
      const last = slow.run(asked(80, 60), a);
      const ahead = asked(50, 40);
      slow.prepare(ahead, b);
      assert.ok((await last).made.ok);
      process.kill(slow.pid!, 'SIGSTOP');
      done = (await slow.run(ahead, NOTHING)).made.ok;
      if (done) process.kill(slow.pid!, 'SIGCONT');
    }
    await until('its time is over', () => !slow.alive());
  });

  it('is as if it had not been sent when the process ends before it begins', async () => {
    const ending = startWorker(limits);
    const first = ending.run(asked(80, 60), a);
    ending.prepare(asked(50, 40), b);
    await ending.end();
    const { made } = await first;
    assert.equal(!made.ok && made.reason, 'cancelled');
    const after = await ending.run(asked(50, 40), b);
    assert.equal(!after.made.ok && after.made.reason, 'crashed');
  });

  it('is not sent to a process without work', async () => {
    worker.prepare(asked(50, 40), b);
    assert.deepEqual(await sizeOf(asked(30, 20), c), [30, 20]);
  });

  it('is the right one whatever leaves the queue', async (t) => {
    const decoder = createDecoder({ workers: 1 });
    t.after(() => decoder.close());
    const sizes = Array.from({ length: 24 }, (_, i) => [40 + i, 20 + 2 * i] as const);
    const files = await Promise.all(sizes.map((size) => picture(...size)));
    const gone = new AbortController();
    const decoded = files.map(async (file, i) => {
      // Every third is given up while the first is decoded.
      const signal = i % 3 === 1 ? { signal: gone.signal } : {};
      const result = await decoder.decode(file, { renditions: [], hash: true, team: `t${i % 5}`, ...signal });
      if (i === 0) gone.abort();
      return result.ok ? [result.properties.width, result.properties.height] : result.reason;
    });
    for (const [i, result] of (await Promise.all(decoded)).entries()) {
      if (result !== 'cancelled') assert.deepEqual(result, sizes[i]);
      else assert.equal(i % 3, 1);
    }
  });
});

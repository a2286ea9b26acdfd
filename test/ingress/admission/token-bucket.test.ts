import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { type Bucket, takeTokens } from '#weir/ingress/admission/token-bucket';
import { keys } from '#weir/shared/streams/keys';
import { sharedRedis } from '../../support/stores/redis.js';
import { until } from '../../support/wait.js';

const { redis } = await sharedRedis({ maxMemory: '64mb' });

const bucket = (requestsPerMinute: number, key = 'k'): Bucket => ({ team: 't', key, requestsPerMinute });

/** Makes the bucket believe that so many ms have passed since it was touched. */
async function pass(ms: number): Promise<void> {
  await redis.hincrby(keys.rate('t', 'k'), 'at', -ms);
}

describe('the bucket of a key', () => {
  it('holds a minute’s worth exactly, whatever the rate and however it is taken', async () => {
    for (const rate of [1, 5, 7, 59, 997]) {
      await redis.flushall();
      let taken = 0;
      for (let i = 0; i < rate + 3; i++) taken += (await takeTokens(redis, bucket(rate), 1)).taken;
      // A busy machine may take long enough for a token to come in.
      assert.ok(taken >= rate && taken <= rate + 3, `${taken} of ${rate}`);
    }
    assert.deepEqual(await takeTokens(redis, bucket(5, 'whole'), 9), {
      taken: 5,
      left: 0,
      fullIn: 60_000,
      emptyFor: 12_000,
    });
  });

  it('fills evenly, to its brim and not beyond', async () => {
    await takeTokens(redis, bucket(6), 6);
    assert.equal((await takeTokens(redis, bucket(6), 1)).taken, 0);
    await pass(9000);
    const early = await takeTokens(redis, bucket(6), 1);
    assert.equal(early.taken, 0);
    assert.ok(early.emptyFor > 0 && early.emptyFor <= 1000);
    await pass(1000);
    assert.equal((await takeTokens(redis, bucket(6), 2)).taken, 1);
    await pass(3_600_000);
    assert.deepEqual(await takeTokens(redis, bucket(6), 7), { taken: 6, left: 0, fullIn: 60_000, emptyFor: 10_000 });
  });

  it('gives twice the rate in the minute that begins with it full, and the rate in every later one', async () => {
    const rate = 600;
    const minutes = [0, 0, 0];
    const started = performance.now();
    for (const minute of minutes.keys()) {
      for (let second = 0; second < 60; second++) {
        minutes[minute]! += (await takeTokens(redis, bucket(rate), rate)).taken;
        await pass(1000);
      }
    }
    // What comes in while the test runs is more.
    const more = 1 + Math.ceil(((performance.now() - started) / 60_000) * rate);
    assert.ok(minutes[0]! >= 1190 && minutes[0]! <= 1200 + more, `${minutes[0]} in the first`);
    for (const later of minutes.slice(1)) assert.ok(later >= 590 && later <= 600 + more, `${later} in a later one`);
  });

  it('goes on filling after the clock has stepped back', async () => {
    await takeTokens(redis, bucket(60_000), 60_000);
    await pass(-3_600_000);
    assert.equal((await takeTokens(redis, bucket(60_000), 1)).taken, 0);
    await until('a token comes', async () => (await takeTokens(redis, bucket(60_000), 1)).taken === 1);
  });

  it('keeps what was used when the rate changes', async () => {
    await takeTokens(redis, bucket(100), 50);
    assert.equal((await takeTokens(redis, bucket(1000), 1000)).taken, 950);
    const lower = await takeTokens(redis, bucket(5), 1);
    assert.deepEqual([lower.taken, lower.left], [0, 0]);
    assert.ok(lower.emptyFor > 11_000 && lower.emptyFor <= 12_000, 'no more than one bucket is missing');
  });

  it('is of one key of one team, is counted in a full Redis, and is forgotten when it is full', async () => {
    await takeTokens(redis, bucket(1), 1);
    assert.equal((await takeTokens(redis, bucket(1, 'other'), 1)).taken, 1);
    assert.equal((await takeTokens(redis, { ...bucket(1), team: 'other' }, 1)).taken, 1);
    await redis.config('SET', 'maxmemory', '1mb');
    assert.equal((await takeTokens(redis, bucket(1, 'third'), 1)).taken, 1);
    assert.equal((await takeTokens(redis, bucket(1), 1)).taken, 0);
    const left = await redis.pttl(keys.rate('t', 'k'));
    assert.ok(left > 50_000 && left <= 61_000);
    // The token that is missing comes in within the same millisecond, or the next.
    assert.ok((await takeTokens(redis, bucket(100_000_000), 100_000_000)).taken >= 99_999_999);
  });
});

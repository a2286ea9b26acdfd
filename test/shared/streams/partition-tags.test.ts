import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { after, afterEach, describe, it } from 'node:test';
import { NO_REGION, ownRegion, useRegion } from '#weir/shared/region';
import { SLOTS, slotOf } from '#weir/shared/streams/cluster/slots';
import { keys } from '#weir/shared/streams/keys';
import { partitionTag, usePartitionLayout } from '#weir/shared/streams/partition-tags';
import { ensurePartitions, readLayout, readPartitions } from '#weir/shared/streams/partitions';
import { sharedRedis } from '../../support/stores/redis.js';

const MOST = 1024;
const tags = Array.from({ length: MOST }, (_, p) => partitionTag(p));

describe('tags of partitions', () => {
  it('never change', () => {
    assert.deepEqual(tags.slice(0, 4), ['0-18a', '1-184', '2-4g', '3-lj']);
    const all = createHash('sha256').update(tags.join()).digest('hex');
    assert.equal(all, 'fe61f1c13db13b1922d803cedf31625c71738d98e4c248223ca1da682d4f605a');
    assert.equal(new Set(tags).size, MOST);
  });

  it('spread a power of two of partitions over equal primaries as evenly as whole ones can be', () => {
    for (let primaries = 3; primaries <= 48; primaries++) {
      for (let partitions = 16; partitions <= MOST; partitions *= 2) {
        if (partitions < 4 * primaries) continue;
        const counts = new Array<number>(primaries).fill(0);
        for (const tag of tags.slice(0, partitions)) counts[Math.floor((slotOf(tag) * primaries) / SLOTS)]!++;
        const mean = partitions / primaries;
        const [most, said] = [Math.max(...counts), `${partitions} partitions on ${primaries} primaries: ${counts}`];
        assert.ok(most <= Math.ceil(mean) + (mean < 8 ? 0 : 1), said);
        if (mean >= 5.2) assert.ok(most / mean <= 1.15, said);
        if (mean >= 22) assert.ok(most / mean <= 1.06, said);
      }
    }
  });
});

describe('the layout of an installation', async () => {
  const { redis } = await sharedRedis();
  after(() => usePartitionLayout('even'));
  afterEach(() => useRegion(NO_REGION));

  it('is even where it begins, and stays when partitions are added', async () => {
    assert.equal(await readPartitions(redis), 0);
    assert.equal(await ensurePartitions(redis, 4), 4);
    assert.equal(keys.results(1), 'results:{1-184}');
    assert.equal(await ensurePartitions(redis, 16), 16);
    assert.equal(await redis.get(keys.partitions()), '16 even');
  });

  it('has plain numbers where an earlier release began it', async () => {
    await redis.set(keys.partitions(), '4');
    assert.equal(await readPartitions(redis), 4);
    assert.equal(keys.results(1), 'results:{1}');
    assert.equal(await ensurePartitions(redis, 8), 8);
    assert.equal(await redis.get(keys.partitions()), '8');
  });

  it('is refused in words where a later release made it', async () => {
    await redis.set(keys.partitions(), '4 odd');
    await assert.rejects(readPartitions(redis), /layout "odd".*Start that release/);
  });

  const EU = { number: 1, name: 'eu' };

  it('has the region of its first start for good, and tells every process of it [regions.number]', async () => {
    await redis.del(keys.partitions());
    assert.equal(await ensurePartitions(redis, 4, EU), 4);
    assert.equal(await redis.get(keys.partitions()), '4 even 1:eu');
    assert.deepEqual(ownRegion(), EU);
    useRegion(NO_REGION);
    assert.equal(await ensurePartitions(redis, 8), 8);
    assert.deepEqual(ownRegion(), EU);
    assert.equal(await redis.get(keys.partitions()), '8 even 1:eu');
    assert.deepEqual(await readLayout(redis), { partitions: 8, region: EU });
  });

  it('is refused in words to a process that takes it for another region', async () => {
    await redis.set(keys.partitions(), '4 even 1:eu');
    for (const other of [
      { number: 2, name: 'eu' },
      { number: 1, name: 'us' },
    ]) {
      await assert.rejects(
        ensurePartitions(redis, 8, other),
        new RegExp(`is the region 1:eu, and WEIR_REGION is ${other.number}:${other.name}`),
      );
    }
    assert.equal(await redis.get(keys.partitions()), '4 even 1:eu');
  });

  it('gets a region where it began without one, also where an earlier release began it', async () => {
    for (const [before, after] of [
      ['4 even', '4 even 1:eu'],
      ['4', '4 plain 1:eu'],
    ] as const) {
      await redis.set(keys.partitions(), before);
      assert.equal(await ensurePartitions(redis, 4, EU), 4);
      assert.equal(await redis.get(keys.partitions()), after);
      useRegion(NO_REGION);
    }
  });

  it('is noted again by a process that lives where Redis has lost it', async () => {
    await redis.set(keys.partitions(), '4 even 1:eu');
    await ensurePartitions(redis, 4);
    await redis.del(keys.partitions());
    await ensurePartitions(redis, 4);
    assert.equal(await redis.get(keys.partitions()), '4 even 1:eu');
  });
});

import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { describe, it } from 'node:test';
import { isOutOfMemory } from '#weir/shared/streams/client';
import { keys } from '#weir/shared/streams/keys';
import {
  deleteDroppedSegments,
  isLarge,
  readSegments,
  SEGMENT_BYTES,
  segmentsBytes,
  segmentsIn,
  segmentsKey,
  writeSegments,
} from '#weir/shared/streams/segments';
import { sharedRedis } from '../../support/stores/redis.js';

const { redis } = await sharedRedis({ maxMemory: '64mb' });

describe('a value in segments', () => {
  for (const size of [1, SEGMENT_BYTES, SEGMENT_BYTES + 1, 4 * SEGMENT_BYTES, 5 * SEGMENT_BYTES + 7, 13_000_000]) {
    it(`of ${size} bytes is read as it was written`, async () => {
      const value = randomBytes(size);
      const reference = await writeSegments(redis, 3, value);
      assert.equal(segmentsBytes(reference), size);
      assert.equal(isLarge(value), size > SEGMENT_BYTES);
      assert.equal(await redis.hlen(segmentsKey(3, reference)), segmentsIn(reference));
      for (const one of await redis.hkeys(segmentsKey(3, reference)))
        assert.ok((await redis.hstrlen(segmentsKey(3, reference), one)) <= SEGMENT_BYTES);
      assert.ok(value.equals((await readSegments(redis, 3, reference))!));
      const left = await redis.pttl(segmentsKey(3, reference));
      assert.ok(left > 200_000 && left <= 300_000, 'until an entry names it');
    });
  }

  it('is undefined when all or a part of it is gone', async () => {
    const reference = await writeSegments(redis, 0, randomBytes(7 * SEGMENT_BYTES));
    await redis.hdel(segmentsKey(0, reference), '4', '5', '6');
    assert.equal(await readSegments(redis, 0, reference), undefined);
    await redis.del(segmentsKey(0, reference));
    assert.equal(await readSegments(redis, 0, reference), undefined);
  });

  it('is not written to a full Redis', async () => {
    await redis.config('SET', 'maxmemory', '1mb');
    await assert.rejects(writeSegments(redis, 0, randomBytes(600_000)), (error) => isOutOfMemory(error));
    assert.deepEqual(await redis.keys('segments:*'), []);
  });

  it('expires where Redis has refused all but the last segment, and nobody could delete that', async () => {
    await redis.acl('SETUSER', 'default', '-unlink');
    let key = 'none';
    let there: string[] = [];
    // What else Redis needs memory for changes a little from one command to the next.
    for (let attempt = 0; attempt < 20 && there.join() !== '1'; attempt++) {
      await redis.del(key);
      const used = /used_memory:(\d+)/.exec(await redis.info('memory'))![1];
      // The arguments of a command count: there is room for a short one.
      await redis.config('SET', 'maxmemory', Number(used) + SEGMENT_BYTES / 2);
      const written = writeSegments(redis, 0, randomBytes(SEGMENT_BYTES + 10));
      await written.catch((error) => assert.ok(isOutOfMemory(error)));
      [key = 'none'] = await redis.keys('segments:*');
      there = await redis.hkeys(key);
    }
    await redis.acl('SETUSER', 'default', '+unlink');
    assert.deepEqual(there, ['1']);
    assert.ok((await redis.pttl(key)) > 0);
  });

  it('leaves nothing behind when Redis fills up meanwhile', async () => {
    await redis.config('SET', 'maxmemory', '8mb');
    await assert.rejects(writeSegments(redis, 0, randomBytes(20_000_000)), (error) => isOutOfMemory(error));
    assert.deepEqual(await redis.keys('segments:*'), []);
  });
});

it('segments are deleted when their entries have left the log, however many there are, and no sooner', async () => {
  const log = keys.results(0);
  const entries: { reference: string; id: string }[] = [];
  for (let i = 0; i < 205; i++) {
    const reference = await writeSegments(redis, 0, Buffer.from('rows'));
    await redis.persist(segmentsKey(0, reference));
    const id = (await redis.xadd(log, `${1000 + i}-0`, 'id', 'r', 'segments', reference))!;
    await redis.zadd(keys.logSegments(0), 1000 + i, reference);
    entries.push({ reference, id });
  }
  const left = async (): Promise<number> => (await redis.keys(keys.segments(0, '*'))).length;
  await deleteDroppedSegments(redis, 0);
  assert.equal(await left(), 205);
  await redis.xtrim(log, 'MINID', entries[203]!.id);
  await deleteDroppedSegments(redis, 0);
  assert.equal(await left(), 2);
  assert.ok(await readSegments(redis, 0, entries[203]!.reference));
  await redis.xtrim(log, 'MINID', '9999-0');
  await deleteDroppedSegments(redis, 0);
  assert.deepEqual(await redis.keys('segments:*'), []);
});

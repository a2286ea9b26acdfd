import assert from 'node:assert/strict';
import { beforeEach, describe, it } from 'node:test';
import { GROUP, keys, type WorkStream } from '#weir/shared/streams/keys';
import { ensurePartitions } from '#weir/shared/streams/partitions';
import { measurePressure, type SeenUnread } from '#weir/shared/streams/pressure';
import { sharedRedis } from '../../support/stores/redis.js';

const FAST: WorkStream = { partition: 0, lane: 'fast' };
const { redis } = await sharedRedis();
beforeEach(async () => {
  await redis.xgroup('CREATE', keys.checks(0), GROUP, '0', 'MKSTREAM');
});

describe('pressure', () => {
  it('is the age of the oldest entry that nobody has read', async () => {
    assert.deepEqual(await measurePressure(redis, FAST), { oldestUnread: 0, entries: 0, pending: 0 });
    await redis.xadd(keys.checks(0), '*', 'header', '{}', 'body', '{}');
    await new Promise((resolve) => setTimeout(resolve, 30));
    const { oldestUnread, entries, pending } = await measurePressure(redis, FAST);
    assert.ok(oldestUnread >= 25 && oldestUnread < 5000, String(oldestUnread));
    assert.deepEqual([entries, pending], [1, 0]);
    await redis.xreadgroup('GROUP', GROUP, 'a', 'COUNT', 1, 'STREAMS', keys.checks(0), '>');
    assert.deepEqual(await measurePressure(redis, FAST), { oldestUnread: 0, entries: 1, pending: 1 });
  });

  it('reads the oldest unread entry once, until another one is the oldest', async () => {
    const add = (): Promise<string | null> => redis.xadd(keys.checks(0), '*', 'header', '{}', 'body', 'x'.repeat(1000));
    const ranges = async (): Promise<number> =>
      Number(/cmdstat_xrange:calls=(\d+)/.exec(await redis.info('commandstats'))?.[1] ?? 0);
    const seen: SeenUnread = new Map();
    const measured = async (): Promise<{ ms: number | undefined; reads: number }> => {
      const before = await ranges();
      const { oldest } = await measurePressure(redis, FAST, seen);
      return { ms: oldest?.ms, reads: (await ranges()) - before };
    };
    const read = () => redis.xreadgroup('GROUP', GROUP, 'a', 'COUNT', 1, 'STREAMS', keys.checks(0), '>');
    const [first, second] = [await add(), await add()].map((id) => Number(id!.split('-')[0]));
    assert.deepEqual(await measured(), { ms: first, reads: 1 });
    assert.deepEqual(await measured(), { ms: first, reads: 0 });
    await read();
    assert.deepEqual(await measured(), { ms: second, reads: 1 });
    assert.deepEqual(await measured(), { ms: second, reads: 0 });
    await read();
    assert.deepEqual(await measured(), { ms: undefined, reads: 1 });
    // What is gone unread is seen no more.
    const third = await add();
    assert.equal((await measured()).reads, 1);
    await redis.xdel(keys.checks(0), third!);
    assert.deepEqual(await measured(), { ms: undefined, reads: 1 });
  });

  it('is nothing where the stream does not exist', async () => {
    assert.deepEqual(await measurePressure(redis, { ...FAST, partition: 7 }), {
      oldestUnread: 0,
      entries: 0,
      pending: 0,
    });
  });
});

describe('the number of partitions', () => {
  it('only grows', async () => {
    assert.equal(await ensurePartitions(redis, 4), 4);
    assert.equal(await ensurePartitions(redis, 1), 4);
    assert.equal(await ensurePartitions(redis, 16), 16);
  });
});

import assert from 'node:assert/strict';
import { it } from 'node:test';
import { keys } from '#weir/shared/streams/keys';
import { openReader } from '#weir/workers/consumer/reader';
import { sharedRedis } from '../../support/stores/redis.js';

const { server, redis } = await sharedRedis();

async function add(count: number, bytes: number): Promise<void> {
  for (let i = 0; i < count; i++) await redis.xadd(keys.checks(0), '*', 'header', '{}', 'body', 'x'.repeat(bytes));
}

it('reads as many entries as can start, fewer where those before were large', async () => {
  const endpoint = { redisUrl: server.url };
  const all = [0];
  const sizes = { chunk: 32, capacity: 2, oneByOne: false };
  const reader = await openReader({ endpoint, name: 'reader', lane: 'fast', partitions: () => all, ...sizes });
  try {
    const counts: number[] = [];
    const next = async (wait: boolean): Promise<void> => void counts.push((await reader.read(wait)).length);
    await add(40, 5000);
    for (let i = 0; i < 2; i++) await next(false);
    await add(20, 400);
    for (let i = 0; i < 3; i++) await next(false);
    await add(40, 400);
    await next(true);
    assert.deepEqual(counts, [32, 8, 8, 12, 0, 32]);
  } finally {
    reader.close();
  }
});

import assert from 'node:assert/strict';
import { beforeEach, describe, it } from 'node:test';
import { newRequestId } from '#weir/shared/ids';
import { GROUP, keys, type WorkStream } from '#weir/shared/streams/keys';
import { deleteConsumers, renewEntries } from '#weir/workers/consumer/pending';
import { sharedRedis } from '../../support/stores/redis.js';

const FAST: WorkStream = { partition: 0, lane: 'fast' };
const { redis } = await sharedRedis();
beforeEach(async () => {
  await redis.xgroup('CREATE', keys.checks(0), GROUP, '0', 'MKSTREAM');
});

async function read(consumer: string): Promise<string> {
  const reply = (await redis.xreadgroup('GROUP', GROUP, consumer, 'COUNT', 1, 'STREAMS', keys.checks(0), '>')) as
    | [string, [string, string[]][]][]
    | null;
  return reply?.[0]?.[1][0]?.[0] ?? '';
}

async function add(id: string): Promise<void> {
  await redis.xadd(keys.checks(0), '*', 'header', JSON.stringify({ id }), 'body', '{}');
}

describe('pending entries', () => {
  it('are renewed only for the consumer that still holds them', async () => {
    await add(newRequestId(0));
    await add(newRequestId(0));
    const mine = await read('a');
    const lost = await read('a');
    await redis.xclaim(keys.checks(0), GROUP, 'b', 0, lost);
    assert.equal(await renewEntries(redis, FAST, 'a', [mine, lost]), 1);
    const pending = (await redis.xpending(keys.checks(0), GROUP, '-', '+', 10)) as [string, string, number, number][];
    const holders = pending.map(([, consumer]) => consumer);
    assert.deepEqual(holders, ['a', 'b']);
    assert.equal(pending[0]![3], 1, 'renewing is no attempt');
  });

  it('leave no names of dead consumers behind, unless they hold entries', async () => {
    await add(newRequestId(0));
    await read('holds');
    await redis.xgroup('CREATECONSUMER', keys.checks(0), GROUP, 'idle');
    await new Promise((resolve) => setTimeout(resolve, 20));
    assert.equal(await deleteConsumers(redis, FAST, 10), 1);
    assert.equal(await deleteConsumers(redis, FAST, 60_000), 0);
    const consumers = (await redis.xinfo('CONSUMERS', keys.checks(0), GROUP)) as string[][];
    const left = consumers.map((fields) => fields[1]);
    assert.deepEqual(left, ['holds']);
  });
});

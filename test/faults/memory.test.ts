/** A Redis at `maxmemory`: refuses, drains, and admits again, all by itself. */
import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { keys } from '#weir/shared/streams/keys';
import { startTestStack, type TestStack } from '../support/installation/stack.js';
import { until } from '../support/wait.js';

let stack: TestStack;

before(async () => {
  stack = await startTestStack({ maxMemory: '20mb', env: { WEIR_MAX_AGE_MS: '1000' } });
});
after(() => stack?.close());

const usedMemory = async (): Promise<number> =>
  Number(/^used_memory:(\d+)/m.exec(await stack.connection.info('memory'))![1]);

describe('a Redis at maxmemory', () => {
  it('refuses new work, drains once ClickHouse is back, and admits again', async () => {
    const load = stack.load('memory', { rate: 40, padding: 20_000 });
    await until('answers', () => load.accepted() > 20);
    await stack.clickhouse.kill();
    const refused = (): number => load.sent.filter((one) => one.status === 503).length;
    await until('the log fills Redis', () => refused() > 10);
    const refusal = load.sent.findLast((one) => one.status === 503)!;
    assert.equal(refusal.code, 'overloaded');
    assert.ok(refusal.retryAfter > 0);
    // Beyond the limit now: nothing that needs memory works except what frees it.
    await stack.connection.config('SET', 'maxmemory', Math.floor((await usedMemory()) * 0.9));
    await assert.rejects(stack.connection.set('one more', 'value'), /OOM/);
    // Neither does a worker or an archiver that starts now need any.
    for (const part of [stack.evaluators[0]!, stack.archiver]) {
      await part.kill();
      await part.restart();
    }
    const accepted = load.accepted();
    await stack.clickhouse.restart();
    await until('checks are admitted again', () => load.accepted() > accepted + 20);
    const { timeouts, broken } = await stack.settle('memory', load);
    assert.deepEqual({ timeouts, broken }, { timeouts: 0, broken: [] });
  });

  it('still hands its unread work to a worker that starts', async () => {
    const load = stack.load('unread', { padding: 20_000 });
    await until('answers', () => load.accepted() > 10);
    await stack.evaluators[0]!.kill();
    await until('the work waits', () => load.sent.some((one) => one.status === 503));
    await stack.connection.config('SET', 'maxmemory', Math.floor((await usedMemory()) * 0.9));
    await stack.evaluators[0]!.restart();
    await until('the work is done', async () => (await stack.connection.xlen(keys.checks(0))) === 0);
    await until('memory is free again', async () => (await usedMemory()) > 0);
    await stack.connection.config('SET', 'maxmemory', '20mb');
    const { broken } = await stack.settle('unread', load);
    assert.deepEqual(broken, []);
  });
});

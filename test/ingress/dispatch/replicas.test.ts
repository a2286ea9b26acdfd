import assert from 'node:assert/strict';
import { it } from 'node:test';
import { createReplicaRounds, type ReplicaRounds } from '#weir/ingress/dispatch/replicas';
import type { CheckOutcome } from '#weir/ingress/dispatch/types';
import { newRequestId } from '#weir/shared/ids';
import { createLogger } from '#weir/shared/log';
import { connectCommands } from '#weir/shared/streams/client';
import { keys } from '#weir/shared/streams/keys';
import { Registry } from '#weir/shared/telemetry';
import { startTestRedis } from '../../support/stores/redis.js';
import { until } from '../../support/wait.js';

const unsafe = { code: 'unavailable', message: /^The verdict is not safe/ };

it('an outcome is held back until as many replicas have it, and is refused where they do not in time', async () => {
  const primary = await startTestRedis();
  const replica = await startTestRedis({ config: { replicaof: `127.0.0.1 ${primary.port}` } });
  const endpoint = { redisUrl: primary.url };
  const [redis, copy] = [connectCommands(endpoint, 'test'), connectCommands({ redisUrl: replica.url }, 'test')];
  for (const each of [redis, copy]) each.on('error', () => undefined);
  await Promise.all([redis.connect(), copy.connect()]);
  const tools = () => ({ logger: createLogger('test', 'silent'), registry: new Registry() });
  const createConfirming = async (options: { self: string; limitMs: number }) =>
    (await createReplicaRounds(endpoint, { replicas: 1, ...options }, tools())) as Required<ReplicaRounds>;
  const rounds = await createConfirming({ self: 'me', limitMs: 60_000 });
  const hasty = await createConfirming({ self: 'other', limitMs: 300 });
  try {
    await until('the replica is one', async () => (await redis.wait(1, 100)) === 1);
    const finished = async (): Promise<CheckOutcome> => {
      const id = newRequestId(0);
      await redis.set(keys.result(0, id), 'a record');
      return { status: 'done', record: { id } as never };
    };
    const outcomes = await Promise.all(Array.from({ length: 50 }, finished));
    const before = (await redis.info('commandstats')).match(/cmdstat_wait:calls=(\d+)/)![1];
    const confirmed = await Promise.all(outcomes.map((one) => rounds.confirm(one, 'fast')));
    assert.deepEqual(confirmed, outcomes);
    const after = (await redis.info('commandstats')).match(/cmdstat_wait:calls=(\d+)/)![1];
    assert.ok(Number(after) - Number(before) < 25, 'those that come together share a round');
    assert.equal(await copy.exists(keys.result(0, (outcomes[0] as { record: { id: string } }).record.id)), 1);

    await redis.hset(keys.erasures(), 'erasure', '{}');
    await rounds.confirmErasure('erasure');
    assert.equal(await copy.hexists(keys.erasures(), 'erasure'), 1);
    await assert.rejects(rounds.confirmErasure('lost'), { code: 'unavailable', message: /^The erasure is not safe/ });

    process.kill(replica.pid, 'SIGSTOP');
    await assert.rejects(hasty.confirmErasure('erasure'), { code: 'unavailable' });
    const [late, waits] = await Promise.all([finished(), finished()]);
    await assert.rejects(hasty.confirm(late, 'fast'), unsafe);
    const held = rounds.confirm(waits, 'fast');
    assert.equal(rounds.count(), 1);
    process.kill(replica.pid, 'SIGCONT');
    assert.equal(await held, waits);

    // What this primary never had was lost with another one; what history has is safe.
    const gone: CheckOutcome = { status: 'done', record: { id: newRequestId(0) } as never };
    await assert.rejects(rounds.confirm(gone, 'fast'), unsafe);
    await assert.rejects(rounds.confirm({ ...gone, replayed: true }, 'fast'), unsafe);
    await rounds.confirm({ ...gone, replayed: true, archived: true }, 'fast');
    const id = newRequestId(0);
    // Of a check whose work goes on, its entry must be there, too: the mark may have been made at another primary than the entry.
    await redis.set(keys.await(0, id), '1');
    await assert.rejects(rounds.confirm({ status: 'timeout', id }, 'fast'), unsafe);
    await assert.rejects(rounds.confirm({ status: 'timeout', id, entry: '1-1' }, 'fast'), unsafe);
    const entry = (await redis.xadd(keys.checks(0), '*', 'header', '{}'))!;
    const goesOn: CheckOutcome = { status: 'timeout', id, entry };
    assert.equal(await rounds.confirm(goesOn, 'fast'), goesOn);
    await redis.set(keys.entry(0, id), entry);
    await rounds.confirm({ status: 'timeout', id }, 'fast');
    await redis.del(keys.await(0, id));
    await assert.rejects(rounds.confirm(goesOn, 'fast'), unsafe);
    await primary.kill('SIGKILL');
    await assert.rejects(hasty.confirm(outcomes[0]!, 'fast'), unsafe);
  } finally {
    process.kill(replica.pid, 'SIGCONT');
    rounds.close();
    hasty.close();
    for (const each of [redis, copy]) each.disconnect();
    await Promise.all([primary.close(), replica.close()]);
  }
});

import assert from 'node:assert/strict';
import { it } from 'node:test';
import { newRequestId } from '#weir/shared/ids';
import { connectCommands, nodeOf } from '#weir/shared/streams/client';
import { GROUP, keys } from '#weir/shared/streams/keys';
import { commitResults, type Finished } from '#weir/workers/evaluator/commit/commit';
import { startTestCluster } from '../../../support/stores/cluster.js';
import { until } from '../../../support/wait.js';

it('an index of another node that hangs does not hold up a commit, and is written once the node answers', async () => {
  const cluster = await startTestCluster({ silentMs: 240_000 });
  const redis = connectCommands({ redisUrl: cluster.url }, 'test', 5000);
  redis.on('error', () => undefined);
  let hanging = 0;
  try {
    await redis.connect();
    const own = nodeOf(redis, keys.checks(0));
    const runs = Array.from({ length: 50 }, (_, i) => keys.run('acme', 'prod', `run-${i}`));
    const run = runs.find((key) => nodeOf(redis, key) !== own)!;
    const { port } = nodeOf(redis, run)!.options;
    await redis.xgroup('CREATE', keys.checks(0), GROUP, '0', 'MKSTREAM');
    await redis.xadd(keys.checks(0), '*', 'header', '{}', 'body', '{}');
    const read = await redis.xreadgroup('GROUP', GROUP, 'w', 'COUNT', 1, 'STREAMS', keys.checks(0), '>');
    const [entryId] = (read as [string, [string, string[]][]][])[0]![1][0]!;
    const requestId = newRequestId(0);
    const check: Finished = {
      entryId,
      requestId,
      reply: '',
      record: Buffer.from('a record'),
      rows: Buffer.from('rows'),
      segments: '',
      format: '1',
      trace: '',
      index: [[run, requestId]],
      context: [],
      contextDepth: 0,
      contextBytes: 0,
      sequence: 1,
      replace: false,
      marked: false,
    };
    hanging = cluster.nodes.find(({ server }) => server.port === port)!.server.pid;
    process.kill(hanging, 'SIGSTOP');
    // What waits in its connection is lost with it.
    nodeOf(redis, run)!.disconnect(true);
    assert.deepEqual(await commitResults(redis, { partition: 0, lane: 'fast' }, [check], 0), [true]);
    process.kill(hanging, 'SIGCONT');
    await until('the index is written', async () => (await redis.zcard(run).catch(() => 0)) === 1);
    // It may be archived by now, and must not wait for that.
    assert.equal(await redis.exists(keys.unarchived(run)), 0);
  } finally {
    if (hanging > 0) process.kill(hanging, 'SIGCONT');
    redis.disconnect();
    await cluster.close();
  }
});

import assert from 'node:assert/strict';
import { it } from 'node:test';
import { subscribeToReplies } from '#weir/ingress/dispatch/reply-subscription';
import { createLogger } from '#weir/shared/log';
import { connectCommands, nodeOf, waitForRedis } from '#weir/shared/streams/client';
import { slotOf } from '#weir/shared/streams/cluster/slots';
import { keys } from '#weir/shared/streams/keys';
import { startTestCluster } from '../../support/stores/cluster.js';
import { until } from '../../support/wait.js';

it('replies are heard from each primary of a Cluster, and results are read again where a channel has moved', async () => {
  const cluster = await startTestCluster();
  const endpoint = { redisUrl: cluster.url };
  const redis = connectCommands(endpoint, 'test');
  redis.on('error', () => undefined);
  await waitForRedis(redis, endpoint);
  const channels = [0, 1].map((p) => keys.reply(p, 'me'));
  const portOf = (channel: string): number => nodeOf(redis, channel)!.options.port!;
  const heard: string[] = [];
  let times = 0;
  const handlers = { onReply: (message: Buffer) => heard.push(message.toString()), onSubscribed: () => times++ };
  const subscription = await subscribeToReplies(redis, endpoint, channels, handlers, createLogger('test', 'silent'));
  try {
    const [moving, other] = channels as [string, string];
    const [from, to] = [moving, other].map((each) => cluster.nodes.find(({ server }) => server.port === portOf(each))!);
    assert.notEqual(from, to, 'they are at two primaries');
    for (const channel of channels) await redis.spublish(channel, channel);
    await until('both are heard', () => heard.length === 2);
    assert.equal(times, 0);
    // The first node has no channel left, the second one another.
    await cluster.move(slotOf(moving), from!, to!);
    await until('it is subscribed to where it is, and that is told', () => times > 0);
    await redis.spublish(moving, 'again');
    await until('it is heard there', () => heard.includes('again'));
  } finally {
    subscription.close();
    redis.disconnect();
    await cluster.close();
  }
});

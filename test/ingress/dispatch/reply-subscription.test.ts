import assert from 'node:assert/strict';
import net from 'node:net';
import { it } from 'node:test';
import { subscribeToReplies } from '#weir/ingress/dispatch/reply-subscription';
import { createLogger } from '#weir/shared/log';
import { sharedRedis } from '../../support/stores/redis.js';
import { sleep, until } from '../../support/wait.js';

const logger = createLogger('test', 'silent');
const CHANNELS = ['{0}:reply:a', '{0}:reply:b'];

const { server, redis } = await sharedRedis();

interface Cutting {
  url: string;
  connections(): number;
  close(): void;
}

/** A proxy to Redis. `cut` says of each connection whether it breaks when it subscribes, before Redis receives that. */
async function startCutting(cut: (connection: number) => boolean): Promise<Cutting> {
  const { hostname, port } = new URL(server.url);
  const sockets = new Set<net.Socket>();
  let connections = 0;
  const proxy = net.createServer((caller) => {
    const number = ++connections;
    const to = net.connect(Number(port), hostname);
    for (const socket of [caller, to]) {
      sockets.add(socket);
      socket.on('error', () => undefined);
    }
    caller.on('data', (data) => {
      if (cut(number) && /ssubscribe/i.test(data.toString('latin1'))) caller.destroy();
      else to.write(data);
    });
    to.on('data', (data) => caller.write(data));
    caller.on('close', () => to.destroy());
    to.on('close', () => caller.destroy());
  });
  await new Promise<void>((resolve) => proxy.listen(0, '127.0.0.1', resolve));
  return {
    url: `redis://127.0.0.1:${(proxy.address() as net.AddressInfo).port}`,
    connections: () => connections,
    close() {
      for (const socket of sockets) socket.destroy();
      proxy.close();
    },
  };
}

const subscribers = async (): Promise<number[]> =>
  ((await redis.call('PUBSUB', 'SHARDNUMSUB', ...CHANNELS)) as (string | number)[]).filter(
    (_, i) => i % 2 === 1,
  ) as number[];

async function withSubscription(
  cut: (connection: number) => boolean,
  use: (given: { way: Cutting; heard: string[]; times: () => number }) => Promise<void>,
): Promise<void> {
  const way = await startCutting(cut);
  const heard: string[] = [];
  let times = 0;
  const handlers = { onReply: (message: Buffer) => heard.push(message.toString()), onSubscribed: () => times++ };
  try {
    const subscription = await subscribeToReplies(redis, { redisUrl: way.url }, CHANNELS, handlers, logger);
    try {
      await use({ way, heard, times: () => times });
    } finally {
      subscription.close();
    }
  } finally {
    way.close();
  }
}

const killSubscriber = () => redis.call('CLIENT', 'KILL', 'TYPE', 'pubsub');

it('subscribes again to every channel after a reconnect, and then says so', async () => {
  await withSubscription(
    () => false,
    async ({ heard, times }) => {
      assert.deepEqual(await subscribers(), [1, 1]);
      await killSubscriber();
      await until('it says so', () => times() === 1);
      assert.deepEqual(await subscribers(), [1, 1]);
      for (const channel of CHANNELS) await redis.call('SPUBLISH', channel, channel);
      await until('both are heard', () => heard.length === 2);
      assert.deepEqual(heard, CHANNELS);
    },
  );
});

it('keeps its channels when connections break before Redis has confirmed them', async () => {
  await withSubscription(
    (connection) => connection > 1 && connection < 5,
    async ({ way, heard, times }) => {
      await killSubscriber();
      await until('it is subscribed', async () => (await subscribers()).every((count) => count === 1));
      assert.equal(way.connections(), 5);
      await until('it says so, once', () => times() === 1);
      await redis.call('SPUBLISH', CHANNELS[1]!, 'x');
      await until('it is heard', () => heard.length === 1);
    },
  );
});

it('leaves a connection alone that stands in the place of the one that did not confirm', async () => {
  await withSubscription(
    (connection) => connection === 2,
    async ({ way, times }) => {
      await killSubscriber();
      await until('it says so', () => times() === 1);
      assert.equal(way.connections(), 3);
      // The request that was lost with the second connection is given up five seconds after it was sent.
      await sleep(5500);
      assert.equal(way.connections(), 3);
      assert.equal(times(), 1);
    },
  );
});

it('rejects when Redis cannot be reached, and leaves no connection', async () => {
  const way = await startCutting((connection) => connection > 0);
  try {
    const handlers = { onReply: () => undefined, onSubscribed: () => undefined };
    await assert.rejects(subscribeToReplies(redis, { redisUrl: way.url }, CHANNELS, handlers, logger));
    assert.deepEqual(await subscribers(), [0, 0]);
  } finally {
    way.close();
  }
});

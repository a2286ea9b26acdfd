import assert from 'node:assert/strict';
import { createServer } from 'node:net';
import { it } from 'node:test';
import { setImmediate as turn } from 'node:timers/promises';
import {
  connectBlocking,
  connectCommands,
  connectSubscriber,
  explainRefusal,
  loudness,
} from '#weir/shared/streams/client';
import { startTestRedis } from '../../support/stores/redis.js';
import { until } from '../../support/wait.js';

/** An error as the client makes it of an error reply. */
const reply = (message: string): Error => Object.assign(new Error(message), { name: 'ReplyError' });

it('what Redis refuses is explained without keys, values or addresses', () => {
  const said: [message: string, reason: RegExp][] = [
    ["READONLY You can't write against a read only replica.", /is a replica, .* name the primary/],
    ['NOREPLICAS Not enough good replicas to write.', /min-replicas-to-write/],
    ['MISCONF Errors writing to the AOF file: No space left on device', /cannot save them: .* space on its disk/],
    ['MOVED 1234 10.0.0.7:6379', /node of a Cluster/],
    ['CLUSTERDOWN Hash slot not served', /Cluster is down, or nobody has/],
    ['TRYAGAIN Multiple keys request during rehashing of slot', /on its way/],
    ['BUSY Redis is busy running a script.', /busy with a script/],
    ["NOPERM User weir has no permissions to access one of the keys used as arguments 'secret'", /ACL/],
    [
      'WRONGTYPE Operation against a key holding the wrong kind of value: secret',
      /refuses what Weir asks \(WRONGTYPE\)/,
    ],
  ];
  for (const [message, reason] of said) {
    const explained = explainRefusal(reply(message));
    assert.match(explained, reason);
    assert.doesNotMatch(explained, /secret|10\.0\.0\.7/);
  }
  const refused = explainRefusal(new Error('connect ECONNREFUSED 10.0.0.7:6379'));
  assert.match(refused, /^Redis cannot be reached, or does not/);
});

it('that Redis is away is no warning at each attempt; what it refuses is, and what is a fault of ours', () => {
  assert.equal(loudness(new Error('Connection is closed.')), 'debug');
  assert.equal(loudness(new Error('connect ECONNREFUSED 127.0.0.1:1')), 'debug');
  assert.equal(loudness(reply('NOREPLICAS Not enough good replicas to write.')), 'warn');
  assert.equal(loudness(new TypeError('x is not a function')), 'warn');
});

it('commands of one turn of the loop go out together, in order', async () => {
  const server = await startTestRedis({ maxMemory: '64mb' });
  const redis = connectCommands({ redisUrl: server.url }, 'test');
  try {
    for (let connection = 0; connection < 2; connection++) {
      await redis.connect();
      await turn();
      const sent = redis.stream.bytesWritten;
      const values = Array.from({ length: 100 }, (_, i) => [`${i}`, Buffer.alloc(20_000, i)] as const);
      const answers = values.flatMap(([text, bytes]) => [redis.getset('a', text), redis.getset('b', bytes)]);
      // Held back, and nothing of it is on its way.
      assert.equal(redis.stream.writableCorked, 1);
      assert.equal(redis.stream.writableLength, redis.stream.bytesWritten - sent);
      await turn();
      assert.equal(redis.stream.writableCorked, 0);
      const before = await Promise.all(answers);
      const texts = before.filter((_, i) => i % 2 === 0).slice(1);
      assert.deepEqual(
        texts,
        values.slice(0, -1).map(([text]) => text),
      );
      assert.equal(await redis.strlen('b'), 20_000);
      redis.disconnect();
      await new Promise((resolve) => redis.once('end', resolve));
    }
  } finally {
    redis.disconnect();
    await server.close();
  }
});

it('what comes in is read at once, whatever its size', async () => {
  const server = await startTestRedis({ maxMemory: '64mb' });
  const connections = [connectCommands, connectBlocking, connectSubscriber].map((open) =>
    open({ redisUrl: server.url }, 'test'),
  );
  try {
    for (const redis of connections) {
      await redis.connect();
      await turn();
      const taken: boolean[] = [];
      const push = redis.stream.push.bind(redis.stream);
      redis.stream.push = (chunk: unknown): boolean => {
        taken.push(push(chunk));
        return taken.at(-1)!;
      };
      await redis.set('a', Buffer.alloc(200_000));
      assert.equal((await redis.getBuffer('a'))?.length, 200_000);
      // Where one is not, the connection is not read from until a later turn.
      assert.deepEqual([...new Set(taken)], [true]);
    }
  } finally {
    for (const redis of connections) redis.disconnect();
    await server.close();
  }
});

it('a connection is ended on which nothing is heard while a command waits', async () => {
  let said = '';
  const silent = createServer((socket) => {
    socket.on('error', () => undefined);
    socket.on('data', (bytes) => {
      // What the client sends by itself is answered.
      if (!bytes.includes('get')) socket.write('+OK\r\n'.repeat(bytes.toString().split('*').length - 1));
      else if (said !== '') socket.write(said);
    });
  });
  await new Promise<void>((resolve) => silent.listen(0, '127.0.0.1', resolve));
  const { port } = silent.address() as { port: number };
  const redis = connectCommands({ redisUrl: `redis://127.0.0.1:${port}` }, 'test', 100);
  const errors: string[] = [];
  redis.on('error', (error) => errors.push(String(error)));
  let connections = 0;
  redis.on('ready', () => connections++);
  try {
    await redis.connect();
    await assert.rejects(redis.get('a'), /timed out/);
    await until('the end of the silence', () => errors.some((error) => error.includes('nothing was heard')));
    said = '+OK\r\n';
    await until('a new connection', () => connections > 1);
    assert.equal(await redis.get('a'), 'OK');
  } finally {
    redis.disconnect();
    silent.close();
  }
});

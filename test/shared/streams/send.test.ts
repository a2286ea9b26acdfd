import assert from 'node:assert/strict';
import { it } from 'node:test';
import { connectBlocking, connectCommands, isPassing, type Redis } from '#weir/shared/streams/client';
import { script } from '#weir/shared/streams/script';
import { ask, piecesOf, sendTogether } from '#weir/shared/streams/send';
import { sharedRedis } from '../../support/stores/redis.js';
import { until } from '../../support/wait.ts';

const { server, redis } = await sharedRedis();
const takeClaim = script('idempotency/take-claim');

const plain = (answers: unknown[]): unknown[] =>
  answers.map((answer) => (Buffer.isBuffer(answer) || answer instanceof Error ? String(answer) : answer));

it('commands that are sent together are answered in order, errors as values, and others get their own answers', async () => {
  const bytes = Buffer.from([0, 13, 10, 255]);
  const before = redis.set('a', 'é');
  const together = sendTogether(redis, [
    ['GET', 'a'],
    ['LPUSH', 'a', 1],
    ['SET', 'b', bytes],
    ['STRLEN', 'b'],
    ['SET', 'c', ''],
    ['GET', 'missing'],
    ['GET', 'c'],
  ]);
  const after = redis.getBuffer('b');
  const wrong = 'ReplyError: WRONGTYPE Operation against a key holding the wrong kind of value';
  assert.deepEqual(plain(await together), ['é', wrong, 'OK', 4, 'OK', null, '']);
  assert.equal(await before, 'OK');
  assert.deepEqual(await after, bytes);
  assert.deepEqual(
    plain(
      await sendTogether(redis, [
        ['GET', 'a'],
        ['LPUSH', 'a', 1],
      ]),
    ),
    ['é', wrong],
  );
});

it('a script is sent by its hash after the first time, and again where Redis has forgotten it', async () => {
  const call = (): Promise<unknown[]> => {
    const claim = takeClaim.prepare(['idempotency:{t}:k'], ['fingerprint', 60]);
    return sendTogether(redis, [claim, ['PING'], claim]);
  };
  const [first] = await call();
  assert.ok(!(first instanceof Error), String(first));
  const sent = redis.stream.bytesWritten;
  const answers = await call();
  assert.equal(String(answers[1]), 'PONG');
  assert.ok(redis.stream.bytesWritten - sent < 400, 'without the text');
  await redis.script('FLUSH');
  const again = await call();
  assert.deepEqual(plain(again), plain(answers));
});

it('sends nothing without a connection, and rejects where the connection ends before the last answer', async () => {
  const other = connectCommands({ redisUrl: server.url }, 'other');
  other.on('error', () => undefined);
  const append = (): Promise<unknown[]> =>
    sendTogether(other, [
      ['APPEND', 'd', 'x'],
      ['APPEND', 'd', 'y'],
    ]);
  await assert.rejects(append(), (error) => isPassing(error));
  await other.connect();
  await append();
  const waiting = sendTogether(other, [['PING'], ['BLPOP', 'nothing', 0]]);
  other.disconnect();
  await assert.rejects(waiting, (error) => isPassing(error));
  await assert.rejects(append(), (error) => isPassing(error));
  assert.equal(await redis.get('d'), 'xy');
});

it('rejects at once on a connection that has ended and does not come back', async () => {
  const blocking = connectBlocking({ redisUrl: server.url }, 'blocking');
  blocking.on('error', () => undefined);
  await blocking.connect();
  assert.deepEqual(plain(await ask(blocking, piecesOf([['ECHO', 'a']]), 1, 60_000)), ['a']);
  blocking.disconnect();
  await until('its end', () => blocking.status === 'end');
  await assert.rejects(ask(blocking, piecesOf([['PING']]), 1, 60_000), /Connection is closed/);
});

it('has the limit of time of other commands', async () => {
  const impatient: Redis = connectCommands({ redisUrl: server.url }, 'impatient', 1000);
  impatient.on('error', () => undefined);
  await impatient.connect();
  await assert.rejects(sendTogether(impatient, [['PING'], ['BLPOP', 'nothing', 0]]), /timed out/);
  impatient.disconnect();
});

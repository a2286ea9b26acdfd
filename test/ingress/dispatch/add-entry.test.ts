import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { it } from 'node:test';
import { addEntry, carry } from '#weir/ingress/dispatch/add-entry';
import { connectCommands, isOutOfMemory } from '#weir/shared/streams/client';
import { keys, type WorkStream } from '#weir/shared/streams/keys';
import { readSegments, SEGMENT_BYTES, segmentsKey } from '#weir/shared/streams/segments';
import { sharedRedis } from '../../support/stores/redis.js';

const { server, redis } = await sharedRedis({ maxMemory: '64mb' });
const connections = { redis, large: redis };
const stream: WorkStream = { partition: 0, lane: 'slow' };
const checks = keys.checks(0, 'slow');
const HEADER = '{"team":"größe"}';

async function add(body: Buffer): Promise<void> {
  await addEntry(redis, stream, HEADER, await carry(connections, 0, body));
}

it('work entries are added as they are, and in order with what was sent before', async () => {
  const sizes = [0, 1, 17_000, SEGMENT_BYTES];
  for (const size of sizes) {
    const noted = redis.set('last', size);
    await add(Buffer.alloc(size, 0xff));
    await noted;
  }
  const entries = await redis.xrangeBuffer(checks, '-', '+');
  const read = entries.map(([, [name, header, field, body]]) => [`${name} ${header} ${field}`, body!.length]);
  assert.deepEqual(
    read,
    sizes.map((size) => [`header ${HEADER} body`, size]),
  );
  assert.ok(entries.every(([, fields]) => fields[3]!.every((byte) => byte === 0xff)));
});

it('a large body is in segments that stay', async () => {
  const body = randomBytes(3_000_000);
  await add(body);
  const [[, fields]] = (await redis.xrange(checks, '-', '+')) as [[string, string[]]];
  assert.deepEqual(fields!.slice(0, 3), ['header', HEADER, 'segments']);
  assert.deepEqual(await readSegments(redis, 0, fields![3]!), body);
  assert.equal(await redis.pttl(segmentsKey(0, fields![3]!)), -1);
});

it('an entry is not added whose segments Redis has lost, and nothing is added to a full Redis or left in it', async () => {
  const body = await carry(connections, 0, randomBytes(600_000));
  assert.ok('key' in body);
  await redis.hdel(body.key, '1');
  await assert.rejects(addEntry(redis, stream, HEADER, body), /the segments of the body are gone/);
  assert.deepEqual(await redis.keys('segments:*'), []);
  const whole = await carry(connections, 0, randomBytes(600_000));
  await redis.config('SET', 'maxmemory', '1mb');
  await assert.rejects(addEntry(redis, stream, HEADER, whole), (error) => isOutOfMemory(error));
  await assert.rejects(carry(connections, 0, randomBytes(600_000)), (error) => isOutOfMemory(error));
  await redis.config('SET', 'maxmemory', '64mb');
  assert.equal(await redis.exists(checks), 0);
  assert.deepEqual(await redis.keys('segments:*'), [], 'they would keep it full');
});

it('what Redis refuses rejects, and so does what is sent without a connection', async () => {
  await redis.set(checks, 'no stream');
  await assert.rejects(add(Buffer.from('{}')), /WRONGTYPE/);
  await assert.rejects(add(randomBytes(300_000)), /WRONGTYPE/);
  const other = connectCommands({ redisUrl: server.url }, 'other');
  other.on('error', () => undefined);
  await assert.rejects(addEntry(other, stream, HEADER, { value: Buffer.from('{}') }), /no connection/);
});

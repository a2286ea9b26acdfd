import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { describe, it } from 'node:test';
import {
  abandonClaim,
  addCheck,
  barCheck,
  CLAIM_MS,
  type ClaimKey,
  type ClaimLimits,
  claimKey,
  findCheck,
  hashedKey,
  MOST_CLAIMS,
  releaseClaim,
  takeClaim,
} from '#weir/ingress/dispatch/idempotency/claims';
import { decodeRecord } from '#weir/shared/api/results/record';
import { newRequestId } from '#weir/shared/ids';
import { isOutOfMemory } from '#weir/shared/streams/client';
import { keys, LANES, type WorkStream } from '#weir/shared/streams/keys';
import { readSegments, segmentsKey } from '#weir/shared/streams/segments';
import { encodeRecord } from '../../../support/stores/encoded.ts';
import { sharedRedis } from '../../../support/stores/redis.js';
import { until } from '../../../support/wait.js';
import { record } from '../../support.js';

const { redis } = await sharedRedis({ maxMemory: '64mb' });
const connections = { redis, large: redis };
const SHORT = { lifeMs: 60_000 };

const wanted = (owner = 'me') => ({
  requestId: newRequestId(0),
  fingerprint: 'print',
  config: 3,
  contextDepth: 2,
  owner,
});
const key = (name = 'k', apiKey = 'key'): ClaimKey => hashedKey('team', apiKey, name);
const claim = (named = key(), by = wanted(), limits?: ClaimLimits) => claimKey(redis, named, by, limits);
const small = (most: number, lifeMs = 60_000): ClaimLimits => ({ most, lifeMs });

describe('a claim', () => {
  it('is made once, and says who has it and what was sent', async () => {
    const first = wanted();
    assert.deepEqual(await claim(key(), first), { status: 'claimed' });
    const again = await claim();
    assert.equal(again.status, 'held');
    const { owner: _owner, ...remembered } = first;
    assert.deepEqual(again.status === 'held' && again.claim, remembered);
    assert.ok(again.status === 'held' && again.age >= 0 && again.age < 60_000);
  });

  it('is of one API key of one team', async () => {
    await claim(hashedKey('a', 'b', 'k'));
    for (const other of [hashedKey('a', 'c', 'k'), hashedKey('c', 'b', 'k'), hashedKey('a,b', '', 'k')]) {
      assert.equal((await claim(other)).status, 'claimed');
    }
  });

  it('lives an hour, and 100,000 of an API key live at a time, unless a test says otherwise [idempotency.limits]', async () => {
    assert.deepEqual([CLAIM_MS, MOST_CLAIMS], [3_600_000, 100_000]);
    await claim();
    const names = [keys.claim('team', 'key', key().name), keys.claims('team', 'key')];
    for (const name of names) {
      const left = await redis.pttl(name);
      assert.ok(left > 3_500_000 && left <= 3_600_000, `${name} lives ${left} ms`);
    }
    // The real bound, reached without 100,000 claims: the members are what counts.
    const now = Date.now();
    const live = Array.from({ length: 99_998 }, (_, i) => [now + 3_000_000, `m${i}`]).flat();
    for (let at = 0; at < live.length; at += 20_000) {
      await redis.zadd(keys.claims('team', 'key'), ...live.slice(at, at + 20_000));
    }
    assert.equal((await claim(key('the 100,000th'))).status, 'claimed');
    const over = await claim(key('one more'));
    assert.equal(over.status, 'full');
    assert.ok(over.status === 'full' && over.ms > 2_900_000 && over.ms <= 3_000_000);
    assert.equal((await claim()).status, 'held', 'a retry is no new one');
    assert.equal((await claim(key('one more', 'other'))).status, 'claimed');
  });

  it('makes room when it ends', async () => {
    await claim(key('a'), wanted(), small(2, 50));
    await claim(key('b'), wanted(), small(2));
    const over = await claim(key('c'), wanted(), small(2));
    if (over.status !== 'claimed') {
      assert.equal(over.status, 'full');
      const claimed = async () => (await claim(key('c'), wanted(), small(2))).status === 'claimed';
      await until('a claim ended', claimed);
    }
    assert.equal((await claim(key('d'), wanted(), small(2))).status, 'full');
  });

  it('looks old when the clock has stepped back since', async () => {
    await claim();
    await redis.hset(keys.claim('team', 'key', key().name), 'since', Date.now() + 3_600_000);
    const held = await claim();
    assert.equal(held.status === 'held' && held.age, CLAIM_MS);
  });

  it('is given up by who made it alone, also in a full Redis, and leaves nothing', async () => {
    await claim(key(), wanted('me'));
    assert.equal(await abandonClaim(redis, key(), 'somebody'), false);
    await redis.config('SET', 'maxmemory', '1mb');
    await assert.rejects(claim(key('other')), (error) => isOutOfMemory(error));
    assert.equal(await abandonClaim(redis, key(), 'me'), true);
    assert.equal(await redis.dbsize(), 0);
  });

  it('is given up only by who took it over last, once somebody did', async () => {
    const first = wanted('me');
    await claim(key(), first);
    assert.equal(await takeClaim(redis, key(), newRequestId(0), 'you'), false);
    assert.equal(await takeClaim(redis, key(), first.requestId, 'you'), true);
    assert.equal(await abandonClaim(redis, key(), 'me'), false);
    assert.equal((await claim()).status, 'held');
    assert.ok((await redis.pttl(keys.claim('team', 'key', key().name))) > 3_500_000, 'it lives no longer for that');
    assert.equal(await takeClaim(redis, key('absent'), first.requestId, 'you'), false);
    assert.equal(await takeClaim(redis, key(), first.requestId, 'they'), true);
    assert.equal(await abandonClaim(redis, key(), 'you'), false);
    assert.equal(await abandonClaim(redis, key(), 'they'), true);
    assert.equal(await redis.dbsize(), 0);
  });

  it('is released by whoever knows that nothing more comes of its request, also in a full Redis', async () => {
    const first = wanted('me');
    await claim(key(), first);
    assert.equal(await releaseClaim(redis, key(), newRequestId(0)), false);
    await redis.config('SET', 'maxmemory', '1mb');
    assert.equal(await releaseClaim(redis, key(), first.requestId), true);
    assert.equal(await redis.exists(keys.claim('team', 'key', key().name)), 0);
    assert.equal(await releaseClaim(redis, key(), first.requestId), false);
  });

  it('that was released counts among those that live until it had ended, however often its key is used', async () => {
    for (let i = 0; i < 3; i++) {
      const next = wanted();
      assert.equal((await claim(key(), next, small(3))).status, 'claimed');
      await releaseClaim(redis, key(), next.requestId);
    }
    const over = await claim(key(), wanted(), small(3));
    assert.ok(over.status === 'full' && over.ms > 0 && over.ms <= 60_000, JSON.stringify(over));
  });
});

for (const lane of LANES) {
  describe(`a check that may be repeated, in the ${lane} lane`, () => {
    const stream: WorkStream = { partition: 0, lane };
    const work = () => ({ stream, requestId: newRequestId(0), header: '{}', body: Buffer.from([0, 255, 10]) });

    it('is added once, however many add it, until it is known to be lost', async () => {
      const one = work();
      assert.deepEqual(await findCheck(redis, stream, one.requestId), { status: 'none' });
      const added = await Promise.all(Array.from({ length: 20 }, () => addCheck(connections, one)));
      assert.equal(added.filter((one) => one === 'added').length, 1);
      assert.equal(await redis.xlen(keys.checks(0, lane)), 1);
      assert.deepEqual(await findCheck(redis, stream, one.requestId), { status: 'pending' });
      const entry = (await redis.get(keys.entry(0, one.requestId)))!;
      const [[, fields]] = (await redis.xrangeBuffer(keys.checks(0, lane), entry, entry)) as [[Buffer, Buffer[]]];
      assert.deepEqual(fields?.[3], one.body, 'the bytes are untouched');
      assert.equal(await addCheck(connections, one, { lost: entry }), 'there', 'it is not lost');
      await redis.xdel(keys.checks(0, lane), entry);
      assert.deepEqual(await findCheck(redis, stream, one.requestId), { status: 'gone', entry });
      assert.equal(await addCheck(connections, one), 'there');
      const again = await Promise.all(Array.from({ length: 20 }, () => addCheck(connections, one, { lost: entry })));
      assert.equal(again.filter((one) => one === 'added').length, 1);
      assert.ok((await redis.pttl(keys.entry(0, one.requestId))) > 3_500_000);
    });

    it('is not added when its result is there', async () => {
      const one = work();
      const stored = record({ id: one.requestId });
      const text = encodeRecord(stored);
      await redis.set(keys.result(0, one.requestId), text);
      assert.equal(await addCheck(connections, one), 'there');
      assert.equal(await redis.xlen(keys.checks(0, lane)), 0);
      assert.deepEqual(await findCheck(redis, stream, one.requestId), { status: 'done', record: decodeRecord(text) });
    });

    it('is refused by a full Redis and not remembered then', async () => {
      const one = work();
      await redis.config('SET', 'maxmemory', '1mb');
      await assert.rejects(addCheck(connections, one), (error) => isOutOfMemory(error));
      assert.deepEqual(await findCheck(redis, stream, one.requestId), { status: 'none' });
    });

    it('is barred for good, also in a full Redis, unless it was added', async () => {
      const one = work();
      await redis.config('SET', 'maxmemory', '1mb');
      for (let i = 0; i < 2; i++) assert.equal(await barCheck(redis, 0, one.requestId), true);
      await redis.config('SET', 'maxmemory', '64mb');
      assert.equal(await addCheck(connections, one), 'barred');
      assert.equal(await addCheck(connections, one, { lost: '1-1' }), 'barred');
      assert.deepEqual(await findCheck(redis, stream, one.requestId), { status: 'barred' });
      const left = await redis.pttl(keys.entry(0, one.requestId));
      assert.ok(left > 3_500_000 && left <= CLAIM_MS, 'longer than any claim that leads to it');
      const other = work();
      await addCheck(connections, other);
      const entry = (await redis.get(keys.entry(0, other.requestId)))!;
      assert.equal(await barCheck(redis, 0, other.requestId), false);
      await redis.xdel(keys.checks(0, lane), entry);
      assert.equal(await barCheck(redis, 0, other.requestId), false, 'its id may have been told');
      await redis.del(keys.entry(0, other.requestId));
      await redis.set(keys.result(0, other.requestId), 'x');
      assert.equal(await barCheck(redis, 0, other.requestId), false);
      assert.equal(await redis.xlen(keys.checks(0, lane)), 0);
    });
  });
}

describe('a check without a key that may be added again', () => {
  const stream: WorkStream = { partition: 0, lane: 'slow' };
  const checks = keys.checks(0, 'slow');
  const work = () => {
    const requestId = newRequestId(0);
    return { stream, requestId, header: JSON.stringify({ id: requestId }), body: Buffer.from([0, 255, 13, 10]) };
  };
  const bodies = async (): Promise<(Buffer | undefined)[]> =>
    ((await redis.xrangeBuffer(checks, '-', '+')) as [Buffer, Buffer[]][]).map(([, fields]) => fields[3]);

  it('is added once, in whatever way it is tried again, and takes no other entry away', async () => {
    const [one, other] = [work(), work()];
    const first = await Promise.all([one, one, one].map((each) => addCheck(connections, each, SHORT)));
    assert.deepEqual(first, ['added', 'there', 'there']);
    assert.equal(await addCheck(connections, other, SHORT), 'added');
    assert.equal(await addCheck(connections, one), 'there');
    assert.equal(await addCheck(connections, one, SHORT), 'there');
    assert.deepEqual(await bodies(), [one.body, other.body], 'the bytes are untouched');
    const left = await redis.pttl(keys.entry(0, one.requestId));
    assert.ok(left > 50_000 && left <= 60_000);
    assert.equal(await barCheck(redis, 0, one.requestId), false);
    await redis.del(checks);
    assert.equal(await addCheck(connections, one, SHORT), 'there', 'also when it has been finished');
    assert.deepEqual(await bodies(), []);
  });

  it('is not added when it is barred, or when its result is there', async () => {
    const [one, other] = [work(), work()];
    await barCheck(redis, 0, one.requestId);
    assert.equal(await addCheck(connections, one, SHORT), 'barred');
    await redis.set(keys.result(0, other.requestId), 'x');
    assert.equal(await addCheck(connections, other, SHORT), 'there');
    assert.deepEqual(await bodies(), []);
  });

  it('is refused by a full Redis and not remembered then', async () => {
    const one = work();
    await redis.config('SET', 'maxmemory', '1mb');
    await assert.rejects(addCheck(connections, one, SHORT), (error) => isOutOfMemory(error));
    assert.equal(await redis.exists(checks, keys.entry(0, one.requestId)), 0);
  });

  it('has a large body in segments, which stay with its entry alone', async () => {
    const one = { ...work(), body: randomBytes(700_000) };
    const added = await Promise.all([one, one].map((each) => addCheck(connections, each, SHORT)));
    assert.deepEqual(added.sort(), ['added', 'there']);
    const [[, fields]] = (await redis.xrange(checks, '-', '+')) as [[string, string[]]];
    assert.deepEqual(fields!.slice(0, 3), ['header', one.header, 'segments']);
    assert.deepEqual(await readSegments(redis, 0, fields![3]!), one.body);
    assert.equal(await redis.pttl(segmentsKey(0, fields![3]!)), -1);
    const barred = { ...work(), body: one.body };
    await barCheck(redis, 0, barred.requestId);
    assert.equal(await addCheck(connections, barred, SHORT), 'barred');
    assert.equal(await redis.xlen(checks), 1);
    assert.deepEqual(await redis.keys(keys.segments(0, '*')), [segmentsKey(0, fields![3]!)]);
  });

  it('leaves no segments where Redis refuses the entry', async () => {
    await redis.set(checks, 'no stream');
    await assert.rejects(addCheck(connections, { ...work(), body: randomBytes(700_000) }, SHORT), /WRONGTYPE/);
    assert.deepEqual(await redis.keys('segments:*'), []);
  });
});

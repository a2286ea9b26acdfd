import assert from 'node:assert/strict';
import { mkdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import { Redis } from 'ioredis';
import { createLogger } from '#weir/shared/log';
import { keys } from '#weir/shared/streams/keys';
import { Registry } from '#weir/shared/telemetry';
import { createPurge } from '#weir/workers/archiver/purge';
import { filesWith } from '../../support/files.ts';
import { sharedRedis } from '../../support/stores/redis.ts';
import { until } from '../../support/wait.ts';

const DAY_MS = 86_400_000;

const { server, redis } = await sharedRedis({ appendfsync: 'always' });

describe('the purge', () => {
  const purgeWith = (connection: Redis = redis, everySeconds = 3600, logger = createLogger('archiver', 'silent')) => {
    const registry = new Registry();
    const purge = createPurge({ redis: connection, partitions: () => 2, everySeconds, logger, registry });
    return { ...purge, metrics: () => registry.metrics() };
  };
  async function keep(days: number): Promise<void> {
    await redis.set(keys.configActive(), '1');
    await redis.hset(keys.configVersions(), '1', JSON.stringify({ retention: { content_days: days } }));
  }

  it('has the append-only file rewritten, once for all archivers', async () => {
    const marker = `marker-${process.pid}`;
    await redis.set('gone', marker);
    await redis.del('gone');
    assert.notDeepEqual(filesWith(server.dataDir, marker), []);
    const [one, other] = [purgeWith(), purgeWith()];
    await Promise.all([one.runIfDue(), other.runIfDue()]);
    await until('the file is rewritten', () => filesWith(server.dataDir, marker).length === 0);
    const asked = (await Promise.all([one.metrics(), other.metrics()])).join('');
    assert.equal(asked.match(/weir_redis_rewrites_total\{outcome="asked"\} 1/g)?.length, 1);
    const left = await redis.pttl(keys.forgotten());
    assert.ok(left > 0 && left <= 3_600_000, String(left));
  });

  it('has it rewritten again soon after Redis could not save what it was to write', async () => {
    const snapshot = join(server.dataDir, 'dump.rdb');
    const said = async (what: RegExp): Promise<boolean> => what.test(await redis.info('persistence'));
    const purge = purgeWith();
    const asked = async (): Promise<string> =>
      /weir_redis_rewrites_total\{outcome="asked"\} (\d+)/.exec(await purge.metrics())?.[1] ?? '0';
    const runTwice = async (times: string): Promise<void> => {
      for (let i = 0; i < 2; i++) {
        await purge.runIfDue();
        await until('the file is rewritten', () => said(/aof_rewrite_in_progress:0\r\naof_rewrite_scheduled:0/));
        assert.equal(await asked(), times);
      }
    };
    await runTwice('1');
    await redis.config('SET', 'save', '3600 1000000');
    // A folder stands in the place of the snapshot, so none can be written.
    await mkdir(join(snapshot, 'x'), { recursive: true });
    await redis.bgsave();
    await until('the snapshot fails', () => said(/rdb_last_bgsave_status:err/));
    try {
      await assert.rejects(redis.set('x', 1), /MISCONF/);
      await purge.runIfDue();
      assert.equal(await asked(), '1', 'it cannot write yet');
    } finally {
      await rm(snapshot, { recursive: true });
      await redis.config('SET', 'save', '');
    }
    await runTwice('2');
  });

  it('drops dead letters and refused rows that are older than content may be, and their bytes from the count', async () => {
    await keep(2);
    const now = Date.now();
    for (const p of [0, 1]) {
      for (let n = 0; n < 45; n++) {
        await redis.xadd(keys.dead(p), `${now - 3 * DAY_MS + n}-0`, 'header', 'hh', 'body', 'bbb', 'reason', 'why');
        await redis.xadd(keys.refused(p), `${now - 3 * DAY_MS + n}-0`, 'id', 'r', 'rows', 'rrrr');
        await redis.set(keys.result(p, 'r'), 'record');
      }
      await redis.xadd(keys.dead(p), `${now - DAY_MS}-0`, 'header', 'h', 'body', 'young', 'reason', 'why');
      await redis.set(keys.deadBytes(p), 45 * 5 + 6);
      await redis.set(keys.refusedBytes(p), 45 * 5);
    }
    await purgeWith().runIfDue();
    for (const p of [0, 1]) {
      assert.equal(await redis.xlen(keys.dead(p)), 1);
      assert.equal(await redis.get(keys.deadBytes(p)), '6');
      assert.equal(await redis.xlen(keys.refused(p)), 0);
      assert.equal(await redis.get(keys.refusedBytes(p)), '0');
    }
    assert.equal(await redis.xlen(keys.results(0)), 45, 'the archiver lets their results go');
    await keep(0);
    await redis.del(keys.forgotten());
    await redis.xadd(keys.refused(0), `${now - DAY_MS / 2}-0`, 'id', 'r', 'rows', 'the only ones');
    await purgeWith().runIfDue();
    assert.equal(await redis.xlen(keys.dead(0)), 0);
    assert.equal(await redis.xlen(keys.refused(0)), 1, 'kept for a day');
  });

  it('counts a refusal of Redis, and tries again', async () => {
    await redis.acl('SETUSER', 'limited', 'on', '>secret', '~*', '&*', '+@all', '-bgrewriteaof');
    const limited = new Redis(server.url.replace('//', '//limited:secret@'));
    try {
      const purge = purgeWith(limited);
      await purge.runIfDue();
      assert.match(await purge.metrics(), /weir_redis_rewrites_total\{outcome="refused"\} 1/);
      assert.equal(await redis.exists(keys.forgotten()), 0, 'due for whoever comes next');
    } finally {
      limited.disconnect();
    }
  });

  it('says that it could not drop what is too old, and tries again', async () => {
    await keep(2);
    await redis.set(keys.dead(0), 'no stream');
    const logger = createLogger('archiver', 'silent');
    const warned: unknown[] = [];
    logger.warn = (...said: unknown[]) => void warned.push(said);
    await purgeWith(redis, 3600, logger).runIfDue();
    assert.equal(warned.length, 1);
    assert.match(JSON.stringify(warned[0]), /WRONGTYPE.*not dropped; trying again/);
    assert.equal(await redis.exists(keys.forgotten()), 0);
  });

  it('waits while Redis is away, and never runs where it is switched off', async () => {
    const away = new Redis('redis://127.0.0.1:1', { lazyConnect: true, maxRetriesPerRequest: 0, retryStrategy: null });
    away.on('error', () => undefined);
    await purgeWith(away).runIfDue();
    away.disconnect();
    assert.equal(purgeWith(redis, 0).pauseMs, undefined);
  });
});

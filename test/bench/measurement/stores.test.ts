import assert from 'node:assert/strict';
import { type ChildProcess, spawn } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { Redis } from 'ioredis';
import { openStores, type WatchedStores } from '#weir/bench/measurement/stores';
import { freePort } from '#weir/deploy/local/ports';
import { keys } from '#weir/shared/streams/keys';

describe('backlog', () => {
  let server: ChildProcess;
  let folder: string;
  let redis: Redis;
  let stores: WatchedStores;

  before(async () => {
    const port = await freePort();
    folder = mkdtempSync(join(tmpdir(), 'weir-bench-redis-'));
    const args = ['--port', String(port), '--save', '', '--appendonly', 'no', '--dir', folder, '--bind', '127.0.0.1'];
    server = spawn('redis-server', args, { stdio: 'ignore' });
    const redisUrl = `redis://127.0.0.1:${port}`;
    redis = new Redis(redisUrl, { retryStrategy: (times) => (times > 100 ? null : 50) });
    redis.on('error', () => {});
    await redis.ping();
    await redis.set(keys.partitions(), '2 even');
    // These tests do not ask ClickHouse.
    stores = await openStores({ redisUrl, clickhouseUrl: 'http://127.0.0.1:1', database: 'weir' });
  });
  after(async () => {
    await stores.close();
    redis.disconnect();
    const ended = new Promise((resolve) => server.once('exit', resolve));
    server.kill();
    await ended;
    rmSync(folder, { recursive: true, force: true });
  });

  it('is the sum over all partitions while a load runs', async () => {
    const watch = stores.watchBacklog(20);
    for (let i = 0; i < 3; i++) {
      for (const p of [0, 1]) {
        await redis.xadd(keys.checks(p), '*', 'b', 'x');
        await redis.xadd(keys.results(p), '*', 'b', 'x');
        await redis.xadd(keys.results(p), '*', 'b', 'x');
      }
      await new Promise((resolve) => setTimeout(resolve, 60));
    }
    const trend = watch.stop();
    assert.equal(trend.unreadMax, 6);
    assert.equal(trend.unarchivedMax, 12);
    assert.ok(trend.unarchivedGrowth > trend.unreadGrowth && trend.unreadGrowth > 0);
  });

  it('is waited for until nothing is unread, or nothing unarchived, or until the limit', async () => {
    assert.equal(await stores.quiet(0.3), false);
    await redis.del(keys.checks(0), keys.checks(1));
    assert.equal(await stores.quiet(0.3), true);
    assert.equal(await stores.quiet(0.3, 'archived'), false);
    await redis.del(keys.results(0), keys.results(1));
    assert.equal(await stores.quiet(0.3, 'archived'), true);
  });
});

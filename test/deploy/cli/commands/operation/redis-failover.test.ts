/** What `weir redis failover` refuses behind Sentinels, where nothing may change, and that its user needs no more than it says. */
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { type AddressInfo, createServer, type Socket, connect as toServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { connectCommands, type Redis } from '#weir/shared/streams/client';
import { type RedisGroup, startRedisGroup } from '../../../../support/stores/sentinel.js';
import { until } from '../../../../support/wait.js';
import { failOver, type Ran, weir, weirWith } from '../../support.js';

it('weir redis failover says what to do with one Redis, without asking it', async () => {
  const { code, err } = await failOver('redis://127.0.0.1:1');
  assert.equal(code, 1);
  assert.match(
    err,
    /^weir redis failover: WEIR_REDIS_URL names one Redis, which Weir cannot switch: it needs Sentinels/,
  );
});

it('weir redis failover refuses arguments that do not belong to the address', async () => {
  const refusals: readonly (readonly [url: string, args: string[], said: RegExp])[] = [
    ['redis-sentinel://127.0.0.1:1/weir', ['--all'], /Sentinels watch one primary/],
    ['redis-sentinel://127.0.0.1:1/weir', ['127.0.0.1:2'], /Sentinels watch one primary/],
    ['redis-cluster://127.0.0.1:1', ['--limit', '3'], /--limit: a Cluster has a limit of its own/],
    ['redis-cluster://127.0.0.1:1', ['--all', '127.0.0.1:2'], /expected HOST:PORT of a primary, or --all/],
    ['redis-cluster://127.0.0.1:1', ['here'], /expected HOST:PORT, such as 10\.0\.0\.1:6379, got "here"/],
  ];
  for (const [url, args, said] of refusals) {
    const { code, err } = await failOver(url, ...args);
    assert.equal(code, 2, err);
    assert.match(err, said);
  }
  assert.match((await weir('redis', 'failover', '--help')).out, /--limit SECONDS/);
});

describe('weir redis failover behind Sentinels', () => {
  let group: RedisGroup;
  let [primary, replica] = [undefined, undefined] as unknown as [Redis, Redis];
  const folder = mkdtempSync(join(tmpdir(), 'weir-failover-'));
  before(async () => {
    group = await startRedisGroup({ silentMs: 5000 });
    [primary, replica] = group.servers.map(({ url }) => connectCommands({ redisUrl: url }, 'test', 2000)) as [
      Redis,
      Redis,
    ];
    await Promise.all([primary.connect(), replica.connect()]);
  });
  after(async () => {
    primary?.disconnect();
    replica?.disconnect();
    await group?.close();
    rmSync(folder, { recursive: true });
  });

  /** It failed, nobody was made primary, and a write is taken at once. */
  async function changedNothing({ code, err }: Ran, said: RegExp): Promise<void> {
    assert.equal(code, 1);
    assert.match(err, said);
    assert.match(err, /Nothing was changed\.$/);
    assert.equal(await primary.set('taken', 'yes'), 'OK');
    assert.deepEqual([(await primary.role())[0], (await replica.role())[0]], ['master', 'slave']);
    assert.equal(await group.primary(), group.servers[0]!.port);
  }

  it('says that no Sentinel answers, or knows the name', async () => {
    await changedNothing(
      await failOver('redis-sentinel://127.0.0.1:1/weir'),
      /: no Sentinel answers \(127\.0\.0\.1:1: connect ECONNREFUSED 127\.0\.0\.1:1\)\./,
    );
    const other = group.url.replace(/weir$/, 'other');
    await changedNothing(await failOver(other), /knows no primary called "other"\./);
  });

  it('says which rights are missing', async () => {
    await primary.call('ACL', 'SETUSER', 'default', '-replicaof');
    const ran = await failOver(group.url);
    await primary.call('ACL', 'SETUSER', 'default', '+@all');
    await changedNothing(ran, /NOPERM .*It needs \+replicaof, \+client\|pause, /);
  });

  it('lets writes go on after the limit where a replica is behind', async () => {
    const held = await holdBack(group.servers[0]!.port);
    const { port } = group.servers[0]!;
    await replica.call('REPLICAOF', '127.0.0.1', held.port);
    await until('it follows', async () => /master_link_status:up/.test(await replica.info('replication')));
    held.pause();
    await primary.set('more', 'than it has');
    const ran = await failOver(group.url, '--limit', '1');
    await changedNothing(ran, /: not in 1 s: the replica 127\.0\.0\.1:\d+ is \d+ bytes behind\. /);
    await replica.call('REPLICAOF', '127.0.0.1', port);
    await until('it follows', async () => /master_link_status:up/.test(await replica.info('replication')));
    held.close();
  });

  it('switches with the rights that it names, and no others', async () => {
    const rights = '+replicaof +client|pause +client|unpause +client|kill +info +multi +exec +discard'.split(' ');
    for (const redis of [primary, replica]) await redis.call('ACL', 'SETUSER', 'switch', 'on', '>secret', ...rights);
    for (const redis of group.sentinels) await redis.call('ACL', 'SETUSER', 'asks', 'on', '>other', '+sentinel');
    const file = join(folder, 'password');
    const variables = {
      WEIR_REDIS_URL: group.url.replace('://', '://switch:secret@'),
      WEIR_REDIS_SENTINEL_USER: 'asks',
      WEIR_REDIS_SENTINEL_PASSWORD_FILE: file,
    };
    writeFileSync(file, 'wrong');
    const refused = await weirWith(variables, 'redis', 'failover');
    await changedNothing(refused, /: no Sentinel answers \(.*WRONGPASS.*\)\. .*WEIR_REDIS_SENTINEL_PASSWORD_FILE/);
    writeFileSync(file, 'other');
    const { code, out, err } = await weirWith(variables, 'redis', 'failover');
    assert.deepEqual([code, err], [0, '']);
    assert.match(
      out,
      /\n127\.0\.0\.1:\d+ is the primary, and 127\.0\.0\.1:\d+ its replica\. Writes waited \d\.\d\d s\.$/,
    );
    assert.equal(await group.primary(), group.servers[1]!.port);
    assert.equal((await replica.role())[0], 'master');
  });
});

/** Passes bytes on to a server, until it is paused. */
async function holdBack(port: number): Promise<{ port: number; pause(): void; close(): void }> {
  const sockets: Socket[] = [];
  const server = createServer((from) => {
    const to = toServer(port, '127.0.0.1');
    sockets.push(from, to);
    for (const socket of [from, to]) socket.on('error', () => undefined);
    from.pipe(to).pipe(from);
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    port: (server.address() as AddressInfo).port,
    pause: () => {
      for (const socket of sockets) socket.unpipe().pause();
    },
    close: () => {
      server.close();
      for (const socket of sockets) socket.destroy();
    },
  };
}

import assert from 'node:assert/strict';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { freePort } from '#weir/deploy/local/ports';
import {
  connectCommands,
  isCluster,
  isReady,
  nodeOf,
  nodesOf,
  type Redis,
  waitForRedis,
} from '#weir/shared/streams/client';
import { slotOf } from '#weir/shared/streams/cluster/slots';
import { keys } from '#weir/shared/streams/keys';
import { script } from '#weir/shared/streams/script';
import { sendTogether } from '#weir/shared/streams/send';
import { createCertificate } from '../../../support/network/certificate.js';
import { startTestCluster, type TestCluster } from '../../../support/stores/cluster.js';
import { startTestRedis } from '../../../support/stores/redis.js';
import { until } from '../../../support/wait.js';

describe('a client of a Cluster', () => {
  let cluster: TestCluster;
  let redis: Redis;
  before(async () => {
    cluster = await startTestCluster();
    const endpoint = { redisUrl: cluster.url };
    redis = connectCommands(endpoint, 'test', 3000);
    redis.on('error', () => undefined);
    await waitForRedis(redis, endpoint);
  });
  after(async () => {
    redis?.disconnect();
    await cluster?.close();
  });

  const names = Array.from({ length: 50 }, (_, i) => `name:{${i}}`);

  it('sends each command to the primary that has its key', async () => {
    for (const name of names) await redis.set(name, name);
    assert.deepEqual(await Promise.all(names.map((name) => redis.get(name))), names);
    const sizes = await Promise.all(nodesOf(redis).map((node) => node.dbsize()));
    assert.equal(sizes.length, 3);
    assert.ok(
      sizes.every((size) => size > 5),
      `each has some: ${sizes}`,
    );
    assert.ok(isCluster(redis) && names.every((name) => isReady(redis, name)));
  });

  it('answers commands of many nodes in their order, and runs scripts where their keys are', async () => {
    const claim = script('log/take-place');
    const commands = names.flatMap((name) => [
      ['SET', name, `${name} again`],
      ['GET', name],
    ]);
    const answers = await sendTogether(redis, commands);
    assert.deepEqual(
      answers.map(String),
      names.flatMap((name) => ['OK', `${name} again`]),
    );
    const own = [keys.place('metrics', 1), keys.position(1), keys.results(1)];
    const together = await sendTogether(redis, [claim.prepare(own, []), ['EXISTS', own[0]!]]);
    assert.equal(together[1], 1);
    const forget = (): Promise<unknown> => Promise.all(nodesOf(redis).map((node) => node.script('FLUSH')));
    await forget();
    assert.equal(((await claim(redis, own, [])) as unknown[]).length, 4);
    await forget();
    const [again] = await sendTogether(redis, [claim.prepare(own, [])]);
    assert.equal((again as unknown[]).length, 4);
  });

  it('finds the nodes where one of its addresses is dead', async () => {
    const { port } = cluster.nodes[2]!.server;
    const endpoint = { redisUrl: `redis-cluster://127.0.0.1:1,127.0.0.1:${port}` };
    const other = connectCommands(endpoint, 'test', 3000);
    other.on('error', () => undefined);
    try {
      await waitForRedis(other, endpoint, { timeoutMs: 30_000 });
      assert.equal(nodesOf(other).length, 3);
      assert.deepEqual(
        await Promise.all(names.map((name) => other.exists(name))),
        names.map(() => 1),
      );
    } finally {
      other.disconnect();
    }
  });

  it('follows a slot that moves, and what is on its way', async () => {
    const key = 'moved:{a}';
    const other = 'moved:{a}:other';
    const owner = nodeOf(redis, key)!.options.port;
    const from = cluster.nodes.find(({ server }) => server.port === owner)!;
    const to = cluster.nodes.find((node) => node !== from)!;
    await redis.set(key, '1');
    await cluster.move(slotOf(key), from, to, async () => {
      // One is here, one is new: it belongs there already (ASK), alone or in a transaction.
      assert.equal(await redis.get(key), '1');
      assert.equal(await redis.set(other, '2'), 'OK');
      const [, , done] = await sendTogether(redis, [['MULTI'], ['INCR', other], ['EXEC']]);
      assert.deepEqual(done, [3]);
    });
    assert.deepEqual(await redis.mget(key, other), ['1', '3']);
    const [one, two] = await sendTogether(redis, [
      ['GET', key],
      ['GET', other],
    ]);
    assert.deepEqual([String(one), String(two)], ['1', '3']);
    await until('the new owner is known', () => nodeOf(redis, key)!.options.port === to.server.port);
  });

  it('waits while keys of one command are at two nodes', async () => {
    const [one, two] = ['split:{b}:1', 'split:{b}:2'] as const;
    const owner = nodeOf(redis, one)!.options.port;
    const from = cluster.nodes.find(({ server }) => server.port === owner)!;
    const to = cluster.nodes.find((node) => node !== from)!;
    await redis.mset(one, '1', two, '2');
    let answers: Promise<unknown>[] = [];
    await cluster.move(slotOf(one), from, to, async () => {
      await from.redis.call('MIGRATE', '127.0.0.1', to.server.port, one, 0, 5000);
      answers = [redis.mget(one, two), sendTogether(redis, [['MGET', one, two]])];
      await until('both were told to come again', async () => {
        const info = await from.redis.info('errorstats');
        return Number(/errorstat_TRYAGAIN:count=(\d+)/.exec(info)?.[1] ?? 0) >= 2;
      });
    });
    assert.deepEqual(await answers[0], ['1', '2']);
    assert.deepEqual(((await answers[1]) as Buffer[][])[0]!.map(String), ['1', '2']);
  });

  it('says why there is no Cluster', async () => {
    const alone = await startTestRedis();
    for (const [port, why] of [
      [alone.port, /Redis is no node of a Cluster: WEIR_REDIS_URL must be redis:/],
      [1, /ECONNREFUSED/],
    ] as const) {
      const endpoint = { redisUrl: `redis-cluster://127.0.0.1:${port}` };
      const none = connectCommands(endpoint, 'test');
      none.on('error', () => undefined);
      await assert.rejects(waitForRedis(none, endpoint, { timeoutMs: 300 }), why);
      none.disconnect();
    }
    await alone.close();
  });

  it('goes on with the other nodes while one is away, and with all when it is back', async () => {
    const away = nodeOf(redis, names[0]!)!.options.port;
    const node = cluster.nodes.find(({ server }) => server.port === away)!;
    const there = names.filter((name) => nodeOf(redis, name)!.options.port !== away);
    await node.server.kill('SIGKILL');
    await until('its loss is noticed', () => !isReady(redis, names[0]!));
    await assert.rejects(Promise.resolve(redis.get(names[0]!)), /isn't writeable/);
    assert.equal(redis.status, 'ready');
    for (const name of there) assert.equal(await redis.exists(name), 1);
    const [gone, found] = await sendTogether(redis, [
      ['GET', names[0]!],
      ['EXISTS', there[0]!],
    ]);
    assert.ok(gone instanceof Error);
    assert.equal(found, 1);
    await assert.rejects(sendTogether(redis, [['GET', names[0]!]]), /isn't writeable/);
    node.server = await node.server.restart();
    await until('it serves again', async () => (await redis.get(names[0]!).catch(() => '')) === `${names[0]} again`);
  });

  it('waits for a Cluster that is not there when it starts, node by node, and says so', async () => {
    for (const { server } of cluster.nodes) await server.kill('SIGKILL');
    const endpoint = { redisUrl: cluster.url };
    const early = connectCommands(endpoint, 'test', 3000);
    early.on('error', () => undefined);
    const said: string[] = [];
    try {
      const waiting = waitForRedis(early, endpoint, { say: (line) => said.push(line) });
      await until('it says so', () => said.length > 0);
      assert.match(said[0]!, /cannot be reached \(.*ECONNREFUSED.*Trying on/);
      for (const node of cluster.nodes) await cluster.restart(node);
      await waiting;
      await until('all nodes serve', async () => {
        const sets = await Promise.allSettled(names.map((name) => early.set(name, 'there')));
        return sets.every(({ status }) => status === 'fulfilled');
      });
    } finally {
      early.disconnect();
    }
  });
});

it('a Cluster over TLS, whose nodes are known by their names', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'weir-tls-'));
  const { key, cert } = createCertificate(['localhost']);
  const [redisKeyFile, redisCertFile] = [join(folder, 'key.pem'), join(folder, 'cert.pem')];
  writeFileSync(redisKeyFile, key);
  writeFileSync(redisCertFile, cert);
  const ports: number[] = [];
  const config = async (): Promise<Record<string, string>> => {
    const port = await freePort();
    ports.push(port);
    return {
      'tls-port': String(port),
      'tls-cluster': 'yes',
      'tls-replication': 'yes',
      'tls-cert-file': redisCertFile,
      'tls-key-file': redisKeyFile,
      'tls-ca-cert-file': redisCertFile,
      'cluster-announce-hostname': 'localhost',
      'cluster-preferred-endpoint-type': 'hostname',
    };
  };
  const cluster = await startTestCluster({ config });
  const endpoint = {
    redisUrl: `rediss-cluster://localhost:${ports[0]}`,
    redisCaFile: redisCertFile,
    redisCertFile,
    redisKeyFile,
  };
  const redis = connectCommands(endpoint, 'test');
  redis.on('error', () => undefined);
  try {
    await waitForRedis(redis, endpoint, { timeoutMs: 30_000 });
    for (let p = 0; p < 8; p++) assert.equal(await redis.set(keys.position(p), 'x'), 'OK');
    const asked = nodesOf(redis).map(({ options }) => `${options.host}:${options.port}`);
    assert.deepEqual(asked.toSorted(), ports.map((port) => `localhost:${port}`).toSorted());
  } finally {
    redis.disconnect();
    await cluster.close();
    rmSync(folder, { recursive: true, force: true });
  }
});

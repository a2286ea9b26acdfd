import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { type QueueSample, type QueueSamples, sampleQueue } from '#weir/ingress/admission/queue-samples';
import { createLogger } from '#weir/shared/log';
import { connectCommands, type Redis, waitForRedis } from '#weir/shared/streams/client';
import { slotOf } from '#weir/shared/streams/cluster/slots';
import { GROUP, keys } from '#weir/shared/streams/keys';
import { createRegistry, type Registry } from '#weir/shared/telemetry';
import { startTestCluster } from '../../support/stores/cluster.js';
import { sharedRedis } from '../../support/stores/redis.js';
import { until } from '../../support/wait.js';

const { server, redis } = await sharedRedis();
const PARTITIONS = 64;

interface Sampling extends QueueSamples {
  connection: Redis;
  registry: Registry;
  last: QueueSample;
}

/** Starts processes that sample, one after the other: the first one measures. */
async function withSampling(count: number, use: (all: Sampling[]) => Promise<void>): Promise<void> {
  const all: Sampling[] = [];
  try {
    for (let i = 0; i < count; i++) {
      const connection = connectCommands({ redisUrl: server.url }, `sampling-${i}`);
      await connection.connect();
      const tools = { logger: createLogger('test', 'silent'), registry: createRegistry('ingress') };
      const samples = await sampleQueue({ redis: connection, partitions: () => PARTITIONS, idleMs: 1000, ...tools });
      all.push({ ...samples, connection, registry: tools.registry, last: samples.all()[0]! });
    }
    await use(all);
  } finally {
    for (const { close, connection } of all) {
      close();
      connection.disconnect();
    }
  }
}

const measurer = async (): Promise<string> => JSON.parse((await redis.get(keys.pressure(0))) ?? '{"by":""}').by;
const round = async (): Promise<number> => JSON.parse((await redis.get(keys.pressure(0))) ?? '{"round":0}').round;

async function calls(...commands: string[]): Promise<number[]> {
  const info = await redis.info('commandstats');
  return commands.map((name) => Number(new RegExp(`^cmdstat_${name}:calls=(\\d+)`, 'm').exec(info)?.[1] ?? 0));
}

/** Values of a metric, by its first label. */
async function valuesOf(registry: Registry, name: string): Promise<Record<string, number>> {
  const { values } = (await registry.getSingleMetric(name)!.get()) as {
    values: { value: number; labels: Record<string, string> }[];
  };
  return Object.fromEntries(values.map(({ labels, value }) => [Object.values(labels)[0], value]));
}

describe('samples of the queue', () => {
  it('are measured by one process for all, and seldom where everything is read', async () => {
    await withSampling(4, async () => {
      const first = await round();
      const before = await calls('xlen', 'set', 'evalsha', 'info');
      await until('twelve rounds are over', async () => (await round()) >= first + 12);
      const after = await calls('xlen', 'set', 'evalsha', 'info');
      const [lengths, stored, scripts, infos] = after.map((count, i) => count - before[i]!) as number[];
      // A round takes a quarter of a second at least, and each stream is looked at once a second at most.
      assert.ok(lengths! <= (stored! / 4 + 2) * 2 * PARTITIONS, `${lengths} looks in ${stored} rounds`);
      assert.equal(scripts, 0, 'nothing is measured closely where there is nothing');
      // Those of this test are among them.
      assert.ok(infos! <= stored! + 2, `${infos} times INFO`);
    });
  });

  it('tell all how old the oldest unread entry is', async () => {
    await withSampling(2, async (all) => {
      await redis.xadd(keys.checks(7, 'slow'), '*', 'header', '{}');
      await until('all know', () => all.every(({ last }) => last.age.slow > 600));
      for (const { last } of all) assert.equal(last.age.fast, 0);
      await redis.del(keys.checks(7, 'slow'));
      await until('all know that it is gone', () => all.every(({ last }) => last.age.slow === 0));
    });
  });

  it('count what no worker has read, of all partitions, and tell it in every process', async () => {
    await withSampling(2, async (all) => {
      const counted = (fast: number, slow: number): Promise<void> =>
        until(`${fast} and ${slow} are counted`, async () => {
          const told = await Promise.all(all.map(({ registry }) => valuesOf(registry, 'weir_unread_entries')));
          return told.every((each) => each.fast === fast && each.slow === slow);
        });
      await counted(0, 0);
      for (const p of [1, 5, 5, 5]) await redis.xadd(keys.checks(p), '*', 'header', '{}');
      await redis.xadd(keys.checks(9, 'slow'), '*', 'header', '{}');
      await counted(4, 1);
      await redis.xgroup('CREATE', keys.checks(5), GROUP, '0');
      const read = await redis.xreadgroup('GROUP', GROUP, 'one', 'COUNT', 2, 'STREAMS', keys.checks(5), '>');
      await counted(2, 1);
      const id = read![0]![1][0]![0];
      await redis.multi().xack(keys.checks(5), GROUP, id).xdel(keys.checks(5), id).exec();
      await redis.xadd(keys.checks(5), '*', 'header', '{}');
      await counted(3, 1);
    });
  });

  it('are taken from a release that did not count what is unread', async () => {
    await withSampling(1, async ([one]) => {
      one!.close();
      await redis.set(
        keys.pressure(0),
        JSON.stringify({ age: { fast: 7000, slow: 0 }, memory: 0.25, replicas: 1, by: 'before', round: 1 }),
      );
      const registry = createRegistry('ingress');
      const tools = { logger: createLogger('test', 'silent'), registry };
      const samples = await sampleQueue({ redis: one!.connection, partitions: () => 1, idleMs: 1000, ...tools });
      samples.close();
      assert.deepEqual(await valuesOf(registry, 'weir_oldest_unread_age_seconds'), { fast: 7, slow: 0 });
      assert.deepEqual(await valuesOf(registry, 'weir_unread_entries'), { fast: 0, slow: 0 });
      assert.deepEqual(await valuesOf(registry, 'weir_redis_node_memory_ratio'), {
        [`127.0.0.1:${server.port}`]: 0.25,
      });
    });
  });

  it('are measured by another process when the one that did ends', async () => {
    await withSampling(3, async (all) => {
      const by = await measurer();
      all[0]!.close();
      await until('another one measures', async () => !['', by].includes(await measurer()));
      await redis.xadd(keys.checks(3), '*', 'header', '{}');
      await until('the others know', () => all.slice(1).every(({ last }) => last.age.fast > 0));
      assert.ok(all[0]!.last.at < all[1]!.last.at);
    });
  });

  it('are those of one process again when one comes back that had paused', async () => {
    await withSampling(2, async (all) => {
      const by = await measurer();
      const blocked = await all[0]!.connection.client('ID');
      // What it asks next is answered only when another one measures already.
      const paused = all[0]!.connection.blpop('never', 0);
      await until('another one measures', async () => !['', by].includes(await measurer()));
      const other = await measurer();
      await redis.client('UNBLOCK', blocked);
      await paused;
      // Which one goes on is by their names.
      let [last, same] = ['', 0];
      await until('one has measured for some rounds', async () => {
        const now = `${await measurer()} ${await round()}`;
        if (now === last) return false;
        same = now.split(' ')[0] === last.split(' ')[0] ? same + 1 : 0;
        last = now;
        return same >= 6;
      });
      assert.ok([by, other].includes(await measurer()));
      await until('both use its samples', () => Math.abs(all[0]!.last.at - all[1]!.last.at) < 1000);
    });
  });

  it('are taken by each process for itself from a Redis that takes no writes', async () => {
    await withSampling(2, async (all) => {
      await redis.config('SET', 'min-replicas-to-write', '1');
      try {
        await until('nothing is stored any more', async () => (await measurer()) === '');
        const before = all.map(({ last }) => last.at);
        await until('both go on', () => all.every(({ last }, i) => last.at > before[i]! + 600));
      } finally {
        await redis.config('SET', 'min-replicas-to-write', '0');
      }
      await until('one measures for both again', async () => (await measurer()) !== '');
    });
  });

  it('go on in a full Redis, and find that it has room again', async () => {
    await withSampling(2, async (all) => {
      await redis.config('SET', 'maxmemory', '1mb');
      await until('both know', () => all.every(({ last }) => last.memory > 0.9));
      const full = await round();
      await until('what one measures is still stored', async () => (await round()) > full + 1);
      await redis.config('SET', 'maxmemory', '512mb');
      await until('both know that there is room', () => all.every(({ last }) => last.memory < 0.5));
      all[1]!.full();
      assert.equal(all[1]!.last.memory, 1);
      await until('it has been measured again', () => all[1]!.last.memory < 0.5);
    });
  });
});

it('memory and replicas of a Cluster are told of each primary that has partitions, as long as it has some', async () => {
  const cluster = await startTestCluster({ primaries: 2, replicas: 1 });
  const endpoint = { redisUrl: cluster.url };
  const redis = connectCommands(endpoint, 'test', 3000);
  redis.on('error', () => undefined);
  const registry = createRegistry('ingress');
  await waitForRedis(redis, endpoint);
  const tools = { logger: createLogger('test', 'silent'), registry };
  const samples = await sampleQueue({ redis, partitions: () => 4, idleMs: 1000, ...tools });
  try {
    const addressOf = (n: number): string => `127.0.0.1:${cluster.nodes[n]!.server.port}`;
    const told = (name: string) => valuesOf(registry, name);
    const [one, other] = [addressOf(0), addressOf(1)];
    await until('both have a replica', async () => {
      const replicas = await told('weir_redis_node_replicas');
      return replicas[one] === 1 && replicas[other] === 1;
    });
    assert.deepEqual(Object.keys(await told('weir_redis_node_replicas')).sort(), [one, other].sort());
    const ratios = await told('weir_redis_node_memory_ratio');
    assert.ok(ratios[one]! > 0 && ratios[one]! < 0.2, JSON.stringify(ratios));
    await cluster.nodes[1]!.redis.config('SET', 'maxmemory', '4mb');
    await until('the fuller one is told', async () => (await told('weir_redis_node_memory_ratio'))[other]! > 0.25);
    const { '': fullest } = await told('weir_redis_memory_ratio').then((all) => ({ '': Object.values(all)[0] }));
    assert.equal(fullest, (await told('weir_redis_node_memory_ratio'))[other]);
    // All of its partitions move away.
    for (let p = 0; p < 4; p++) {
      const slot = slotOf(keys.checks(p));
      if ((await cluster.ownerOf(slot)) === cluster.nodes[1])
        await cluster.move(slot, cluster.nodes[1]!, cluster.nodes[0]!);
    }
    await until('the one without partitions has no series', async () => {
      const nodes = Object.keys(await told('weir_redis_node_memory_ratio'));
      return nodes.length === 1 && nodes[0] === one;
    });
    assert.deepEqual(Object.keys(await told('weir_redis_node_replicas')), [one]);
  } finally {
    samples.close();
    redis.disconnect();
    await cluster.close();
  }
});

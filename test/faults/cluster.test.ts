/** Weir on a Redis Cluster: a primary is killed under load, a slot moves, and the number of partitions grows. */
import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import type { Stack } from '#weir/deploy/local/stack';
import { sampleQueue } from '#weir/ingress/admission/queue-samples';
import { createReplicaRounds } from '#weir/ingress/dispatch/replicas';
import type { CheckOutcome } from '#weir/ingress/dispatch/types';
import type { StreamResult } from '#weir/shared/api/types';
import { DEMO_KEY } from '#weir/shared/configuration/api-keys';
import { itemId, newRequestId } from '#weir/shared/ids';
import { createLogger } from '#weir/shared/log';
import { connectCommands, nodeOf, type Redis, waitForRedis } from '#weir/shared/streams/client';
import { slotOf } from '#weir/shared/streams/cluster/slots';
import { listDeadLetters, replayDeadLetter } from '#weir/shared/streams/dead-letters';
import { heartbeat } from '#weir/shared/streams/fleet';
import { addDeliveries } from '#weir/shared/streams/hooks';
import { keys } from '#weir/shared/streams/keys';
import { Registry } from '#weir/shared/telemetry';
import { createShare } from '#weir/workers/share';
import { settleAccounts } from '../support/installation/ledger.js';
import { createClient, type Sent, startLoad } from '../support/installation/load.js';
import { type Services, startServices } from '../support/installation/services.js';
import { configurationWithMore } from '../support/installation/stack.js';
import { type ClusterNode, startTestCluster, type TestCluster } from '../support/stores/cluster.js';
import { until } from '../support/wait.js';
import { type HookReceiver, startReceiver } from './nodes/receiver.js';

const PARTITIONS = 8;
const CARD = 'Paid with 4111 1111 1111 1111.';

describe('on a Redis Cluster', () => {
  let cluster: TestCluster;
  let services: Services;
  let redis: Redis;
  let receiver: HookReceiver;

  before(async () => {
    cluster = await startTestCluster({ replicas: 1 });
    receiver = await startReceiver();
    const endpoint = { redisUrl: cluster.url };
    services = await startServices(cluster.url, {
      text: configurationWithMore({ notify: receiver.url }),
      env: {
        WEIR_REDIS_REPLICAS: '1',
        WEIR_PARTITIONS: String(PARTITIONS),
        WEIR_ROLES: 'evaluator,archiver,metrics,hooks',
        ...receiver.env,
      },
      workers: 2,
    });
    redis = connectCommands(endpoint, 'test', 5000);
    redis.on('error', () => undefined);
    await waitForRedis(redis, endpoint);
  });
  after(async () => {
    redis?.disconnect();
    await services?.close();
    await receiver?.close();
    await cluster?.close();
  });

  const ownerOf = (partition: number): ClusterNode => {
    const port = nodeOf(redis, keys.checks(partition))!.options.port;
    return cluster.nodes.find(({ server }) => server.port === port)!;
  };

  it('stores checks of all kinds with their metrics, tells webhooks of what is flagged, and replays dead letters', async () => {
    const letters = Array.from({ length: PARTITIONS }, (_, partition) => ({ partition, id: newRequestId(partition) }));
    // Nothing can be judged by this version.
    await redis.hset(keys.configVersions(), '99', '{}');
    for (const { partition, id } of letters) {
      const now = Date.now();
      const scope = { team: 'acme', scope: 'prod', config: 99, key: 'acme' };
      const header = JSON.stringify({ id, kind: 'event', ...scope, received: now, deadline: now, reply: '' });
      const body = JSON.stringify({ event: { type: 'reasoning', event_id: 'e', content: CARD } });
      await redis.xadd(keys.checks(partition), '*', 'header', header, 'body', body);
    }
    const load = startLoad({ url: services.url, key: DEMO_KEY, name: 'all', rate: 20, all: true, streams: true });
    await until('checks are answered', () => load.accepted() > 40);
    const dead = (): Promise<number[]> => Promise.all(letters.map(({ partition }) => redis.xlen(keys.dead(partition))));
    await until('all are given up', async () => (await dead()).every((count) => count === 1));
    // The active one judges them then.
    await redis.hdel(keys.configVersions(), '99');
    for (const { partition } of letters) {
      const [letter] = await listDeadLetters(redis, partition, 2);
      await replayDeadLetter(redis, partition, letter!.id);
    }
    await load.stop();
    const stack = { url: services.url, clickhouseUrl: services.clickhouseUrl } as Stack;
    const { sent } = load;
    const account = { stack, redis, key: DEMO_KEY, partitions: PARTITIONS, name: 'all', sent };
    const { problems } = await settleAccounts({ ...account, beside: { shadow: true, metrics: true } });
    assert.deepEqual(problems.slice(0, 20), []);
    assert.equal(await receiver.untold(sent), 0);
    const client = createClient(services.url, DEMO_KEY);
    for (const { id } of letters) {
      const { body } = await client.request('GET', `/api/event/${itemId(id, 1)}?environment_id=prod`);
      assert.equal((body as { flagged?: boolean }).flagged, true, JSON.stringify(body));
    }
    client.close();
  });

  it('answers and stores checks of all partitions once', async () => {
    const calls = services.call();
    await until('checks are answered', () => calls.accepted.length > 500);
    await calls.stop();
    assert.deepEqual(calls.others, []);
    assert.deepEqual(await services.wrongRows(calls.accepted), []);
  });

  it('answers all and stores it once while the slot of a partition moves', async () => {
    const from = ownerOf(0);
    const to = cluster.nodes.slice(0, 3).find((node) => node !== from)!;
    const calls = services.call();
    await until('checks are answered', () => calls.accepted.length > 100);
    await cluster.move(slotOf(keys.checks(0)), from, to);
    const before = calls.accepted.length;
    await until('checks are answered on', () => calls.accepted.length > before + 500);
    await calls.stop();
    assert.deepEqual(calls.others, []);
    assert.deepEqual(await services.wrongRows(calls.accepted), []);
  });

  it('confirms what is at the other node already while its slot is on its way, and samples the queue on', async () => {
    const tools = { logger: createLogger('test', 'silent'), registry: new Registry() };
    const endpoint = { redisUrl: cluster.url };
    const rounds = await createReplicaRounds(endpoint, { replicas: 1, self: 'test', limitMs: 60_000 }, tools);
    const samples = await sampleQueue({ redis, partitions: () => PARTITIONS, idleMs: 0, ...tools });
    const from = ownerOf(1);
    const to = cluster.nodes.slice(0, 3).find((node) => node !== from)!;
    const id = newRequestId(1);
    const key = keys.result(1, id);
    await redis.set(key, 'a record');
    try {
      await cluster.move(slotOf(key), from, to, async () => {
        await from.redis.call('MIGRATE', '127.0.0.1', to.server.port, '', 0, 5000, 'KEYS', key, keys.checks(1));
        const outcome: CheckOutcome = { status: 'done', record: { id } as never };
        assert.equal(await rounds.confirm!(outcome, 'fast'), outcome);
        const { at } = samples.of(1)!;
        await until('the primary of the partition is sampled again', () => samples.of(1)!.at > at);
      });
    } finally {
      samples.close();
      rounds.close();
    }
  });

  it('goes on with streams of text whose slot moves, and stores each once', async () => {
    const client = createClient(services.url, DEMO_KEY);
    const piece = async (stream_id: string, sequence: number, delta: string, final: boolean): Promise<StreamResult> => {
      const body = JSON.stringify({ deployment_id: 'chat', stream_id, sequence, delta, final });
      const answer = await client.request('POST', '/api/stream/check', body);
      assert.equal(answer.status, 200, JSON.stringify(answer.body));
      return answer.body as StreamResult;
    };
    const names = Array.from({ length: 24 }, (_, i) => `stream-${i}`);
    for (const name of names) await piece(name, 0, 'Paid with 4111 1111 ', false);
    const slot = slotOf(keys.stream('acme', 'deployment', 'chat', names[0]!));
    const from = await cluster.ownerOf(slot);
    await cluster.move(slot, from, cluster.nodes.slice(0, 3).find((node) => node !== from)!);
    const ids: string[] = [];
    for (const [i, name] of names.entries()) {
      const [rest, flagged] = i % 2 === 0 ? (['1111 1111.', true] as const) : (['in May.', false] as const);
      const result = await piece(name, 1, rest, true);
      assert.equal(result.flagged, flagged, name);
      assert.deepEqual(await piece(name, 1, rest, true), result);
      ids.push(result.internal_session_id!);
    }
    client.close();
    assert.equal(new Set(ids).size, names.length);
    assert.deepEqual(await services.wrongRows(ids), []);
  });

  it('has the entries of a worker that is killed taken over', async () => {
    const calls = services.call();
    await until('checks are answered', () => calls.accepted.length > 200);
    const [worker] = services.parts;
    await worker!.kill();
    const before = calls.accepted.length;
    await until('checks are answered on', () => calls.accepted.length > before + 500);
    await calls.stop();
    await worker!.restart();
    assert.deepEqual(calls.others, []);
    assert.deepEqual(await services.wrongRows(calls.accepted), []);
  });

  it('loses nothing when a primary is killed, and the others go on meanwhile', async () => {
    const victim = ownerOf(3);
    const calls = services.call();
    await until('checks are answered', () => calls.accepted.length > 200);
    await victim.server.kill('SIGKILL');
    const atDeath = calls.accepted.length;
    await until('the replica takes its place', () => ownerOf(3) !== victim);
    const meanwhile = calls.accepted.length - atDeath;
    const before = calls.accepted.length;
    await until('checks are answered again', () => calls.accepted.length > before + 500);
    await calls.stop();
    assert.ok(meanwhile > 0, 'checks of other partitions were answered');
    for (const { said } of calls.others) assert.match(said, /^(503 unavailable|504 evaluation_timeout)$/);
    assert.deepEqual(await services.wrongRows(calls.accepted), []);
  });

  // The last one: the node does not answer for the rest.
  it('samples the others while a primary hangs, finds their webhooks, and keeps shares of partitions where that is the one with the processes', async () => {
    const tools = { logger: createLogger('test', 'silent'), registry: new Registry() };
    const silent = await cluster.ownerOf(slotOf(keys.configActive()));
    const others = Array.from({ length: PARTITIONS }, (_, p) => p).filter((p) => ownerOf(p) !== silent);
    const samples = await sampleQueue({ redis, partitions: () => PARTITIONS, idleMs: 1000, ...tools });
    const share = createShare('metrics', { redis, partitions: () => PARTITIONS, name: 'test', everyMs: 0 });
    await heartbeat(redis, { kind: 'metrics', name: 'test' });
    const own = await share.own();
    const told = { status: 200, verdicts: [{ id: 'told', flagged: true }] } as Sent;
    const queue = { partition: others[0]!, hook: 'acme/told', mostBytes: 1000 };
    await addDeliveries(redis, queue, [{ id: 'msg_1', body: JSON.stringify({ data: { internal_event_id: 'told' } }) }]);
    try {
      await silent.redis.call('CLIENT', 'PAUSE', 240_000, 'ALL');
      for (let round = 0; round < 4; round++) {
        const before = samples.of(others[0]!)!.at;
        await until('another one is sampled', () => samples.of(others[0]!)!.at > before);
      }
      assert.equal(await receiver.untold([told]), 0, 'others are told on');
      const kept = await share.own();
      for (const p of others) assert.equal(kept.includes(p), own.includes(p), `partition ${p}`);
    } finally {
      samples.close();
    }
  });
});

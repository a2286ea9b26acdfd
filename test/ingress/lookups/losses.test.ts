/** Look-ups by indexes of a Cluster whose primary was lost with their newest members. */
import assert from 'node:assert/strict';
import { after, before, describe, it, mock } from 'node:test';
import { markedSessions } from '#weir/ingress/lookups/hot/awaited';
import { createLookup } from '#weir/ingress/lookups/lookup';
import type { ItemAnswer } from '#weir/ingress/lookups/types';
import { HistoryUnavailable } from '#weir/shared/history/read/breaker';
import { itemId, partsOf } from '#weir/shared/ids';
import { connectCommands, isCluster, nodeOf, nodesOf, type Redis, waitForRedis } from '#weir/shared/streams/client';
import { slotOf } from '#weir/shared/streams/cluster/slots';
import { runMember } from '#weir/shared/streams/hot/indexes';
import { wholeFrom } from '#weir/shared/streams/hot/losses';
import { hotCauses } from '#weir/shared/streams/hot/runs';
import { keys } from '#weir/shared/streams/keys';
import { ensurePartitions } from '#weir/shared/streams/partitions';
import { gatherHot } from '#weir/workers/evaluator/gather/gather-context';
import { unpackRows } from '#weir/workers/rows/unpack-rows';
import { sharedHistory } from '../../support/stores/clickhouse.ts';
import { type ClusterNode, startTestCluster, type TestCluster } from '../../support/stores/cluster.ts';
import { encodeRecord, encodeRows } from '../../support/stores/encoded.ts';
import { nextId, rowItem, rowRequest } from '../../support/stores/history.ts';
import { insertRows } from '../../support/stores/insert.ts';
import { until } from '../../support/wait.ts';
import { record, recordItem } from '../support.ts';

const { client, queries } = await sharedHistory();
const SCOPE = { team: 'acme', environment: 'prod' };
const names = Array.from({ length: 1000 }, (_, i) => `name-${i}`);
const RISK = { since: 0, weight: () => 1, enough: 10 };

describe('a look-up by an index of a Cluster', () => {
  let cluster: TestCluster;
  let redis: Redis;
  before(async () => {
    cluster = await startTestCluster({ replicas: 1 });
    const endpoint = { redisUrl: cluster.url };
    redis = connectCommands(endpoint, 'test', 3000);
    redis.on('error', () => undefined);
    // Its nodes have heard each other first just now, as after a fault. To this client that was long ago.
    const { now } = Date;
    const early = mock.method(Date, 'now', () => now() - 60_000);
    await waitForRedis(redis, endpoint);
    early.mock.restore();
    await ensurePartitions(redis, 4);
  });
  after(async () => {
    redis?.disconnect();
    await cluster?.close();
  });

  const nodeWith = (key: string): ClusterNode => {
    const port = nodeOf(redis, key)!.options.port;
    return cluster.nodes.find(({ server }) => server.port === port)!;
  };

  /** Names whose keys are all at a node, or none of them. */
  function named(keysOf: (name: string) => string[], at: ClusterNode, isThere = true): string {
    return names.find((name) => keysOf(name).every((key) => (nodeWith(key) === at) === isThere))!;
  }

  const keysOfRun = (run: string): string[] => [
    keys.run('acme', 'prod', run),
    keys.accepted('acme', 'prod', 'event', run),
  ];

  const latest = (run: string): Promise<ItemAnswer> =>
    createLookup(redis, queries).latestEvent('acme', 'prod', run, 'e1');
  const idOf = (found: ItemAnswer): string => (found.status === 'found' ? found.item.id : found.status);

  /** A check as its commit leaves it. `indexed`: false where the index was lost. */
  async function commit(run: string, indexed: boolean): Promise<{ id: string; entry: string }> {
    const id = nextId();
    const { time } = partsOf(id)!;
    const sequence = time * 4096;
    const items = [recordItem(1, { runId: run, eventId: 'e1' })];
    if (indexed) await redis.zadd(keys.run('acme', 'prod', run), sequence, runMember(id, ['e1']));
    await redis.set(keys.result(0, id), encodeRecord(record({ id, items, sequence, received: time, completed: time })));
    return { id, entry: String(await redis.xadd(keys.results(0), '*', 'id', id)) };
  }

  async function archive({ id, entry }: { id: string; entry: string }, run: string): Promise<void> {
    const { time } = partsOf(id)!;
    const request = rowRequest({ id, sequence: time * 4096 }, time);
    await insertRows(client, unpackRows('1', encodeRows(request, [rowItem(1, { runId: run, eventId: 'e1' })])).bytes);
    await redis.hset(keys.position(0), 'last', entry);
  }

  /** Has a replica take over from `node`. */
  async function replaced(node: ClusterNode, key: string, happen: () => Promise<unknown>): Promise<void> {
    await happen();
    await until('another node has its slots', () => nodeOf(redis, key) !== undefined && nodeWith(key) !== node);
    await until('it answers', () =>
      redis.exists(key).then(
        () => true,
        () => false,
      ),
    );
  }

  it('finds and misses as before where its slot moves, or its primary is replaced as planned', async () => {
    const run = named(keysOfRun, nodeWith(keys.results(0)), false);
    const [key] = keysOfRun(run);
    const from = nodeWith(key!);
    const to = cluster.nodes.slice(0, 3).find((node) => node !== from)!;
    await commit(run, true);
    await cluster.move(slotOf(key!), from, to);
    assert.equal((await latest(run)).status, 'found');
    const follows = cluster.nodes.slice(3).find((_, i) => cluster.nodes[i] === to)!;
    await replaced(to, key!, () => follows.redis.call('CLUSTER', 'FAILOVER'));
    assert.equal((await latest(run)).status, 'found');
    assert.equal(idOf(await createLookup(redis, queries).latestEvent('acme', 'prod', run, 'absent')), 'absent');
  });

  it('is unavailable where its primary was lost, until all of that time is archived', async () => {
    const spared = [nodeWith(keys.results(0)), nodeWith(keys.partitions())];
    const ports = nodesOf(redis).map(({ options }) => options.port);
    const victim = cluster.nodes.find((node) => ports.includes(node.server.port) && !spared.includes(node))!;
    const marks = named((name) => [keys.accepted('acme', 'chat', 'late', name)], victim);
    const elsewhere = named(keysOfRun, victim, false);
    const run = names.find((name) => {
      const [index, accepted] = keysOfRun(name);
      return nodeWith(index!) === victim && nodeWith(accepted!) !== victim;
    })!;
    const session = named((name) => [keys.ext('acme', 'chat', name)], victim);
    const absent = named((name) => [keys.user('acme', 'id', name)], victim);
    const [key] = keysOfRun(run);
    const older = await commit(run, true);
    await replaced(victim, key!, () => victim.server.kill('SIGKILL'));
    const lost = await commit(run, false);
    assert.ok(isCluster(redis) && (await redis.lossOf(key!)));
    const lookup = createLookup(redis, queries);
    assert.equal((await latest(run)).status, 'unavailable', 'it is not the older one');
    assert.equal((await lookup.runGraph({ ...SCOPE, run, after: undefined, limit: 10 })).status, 'unavailable');
    const user = { team: 'acme', kind: 'id', user: absent } as const;
    assert.equal((await lookup.sessions('acme', 'chat', session, 5)).status, 'unavailable');
    assert.equal((await lookup.riskScore({ user, ...RISK })).status, 'unavailable');
    const cause = { run_id: run, event_id: 'e1', internal_event_id: '' };
    assert.equal((await hotCauses(redis, { ...SCOPE, most: 100 }, [{ ...cause, before: undefined }])).unread.size, 1);
    const header = { team: 'acme', scope: 'prod', references: [{ index: 0, run_id: run, event_id: 'e1' }] };
    const [gathering] = await gatherHot(redis, [{ raw: {}, header }] as unknown as Parameters<typeof gatherHot>[1]);
    assert.deepEqual(gathering!.gathered.references, { 0: 'unavailable' });
    assert.equal((await lookup.byId('event', 'acme', 'prod', itemId(lost.id, 1))).status, 'found');
    await assert.rejects(markedSessions(redis, { team: 'acme', scope: 'chat' }, marks, 1), HistoryUnavailable);
    assert.equal((await latest(elsewhere)).status, 'absent', 'other primaries have lost nothing');

    const fresh = connectCommands({ redisUrl: cluster.url.replace('127.0.0.1', 'localhost') }, 'test', 3000);
    fresh.on('error', () => undefined);
    await fresh.connect();
    const answer = await createLookup(fresh, queries).latestEvent('acme', 'prod', run, 'e1');
    assert.equal(answer.status, 'unavailable', 'a process that has started since knows of it, too');
    const isWhole = (): Promise<boolean> =>
      wholeFrom(fresh, key!).then(
        () => true,
        () => false,
      );
    assert.equal(await isWhole(), false);

    await archive(older, run);
    await archive(lost, run);
    await until('the new process knows that it is archived', isWhole);
    fresh.disconnect();
    await until('it is found again', async () => (await latest(run)).status !== 'unavailable');
    assert.equal(idOf(await latest(run)), itemId(lost.id, 1), 'though an older one is hot');
    assert.equal((await lookup.sessions('acme', 'chat', session, 5)).status, 'found');
    assert.equal((await lookup.riskScore({ user, ...RISK })).status, 'absent');
  });

  it('is unavailable where its primary has started again', async () => {
    const key = keys.user('acme', 'id', 'somebody');
    const node = nodeWith(key);
    const before = isCluster(redis) ? await redis.lossOf(key) : undefined;
    const from = Date.now();
    await node.server.kill('SIGKILL');
    await cluster.restart(node);
    await until('that is noticed', async () => isCluster(redis) && (await redis.lossOf(key)) !== before);
    const fresh = connectCommands({ redisUrl: cluster.url.replaceAll('127.0.0.1', 'localhost') }, 'test', 3000);
    fresh.on('error', () => undefined);
    await fresh.connect();
    assert.ok(isCluster(fresh));
    const loss = await fresh.lossOf(key);
    assert.ok(loss && loss.at >= from, 'a process that has started since knows of it, too');
    fresh.disconnect();
  });
});

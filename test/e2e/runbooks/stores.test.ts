/** Stores that are moved, lost and begun anew, by the commands of the pages: what is said to be kept is kept. */
import assert from 'node:assert/strict';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { commandsBelow } from '../../support/commands.ts';
import { startTestCluster, type TestCluster } from '../../support/stores/cluster.ts';
import { startTestRedis, type TestRedis } from '../../support/stores/redis.ts';
import { until } from '../../support/wait.ts';
import { newRun } from '../system.ts';
import { createSite, type Kept, SCALING, type Site, type Started, startIngress, startWorker } from './site.ts';

const PASSWORD = 'moving-password';
const BODY = JSON.stringify({ environment_id: 'prod', event: { type: 'reasoning', content: 'Good morning.' } });

describe('an installation whose stores are replaced', () => {
  let site: Site;
  let redis: TestRedis;
  let next: TestRedis;
  let cluster: TestCluster;
  let worker: Started;
  let ingress: Started;
  const kept: Kept[] = [];
  const ids: string[] = [];

  before(async () => {
    const options = { appendfsync: 'everysec', password: PASSWORD } as const;
    [redis, next] = [await startTestRedis(options), await startTestRedis(options)];
    // Results stay in Redis, so that a look-up that finds one has been answered by what was moved.
    site = await createSite(redis.url, { WEIR_PARTITIONS: '4', WEIR_STOP_DELAY_MS: '0', WEIR_HOT_SECONDS: '3600' });
    await site.run('npx weir migrate --config weir.yaml && npx weir apply weir.yaml');
    await start();
  });
  after(async () => {
    await site?.close();
    await cluster?.close();
    for (const server of [redis, next]) await server?.close();
  });

  async function start(): Promise<void> {
    worker = await site.start(startWorker());
    ingress = await site.start(startIngress(), { ingress: true });
  }

  const [takeAway] = commandsBelow(SCALING, 'Take a process away') as [string];
  const quietly = takeAway.replace('npx weir status', '');

  /** Stops everything, as the page says. */
  async function stop(): Promise<void> {
    await site.end(quietly, ingress);
    const [drain] = commandsBelow(SCALING, 'Before a Redis is given up') as [string];
    assert.match(await site.run(drain), /^drained: nothing is in Redis alone$/m);
    await site.end(quietly, worker);
  }

  /** Checks one more, and that everything answers as it did. */
  async function goesOn(): Promise<void> {
    await site.find(kept);
    kept.push(...(await site.check(newRun())));
    ids.push(await retried('another'));
  }

  /** The id that a request with this `Idempotency-Key` is answered. */
  async function retried(key: string): Promise<string> {
    const { status, body } = await site.client.request('POST', '/api/event', BODY, { 'idempotency-key': key });
    assert.equal(status, 200, JSON.stringify(body));
    return (body as { event: { internal_event_id: string } }).event.internal_event_id;
  }

  const placeOf = ({ port }: TestRedis, prefix: string): Record<string, string> => ({
    [`${prefix}_HOST`]: '127.0.0.1',
    [`${prefix}_PORT`]: String(port),
  });

  it('moves to another Redis with everything', async () => {
    const id = await retried('once');
    kept.push(...(await site.check(newRun())));
    const [follow, change] = commandsBelow(SCALING, 'Move to another Redis') as [string, string];
    const env = { ...placeOf(redis, 'REDIS'), ...placeOf(next, 'NEW'), REDISCLI_AUTH: PASSWORD };
    await site.run(follow, env);
    kept.push(...(await site.check(newRun())));
    await stop();
    await site.run(change, env);
    site.env.WEIR_REDIS_URL = next.url;
    await start();
    await goesOn();
    assert.equal(await retried('once'), id);
  });

  it('moves to a Cluster with everything', async () => {
    const id = await retried('twice');
    cluster = await startTestCluster();
    await stop();
    const [copy, look] = commandsBelow(SCALING, 'Move to a Redis Cluster') as [string, string];
    const file = join(site.folder, 'password');
    writeFileSync(file, PASSWORD);
    const node = cluster.nodes[0]!.server;
    const said = await site.run(copy, { ...placeOf(next, 'REDIS'), ...placeOf(node, 'NEW'), PASSWORD_FILE: file });
    assert.doesNotMatch(said, /run:|Migrating/);
    const [, copied, left] = /(\d+) keys in 3 masters[\s\S]*?(\d+)\n$/.exec(said)!;
    assert.ok(Number(copied) >= Number(left) && Number(left) > 10, said);
    site.env.WEIR_REDIS_URL = cluster.url;
    await start();
    assert.match(await site.run(look), /^checks +taken$[\s\S]*^Redis +127[^\n]*primary/m);
    await goesOn();
    assert.equal(await retried('twice'), id);
  });

  it('has stored each check once', async () => {
    await until('all is archived', async () => /^drained/.test(await site.weir('status --drained || true')));
    const [row] = await site.sql('SELECT toUInt32(count()) AS rows, toUInt32(uniqExact(id)) AS ids FROM results');
    // Two of each batch.
    const checks = kept.length + new Set([...ids]).size + 2;
    assert.deepEqual(row, { rows: checks, ids: checks });
  });
});

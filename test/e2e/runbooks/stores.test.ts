/** Stores that are moved, lost and begun anew, by the commands of the pages: what is said to be kept is kept. */
import assert from 'node:assert/strict';
import { existsSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { commandsBelow, notRun } from '../../support/commands.ts';
import { startTestCluster, type TestCluster } from '../../support/stores/cluster.ts';
import { startTestRedis, type TestRedis } from '../../support/stores/redis.ts';
import { until } from '../../support/wait.ts';
import { newRun } from '../system.ts';
import {
  createSite,
  type Kept,
  OF_SERVING,
  SCALING,
  type Site,
  type Started,
  startIngress,
  startWorker,
} from './site.ts';

const DISASTERS = 'docs/operations/disasters.md';
const INCIDENT = 'docs/operations/incident.md';
const PASSWORD = 'moving-password';
const BODY = JSON.stringify({ environment_id: 'prod', event: { type: 'reasoning', content: 'Good morning.' } });

describe('an installation whose stores are replaced', () => {
  let site: Site;
  let redis: TestRedis;
  let next: TestRedis;
  let empty: TestRedis;
  let cluster: TestCluster;
  let worker: Started;
  let ingress: Started;
  const kept: Kept[] = [];
  const ids: string[] = [];

  before(async () => {
    const options = { appendfsync: 'everysec', password: PASSWORD } as const;
    [redis, next] = [await startTestRedis(options), await startTestRedis(options)];
    // Results stay in Redis, so that a look-up that finds one has been answered by what was moved.
    site = await createSite(redis.url, {
      env: { WEIR_PARTITIONS: '4', WEIR_STOP_DELAY_MS: '0', WEIR_HOT_SECONDS: '3600' },
    });
    await site.run('npx weir migrate --config weir.yaml && npx weir apply weir.yaml');
    await start();
  });
  after(async () => {
    await site?.close();
    await cluster?.close();
    for (const server of [redis, next, empty]) await server?.close();
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
    await until('its nodes have known each other for long enough', async () => {
      const { status } = await site.client.request('GET', kept[1]![0]);
      return status !== 503;
    });
    await goesOn();
    assert.equal(await retried('twice'), id);
  });

  it('has stored each check once', async () => {
    await drained();
    const [row] = await site.sql('SELECT toUInt32(count()) AS rows, toUInt32(uniqExact(id)) AS ids FROM results');
    // Two of each batch.
    const checks = kept.length + new Set([...ids]).size + 2;
    assert.deepEqual(row, { rows: checks, ids: checks });
  });

  /** All is archived, and the archiver knows: it writes nothing of before again. */
  const drained = (): Promise<void> =>
    until('all is archived', async () => /^drained/.test(await site.weir('status --drained || true')));

  /** Each of the two events of a batch has a row, or none has. */
  async function rowsOf(batch: readonly Kept[]): Promise<number> {
    const run = /run_id=([^&]+)/.exec(batch[1]![0])![1]!;
    const [row] = await site.sql(`SELECT toUInt32(count()) AS rows FROM results WHERE run_id = '${run}'`);
    return row!.rows as number;
  }

  const becomesReady = (): Promise<void> => until('it is ready', () => ingress.backend!.up);
  const archived = (batch: readonly Kept[]): Promise<void> =>
    until('it is stored', async () => (await rowsOf(batch)) === 2);

  it('goes on with an empty Redis and fewer partitions, and finds what was archived', async () => {
    await stop();
    empty = await startTestRedis({ appendfsync: 'everysec', password: PASSWORD });
    site.env.WEIR_REDIS_URL = empty.url;
    site.env.WEIR_PARTITIONS = '2';
    const [apply] = commandsBelow(SCALING, 'With an empty Redis') as [string];
    await site.run(apply);
    await start();
    assert.match(await site.weir('status'), /^checks +taken\nconfiguration +2$/m);
    await goesOn();
    assert.notEqual(await retried('twice'), ids[0]);
  });

  it('loses with Redis what was not archived, and goes on once the configuration is applied', async () => {
    const [lose, recover] = commandsBelow(DISASTERS, 'Redis') as [string, string];
    await archived(kept.slice(-2));
    const before = await retried('lost');
    const env = {
      REDIS_HOST: '127.0.0.1',
      REDIS_PORT: String(empty.port),
      REDISCLI_AUTH: PASSWORD,
      DATA: empty.dataDir,
    };
    await site.run(lose, env);
    assert.ok(existsSync(`${empty.dataDir}.lost`));
    rmSync(`${empty.dataDir}.lost`, { recursive: true });
    const [look] = commandsBelow(INCIDENT, 'The first five minutes') as [string];
    await until('it is not ready', () => !ingress.backend!.up);
    empty = await empty.restart();
    await until('that is what it says', async () => /There is no configuration/.test(await site.run(look)));
    assert.match(await site.run(recover), /^checks +taken\nconfiguration +3$/m);
    await becomesReady();
    await goesOn();
    assert.notEqual(await retried('lost'), before);
  });

  it('takes checks on while ClickHouse is lost, and stores them in an empty one', async () => {
    const [look, recover] = commandsBelow(DISASTERS, 'ClickHouse') as [string, string];
    const old = kept.splice(0);
    await drained();
    await loseHistory();
    await until('it is known', async () => !/^ClickHouse +answers$/m.test(await site.run(look)));
    const batch = await site.check(newRun());
    site.engine = await site.engine.restart();
    await site.run(recover);
    await archived(batch);
    assert.equal(await rowsOf(old.slice(-2)), 0);
    kept.push(...batch);
    await site.find(kept);
  });

  it('begins again where both are lost', async () => {
    const [lose] = commandsBelow(DISASTERS, 'Redis') as [string];
    const [recover] = commandsBelow(DISASTERS, 'Both') as [string];
    const env = {
      REDIS_HOST: '127.0.0.1',
      REDIS_PORT: String(empty.port),
      REDISCLI_AUTH: PASSWORD,
      DATA: empty.dataDir,
    };
    await site.run(lose, env);
    rmSync(`${empty.dataDir}.lost`, { recursive: true });
    await loseHistory();
    await until('it is not ready', () => !ingress.backend!.up);
    [empty, site.engine] = [await empty.restart(), await site.engine.restart()];
    await until('Redis is found again', async () => /^workers +1 live/m.test(await site.weir('status || true')));
    assert.match(await site.run(recover), /^checks +taken\nconfiguration +4$/m);
    await becomesReady();
    const { status } = await site.client.request('GET', kept[0]![0]);
    assert.equal(status, 404);
    kept.splice(0);
    await goesOn();
    await archived(kept);
  });

  it('goes on when a host is lost', async () => {
    const [lose, look] = commandsBelow(DISASTERS, 'A host or a zone') as [string, string];
    const lost = [worker, ingress];
    await start();
    for (const { port } of lost) await site.run(lose, { OLD: port });
    await until('the load balancer has seen it', () => !lost[1]!.backend!.up);
    await until('those that are left are counted', async () =>
      /^ingress +1 live\nworkers +1 live, archivers: 1$/m.test(await site.run(look)),
    );
    await goesOn();
    await archived(kept.slice(-2));
  });

  it('has done all that the pages say', () => {
    assert.deepEqual([...notRun(DISASTERS), ...notRun(SCALING, (heading) => !OF_SERVING.includes(heading))], []);
  });

  async function loseHistory(): Promise<void> {
    await site.engine.kill('SIGKILL');
    rmSync(join(site.engine.dataDir, 'clickhouse'), { recursive: true });
  }
});

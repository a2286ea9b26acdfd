/** What operators do while an installation serves, by the commands of the pages, under load: nothing is refused, lost or doubled. */
import assert from 'node:assert/strict';
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { partsOf } from '#weir/shared/ids';
import { readPage } from '../../docs/pages.ts';
import { commandsBelow, notRun } from '../../support/commands.ts';
import { createClient } from '../../support/installation/load.ts';
import { type Origin, startOrigin } from '../../support/network/origin.ts';
import { pluck } from '../../support/pluck.ts';
import { startTestRedis, type TestRedis } from '../../support/stores/redis.ts';
import { until } from '../../support/wait.ts';
import { KEY } from '../configuration.ts';
import { newRun } from '../system.ts';
import {
  type Callers,
  createSite,
  type Kept,
  OF_SERVING,
  SCALING,
  type Site,
  type Started,
  startIngress,
  startWorker,
} from './site.ts';

const UPGRADE = 'docs/operations/upgrade.md';
const SECRETS = 'docs/operations/secrets.md';
const INCIDENT = 'docs/operations/incident.md';
const [PASSWORD, NEXT_PASSWORD] = ['first-password', 'next-password'];
const secretOf = (letter: string): string => `whsec_${Buffer.from(letter.repeat(32)).toString('base64')}`;
const [OLD_SECRET, NEW_SECRET] = [secretOf('o'), secretOf('n')];

describe('an installation that serves', () => {
  let redis: TestRedis;
  let receiver: Origin;
  let site: Site;
  let calls: Callers;
  const workers: Started[] = [];
  const ingresses: Started[] = [];
  const kept: Kept[] = [];

  before(async () => {
    redis = await startTestRedis({ appendfsync: 'everysec', password: PASSWORD });
    receiver = await startOrigin((request, response) => request.resume().once('end', () => response.end()));
    const told = `127.0.0.1:${receiver.port}`;
    const password = join(redis.dataDir, 'password');
    writeFileSync(password, PASSWORD);
    site = await createSite(`redis://127.0.0.1:${redis.port}`, {
      env: {
        WEIR_PARTITIONS: '4',
        WEIR_REDIS_PASSWORD_FILE: password,
        WEIR_FETCH_ALLOW: told,
        ALERTS_SECRET: OLD_SECRET,
      },
      yaml: `notify: [{id: alerts, team: acme, url: "http://${told}/", on: [flagged], secret_env: ALERTS_SECRET}]`,
    });
    await site.run('npx weir migrate --config weir.yaml && npx weir apply weir.yaml');
    workers.push(await site.start(startWorker()));
    ingresses.push(await site.start(startIngress(), { ingress: true }));
    for (let i = 0; i < 4; i++) kept.push(...(await site.check(newRun())));
    calls = site.call(1);
  });
  after(async () => {
    await calls?.stop();
    await site?.close();
    await receiver?.close();
    await redis?.close();
  });

  /** Callers go on to be answered, by whatever runs now. */
  async function goesOn(): Promise<void> {
    const before = calls.accepted.length;
    await until('checks are answered on', () => calls.accepted.length > before + 20);
    assert.deepEqual(calls.others, []);
    await site.find(kept);
  }

  async function metric(port: string, name: string): Promise<number> {
    const text = await (await fetch(`http://127.0.0.1:${port}/metrics`)).text();
    const values = text.split('\n').filter((line) => line.startsWith(name) && /[ {]/.test(line[name.length]!));
    return values.reduce((sum, line) => sum + Number(line.split(' ').at(-1)), 0);
  }

  it('is upgraded, and taken back, one process after the other', async () => {
    const [migrate, worker, ingress, end, look] = commandsBelow(UPGRADE, 'Commands') as [
      string,
      string,
      string,
      string,
      string,
    ];
    await site.run(migrate);
    for (let times = 0; times < 2; times++) {
      const before = [workers.pop()!, ingresses.pop()!] as const;
      workers.push(await site.start(worker, { old: before[0] }));
      ingresses.push(await site.start(ingress, { ingress: true }));
      await site.end(end, before[1]);
      for (const { port } of before) await assert.rejects(fetch(`http://127.0.0.1:${port}/healthz`));
    }
    const said = await site.run(look, { NEW: ingresses[0]!.port });
    assert.match(said, /^ingress +1 live\nworkers +1 live, archivers: 1$/m);
    assert.match(said, /^weir_build_info\{.*\} 1$/m);
    await goesOn();
  });

  it('has processes added, which take their share, and taken away', async () => {
    const [start, share] = commandsBelow(SCALING, 'Add a worker') as [string, string];
    const worker = await site.start(start);
    await until('it takes its share', async () =>
      /^weir_checks_total\{.*\} [1-9]/m.test(await site.run(share, { NEW: worker.port })),
    );
    const archiver = await site.start(start, { env: { WEIR_ROLES: 'archiver' } });
    await until('it archives', async () => (await metric(archiver.port, 'weir_archived_rows_total')) > 0);
    const ingress = await site.start(startIngress(), { ingress: true });
    await until('it answers', async () => (await metric(ingress.port, 'weir_http_request_seconds_count')) > 0);
    assert.match(await site.weir('status'), /^ingress +2 live\nworkers +2 live, archivers: 3$/m);
    const [stop] = commandsBelow(SCALING, 'Take a process away') as [string];
    for (const one of [worker, archiver]) await site.end(stop, one);
    const said = await site.end(stop, ingress);
    assert.match(said, /^ingress +1 live\nworkers +1 live, archivers: 1$/m);
    await goesOn();
  });

  it('gets more partitions, which all processes use', async () => {
    const [grow] = commandsBelow(SCALING, 'More partitions') as [string];
    const worker = await site.start(grow);
    workers.push(worker);
    const rows = (await site.weir('status')).split('\n').filter((line) => /^ +\d/.test(line));
    assert.equal(rows.length, 8);
    await until('the new ones are used', () => {
      const used = new Set(calls.accepted.slice(-100).map((id) => partsOf(id)!.partition));
      return [...used].some((partition) => partition >= 4);
    });
    kept.push(...(await site.check(newRun())));
    await goesOn();
  });

  /** What a page calls the Redis, and its present password. */
  const access = () => ({
    REDIS_HOST: '127.0.0.1',
    REDIS_PORT: String(redis.port),
    REDISCLI_AUTH: readFileSync(site.env.WEIR_REDIS_PASSWORD_FILE!, 'utf8'),
  });

  it('goes on with the worker that is left', async () => {
    const [stop] = commandsBelow(SCALING, 'Take a process away') as [string];
    await site.end(stop, workers.shift()!);
    await goesOn();
  });

  it('has an API key replaced', async () => {
    const [make, apply] = commandsBelow(SECRETS, 'API keys') as [string, string];
    const said = await site.run(make);
    const key = /wk_\w+/.exec(said)![0];
    const entry = said
      .slice(said.indexOf('- id:'))
      .replace('deployments: []', 'deployments: [chat]')
      .replace('environments: []', 'environments: [prod]');
    site.edit((text) => text.replace('policies:\n', `${entry}policies:\n`));
    await site.run(apply);
    const [first, second] = [createClient(site.balancer.url, KEY.lapsing), createClient(site.balancer.url, key)];
    const body = JSON.stringify({ environment_id: 'prod', event: { type: 'reasoning', content: 'Good morning.' } });
    const statuses = async (): Promise<number[]> => {
      const asked = [first, second].map((one) => one.request('POST', '/api/event', body));
      return (await Promise.all(asked)).map(({ status }) => status);
    };
    assert.deepEqual(await statuses(), [200, 200]);
    const sql = /`(SELECT key[^`]+)`/.exec(readPage(SECRETS).text)![1]!;
    await until('rows say who uses which', async () => {
      const keys = pluck((await site.sql(sql)) as { key: string }[], 'key');
      return ['acme', 'lapsing', 'shop-2'].every((one) => keys.includes(one));
    });
    site.edit((text) => text.replace(/^(- \{id: lapsing,.*)\}$/m, '$1, expires_at: "2020-12-01T00:00:00Z"}'));
    await site.run(apply);
    assert.deepEqual(await statuses(), [401, 200]);
    first.close();
    second.close();
    await goesOn();
  });

  it('has the password of Redis replaced', async () => {
    const [replace] = commandsBelow(SECRETS, 'Password of Redis') as [string];
    const [file, next] = [site.env.WEIR_REDIS_PASSWORD_FILE!, join(redis.dataDir, 'next')];
    writeFileSync(next, NEXT_PASSWORD);
    await site.run(replace, { ...access(), REDIS_USER: 'default', PASSWORD_FILE: file, NEXT: next });
    const ping = 'redis-cli -h "$REDIS_HOST" -p "$REDIS_PORT" ping 2>&1';
    assert.match(await site.run(ping, access()), /^PONG$/m);
    assert.match(await site.run(ping, { ...access(), REDISCLI_AUTH: PASSWORD }), /WRONGPASS/);
    await goesOn();
  });

  it('has the secret of a webhook replaced', async () => {
    const [, replace] = commandsBelow(UPGRADE, 'Commands') as [string, string];
    const signatures = async (): Promise<number> => {
      const before = receiver.requests.length;
      kept.push(...(await site.check(newRun())));
      await until('it is told', () => receiver.requests.length > before);
      return String(receiver.requests.at(-1)!.headers['webhook-signature']).split(' ').length;
    };
    assert.equal(await signatures(), 1);
    for (const [secret, count] of [
      [`${NEW_SECRET} ${OLD_SECRET}`, 2],
      [NEW_SECRET, 1],
    ] as const) {
      site.env.ALERTS_SECRET = secret;
      workers.push(await site.start(replace, { old: workers.shift()! }));
      assert.equal(await signatures(), count);
    }
    await goesOn();
  });

  it('answers whoever is woken', async () => {
    const evidence = join(site.folder, 'evidence');
    const [status, ask, changed, logs] = commandsBelow(INCIDENT, 'The first five minutes') as [
      string,
      string,
      string,
      string,
    ];
    const [keep] = commandsBelow(INCIDENT, 'Keep evidence') as [string];
    const { pid: _, port } = ingresses[0]!;
    const env = {
      ...access(),
      METRICS: `127.0.0.1:${port}`,
      WEIR: site.balancer.url,
      KEY: KEY.acme,
      EVIDENCE: evidence,
    };
    const run = (code: string): Promise<string> => site.run(code, env);
    assert.match(await run(status), /^checks +taken$/m);
    const asked = await run(ask);
    assert.match(asked, /"flagged":false[\s\S]*\n200 in \d/);
    for (const name of ['ready', 'redis_up', 'clickhouse_up'])
      assert.match(asked, new RegExp(`^weir_${name}\\{.*\\} 1$`, 'm'));
    for (const name of ['http_refused_total', 'oldest_unread_age_seconds', 'configuration_version'])
      assert.match(asked, new RegExp(`^weir_${name}\\{`, 'm'));
    assert.match(await run(changed), /second key of the shop[^\n]*\n[\s\S]*weir_build_info/);
    await run(logs);
    await run(keep);
    const files = readdirSync(evidence);
    assert.ok(files.length > 7, files.join());
    const secret = [KEY.acme, PASSWORD, NEXT_PASSWORD, OLD_SECRET, NEW_SECRET, 'Good morning'];
    for (const file of files) {
      const text = readFileSync(join(evidence, file), 'utf8');
      for (const one of secret) assert.ok(!text.includes(one), `${file} has ${one}`);
    }
  });

  it('has stored each check once', async () => {
    await calls.stop();
    assert.deepEqual(calls.others, []);
    await site.stored(calls.accepted);
    assert.match(await site.weir('status'), /^checks +taken$/m);
  });

  it('connects with the new password where its connections are ended', async () => {
    for (const kind of ['normal', 'pubsub'])
      await site.run(`redis-cli -p "$REDIS_PORT" client kill type ${kind}`, access());
    await until('checks are answered', async () => {
      const { status } = await site.client.request('GET', '/readyz');
      return status === 200;
    });
    await site.check(newRun());
  });

  it('has done all that the pages say', () => {
    const left = [UPGRADE, SECRETS, INCIDENT].flatMap((page) => notRun(page));
    assert.deepEqual([...left, ...notRun(SCALING, (heading) => OF_SERVING.includes(heading))], []);
  });
});

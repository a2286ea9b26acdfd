/** An installation as its operator sees it: probes, and the command line against what runs. */
import assert from 'node:assert/strict';
import { spawn, spawnSync } from 'node:child_process';
import { rmSync, writeFileSync } from 'node:fs';
import http from 'node:http';
import { createConnection } from 'node:net';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import type { InstallationPart } from '#weir/deploy/local/processes/part';
import { DEMO_KEY, DEMO_KEY_SHA256, hashKey } from '#weir/shared/configuration/api-keys';
import { itemId, newRequestId } from '#weir/shared/ids';
import { packageRoot } from '#weir/shared/paths';
import { keys } from '#weir/shared/streams/keys';
import { METRICS_PAGE, renderMetrics } from '../docs/metrics-page.ts';
import { readPage } from '../docs/pages.ts';
import { until } from '../support/wait.ts';
import { CARD, configuration, POLICY } from './configuration.ts';
import { newFolder, newRun, type System, startSystem } from './system.ts';

/** The status of a GET, which may name another host than it is sent to. */
function statusOf(address: string, headers: Record<string, string>): Promise<number> {
  return new Promise((resolve, reject) => {
    const asked = http.get(address, { headers, agent: false }, (response) => {
      response.resume().once('end', () => resolve(response.statusCode!));
    });
    asked.once('error', reject);
  });
}

const metricsOf = async ({ ready }: InstallationPart): Promise<string> =>
  (await fetch(`http://127.0.0.1:${ready.metricsPort}/metrics`)).text();

describe('the operator of an installation', () => {
  const folder = newFolder();
  const file = join(folder, 'weir.yaml');
  let system: System;
  before(async () => {
    system = await startSystem({ configuration: undefined, dataDir: folder, followers: true });
  });
  after(async () => {
    await system?.close();
    rmSync(folder, { recursive: true, force: true });
  });

  const weir = (...args: string[]): ReturnType<typeof weirWith> => weirWith({}, ...args);

  function weirWith(
    more: Record<string, string>,
    ...args: string[]
  ): Promise<{ code: number | null; out: string; err: string }> {
    const child = spawn(process.execPath, [join(packageRoot, 'deploy/cli/weir.mjs'), ...args], {
      // Nothing but the folder: addresses and passwords are noted there.
      env: { ...process.env, WEIR_DATA_DIR: folder, WEIR_REDIS_URL: '', WEIR_CLICKHOUSE_URL: '', ...more },
      stdio: ['ignore', 'pipe', 'pipe'],
      timeout: 120_000,
    });
    let out = '';
    let err = '';
    child.stdout.on('data', (chunk) => {
      out += chunk;
    });
    child.stderr.on('data', (chunk) => {
      err += chunk;
    });
    return new Promise((resolve) => child.once('close', (code) => resolve({ code, out, err })));
  }
  const probe = (path: string): Promise<Response> => fetch(system.stack.url + path);

  it('sees that it lives, but is not ready before a configuration has been applied [general.healthz] [general.readyz]', async () => {
    assert.equal((await probe('/healthz')).status, 200);
    const ready = await probe('/readyz');
    assert.equal(ready.status, 503);
    assert.match(await ready.text(), /"unavailable".*weir apply/);
    // Nobody knows yet whether this key is valid.
    assert.equal((await system.get('/api/event?environment_id=prod&run_id=r&event_id=e')).status, 503);
  });

  it('checks and applies one, makes a key for it, and needs no restart [1.7] [5.5]', async () => {
    const created = await weir('keys', 'create', '--id', 'fresh');
    const key = /^wk_\S+$/m.exec(created.out)![0];
    writeFileSync(file, 'version: 1\nteams: [{id: acme}]\nkeys: [{id: fresh}]\n');
    const wrong = await weir('apply', file);
    assert.equal(wrong.code, 1);
    assert.match(wrong.err, /weir\.yaml:3:\d+: /);
    assert.equal((await probe('/readyz')).status, 503, 'nothing has changed');
    const entry = `- {id: fresh, team: acme, sha256: ${hashKey(key)}, environments: [prod], scopes: [read]}
- {id: demo, team: acme, sha256: ${DEMO_KEY_SHA256}, environments: [prod], scopes: [read]}`;
    writeFileSync(file, configuration().replace('\npolicies:', `\n${entry}\npolicies:`));
    assert.equal((await weir('check-config', file)).code, 0);
    const applied = await weir('apply', file);
    assert.deepEqual([applied.code, applied.err], [0, '']);
    await until('it is ready', async () => (await probe('/readyz')).status === 200);
    const answer = await system.get('/api/event?environment_id=prod&run_id=r&event_id=e', { key });
    assert.equal(answer.status, 404);
    const refused = await system.post('/api/event', { event: { type: 'reasoning', content: 'x' } }, { key });
    assert.equal(refused.status, 403);
    const { ingresses, evaluators } = system.stack;
    for (const part of [...ingresses, ...evaluators])
      await until('its metrics tell the version', async () =>
        /^weir_configuration_version\{.*\} 1$/m.test(await metricsOf(part)),
      );
  });

  it('reads in the documents what each metric is, as the processes say it', async () => {
    const { ingresses, evaluators } = system.stack;
    await probe('/api/event');
    const worker = await metricsOf(evaluators[0]!);
    for (const role of ['evaluator', 'archiver', 'metrics', 'hooks'])
      assert.match(worker, new RegExp(`^weir_role\\{role="${role}",process="worker"\\} 1$`, 'm'));
    const { text } = readPage(METRICS_PAGE);
    const page = renderMetrics(text, {
      ingress: await Promise.all(ingresses.map(metricsOf)),
      worker: await Promise.all(evaluators.map(metricsOf)),
    });
    if (process.env.DOCS === 'write') writeFileSync(join(packageRoot, METRICS_PAGE), page);
    else assert.equal(text, page, 'DOCS=write node test/run.mjs test/e2e/operation writes the page');
  });

  it('runs the commands of the runbooks, and finds what they look for', async () => {
    const { ingresses, evaluators } = system.stack;
    const ports = [...ingresses, ...evaluators].map(({ ready }) => ready.metricsPort);
    const finds = (command: string, port: number): boolean => {
      const env = { ...process.env, METRICS: `127.0.0.1:${port}` };
      return spawnSync('sh', ['-c', command], { env, timeout: 20_000 }).status === 0;
    };
    const hasCurl = spawnSync('curl', ['--version'], { stdio: 'ignore' }).status === 0;
    const ran = { curl: 0, sql: 0 };
    for (const name of ['runbooks', 'runbooks-stores', 'runbooks-content']) {
      const { text } = readPage(`docs/operations/${name}.md`);
      const inline = [...text.matchAll(/`((?:curl|SELECT) [^`\n]+)`/g)].map(([, command]) => command!);
      const blocks = [...text.matchAll(/^((?:curl|SELECT) .+)$/gm)].map(([, command]) => command!);
      for (const command of [...inline, ...blocks]) {
        if (command.startsWith('SELECT …')) continue;
        if (command.startsWith('SELECT')) await system.sql(command);
        else if (hasCurl)
          assert.ok(
            ports.some((port) => finds(command, port)),
            command,
          );
        ran[command.startsWith('SELECT') ? 'sql' : 'curl']++;
      }
    }
    assert.ok(ran.curl > 15 && ran.sql >= 5, JSON.stringify(ran));
  });

  it('has every port refuse what is for another machine, and the demo key to what a proxy passed on', async () => {
    const { url, ingresses, archiver } = system.stack;
    const metrics = [ingresses[0]!, archiver].map(({ ready }) => `http://127.0.0.1:${ready.metricsPort}/metrics`);
    for (const address of [`${url}/healthz`, ...metrics]) {
      assert.equal(await statusOf(address, {}), 200, address);
      assert.equal(await statusOf(address, { host: 'localhost', origin: 'http://127.0.0.1' }), 200, address);
      assert.equal(await statusOf(address, { host: 'evil.example' }), 403, address);
      assert.equal(await statusOf(address, { origin: 'http://evil.example' }), 403, address);
    }
    const lookup = `${url}/api/event?environment_id=prod&run_id=r&event_id=e`;
    const asked = { authorization: `Bearer ${DEMO_KEY}`, 'service-version': '2026-06-01' };
    assert.equal(await statusOf(lookup, asked), 404);
    const passedOn = ['Forwarded', 'Via', 'X-Real-IP', 'X-Forwarded-For', 'X-Forwarded-Host', 'X-Forwarded-Proto'];
    passedOn.push('CF-Connecting-IP', 'True-Client-IP', 'Fly-Client-IP', 'X-Original-Forwarded-For', 'X-Client-IP');
    for (const name of passedOn) assert.equal(await statusOf(lookup, { ...asked, [name]: '203.0.113.7' }), 401, name);
  });

  it('is answered by the metrics port of each process when it asks in HTTP/1.0, as some probes do', async () => {
    for (const { ready } of [...system.stack.ingresses, ...system.stack.evaluators]) {
      for (const path of ['/readyz', '/healthz']) {
        const socket = createConnection(ready.metricsPort, '127.0.0.1');
        socket.write(`GET ${path} HTTP/1.0\r\n\r\n`);
        let answer = '';
        for await (const chunk of socket) answer += String(chunk);
        assert.match(answer, /^HTTP\/1\.1 200 OK\r\n.*\r\n\r\n\{"status":"ok"\}$/s);
      }
    }
  });

  it('evaluates a text without a server, to the verdict that the server gives', async () => {
    const said = await weir('check', `my card is ${CARD}`, '--config', file, '--team', 'acme', '--environment', 'prod');
    assert.equal(said.code, 0);
    assert.match(said.out, /^flagged$/m);
    assert.match(said.out, new RegExp(`"${CARD}"$`, 'm'));
    const { json } = await system.events([
      { type: 'message', role: 'user', event_id: 'm', content: `my card is ${CARD}` },
    ]);
    for (const [id, { flagged }] of Object.entries<{ flagged: boolean }>(json.results.message.m.policies)) {
      assert.match(said.out, new RegExp(`${id}.*: ${flagged ? 'flagged' : 'clean'}`));
    }
  });

  it('sees the state of the streams', async () => {
    await system.archived();
    const { code, out } = await weir('status', '--json');
    assert.equal(code, 0);
    const status = JSON.parse(out);
    assert.equal(status.configuration, 1);
    const { partition, entries, pending, unarchived, deadLetters, consumers } = status.partitions[0];
    assert.deepEqual([partition, entries, pending, unarchived, deadLetters], [0, 0, 0, 0, 0]);
    assert.ok(consumers >= 1);
    assert.match((await weir('status')).out, /configuration {2}1/);
    await system.redis.config('SET', 'min-replicas-to-write', '1');
    const refused = await weir('status');
    await system.redis.config('SET', 'min-replicas-to-write', '0');
    assert.equal(refused.code, 1);
    const alone = await weirWith({ WEIR_REDIS_REPLICAS: '1' }, 'status');
    assert.equal(alone.code, 1);
    assert.match(alone.out, /^checks {9}refused: Redis has 0 replicas, where 1 must have a verdict/);
    const wrong = new URL(system.stack.clickhouseUrl);
    wrong.password = 'wrong';
    const { out: said } = await weirWith({ WEIR_CLICKHOUSE_URL: wrong.href }, 'status');
    assert.match(
      said,
      /^ClickHouse {5}It refuses our user or password: look at WEIR_CLICKHOUSE_URL and WEIR_CLICKHOUSE_PASSWORD_FILE\.$/m,
    );
    assert.match(refused.out, /^checks {9}refused: .*min-replicas-to-write/);
  });

  it('finds what was given up as a terminal failure, and has it evaluated again once its cause is gone [failure.dead-letter] [failure.nothing-for-ever] [event.reference-failed]', async () => {
    const { redis } = system;
    const run = newRun();
    const now = Date.now();
    // Nothing can be judged by this version.
    await redis.hset(keys.configVersions(), '99', '{}');
    const header = (kind: string, id: string, scope: string) =>
      JSON.stringify({
        id,
        kind,
        team: 'acme',
        scope,
        config: 99,
        key: 'acme',
        received: now,
        deadline: now,
        reply: '',
      });
    const event = newRequestId(0);
    const session = newRequestId(0);
    const eventBody = JSON.stringify({ event: { type: 'reasoning', event_id: 'e', run_id: run, content: CARD } });
    const sessionBody = JSON.stringify({ messages: [{ role: 'user', content: CARD }] });
    await redis.xadd(keys.checks(0), '*', 'header', header('event', event, 'prod'), 'body', eventBody);
    await redis.xadd(keys.checks(0), '*', 'header', header('session', session, 'chat'), 'body', sessionBody);
    const eventPath = `/api/event/${itemId(event, 1)}?environment_id=prod`;
    const sessionPath = `/api/session/${itemId(session, 1)}`;
    await until('both are given up', async () => (await redis.xlen(keys.dead(0))) === 2);

    const failed = await system.get(eventPath);
    assert.equal(failed.status, 200);
    assert.deepEqual([failed.json.event.status, failed.json.flagged, failed.json.policies], ['failed', false, {}]);
    assert.match(failed.json.note, /could not be finished/);
    const byName = await system.get(`/api/event?environment_id=prod&run_id=${run}&event_id=e`);
    assert.equal(byName.text, failed.text);
    const [reference] = (await system.events([{ type: 'reasoning', event_id: 'e' }], { run_id: run })).json.order;
    assert.deepEqual([reference.status, reference.internal_event_id], ['referenced', itemId(event, 1)]);
    const broken = await system.get(sessionPath);
    assert.equal(broken.status, 500);
    assert.equal(broken.json.error.code, 'internal_error');
    await system.cold(event);
    await system.cold(session);
    assert.equal((await system.get(eventPath)).text, failed.text);
    assert.equal((await system.get(sessionPath)).status, 500);

    const { out } = await weir('dead-letters', 'list');
    const letters = out.trim().split('\n');
    assert.equal(letters.length, 2);
    const letter = letters.find((line) => line.includes(event))!.split(' ')[0]!;
    const shown = await weir('dead-letters', 'show', letter);
    assert.match(shown.out, /attempts 3/);
    assert.equal(shown.out.includes(CARD), false, 'content only on demand');
    assert.match((await weir('dead-letters', 'show', letter, '--body')).out, /4111/);

    await redis.hset(keys.configVersions(), '99', (await redis.hget(keys.configVersions(), '1'))!);
    for (const line of letters) assert.equal((await weir('dead-letters', 'replay', line.split(' ')[0]!)).code, 0);
    const finished = async (): Promise<boolean> => {
      const [one, other] = [await system.get(eventPath), await system.get(sessionPath)];
      if (other.status !== 200 || one.json.event?.status !== 'completed') return false;
      assert.equal(one.json.policies[POLICY.card].flagged, true);
      assert.equal(other.json.session.flagged, true);
      return true;
    };
    await until('both are finished', finished);
    const hot = (await system.get(eventPath)).text;
    await system.cold(event);
    await system.cold(session);
    assert.equal(await finished(), true);
    assert.equal((await system.get(eventPath)).text, hot);
    assert.match((await weir('dead-letters', 'list')).out, /No dead letters/);
    const rows = await system.sql(`SELECT status, flagged FROM results WHERE id = '${itemId(event, 1)}'`);
    assert.deepEqual(rows, [{ status: 'completed', flagged: true }]);
    const [violations] = await system.sql(`SELECT count() AS rows FROM violations WHERE id = '${itemId(session, 1)}'`);
    assert.equal(Number(violations!.rows), 1);
  });

  it('sees why ClickHouse refuses rows, which holds up nothing, and has them stored once the cause is gone', async () => {
    const { redis } = system;
    const sent = async (content: string): Promise<string> => {
      const messages = [{ role: 'user', content }];
      const { json } = await system.session({ messages, external_session_id: 'refused' });
      return json.internal_session_id;
    };
    await system.sql("ALTER TABLE contents ADD CONSTRAINT no_word CHECK content != 'a forbidden word'");
    const first = await sent('a forbidden word');
    await until('it is set aside', async () => (await redis.xlen(keys.refused(0))) === 1);
    const last = await sent('another word');
    await system.cold(last);
    const why = /VIOLATED_CONSTRAINT \(constraint no_word of weir\.contents\)$/m;
    assert.match((await weir('refused', 'list')).out.trim(), why);
    const { out } = await weir('status');
    assert.match(out, /^refused rows {3}of 1 requests \(weir refused list\); the oldest, 0\/\d+-0: /m);
    assert.match(out, why);
    assert.equal((await system.get(`/api/session/${first}`)).status, 200);
    const latest = await system.get('/api/session?external_session_id=refused');
    assert.equal(latest.json.session.internal_session_id, last, 'the latest has left Redis before');
    await system.sql('ALTER TABLE contents DROP CONSTRAINT no_word');
    assert.match((await weir('refused', 'replay')).out, /archived again: 1/);
    await system.cold(first);
    assert.equal((await system.get(`/api/session/${first}`)).status, 200);
    const [rows] = await system.sql(`SELECT count() AS n FROM contents FINAL WHERE id = '${first}'`);
    assert.equal(Number(rows!.n), 1);
  });

  it('sees that it is not ready, but lives, while Redis is away [general.healthz] [general.readyz]', async () => {
    await system.stack.redis.kill();
    await until('it is not ready', async () => (await probe('/readyz')).status === 503);
    assert.equal((await probe('/healthz')).status, 200);
    const refused = await system.post('/api/event', {
      environment_id: 'prod',
      event: { type: 'reasoning', content: 'x' },
    });
    assert.equal(refused.status, 503);
    await system.stack.redis.restart();
    await until('it is ready again', async () => (await probe('/readyz')).status === 200);
    await until('it checks again', async () => {
      const body = { environment_id: 'prod', event: { type: 'reasoning', content: CARD } };
      return (await system.post('/api/event', body)).json.flagged === true;
    });
  });
});

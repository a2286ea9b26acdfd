/** Redis answers but does not do what it is for, or nobody is left to work: probes and `weir status` say so. */
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { freePort } from '#weir/deploy/local/ports';
import { packageRoot } from '#weir/shared/paths';
import { startTestStack, type TestStack } from '../support/installation/stack.js';
import { startTestRedis } from '../support/stores/redis.js';
import { until } from '../support/wait.js';

let stack: TestStack;
const dataDir = mkdtempSync(join(tmpdir(), 'weir-ready-'));

before(async () => {
  stack = await startTestStack({ dataDir, ports: { ingress: await freePort() } });
});
after(async () => {
  await stack?.close();
  rmSync(dataDir, { recursive: true, force: true });
});

interface Probe {
  status: number;
  text: string;
}

async function probe(port: number): Promise<Probe> {
  const answer = await fetch(`http://127.0.0.1:${port}/readyz`);
  return { status: answer.status, text: await answer.text() };
}

/** Of ingress by both of its ports, of the worker and of the archiver. */
const probes = (): Promise<Probe[]> => {
  const [ingress] = stack.ingresses;
  const ports = [stack.archiver, ...stack.evaluators].map(({ ready }) => ready.metricsPort);
  return Promise.all([ingress!.ready.port, ingress!.ready.metricsPort, ...ports].map(probe));
};

/** What the command line says, and its exit code. */
async function weirStatus(redisUrl = stack.redisUrl): Promise<{ code: number | null; said: string }> {
  const env = { ...process.env, WEIR_REDIS_URL: redisUrl, WEIR_CLICKHOUSE_URL: stack.clickhouseUrl };
  const child = spawn(process.execPath, [join(packageRoot, 'deploy/cli/weir.mjs'), 'status'], {
    env,
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let said = '';
  for (const stream of [child.stdout, child.stderr]) {
    stream.on('data', (chunk) => {
      said += chunk;
    });
  }
  return new Promise((resolve) => child.once('close', (code) => resolve({ code, said })));
}

async function allAreReady(): Promise<void> {
  await until('all are ready', async () => (await probes()).every(({ status }) => status === 200));
}

async function allSay(reason: RegExp): Promise<void> {
  const says = ({ status, text }: Probe): boolean => status === 503 && reason.test(text);
  await until(`all say ${reason}`, async () => (await probes()).every(says));
  const { code, said } = await weirStatus();
  assert.equal(code, 1, said);
  const refused = /^checks {9}refused: (.*)$/m.exec(said);
  assert.match(refused?.[1] ?? said, reason);
  assert.match(said, /^Redis {10}.*; /m);
  assert.match(said, /^ClickHouse {5}answers$/m);
}

describe('an installation whose Redis takes no writes', () => {
  const redis = () => stack.connection;

  it('is ready before', async () => {
    await allAreReady();
    const { code, said } = await weirStatus();
    assert.equal(code, 0);
    assert.match(said, /^checks {9}taken\nconfiguration {2}1\ningress {8}1 live\nworkers {8}1 live, archivers: 1\n/);
    assert.match(said, /^Redis {10}primary, replicas: 0; takes writes$/m);
  });

  it('says that it is a replica', async () => {
    await redis().replicaof('127.0.0.1', 1);
    await allSay(/Redis is a replica, which takes no writes/);
    assert.match((await weirStatus()).said, /^Redis {10}replica; Redis is a replica/m);
    await redis().replicaof('NO', 'ONE');
    await allAreReady();
  });

  it('says that replicas are missing', async () => {
    await redis().config('SET', 'min-replicas-to-write', 1);
    await allSay(/fewer replicas in time than min-replicas-to-write wants/);
    // Those who live cannot say so: that is no news of their death.
    await until('their signs of life are past', async () =>
      /^ingress {8}not known.*\nworkers {8}not known/m.test((await weirStatus()).said),
    );
    assert.doesNotMatch((await weirStatus()).said, /No (?:ingress|worker) lives/);
    await redis().config('SET', 'min-replicas-to-write', 0);
    await allAreReady();
  });

  it('says that it cannot save, and a process that starts then starts', async () => {
    // The file that it would save to is a folder with something in it.
    mkdirSync(join(dataDir, 'redis', 'dump.rdb', 'x'), { recursive: true });
    await redis().config('SET', 'save', '900 1');
    await redis().bgsave();
    await until('it has failed', async () => /rdb_last_bgsave_status:err/.test(await redis().info('persistence')));
    await assert.rejects(redis().ping(), /MISCONF/);
    for (const part of [stack.ingresses[0]!, stack.evaluators[0]!, stack.archiver]) {
      await part.kill();
      await part.restart();
    }
    await allSay(/Redis takes no writes, since it cannot save them/);
    await redis().config('SET', 'save', '');
    await allAreReady();
  });
});

describe('an installation without a worker', () => {
  it('is not ready, until there is one again', async () => {
    await allAreReady();
    const { port } = stack.ingresses[0]!.ready;
    await stack.evaluators[0]!.kill();
    await until('it is not ready', async () => (await probe(port)).status === 503);
    assert.match((await probe(port)).text, /No worker lives that could evaluate checks/);
    const { said } = await weirStatus();
    assert.match(said, /refused: No worker lives/);
    assert.match(said, /^workers {8}0 live, archivers: 1$/m);
    const consumers = said.split('\n').at(-2)!.trim().split(/ {2,}/)[5];
    assert.equal(consumers, '0', 'the one that is gone is not counted');
    await stack.evaluators[0]!.restart();
    await allAreReady();
  });
});

describe('weir status', () => {
  it('tells of a Redis that is a node of a Cluster, and of a ClickHouse that is away', async () => {
    const cluster = await startTestRedis({ config: { 'cluster-enabled': 'yes' } });
    try {
      const { code, said } = await weirStatus(cluster.url);
      assert.equal(code, 1, said);
      assert.match(said, /refused: The Redis Cluster is down, or nobody has some of its slots/);
      await stack.clickhouse.kill();
      assert.match((await weirStatus()).said, /^ClickHouse {5}It cannot be reached \(ECONNREFUSED\)\.$/m);
      await stack.clickhouse.restart();
    } finally {
      await cluster.close();
    }
  });
});

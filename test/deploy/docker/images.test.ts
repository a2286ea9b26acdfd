/**
 * The images: built by buildah on a base of this machine, then run with a read-only root, as their user and without capabilities, up to a
 * verdict. Building takes minutes, so this runs where WEIR_IMAGES=1 asks for it:  WEIR_IMAGES=1 node test/run.mjs test/deploy/docker
 */
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { chmodSync, chownSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { freePort } from '#weir/deploy/local/ports';
import { packageRoot, packageVersion } from '#weir/shared/paths';
import { DEFINITIONS } from '#weir/shared/settings';
import {
  type ContainerOptions,
  type RunningContainer,
  runContainer,
  runInContainer,
  type Unpacked,
  unpack,
  volumeFor,
  withoutContainers,
} from '../../support/containers.ts';
import { lettering } from '../../support/images/lettering.ts';
import { startTestClickHouse, type TestClickHouse } from '../../support/stores/clickhouse.ts';
import { startTestRedis, type TestRedis } from '../../support/stores/redis.ts';
import { until } from '../../support/wait.ts';

const skip =
  process.env.WEIR_IMAGES === '1' ? withoutContainers() : 'building takes minutes: WEIR_IMAGES=1 asks for it';
const BUILD_MS = 40 * 60_000;
const TAG = 'test';
const TARGETS = ['ingress', 'worker', 'all'] as const;
type ImageTarget = (typeof TARGETS)[number];

const EXIT_BY_SIGTERM = 143;

describe('images', { skip: skip ?? false, timeout: BUILD_MS }, () => {
  const images = {} as Record<ImageTarget, Unpacked>;
  const started: RunningContainer[] = [];
  let redis: TestRedis;
  let engine: TestClickHouse;

  before(
    async () => {
      const built = spawnSync(
        process.execPath,
        [join(packageRoot, 'deploy/docker/build.mjs'), '--own-base', '--tag', TAG],
        { stdio: 'inherit', timeout: BUILD_MS },
      );
      assert.equal(built.status, 0);
      for (const target of TARGETS) images[target] = unpack(`localhost/weir-${target}:${TAG}`);
      [redis, engine] = await Promise.all([startTestRedis({ appendfsync: 'everysec' }), startTestClickHouse()]);
    },
    { timeout: BUILD_MS },
  );
  after(async () => {
    for (const container of started) {
      try {
        container.signal('SIGKILL');
      } catch {
        // It has ended.
      }
      await container.ended;
    }
    for (const image of Object.values(images)) image.remove();
    await redis?.close();
    await engine?.close();
  });

  const start = async (target: ImageTarget, options: ContainerOptions): Promise<RunningContainer> => {
    const container = await runContainer(images[target], options);
    started.push(container);
    return container;
  };
  const stores = (): Record<string, string> => ({ WEIR_REDIS_URL: redis.url, WEIR_CLICKHOUSE_URL: engine.url });

  /** Waits until the health check of the image succeeds beside the container, as an engine runs it. */
  async function healthy(target: ImageTarget, container: RunningContainer, env: Record<string, string>): Promise<void> {
    const [kind, ...test] = images[target].config.Healthcheck.Test;
    assert.equal(kind, 'CMD');
    let gone = false;
    void container.ended.then(() => {
      gone = true;
    });
    await until(`${target} is healthy`, async () => {
      assert.ok(!gone, container.said());
      return (await runInContainer(images[target], test, { env })).code === 0;
    });
  }

  /** A first configuration, made by the commands of an image, with a policy that reads text in images. */
  async function firstConfiguration(folder: string, target: ImageTarget): Promise<string> {
    const volumes = { '/var/lib/weir': folder };
    const first = await runInContainer(
      images[target],
      ['weir', 'init', '.', '--name', 'Shop', '--words', 'pineapple'],
      {
        volumes,
      },
    );
    assert.equal(first.code, 0, first.said);
    const file = join(folder, 'weir.yaml');
    const more = '- name: In images\n  sources: [image]\n  detect: {image_text: {detect: {terms: {list: [SECRET]}}}}\n';
    writeFileSync(file, readFileSync(file, 'utf8') + more);
    return /^wk_\w+$/m.exec(first.said)![0];
  }

  async function post(
    url: string,
    path: string,
    key: string,
    body: object,
  ): Promise<{ status: number; json: Verdict }> {
    const response = await fetch(`${url}${path}`, {
      method: 'POST',
      headers: { Authorization: `Bearer ${key}`, 'service-version': '2026-06-01', 'Content-Type': 'application/json' },
      body: JSON.stringify(body),
    });
    return { status: response.status, json: (await response.json()) as Verdict };
  }

  interface Verdict {
    flagged: boolean;
    policies: Record<string, { flagged: boolean }>;
    note?: string;
    status?: string;
    internal_artifact_id?: string;
  }

  async function verdicts(url: string, key: string): Promise<void> {
    const session = await post(url, '/api/session/check', key, {
      deployment_id: 'default',
      messages: [{ role: 'user', content: 'One pineapple, please.' }],
    });
    assert.equal(session.status, 200, JSON.stringify(session.json));
    assert.equal(session.json.flagged, true);
    const data = (await lettering(['A SECRET']).png().toBuffer()).toString('base64');
    const image = await post(url, '/api/artifact', key, {
      deployment_id: 'default',
      content: { kind: 'image', data },
    });
    // On a busy machine it is answered before it is finished.
    let artifact = image.json;
    await until('the image is looked at', async () => {
      if (artifact.status !== 'processing') return true;
      const path = `/api/artifact/get_by_id?internal_artifact_id=${artifact.internal_artifact_id}&deployment_id=default`;
      const headers = { Authorization: `Bearer ${key}`, 'service-version': '2026-06-01' };
      artifact = (await (await fetch(`${url}${path}`, { headers })).json()) as Verdict;
      return artifact.status !== 'processing';
    });
    assert.equal(artifact.flagged, true, JSON.stringify(artifact));
  }

  it('are small, and say what they are', () => {
    for (const target of TARGETS) {
      const { bytes, config, root } = images[target];
      console.log(`weir-${target}: ${Math.round(bytes / 1e6)} MB`);
      assert.ok(bytes < (target === 'all' ? 1.2e9 : 400e6), `${target}: ${bytes} bytes`);
      assert.equal(config.User, '10001:10001');
      assert.equal(config.Labels['org.opencontainers.image.version'], packageVersion());
      assert.match(config.Labels['org.opencontainers.image.revision']!, /^[0-9a-f]{40}$/);
      assert.ok(`${DEFINITIONS.metricsPort.default}/tcp` in config.ExposedPorts);
      assert.ok(!spawnSync('find', [`${root}/usr/local/lib/node_modules`]).stdout.length, 'npm is not in the image');
    }
  });

  it('give verdicts on texts and images, from an empty folder on, and stop in order', async () => {
    const volume = volumeFor(images.ingress);
    after(() => volume.remove());
    const volumes = { '/var/lib/weir': volume.path };
    const key = await firstConfiguration(volume.path, 'ingress');
    for (const command of [
      ['migrate', '--config', 'weir.yaml'],
      ['apply', 'weir.yaml'],
    ]) {
      const ran = await runInContainer(images.ingress, ['weir', ...command], { env: stores(), volumes });
      assert.equal(ran.code, 0, ran.said);
    }
    const [port, ingressMetrics, workerMetrics] = [await freePort(), await freePort(), await freePort()];
    const workerEnv = { ...stores(), WEIR_METRICS_PORT: String(workerMetrics), WEIR_BLOCK_DELAY_MS: '200' };
    const ingressEnv = {
      ...stores(),
      WEIR_PORT: String(port),
      WEIR_METRICS_PORT: String(ingressMetrics),
      WEIR_STOP_DELAY_MS: '0',
    };
    // Neither writes any file: nothing is mounted.
    const worker = await start('worker', { env: workerEnv });
    const ingress = await start('ingress', { env: ingressEnv });
    await healthy('worker', worker, workerEnv);
    await healthy('ingress', ingress, ingressEnv);
    await until('it is ready', async () => (await fetch(`http://127.0.0.1:${port}/readyz`)).status === 200);
    await verdicts(`http://127.0.0.1:${port}`, key);
    assert.equal((await fetch(`http://127.0.0.1:${port}/docs`)).status, 200);
    const status = await runInContainer(images.worker, ['weir', 'status'], { env: stores() });
    assert.equal(status.code, 0, status.said);
    assert.match(status.said, /checks +taken/);

    for (const container of [ingress, worker]) {
      container.signal('SIGTERM');
      assert.equal(await container.ended, 0, container.said());
    }
    const check = await runInContainer(images.ingress, images.ingress.config.Healthcheck.Test.slice(1), {
      env: ingressEnv,
    });
    assert.equal(check.code, 1, 'nothing answers any more');
  });

  it('run everything in one, which keeps its data', async () => {
    const volume = volumeFor(images.all);
    after(() => volume.remove());
    const volumes = { '/var/lib/weir': volume.path };
    const key = await firstConfiguration(volume.path, 'all');
    // As somebody mounts it: readable, no more.
    const settings = join(volume.path, '..', `${volume.path.split('/').at(-1)}-etc`);
    mkdirSync(settings, { mode: 0o755 });
    after(() => rmSync(settings, { recursive: true, force: true }));
    writeFileSync(join(settings, 'weir.yaml'), readFileSync(join(volume.path, 'weir.yaml')));
    chmodSync(join(settings, 'weir.yaml'), 0o644);
    const [port, metrics, redisPort, clickhousePort] = [
      await freePort(),
      await freePort(),
      await freePort(),
      await freePort(),
    ];
    const env = {
      WEIR_PORT: String(port),
      WEIR_METRICS_PORT: String(metrics),
      WEIR_REDIS_PORT: String(redisPort),
      WEIR_CLICKHOUSE_PORT: String(clickhousePort),
      WEIR_CONFIG: '/etc/weir/weir.yaml',
    };
    for (let run = 1; run <= 2; run++) {
      const began = performance.now();
      const container = await start('all', { env, volumes: { ...volumes, '/etc/weir': settings }, tmp: true });
      await healthy('all', container, env);
      await until('it is ready', async () => {
        try {
          return (await fetch(`http://127.0.0.1:${port}/readyz`)).status === 200;
        } catch {
          return false;
        }
      });
      console.log(`weir-all: ready after ${Math.round(performance.now() - began)} ms (start ${run})`);
      await verdicts(`http://127.0.0.1:${port}`, key);
      container.signal('SIGTERM');
      assert.equal(await container.ended, 0, container.said());
      assert.match(container.said(), /Stopped\./);
      if (run === 2) assert.match(container.said(), /version 1\./, 'the configuration was there');
    }
  });

  it('run as any user: of group 0, as OpenShift has them, and whoever makes a first configuration', async () => {
    const volume = volumeFor(images.ingress);
    after(() => volume.remove());
    const [uid, gid] = [54_321, 54_322];
    chownSync(volume.path, uid, gid);
    const made = await runInContainer(images.ingress, ['weir', 'init', '/mnt', '--name', 'Shop'], {
      user: `${uid}:${gid}`,
      volumes: { '/mnt': volume.path },
    });
    assert.equal(made.code, 0, made.said);
    const user = '1000660000:0';
    for (const target of ['ingress', 'worker'] as const) {
      const env = { ...stores(), WEIR_PORT: String(await freePort()), WEIR_METRICS_PORT: String(await freePort()) };
      const container = await start(target, { env: { ...env, WEIR_STOP_DELAY_MS: '0' }, user });
      await healthy(target, container, env);
      container.signal('SIGTERM');
      assert.equal(await container.ended, 0, container.said());
    }
    const listed = await runInContainer(images.worker, ['weir', 'config', 'list'], { env: stores(), user });
    assert.equal(listed.code, 0, listed.said);
  });

  it('end what is left of processes whose parent has gone', async () => {
    // The shell ends at once, and leaves its child to process 1.
    const script = `const { execSync } = require('node:child_process');
      const { existsSync } = require('node:fs');
      const pid = execSync('sleep 0.1 > /dev/null & echo $!').toString().trim();
      setInterval(() => { if (!existsSync('/proc/' + pid)) process.exit(7); }, 20);`;
    const { code, said } = await runInContainer(images.worker, ['node', '-e', script]);
    assert.equal(code, 7, said);
  });

  it('are ended by a signal where a command does not take it', async () => {
    const container = await start('ingress', { command: ['sleep', '600'] });
    // tini takes signals before it starts the command.
    const { pid } = container;
    await until('it runs', () => readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8') !== '');
    container.signal('SIGTERM');
    assert.equal(await container.ended, EXIT_BY_SIGTERM);
  });

  // The table of docs/operations/install.md.
  const CONFINEMENTS = [
    { like: ['unmasked'], found: 'bwrap', kept: ['network', 'user', 'privileges', 'files'] },
    { like: [], found: 'namespaces', kept: ['network', 'privileges'] },
    { like: ['unshare'], found: 'namespaces', kept: ['network', 'privileges'] },
    { like: ['seccomp'], found: 'no new privileges', kept: ['privileges'] },
  ] as const;
  for (const { like, found, kept } of CONFINEMENTS) {
    const x64 = process.arch === 'x64' || !/seccomp|unshare/.test(like.join());
    it(`confine processes that read images by "${found}" where the engine is: ${like.join(', ') || 'without a filter'}`, {
      skip: !x64,
    }, async () => {
      const port = await freePort();
      const env = { ...stores(), WEIR_METRICS_PORT: String(port) };
      const worker = await start('worker', { env, like });
      await healthy('worker', worker, env);
      const said = worker
        .said()
        .split('\n')
        .find((line) => line.includes('"confinement"'));
      const { confinement, keptFrom } = JSON.parse(said!) as { confinement: string; keptFrom: string[] };
      assert.equal(confinement, found);
      assert.deepEqual(keptFrom, kept);
      worker.signal('SIGTERM');
      assert.equal(await worker.ended, 0);
    });
  }
});

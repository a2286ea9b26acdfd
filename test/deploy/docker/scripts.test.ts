/** The scripts of the images that need no engine: the health check, and what the build refuses. */
import assert from 'node:assert/strict';
import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { after, before, describe, it } from 'node:test';
import { packageRoot } from '#weir/shared/paths';

const FOLDER = join(packageRoot, 'deploy/docker');

describe('the health check of the images', () => {
  let answer = 200;
  const asked: string[] = [];
  const server = createServer((request, response) => {
    asked.push(request.url!);
    // 0: it hangs.
    if (answer > 0) response.writeHead(answer).end();
  });
  before(async () => {
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
  });
  after(() => {
    server.closeAllConnections();
    server.close();
  });

  const check = async (env: Record<string, string>): Promise<{ code: number; said: string }> => {
    const child = spawn(process.execPath, [join(FOLDER, 'health.mjs')], { env, stdio: ['ignore', 'ignore', 'pipe'] });
    const said = text(child.stderr);
    const [code] = (await once(child, 'exit')) as [number];
    return { code, said: await said };
  };
  const port = (): string => String((server.address() as AddressInfo).port);

  it('asks the metrics port of the settings, on loopback where the process listens on all addresses', async () => {
    for (const host of ['0.0.0.0', '127.0.0.1', '']) {
      assert.deepEqual(await check({ WEIR_METRICS_PORT: port(), WEIR_METRICS_HOST: host }), { code: 0, said: '' });
    }
    assert.deepEqual([...new Set(asked)], ['/healthz']);
  });

  it('fails where the process is stalled, hangs or is not there, and says so', async () => {
    answer = 503;
    assert.deepEqual(await check({ WEIR_METRICS_PORT: port() }), { code: 1, said: '/healthz answers 503\n' });
    answer = 0;
    assert.deepEqual(await check({ WEIR_METRICS_PORT: port() }), { code: 1, said: 'no answer within 2500 ms\n' });
    const gone = await check({ WEIR_METRICS_PORT: '1' });
    assert.equal(gone.code, 1);
    assert.match(gone.said, /ECONNREFUSED/);
  });
});

describe('npm run images', () => {
  const run = (...args: string[]) =>
    spawnSync(process.execPath, [join(FOLDER, 'build.mjs'), ...args], {
      encoding: 'utf8',
      env: { PATH: '/nowhere' },
      timeout: 60_000,
    });

  it('says what is wrong with its arguments, or is missing here', () => {
    for (const [args, wrong] of [
      [['everything'], /^There is no target "everything": targets are ingress, worker, all\.\n$/],
      [['--with', 'make'], /^--with must be one of docker, podman, buildah, but is "make"\.\n$/],
      [['--own-base', '--with', 'docker'], /^docker runs|^docker .*install one that builds images\.\n$/],
      [[], /^None of docker, podman and buildah runs here: install one that builds images\.\n$/],
    ] as const) {
      const { status, stderr } = run(...args);
      assert.equal(status, 1);
      assert.match(stderr, wrong);
    }
  });
});

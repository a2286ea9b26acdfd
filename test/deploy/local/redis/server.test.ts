import assert from 'node:assert/strict';
import { spawn, spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { chmod, mkdir, mkdtemp, readFile, rm, stat, symlink, writeFile } from 'node:fs/promises';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { Redis } from 'ioredis';
import { endLeftover, loadFinder, startRedis } from '#weir/deploy/local/redis/server';
import { newRequestId } from '#weir/shared/ids';
import { runMember } from '#weir/shared/streams/hot/indexes';
import type { Progress } from '../../../../deploy/progress.mjs';
import { SEEN, sessionOf } from '../../../support/installation/processes.ts';
import { startTestRedis, withRedis } from '../../../support/stores/redis.js';

const { ensureRedis, findRedis, majorVersion, RedisMissing } = await loadFinder();

async function withClient<T>(port: number, use: (client: Redis) => Promise<T>): Promise<T> {
  const client = new Redis({ port, host: '127.0.0.1', maxRetriesPerRequest: 0, retryStrategy: () => null });
  client.on('error', () => {});
  try {
    return await use(client);
  } finally {
    client.disconnect();
  }
}

const envBlocks = spawnSync('env', ['--block-signal=INT', 'true'], { stdio: 'ignore' }).status === 0;

describe('startRedis', () => {
  it('is not ended by Ctrl-C: it is in our session with the signal blocked, or else in a session of its own', {
    skip: !SEEN,
  }, async () => {
    const folder = await mkdtemp(join(tmpdir(), 'weir-redis-'));
    // A name that env would take for a variable.
    await mkdir(join(folder, 'a=b'));
    await symlink(findRedis(), join(folder, 'a=b', 'redis-server'));
    for (const [binary, ours] of [
      [findRedis(), envBlocks],
      [join(folder, 'a=b', 'redis-server'), false],
    ] as const) {
      const redis = await startRedis({ port: 0, dataDir: join(folder, 'data'), appendfsync: 'off', binary });
      try {
        assert.equal(sessionOf(redis.pid) === sessionOf(process.pid), ours);
        if (!ours) continue;
        const status = await readFile(`/proc/${redis.pid}/status`, 'utf8');
        assert.match(status, /^SigBlk:.*[2367abef]$/m, 'SIGINT, the second of the signals, is blocked');
        process.kill(redis.pid, 'SIGINT');
        const ended = redis.exited.then(() => 'it ended');
        assert.equal(await Promise.race([withClient(redis.port, (client) => client.ping()), ended]), 'PONG');
      } finally {
        await redis.close();
      }
    }
    await rm(folder, { recursive: true });
  });

  it('starts a server that never evicts, rewrites its file only at gigabytes and listens only on loopback', async () => {
    await withRedis(
      (redis) =>
        withClient(redis.port, async (client) => {
          const wanted = {
            maxmemory: String(64 * 1024 * 1024),
            'maxmemory-policy': 'noeviction',
            appendonly: 'yes',
            appendfsync: 'always',
            'auto-aof-rewrite-min-size': String(4 * 1024 ** 3),
            save: '',
            bind: '127.0.0.1',
            'protected-mode': 'yes',
          };
          for (const [name, value] of Object.entries(wanted)) {
            assert.deepEqual(await client.config('GET', name), [name, value]);
          }
          const [, limits] = (await client.config('GET', 'client-output-buffer-limit')) as string[];
          assert.match(limits ?? '', /pubsub 268435456 134217728 60/);
        }),
      { maxMemory: '64mb', appendfsync: 'always' },
    );
  });

  it('keeps an index of few requests in one piece of memory, also where its members name 50 events', async () => {
    await withRedis((redis) =>
      withClient(redis.port, async (client) => {
        const names = Array.from({ length: 50 }, (_, i) => `event ${i}`);
        await client.zadd('index', 1, runMember(newRequestId(0), names));
        assert.equal(await client.object('ENCODING', 'index'), 'listpack');
      }),
    );
  });

  it('asks for its password, and no command line shows it', async () => {
    const password = 'a1b2c3';
    await withRedis(
      async (redis) => {
        assert.equal(redis.url, `redis://:${password}@127.0.0.1:${redis.port}`);
        await withClient(redis.port, (client) => assert.rejects(client.get('x'), /NOAUTH/));
        const known = new Redis(redis.url);
        assert.equal(await known.ping(), 'PONG');
        known.disconnect();
        if (existsSync('/proc/self')) {
          assert.ok(!(await readFile(`/proc/${redis.pid}/cmdline`, 'latin1')).includes(password));
        }
        assert.equal((await stat(redis.dataDir)).mode & 0o077, 0);
      },
      { password },
    );
  });

  it('keeps what it acknowledged through kill -9 when every write is flushed', async () => {
    const redis = await startTestRedis({ appendfsync: 'always' });
    await withClient(redis.port, (client) => client.set('kept', 'yes'));
    await redis.kill('SIGKILL');
    const again = await redis.restart();
    assert.equal(again.port, redis.port);
    assert.equal(await withClient(again.port, (client) => client.get('kept')), 'yes');
    await again.close();
  });

  it('says with its last output why it did not start', async () => {
    const taken = createServer().listen(0, '127.0.0.1');
    await new Promise((next) => taken.once('listening', next));
    const address = taken.address();
    const port = typeof address === 'object' && address !== null ? address.port : 0;
    const dataDir = await mkdtemp(join(tmpdir(), 'weir-redis-'));
    await assert.rejects(startRedis({ port, dataDir }), /did not start on port \d+.*(in use|bind)/is);
    await assert.rejects(startRedis({ port: 0, dataDir, maxMemory: 'lots' }), /did not start/);
    taken.close();
    await rm(dataDir, { recursive: true });
  });

  it('writes its process id before it loads its data, so that the next start can end it after a crash', async () => {
    const dataDir = await mkdtemp(join(tmpdir(), 'weir-redis-'));
    const pidFile = join(dataDir, 'redis.pid');
    const filled = await startTestRedis({ dataDir, appendfsync: 'always' });
    await withClient(filled.port, (client) => client.mset('a', '1', 'b', '2', 'c', '3'));
    await filled.kill('SIGTERM');
    // Microseconds for each key.
    const slow = { 'key-load-delay': '20000000' };
    const starting = startTestRedis({ dataDir, appendfsync: 'always', port: filled.port, pidFile, config: slow });
    const refused = assert.rejects(starting, /did not start/);
    for (let waited = 0; !existsSync(pidFile) && waited < 10_000; waited += 20) await sleep(20);
    assert.match(await readFile(pidFile, 'utf8'), /^\d+\n/);
    await endLeftover(pidFile, dataDir);
    await refused;
    await rm(dataDir, { recursive: true });
  });

  it('ends a redis-server that a crash left running in its folder, and no other process', async () => {
    const redis = await startTestRedis();
    const pidFile = join(redis.dataDir, 'pid');
    await writeFile(pidFile, String(redis.pid));
    await endLeftover(pidFile, redis.dataDir);
    await redis.exited;
    const stranger = spawn(process.execPath, ['-e', 'setTimeout(() => {}, 30000)'], { stdio: 'ignore' });
    await writeFile(pidFile, String(stranger.pid));
    await endLeftover(pidFile, redis.dataDir);
    assert.equal(stranger.exitCode, null);
    stranger.kill('SIGKILL');
    await redis.close();
  });
});

describe('findRedis', () => {
  it('reads the major version', () => {
    assert.equal(majorVersion('Redis server v=7.0.15 sha=00000000:0 malloc=jemalloc'), 7);
    assert.equal(majorVersion('Valkey'), undefined);
  });

  it('finds one on the PATH, skips an old one, and says what to do when there is none', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'weir-path-'));
    const old = join(folder, 'redis-server');
    assert.throws(() => findRedis({ PATH: folder }), /is not on the PATH: install it/);
    await writeFile(old, '#!/bin/sh\necho "Redis server v=6.2.1 sha=0"\n');
    await chmod(old, 0o755);
    assert.throws(
      () => findRedis({ PATH: folder }),
      (error: unknown) => {
        assert.ok(error instanceof RedisMissing);
        assert.match(error.message, /older: install a newer one/);
        return true;
      },
    );
    const found = findRedis({ PATH: `${folder}:${process.env.PATH}` });
    assert.notEqual(found, old);
    await rm(folder, { recursive: true });
  });
});

describe('ensureRedis', () => {
  const telling = (said: string[]): Progress => ({
    say: (line) => said.push(line),
    during(what, work) {
      said.push(what);
      return work();
    },
  });

  /** A PATH with a fake package manager, whose install creates redis-server. */
  async function withManager(use: (env: Record<string, string>) => Promise<void>): Promise<void> {
    const folder = await mkdtemp(join(tmpdir(), 'weir-manager-'));
    const scripts = {
      'apt-get': `[ "$1" = --version ] && exit 0
        echo "$DEBIAN_FRONTEND $*" >> ${folder}/log
        [ -e ${folder}/fail ] && { echo "E: no network" >&2; exit 100; }
        [ "$1" = install ] || exit 0
        printf '#!/bin/sh\necho "Redis server v=7.2.4 sha=0"\n' > ${folder}/redis-server
        /bin/chmod +x ${folder}/redis-server`,
      systemctl: `echo "systemctl $*" >> ${folder}/log`,
      sudo: 'shift; exec "$@"',
      env: 'exec /usr/bin/env "$@"',
      true: 'exit 0',
    };
    for (const [name, script] of Object.entries(scripts)) {
      await writeFile(join(folder, name), `#!/bin/sh\n${script}\n`);
      await chmod(join(folder, name), 0o755);
    }
    await use({ PATH: folder });
    await rm(folder, { recursive: true });
  }

  it('installs it with the system’s package manager, without questions', () =>
    withManager(async (env) => {
      const said: string[] = [];
      const installed = await ensureRedis(telling(said), env);
      assert.equal(installed, join(env.PATH!, 'redis-server'));
      assert.match(said.join(), /^redis-server is missing: installing it with apt-get/);
      const log = await readFile(join(env.PATH!, 'log'), 'utf8');
      assert.equal(
        log,
        'noninteractive update\nnoninteractive install -y --no-install-recommends -o DPkg::Lock::Timeout=300 redis-server\n' +
          // The package starts a service, which would hold the port.
          'systemctl disable --now redis-server\n',
      );
      const again = await ensureRedis(telling(said), env);
      assert.equal(again, join(env.PATH!, 'redis-server'));
      assert.equal(said.length, 1, 'installed once');
    }));

  it('does not disable the service of an older redis-server', () =>
    withManager(async (env) => {
      await writeFile(join(env.PATH!, 'redis-server'), '#!/bin/sh\necho "Redis server v=6.2.1 sha=0"\n');
      await chmod(join(env.PATH!, 'redis-server'), 0o755);
      await ensureRedis(telling([]), env);
      assert.doesNotMatch(await readFile(join(env.PATH!, 'log'), 'utf8'), /systemctl/);
    }));

  it('says what failed and what to do when that fails or there is no package manager', () =>
    withManager(async (env) => {
      await writeFile(join(env.PATH!, 'fail'), '');
      await assert.rejects(
        ensureRedis(telling([]), env),
        /"apt-get update" failed \(E: no network\): install .* by hand and start again\./,
      );
      const nothing = await mkdtemp(join(tmpdir(), 'weir-path-'));
      await assert.rejects(ensureRedis(telling([]), { PATH: nothing }), /is not on the PATH: install it/);
      await rm(nothing, { recursive: true });
    }));
});

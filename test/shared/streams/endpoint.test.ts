import assert from 'node:assert/strict';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, describe, it } from 'node:test';
import { SettingsError } from '#weir/shared/settings';
import { connectCommands, waitForRedis } from '#weir/shared/streams/client';
import {
  clusterNodes,
  optionsOf,
  sentinelOptionsOf,
  sentinelsIn,
  withoutPassword,
} from '#weir/shared/streams/endpoint';
import { createCertificate } from '../../support/network/certificate.js';
import { startTestRedis } from '../../support/stores/redis.js';
import { until } from '../../support/wait.js';

const folder = mkdtempSync(join(tmpdir(), 'weir-endpoint-'));
after(() => rmSync(folder, { recursive: true, force: true }));

function file(name: string, text: string): string {
  const path = join(folder, name);
  writeFileSync(path, text);
  return path;
}

describe('the address of Redis', () => {
  it('names a server, or the Sentinels that know it, with user, password and TLS', () => {
    const { host, port, db, username, password, tls } = optionsOf({ redisUrl: 'rediss://we%40ir:s%2Fx@[::1]:7000/3' });
    assert.deepEqual(
      { host, port, db, username, password, tls },
      {
        host: '::1',
        port: 7000,
        db: 3,
        username: 'we@ir',
        password: 's/x',
        tls: {},
      },
    );
    assert.equal(optionsOf({ redisUrl: 'redis://cache' }).port, 6379);
    const watched = optionsOf({ redisUrl: 'rediss-sentinel://weir:pw@a.test,b.test:7001,[::1]:7002/main' });
    assert.deepEqual(watched.sentinels, [
      { host: 'a.test', port: 26_379 },
      { host: 'b.test', port: 7001 },
      { host: '::1', port: 7002 },
    ]);
    const { name, role, enableTLSForSentinelMode, sentinelTLS } = watched;
    assert.deepEqual(
      { name, role, enableTLSForSentinelMode, sentinelTLS },
      {
        name: 'main',
        role: 'master',
        enableTLSForSentinelMode: true,
        sentinelTLS: {},
      },
    );
    assert.deepEqual([watched.username, watched.password], ['weir', 'pw']);
  });

  it('names Sentinels that can be asked themselves, and servers behind them', () => {
    const redisUrl = 'rediss-sentinel://weir:pw@a.test,b.test:7001/main';
    assert.equal(sentinelsIn({ redisUrl: 'redis://cache' }), undefined);
    const { name, hosts } = sentinelsIn({ redisUrl })!;
    assert.deepEqual([name, hosts.length], ['main', 2]);
    const endpoint = { redisUrl, redisSentinelUser: 'asks', redisSentinelPasswordFile: file('asks', 'other\n') };
    assert.deepEqual(sentinelOptionsOf(endpoint, hosts[1]!), {
      host: 'b.test',
      port: 7001,
      username: 'asks',
      password: 'other',
      tls: {},
    });
    const server = optionsOf(endpoint, { host: 'c.test', port: 7002 });
    assert.deepEqual([server.host, server.port, server.username, server.password], ['c.test', 7002, 'weir', 'pw']);
    assert.deepEqual([server.sentinels, server.tls], [undefined, {}]);
  });

  it('names some nodes of a Cluster, and none of anything else', () => {
    const redisUrl = 'rediss-cluster://weir:pw@a.test:7000,b.test,[::1]:7002';
    const nodes = [
      { host: 'a.test', port: 7000 },
      { host: 'b.test', port: 6379 },
      { host: '::1', port: 7002 },
    ];
    assert.deepEqual(clusterNodes({ redisUrl }), nodes);
    const { host, port, username, password, tls } = optionsOf({ redisUrl }, nodes[2]);
    assert.deepEqual(
      { host, port, username, password, tls },
      { ...nodes[2], username: 'weir', password: 'pw', tls: {} },
    );
    assert.equal(clusterNodes({ redisUrl: 'redis-sentinel://a,b/main' }), undefined);
    assert.equal(clusterNodes({ redisUrl: 'redis://a' }), undefined);
  });

  it('is refused in words, without what it holds, where it is none', () => {
    for (const redisUrl of [
      'secret',
      'http://me:secret@host',
      'redis:me:secret@host',
      'redis://host/secret',
      'redis-sentinel://secret@host:1',
      'redis-sentinel://secret@host:99999/main',
      'redis-sentinel://secret@/main',
      'redis-cluster://secret@host:1/main',
      'redis-cluster://secret@',
      'redis://:50%secret@host',
      'redis-sentinel://:50%secret@a/main',
      'redis://host?password=secret',
    ]) {
      assert.throws(
        () => optionsOf({ redisUrl }),
        (error: Error) =>
          error instanceof SettingsError &&
          /^WEIR_REDIS_URL .*redis:/.test(error.message) &&
          !error.message.includes('secret'),
        redisUrl,
      );
    }
  });

  it('has neither user nor password in a message, also when the slashes are missing', () => {
    assert.equal(withoutPassword('redis://me:secret@host:6379/0'), 'redis://host:6379/0');
    assert.equal(withoutPassword('redis-sentinel://me:secret@a:1,b/main'), 'redis-sentinel://a:1,b/main');
    assert.equal(withoutPassword('rediss-cluster://me:secret@a:1,b'), 'rediss-cluster://a:1,b');
    for (const misspelt of ['redis:me:secret@host', 'me:secret@host:6379', 'redis:/:secret@host', 'secret@host']) {
      assert.doesNotMatch(withoutPassword(misspelt), /secret/, misspelt);
    }
  });

  it('takes passwords and certificates from files, and says which cannot be read or contradict each other', () => {
    const redisPasswordFile = file('password', 'from a file\n');
    assert.equal(optionsOf({ redisUrl: 'redis://host', redisPasswordFile }).password, 'from a file');
    const redisSentinelPasswordFile = file('sentinel', 'of the sentinels');
    const watched = optionsOf({
      redisUrl: 'redis-sentinel://a/main',
      redisPasswordFile,
      redisSentinelUser: 'asker',
      redisSentinelPasswordFile,
    });
    const { password, sentinelUsername, sentinelPassword } = watched;
    assert.deepEqual([password, sentinelUsername, sentinelPassword], ['from a file', 'asker', 'of the sentinels']);
    assert.throws(() => optionsOf({ redisUrl: 'redis://:own@host', redisPasswordFile }), /leave one out/);
    assert.throws(
      () => optionsOf({ redisUrl: 'redis://host', redisPasswordFile: join(folder, 'none') }),
      /^SettingsError|WEIR_REDIS_PASSWORD_FILE: ENOENT/,
    );
    assert.throws(() => optionsOf({ redisUrl: 'rediss://host', redisCertFile: redisPasswordFile }), /belong together/);
  });
});

describe('a connection to Redis', () => {
  it('is encrypted, and shows a certificate of its own, where that is asked for', async () => {
    const { key, cert } = createCertificate(['localhost']);
    const [redisKeyFile, redisCertFile] = [file('key.pem', key), file('cert.pem', cert)];
    const server = await startTestRedis({
      config: {
        'tls-port': '0',
        'tls-cert-file': redisCertFile,
        'tls-key-file': redisKeyFile,
        'tls-ca-cert-file': redisCertFile,
      },
    });
    const plain = connectCommands({ redisUrl: server.url }, 'test');
    await plain.connect();
    // A free port, which redis-server finds by itself only for the plain one.
    let port = server.port + 1;
    while ((await plain.config('SET', 'tls-port', String(port)).catch(() => '')) !== 'OK') port++;
    const redisUrl = `rediss://localhost:${port}`;
    const whole = { redisUrl, redisCaFile: redisCertFile, redisCertFile, redisKeyFile };
    try {
      const redis = connectCommands(whole, 'test');
      await waitForRedis(redis, whole, { timeoutMs: 30_000 });
      assert.equal(await redis.set('a', 'b'), 'OK');
      redis.disconnect();
      for (const [endpoint, why] of [
        [{ redisUrl, redisCertFile, redisKeyFile }, /self-signed certificate/],
        [{ redisUrl, redisCaFile: redisCertFile }, /closed|ECONNRESET|alert|certificate/i],
      ] as const) {
        const refused = connectCommands(endpoint, 'test');
        await assert.rejects(waitForRedis(refused, endpoint, { timeoutMs: 300 }), why);
        refused.disconnect();
      }
    } finally {
      plain.disconnect();
      await server.close();
    }
  });

  it('goes on with the password that its file has now, once the old one is gone and connections are cut', async () => {
    const server = await startTestRedis({ password: 'first' });
    const redisPasswordFile = file('rotated', 'first');
    const endpoint = { redisUrl: `redis://127.0.0.1:${server.port}`, redisPasswordFile };
    const redis = connectCommands(endpoint, 'test');
    redis.on('error', () => undefined);
    try {
      await waitForRedis(redis, endpoint);
      await redis.config('SET', 'requirepass', 'second');
      writeFileSync(redisPasswordFile, 'second\n');
      await redis.call('CLIENT', 'KILL', 'TYPE', 'normal', 'SKIPME', 'no').catch(() => undefined);
      await until('it is connected again', async () => (await redis.set('a', '1').catch(() => '')) === 'OK');
    } finally {
      redis.disconnect();
      await server.close();
    }
  });

  it('is waited for without an end, and says so with the reason, where that is asked for', async () => {
    const server = await startTestRedis({ password: 'right' });
    const wrong = { redisUrl: `redis://:wrong@127.0.0.1:${server.port}` };
    const redis = connectCommands(wrong, 'test');
    const said: string[] = [];
    const waited = waitForRedis(redis, wrong, { say: (line) => said.push(line) });
    try {
      await until('it is said', () => said.length > 0);
      assert.match(
        said[0]!,
        /^Redis at redis:\/\/127\.0\.0\.1:\d+ cannot be reached \(.*(user|password).*\)\. .* Trying on\.$/,
      );
      assert.doesNotMatch(said[0]!, /wrong/);
      const other = connectCommands({ redisUrl: server.url }, 'test');
      await other.connect();
      await other.config('SET', 'requirepass', 'wrong');
      other.disconnect();
      await waited;
    } finally {
      redis.disconnect();
      await server.close();
    }
  });
});

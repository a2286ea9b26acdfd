/** The password of ClickHouse from a file, and what is said when ClickHouse goes and comes. */
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { ENGINE_USERS, passwordsOf } from '#weir/deploy/local/credentials';
import { createHistoryClient, type HistoryClient } from '#weir/shared/history/client';
import { migrate } from '#weir/shared/history/migrate';
import { troubleOf, watchHistory } from '#weir/shared/history/watch';
import { createLogger } from '#weir/shared/log';
import { programPath } from '#weir/shared/paths';
import { createRegistry } from '#weir/shared/telemetry';
import { startTestClickHouse, type TestClickHouse } from '../../support/stores/clickhouse.js';
import { startTestRedis } from '../../support/stores/redis.js';
import { until } from '../../support/wait.js';

let engine: TestClickHouse;
let client: HistoryClient;
const folder = mkdtempSync(join(tmpdir(), 'weir-password-'));
const passwordFile = join(folder, 'password');
const address = (): { url: string; database: string; passwordFile: string } => ({
  url: `http://${ENGINE_USERS.writer}@127.0.0.1:${engine.port}`,
  database: 'weir',
  passwordFile,
});

before(async () => {
  engine = await startTestClickHouse();
  writeFileSync(passwordFile, `${passwordsOf(engine.dataDir).writer}\n`);
  client = createHistoryClient(address());
});
after(async () => {
  await client?.close();
  await engine?.close();
  rmSync(folder, { recursive: true });
});

/** Starts the engine again, with another password of the user who writes. */
async function restartWith(writer: string): Promise<void> {
  await engine.kill('SIGTERM');
  const path = join(engine.dataDir, 'passwords.json');
  writeFileSync(path, JSON.stringify({ ...JSON.parse(readFileSync(path, 'utf8')), writer }));
  engine = await engine.restart();
}

describe('ClickHouse with a password in a file', () => {
  it('is used with it, also by migrate, and a missing table is said in words', async () => {
    assert.equal(await troubleOf(client, 5000), 'It has no tables yet: weir migrate.');
    await migrate(address());
    assert.equal(await troubleOf(client, 5000), undefined);
  });

  it('takes a password that was changed at the next request, for statements and inserts alike', async () => {
    const lines: string[] = [];
    const logger = createLogger('test', 'silent');
    logger.warn = (given: unknown, text?: string) => void lines.push(`${(given as { why: string }).why} ${text}`);
    logger.info = (given: unknown) => void lines.push(String(given));
    const registry = createRegistry('test');
    const unwatch = watchHistory(address(), logger, registry);
    const isUp = async (): Promise<number> =>
      (await registry.getSingleMetric('weir_clickhouse_up')!.get()).values[0]!.value;
    try {
      assert.equal(await isUp(), 1);
      await restartWith('a second one');
      assert.match((await troubleOf(client, 5000)) ?? '', /^It refuses our user or password: /);
      await until('its loss is said', () => lines.length > 0);
      assert.equal(await isUp(), 0);
      writeFileSync(passwordFile, 'a second one\n');
      assert.equal(await troubleOf(client, 5000), undefined);
      const row = { version: 900, name: 'rotated', checksum: 'none' };
      await client.insert({ table: 'schema_migrations', values: [row], format: 'JSONEachRow' });
      await client.exec({ query: 'SELECT 1' }).then(({ stream }) => stream.resume());
      await client.command({ query: 'SELECT 1' });
      await until('its return is said', () => lines.length > 1);
      assert.match(lines[0]!, /^It (cannot be reached \(ECONN|refuses our user or password: ).* ClickHouse is away$/);
      assert.deepEqual(lines.slice(1), ['ClickHouse is back']);
      assert.equal(await isUp(), 1);
      // While the file is away, what was read last is used.
      rmSync(passwordFile);
      assert.equal(await troubleOf(client, 5000), undefined);
    } finally {
      unwatch();
    }
  });

  it('is missed by each process, in a line of its log, and used by them with the file', async () => {
    writeFileSync(passwordFile, 'another one');
    const redis = await startTestRedis();
    const { url, passwordFile: WEIR_CLICKHOUSE_PASSWORD_FILE } = address();
    const ports = { WEIR_PORT: '0', WEIR_METRICS_PORT: '0', WEIR_LOG_LEVEL: 'info' };
    const env = { WEIR_REDIS_URL: redis.url, WEIR_CLICKHOUSE_URL: url, WEIR_CLICKHOUSE_PASSWORD_FILE, ...ports };
    const said = { ingress: '', worker: '' };
    const processes = (['ingress', 'worker'] as const).map((name) => {
      const child = spawn(process.execPath, [programPath(name)], {
        env: { ...process.env, ...env },
        stdio: ['ignore', 'pipe', 'inherit'],
      });
      child.stdout.on('data', (chunk) => {
        said[name] += chunk;
      });
      return child;
    });
    const both = (line: RegExp) => (): boolean => Object.values(said).every((text) => line.test(text));
    try {
      await until('both say that it is away', both(/"why":"It refuses our user or password: .*"ClickHouse is away"/));
      writeFileSync(passwordFile, 'a second one');
      await until('both say that it is back', both(/"ClickHouse is back"/));
      for (const text of Object.values(said)) assert.equal(text.match(/ClickHouse is/g)?.length, 2, text);
    } finally {
      for (const child of processes) if (child.kill('SIGKILL')) await once(child, 'exit');
      await redis.close();
    }
  });

  it('says in words what is wrong with an address or a file', async () => {
    writeFileSync(passwordFile, 'a second one');
    const both = { ...address(), url: 'http://weir:own@127.0.0.1:1' };
    assert.throws(() => createHistoryClient(both), /WEIR_CLICKHOUSE_URL has a password.*leave one out/);
    assert.throws(
      () => createHistoryClient({ ...address(), passwordFile: join(folder, 'none') }),
      /WEIR_CLICKHOUSE_PASSWORD_FILE: .*none: .*Name a file/,
    );
    const absent = createHistoryClient({ url: 'http://127.0.0.1:1', database: 'weir' });
    assert.equal(await troubleOf(absent, 5000), 'It cannot be reached (ECONNREFUSED).');
    await absent.close();
  });
});

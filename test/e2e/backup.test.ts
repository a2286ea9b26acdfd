/** An installation that is restored from a backup, by the commands of docs/operations/backup.md. */
import assert from 'node:assert/strict';
import { cpSync, existsSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, describe, it } from 'node:test';
import { freePort } from '#weir/deploy/local/ports';
import { commandsBelow, shell } from '../support/commands.ts';
import { pluck } from '../support/pluck.ts';
import { CARD, configuration } from './configuration.ts';
import { newFolder, newRun, type System, startSystem } from './system.ts';

const PAGE = 'docs/operations/backup.md';

describe('a backup', () => {
  const folder = mkdtempSync(join(tmpdir(), 'weir-backup-'));
  after(() => rmSync(folder, { recursive: true, force: true }));

  /** Checks a batch; returns the paths of look-ups, and what they answer. */
  async function checked(system: System): Promise<[path: string, text: string][]> {
    const run = newRun();
    const { json } = await system.events(
      [
        { type: 'tool', event_id: 'e', output: `${CARD} hush`, metadata: { a: 1 } },
        { type: 'tool', event_id: 'f', output: 'fine' },
      ],
      { run_id: run },
    );
    const [first] = pluck(json.order as { internal_event_id: string }[], 'internal_event_id');
    const paths = [
      `/api/event/${first}?environment_id=prod`,
      `/api/event?environment_id=prod&run_id=${run}&event_id=f`,
    ];
    const answers: [string, string][] = [];
    for (const path of paths) {
      const answer = await system.get(path);
      assert.equal(answer.status, 200);
      answers.push([path, answer.text]);
    }
    return answers;
  }

  async function isThere(system: System, kept: readonly [path: string, text: string][]): Promise<void> {
    for (const [path, text] of kept) {
      const answer = await system.get(path);
      assert.equal(answer.status, 200, path);
      // But for the id of the request itself, both are of the same check.
      assert.deepEqual(JSON.parse(answer.text), JSON.parse(text), path);
    }
  }

  const rows = async (system: System): Promise<unknown> =>
    (await system.sql('SELECT toUInt32(count()) AS rows, toUInt32(uniqExact(id)) AS ids FROM weir.results'))[0];

  it('of Redis that is not whole is refused before anything is restored', async () => {
    const [, restore] = commandsBelow(PAGE, 'Redis');
    const data = join(folder, 'cut');
    mkdirSync(data);
    // The head of a snapshot, and no more.
    writeFileSync(join(data, 'redis.rdb'), 'REDIS0011\xfa\x09redis-ver\x057.0.1', 'latin1');
    await assert.rejects(
      shell(restore!, { env: { BACKUP: data, DATA: data, PORT: '0' } }),
      /Unexpected EOF|RDB ERROR/i,
    );
    assert.ok(!existsSync(join(data, 'dump.rdb')));
  });

  it('of Redis, and later of ClickHouse, brings back all that is in either, once', async () => {
    const [one, two] = [newFolder(), newFolder()];
    let system = await startSystem({ dataDir: one, appendfsync: 'everysec' });
    try {
      const archived = await checked(system);
      await system.archived();
      const before = await checked(system);
      const [take, restore] = commandsBelow(PAGE, 'Redis');
      const { hostname, port, password } = new URL(system.stack.redisUrl);
      const access = { REDIS_HOST: hostname, REDIS_PORT: port, REDISCLI_AUTH: password };
      await shell(take!, { env: { ...access, BACKUP: folder } });
      assert.ok(existsSync(join(folder, 'redis.rdb')));
      const later = await checked(system);
      await system.archived();
      await system.close();
      // ClickHouse is saved at a standstill: the embedded engine lets nobody run BACKUP (`test/shared/history/backup.test.ts` does).
      cpSync(join(one, 'clickhouse'), join(two, 'clickhouse'), { recursive: true });
      const data = join(two, 'redis');
      mkdirSync(data);
      const PORT = String(await freePort());
      await shell(restore!, { env: { BACKUP: folder, DATA: data, PORT } }).catch(async (error: unknown) => {
        // What it has started would go on.
        await shell('redis-cli -p "$PORT" shutdown nosave || true', { env: { PORT } });
        throw error;
      });
      assert.ok(existsSync(join(data, 'appendonlydir')));

      system = await startSystem({ dataDir: two, configuration: undefined, appendfsync: 'everysec' });
      await system.archived();
      await isThere(system, [...archived, ...before, ...later]);
      assert.deepEqual(await rows(system), { rows: 6, ids: 6 });
      const version = await system.apply(configuration({ sesame: 'another word' }));
      assert.ok(version >= 2, String(version));
      await isThere(system, await checked(system));
      await system.archived();
      assert.deepEqual(await rows(system), { rows: 8, ids: 8 });
    } finally {
      await system.close();
      for (const path of [one, two]) rmSync(path, { recursive: true, force: true });
    }
  });

  it('of the whole folder is an installation of its own', async () => {
    const [one, two] = [newFolder(), newFolder()];
    let system = await startSystem({ dataDir: one, appendfsync: 'everysec' });
    try {
      const kept = await checked(system);
      await system.close();
      cpSync(one, two, { recursive: true });
      system = await startSystem({ dataDir: two, configuration: undefined, appendfsync: 'everysec' });
      await system.archived();
      await isThere(system, kept);
      assert.deepEqual(await rows(system), { rows: 2, ids: 2 });
    } finally {
      await system.close();
      for (const path of [one, two]) rmSync(path, { recursive: true, force: true });
    }
  });
});

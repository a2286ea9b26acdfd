/** What an archiver that goes on writes anew to a ClickHouse that has lost it. */
import assert from 'node:assert/strict';
import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { createHistoryClient } from '#weir/shared/history/client';
import { createLogger } from '#weir/shared/log';
import { activate, storeVersion } from '#weir/shared/streams/configuration';
import { createConfigurationRows } from '#weir/workers/archiver/configurations';
import { fillHistory, startTestHistory } from '../../support/stores/clickhouse.ts';
import { sharedRedis } from '../../support/stores/redis.ts';
import { until } from '../../support/wait.ts';

const { redis } = await sharedRedis();
let engine = await startTestHistory();
const client = createHistoryClient({ url: engine.url, database: 'weir' });
after(async () => {
  await client.close();
  await engine.close();
});

/** Makes a version active with keys, of which one expires a second later. */
async function apply(ids: string[]): Promise<void> {
  const keys = ids.map((id) => ({ id, team: 'acme', sha256: id.repeat(64) }));
  const expires = {
    id: 'z',
    team: 'acme',
    sha256: 'f'.repeat(64),
    expires_at: new Date(Date.now() + 1000).toISOString(),
  };
  const version = await storeVersion(redis, JSON.stringify({ version: 1, keys: [...keys, expires], policies: [] }));
  await activate(redis, version, { user: 'ann', host: 'desk', message: ids.join() });
}

async function stored(): Promise<{ configurations: unknown[]; acts: unknown[] }> {
  const rowsOf = async (query: string) => (await client.query({ query, format: 'JSONEachRow' })).json<object>();
  return {
    configurations: await rowsOf('SELECT number, id, applied, message FROM configurations FINAL ORDER BY number'),
    acts: await rowsOf('SELECT DISTINCT * FROM audit FINAL ORDER BY ts, id'),
  };
}

test('versions, and what the audit log says of them, are written anew to a ClickHouse that begins empty, and to one that is restored', async () => {
  await apply(['a']);
  await apply(['a', 'b']);
  const rows = createConfigurationRows({
    redis,
    clickhouse: client,
    logger: createLogger('archiver', 'silent'),
    believedMs: 0,
  });
  await until('the key of the second version has expired', async () => {
    await rows.writeNew();
    const [{ n } = { n: 0 }] = await (
      await client.query({
        query: "SELECT toUInt8(count()) AS n FROM audit FINAL WHERE action = 'key.expired'",
        format: 'JSONEachRow',
      })
    ).json<{ n: number }>();
    return n > 0;
  });
  const before = await stored();
  assert.equal(before.configurations.length, 2);
  await engine.kill('SIGKILL');
  rmSync(join(engine.dataDir, 'clickhouse'), { recursive: true });
  await fillHistory(engine.dataDir);
  engine = await engine.restart();
  assert.deepEqual(await stored(), { configurations: [], acts: [] });
  await rows.writeNew();
  assert.deepEqual(await stored(), before);
  // A backup of before the second version; nothing has failed meanwhile.
  for (const query of [
    "ALTER TABLE configurations DELETE WHERE message = 'a,b' SETTINGS mutations_sync = 2",
    `ALTER TABLE audit DELETE WHERE ts >= '${String((before.configurations[1] as { applied: string }).applied)}' SETTINGS mutations_sync = 2`,
  ])
    await client.command({ query });
  assert.equal((await stored()).configurations.length, 1);
  await rows.writeNew();
  assert.deepEqual(await stored(), before);
});

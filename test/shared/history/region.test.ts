/** Rows have the name of the region that they are of. */
import assert from 'node:assert/strict';
import { cpSync, mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { createHistoryClient, type HistoryClient } from '#weir/shared/history/client';
import { MigrationError, migrate } from '#weir/shared/history/migrate';
import { packageRoot } from '#weir/shared/paths';
import { unpackRows } from '#weir/workers/rows/unpack-rows';
import { startTestClickHouse } from '../../support/stores/clickhouse.ts';
import { encodeRows } from '../../support/stores/encoded.ts';
import { rowItem, rowRequest, violating } from '../../support/stores/history.ts';
import { insertRows } from '../../support/stores/insert.ts';

const FOLDER = 'shared/history/migrations';
const earlier = mkdtempSync(join(tmpdir(), 'weir-migrations-'));
for (const file of readdirSync(join(packageRoot, FOLDER)).filter((name) => name < '006')) {
  cpSync(join(packageRoot, FOLDER, file), join(earlier, file));
}
after(() => rmSync(earlier, { recursive: true }));

async function regionsOf(client: HistoryClient, table: string): Promise<Record<string, number>> {
  const query = `SELECT ifNull(region, '') AS region, count() AS items FROM ${table} GROUP BY region ORDER BY region`;
  const rows = await (await client.query({ query, format: 'JSONEachRow' })).json<{ region: string; items: string }>();
  return Object.fromEntries(rows.map(({ region, items }) => [region, Number(items)]));
}

test('rows have the name of the region, those that were stored before it was known, too [regions.rows]', async () => {
  const { url, close } = await startTestClickHouse();
  const client = createHistoryClient({ url, database: 'weir' });
  const store = (): Promise<void> =>
    insertRows(client, unpackRows('1', encodeRows(rowRequest(), [rowItem(1, { verdict: violating })])).bytes);
  try {
    await migrate({ url, database: 'weir', folder: earlier });
    await store();
    assert.ok((await migrate({ url, database: 'weir' })) >= 1);
    assert.deepEqual(await regionsOf(client, 'results'), { '': 1 });
    const said: string[] = [];
    const named = { url, database: 'weir', region: 'eu', log: (line: string) => said.push(line) };
    assert.equal(await migrate(named), 0);
    assert.deepEqual(
      said,
      ['appeals', 'audit', 'configurations', 'images', 'items', 'labels', 'metrics', 'shadow_checks', 'traces'].map(
        (table) => `rows of ${table} are of the region eu`,
      ),
    );
    await store();
    for (const view of ['results', 'violations', 'items']) assert.deepEqual(await regionsOf(client, view), { eu: 2 });
    // Nor is anything changed without a name.
    assert.equal(await migrate(named), 0);
    assert.equal(await migrate({ url, database: 'weir' }), 0);
    assert.equal(said.length, 9);
    await store();
    assert.deepEqual(await regionsOf(client, 'violations'), { eu: 3 });
    await assert.rejects(migrate({ url, database: 'weir', region: "eu'" }), MigrationError);
  } finally {
    await client.close();
    await close();
  }
});

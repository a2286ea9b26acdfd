/** That rows of checks wait while what stores them is not all there. */
import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { createHistoryClient } from '#weir/shared/history/client';
import { createWholeHistory, VIEWS_OF } from '#weir/workers/archiver/whole';
import { insertOf } from '#weir/workers/rows/columns';
import { sendRows } from '#weir/workers/rows/send-rows';
import { unpackRows } from '#weir/workers/rows/unpack-rows';
import { startTestHistory } from '../../support/stores/clickhouse.ts';
import { encodeRows } from '../../support/stores/encoded.ts';
import { rowItem, rowRequest } from '../../support/stores/history.ts';

const engine = await startTestHistory();
const client = createHistoryClient({ url: engine.url, database: 'weir' });
after(async () => {
  await client.close();
  await engine.close();
});
const { signal } = new AbortController();
const run = async (query: string): Promise<void> => {
  await client.command({ query });
};
const rowsOf = async <T>(query: string) => (await client.query({ query, format: 'JSONEachRow' })).json<T>();

test('the views that are looked for are those that the migrations make', async () => {
  const query =
    "SELECT name, arraySort(dependencies_table) AS views FROM system.tables WHERE database = 'weir' AND engine = 'Null'";
  const made = await rowsOf<{ name: string; views: string[] }>(query);
  assert.deepEqual(Object.fromEntries(made.map(({ name, views }) => [name, views])), VIEWS_OF);
});

test('rows wait for a view that is made after its table, as RESTORE does it, and are stored then', async () => {
  const items = [rowItem(1)];
  const stored = async () =>
    (await rowsOf<{ id: string }>('SELECT DISTINCT request_id AS id FROM items')).map(({ id }) => id);
  const insert = async (whole = createWholeHistory(client)): Promise<string> => {
    const request = rowRequest();
    const rows = [Buffer.from(unpackRows('3', encodeRows(request, items)).bytes)];
    await whole.insert(() => sendRows(client, insertOf('1'), rows, signal), signal);
    return request.id;
  };
  // One that archives all the time, and one that has had nothing to insert for a while.
  const [busy, idle] = [createWholeHistory(client, 600_000), createWholeHistory(client, 0)];
  const acknowledged = [await insert(busy), await insert(idle)];
  await run('RENAME TABLE checked TO away');
  // What fails makes it unsure again.
  await assert.rejects(insert(busy), /UNKNOWN_TABLE/);
  await assert.rejects(insert(idle), /history lacks checked,/);
  await run('CREATE TABLE checked AS away ENGINE = Null');
  for (const whole of [busy, idle, createWholeHistory(client)])
    await assert.rejects(insert(whole), /history lacks checked_contents, checked_items, .*weir migrate/);
  await run('DROP TABLE checked SYNC');
  await run('RENAME TABLE away TO checked');
  acknowledged.push(await insert(busy), await insert(idle));
  assert.deepEqual((await stored()).sort(), acknowledged.sort());
});

test('whoever inserts all the time asks nothing', async () => {
  let asked = 0;
  const counting = new Proxy(client, {
    get(target, name) {
      if (name === 'query') asked++;
      return Reflect.get(target, name);
    },
  });
  const whole = createWholeHistory(counting, 600_000);
  for (let n = 0; n < 3; n++) await whole.insert(async () => undefined, signal);
  assert.equal(asked, 1);
});

import assert from 'node:assert/strict';
import { existsSync } from 'node:fs';
import { after, before, describe, it } from 'node:test';
import { type ClickHouseClient, ClickHouseLogLevel, createClient } from '@clickhouse/client';
import { startTestClickHouse, type TestClickHouse } from '../../../support/stores/clickhouse.js';

/** One block of a log, as an archiver inserts it. */
const BLOCK = Array.from({ length: 1000 }, (_, n) => ({ id: n, weight: 2 }));

describe('the engine as a process', () => {
  let engine: TestClickHouse;
  let client: ClickHouseClient;
  const connect = (): void => {
    client = createClient({ url: engine.url, database: 'weir', log: { level: ClickHouseLogLevel.OFF } });
  };
  const insert = (token: string): Promise<unknown> =>
    client.insert({
      table: 'rows',
      values: BLOCK,
      format: 'JSONEachRow',
      clickhouse_settings: {
        insert_deduplication_token: token,
        insert_deduplicate: 1,
        deduplicate_blocks_in_dependent_materialized_views: 1,
      },
    });
  const counted = async (): Promise<unknown> => {
    const result = await client.query({
      query: 'SELECT (SELECT count() FROM rows) AS rows, (SELECT sum(weight) FROM totals) AS weight',
      format: 'JSONCompactEachRow',
    });
    return (await result.json<[string, string]>())[0]!.map(Number);
  };

  before(async () => {
    engine = await startTestClickHouse();
    connect();
    const window = 'SETTINGS non_replicated_deduplication_window = 10000, fsync_after_insert = 1';
    await client.command({
      query: `CREATE TABLE rows (id UInt64, weight UInt64) ENGINE = MergeTree ORDER BY id ${window}`,
    });
    await client.command({
      query: `CREATE TABLE totals (weight UInt64) ENGINE = SummingMergeTree ORDER BY () ${window}`,
    });
    await client.command({
      query: 'CREATE MATERIALIZED VIEW to_totals TO totals AS SELECT sum(weight) AS weight FROM rows',
    });
  });
  after(async () => {
    await client.close();
    await engine.close();
    assert.equal(existsSync(engine.dataDir), false);
  });

  it('stores a block once for each token, in the table and in a view', async () => {
    for (let n = 0; n < 3; n++) await insert('0:1790000000:1');
    assert.deepEqual(await counted(), [1000, 2000]);
    await Promise.all([insert('0:1790000001:1'), insert('0:1790000001:1'), insert('0:1790000001:1')]);
    assert.deepEqual(await counted(), [2000, 4000]);
  });

  it('keeps what it acknowledged through kill -9, and its tokens', async () => {
    await insert('0:1790000002:1');
    let going = true;
    let acknowledged = 3;
    const load = (async () => {
      for (let n = 3; going; n++) {
        await insert(`0:179000000${n}:1`);
        acknowledged++;
      }
    })().catch(() => {});
    await new Promise((next) => setTimeout(next, 150));
    await engine.kill('SIGKILL');
    going = false;
    await load;
    await client.close();
    engine = await engine.restart();
    connect();
    const rows = ((await counted()) as number[])[0]!;
    assert.ok(rows === acknowledged * 1000 || rows === (acknowledged + 1) * 1000, `${rows} of ${acknowledged} blocks`);
    for (let n = 0; n <= acknowledged; n++) await insert(`0:179000000${n}:1`);
    assert.deepEqual(await counted(), [(acknowledged + 1) * 1000, (acknowledged + 1) * 2000]);
  });

  it('ends in order on SIGTERM with a query under way, and starts again', async () => {
    const slow = client.query({ query: 'SELECT sleep(2.5), 7', format: 'JSONCompactEachRow' });
    slow.catch(() => {});
    await new Promise((next) => setTimeout(next, 1000));
    const ended = engine.kill('SIGTERM');
    assert.deepEqual(await (await slow).json(), [[0, 7]]);
    await ended;
    assert.equal(engine.exitCode(), 0);
    await client.close();
    engine = await engine.restart();
    connect();
    assert.equal((await client.ping()).success, true);
  });

  it('refuses a folder that another engine uses, and a port that is taken', async () => {
    const messages: string[] = [];
    for (const options of [{ dataDir: engine.dataDir }, { port: engine.port }]) {
      await assert.rejects(startTestClickHouse({ ...options, onStderr: (text) => messages.push(text) }), /ended while/);
    }
    assert.match(messages.join(''), /The ClickHouse engine cannot start: .*WEIR_CLICKHOUSE_PORT names a port/s);
  });
});

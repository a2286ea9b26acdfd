import assert from 'node:assert/strict';
import { existsSync, rmSync } from 'node:fs';
import { after, before, describe, it } from 'node:test';
import { type ClickHouseClient, ClickHouseLogLevel, createClient } from '@clickhouse/client';
import { INSERT_SETTINGS } from '#weir/workers/rows/send-rows';
import { startTestClickHouse, type TestClickHouse } from '../../../support/stores/clickhouse.js';

const ROWS = 1000;

describe('the engine as a process', () => {
  let engine: TestClickHouse;
  let client: ClickHouseClient;
  const connect = (): void => {
    client = createClient({ url: engine.url, database: 'weir', log: { level: ClickHouseLogLevel.OFF } });
  };
  /** One block, as an archiver inserts it. */
  const insert = (block: number): Promise<unknown> =>
    client.insert({
      table: 'checked',
      values: Array.from({ length: ROWS }, (_, n) => ({ block, n })),
      format: 'JSONEachRow',
      clickhouse_settings: INSERT_SETTINGS,
    });
  const ask = async <T>(query: string): Promise<T[]> =>
    (await client.query({ query, format: 'JSONCompactEachRow' })).json<T>();
  const counted = async (): Promise<number[]> => {
    const [counts] = await ask<string[]>(
      'SELECT (SELECT count() FROM rows FINAL), (SELECT count() FROM copies FINAL), (SELECT count() FROM rows)',
    );
    return counts!.map(Number);
  };

  before(async () => {
    engine = await startTestClickHouse();
    connect();
    // Those of a release that had tokens keep the window until they are migrated.
    const table = (name: string): string => `CREATE TABLE ${name} (block UInt64, n UInt64) ENGINE = ReplacingMergeTree
      ORDER BY (block, n) SETTINGS fsync_after_insert = 1, non_replicated_deduplication_window = 100`;
    for (const name of ['rows', 'copies']) await client.command({ query: table(name) });
    await client.command({ query: 'CREATE TABLE checked (block UInt64, n UInt64) ENGINE = Null' });
    for (const name of ['rows', 'copies']) {
      await client.command({ query: `CREATE MATERIALIZED VIEW to_${name} TO ${name} AS SELECT * FROM checked` });
    }
  });
  after(async () => {
    await client.close();
    await engine.close();
    assert.equal(existsSync(engine.dataDir), false);
  });

  it('keeps what it acknowledged through kill -9, and what is inserted again replaces itself', async () => {
    let going = true;
    let acknowledged = 0;
    const load = (async () => {
      for (let block = 0; going; block++) {
        await insert(block);
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
    const [rows] = await counted();
    assert.ok(rows === acknowledged * ROWS || rows === (acknowledged + 1) * ROWS, `${rows} of ${acknowledged} blocks`);
    for (let block = 0; block <= acknowledged; block++) await insert(block);
    const expected = (acknowledged + 1) * ROWS;
    assert.deepEqual((await counted()).slice(0, 2), [expected, expected]);
  });

  it('stores a block again whose part was not there yet when it was killed', async () => {
    await client.command({ query: 'TRUNCATE TABLE rows' });
    await insert(1001);
    await insert(1002);
    const [[path]] = (await ask<string[]>(
      "SELECT path FROM system.parts WHERE table = 'rows' AND active ORDER BY max_block_number DESC LIMIT 1",
    )) as [[string]];
    await engine.kill('SIGKILL');
    // All that the engine may have done before is there, such as a log of blocks.
    rmSync(path, { recursive: true });
    await client.close();
    engine = await engine.restart();
    connect();
    assert.equal((await counted())[2], ROWS);
    await insert(1002);
    assert.equal((await counted())[2], 2 * ROWS);
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

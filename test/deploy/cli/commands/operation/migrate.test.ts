import assert from 'node:assert/strict';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { run } from '#weir/deploy/cli/main';
import { startTestClickHouse, type TestClickHouse } from '../../../../support/stores/clickhouse.js';
import { fetchSql } from '../../../../support/stores/sql.js';

let engine: TestClickHouse;
let folder: string;

before(async () => {
  engine = await startTestClickHouse();
  folder = await mkdtemp(join(tmpdir(), 'weir-migrate-'));
  process.env.WEIR_CLICKHOUSE_URL = engine.url;
});
after(async () => {
  delete process.env.WEIR_CLICKHOUSE_URL;
  await engine.close();
  await rm(folder, { recursive: true, force: true });
});

async function weir(...args: string[]): Promise<{ code: number; lines: string[] }> {
  const lines: string[] = [];
  const code = await run(args, { out: (line) => lines.push(line), err: (line) => lines.push(line) });
  return { code, lines };
}

const days = async (table: string): Promise<string | undefined> => {
  const response = await fetchSql(`${engine.url}/?query=${encodeURIComponent(`SHOW CREATE TABLE weir.${table}`)}`);
  return /toIntervalDay\((\d+)\)/.exec(await response.text())?.[1];
};

describe('weir migrate', () => {
  it('creates the tables once, and says so', async () => {
    assert.match((await weir('migrate')).lines.join(), /^Applied \d+ migration/);
    assert.deepEqual(await weir('migrate'), { code: 0, lines: ['The tables are up to date.'] });
    assert.equal(await days('items'), '365');
  });

  it('sets the retention of a configuration, and does not change it without one [config.retention]', async () => {
    const file = join(folder, 'weir.yaml');
    await writeFile(file, 'version: 1\nteams: [{id: acme}]\nretention: {content_days: 10, results_days: 100}\n');
    assert.equal((await weir('migrate', '--config', file)).code, 0);
    assert.equal(await days('items'), '100');
    assert.equal(await days('contents'), '10');
    await weir('migrate');
    assert.equal(await days('items'), '100');
  });

  it('says which tables are missing, and how to restore them', async () => {
    const sql = async (statement: string): Promise<void> => {
      const response = await fetchSql(engine.url, { method: 'POST', body: statement });
      assert.equal(response.status, 200, await response.text());
    };
    await sql('DROP TABLE weir.images SYNC');
    await sql('DROP VIEW weir.violations');
    const { code, lines } = await weir('migrate');
    assert.equal(code, 1);
    const said = lines.join('\n');
    assert.match(said, /missing.*weir\.violations \(of 001_results\), weir\.images \(of 002_images_and_shadow\)/);
    await sql(/run "(ALTER TABLE [^"]+)"/.exec(said)![1]!);
    assert.equal((await weir('migrate')).code, 0);
    assert.deepEqual(await weir('migrate'), { code: 0, lines: ['The tables are up to date.'] });
    await sql('SELECT * FROM weir.violations, weir.images');
  });

  it('changes nothing when the configuration has a problem', async () => {
    const file = join(folder, 'bad.yaml');
    await writeFile(file, 'version: 1\nretention: {content_days: -1, results_days: 5}\n');
    assert.equal((await weir('migrate', '--config', file)).code, 1);
    assert.equal(await days('items'), '100');
  });

  it('prints the statements of tables and of readers, which a server understands', async () => {
    for (const [args, count, database = 'weir'] of [
      [['tables', '--cluster', 'c'], /CREATE MATERIALIZED VIEW[^;]*ON CLUSTER c/],
      [['readers'], /CREATE ROLE IF NOT EXISTS weir_reader;/],
      [
        ['readers', '--cluster', 'c'],
        /GRANT ON CLUSTER c SELECT ON weir.results TO weir_reader;[\s\S]* max_execution_time = 60 MIN 1 MAX 60,/,
      ],
      // Roles of another database of the server.
      [
        ['readers'],
        /REVOKE SELECT ON history\.\* FROM weir_reader;[\s\S]*CREATE ROLE IF NOT EXISTS `history\/weir_reader`;[\s\S]* QUOTA OR REPLACE `history\/weir_reader` /,
        'history',
      ],
    ] as const) {
      process.env.WEIR_CLICKHOUSE_DATABASE = database;
      const { code, lines } = await weir('migrate', '--print', ...args);
      assert.equal(code, 0);
      assert.match(lines.join('\n'), count);
      const list = lines.map((line) => `'${line.trim().slice(0, -1).replace(/[\\']/g, '\\$&')}'`);
      const body = `SELECT countIf(formatQuery(arrayJoin([${list}])) != '')`;
      const response = await fetchSql(engine.url, { method: 'POST', body });
      assert.equal(await response.text(), `${lines.length}\n`);
    }
    delete process.env.WEIR_CLICKHOUSE_DATABASE;
    assert.equal((await weir('migrate', '--print', 'all')).code, 2);
  });
});

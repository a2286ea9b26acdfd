/** The statements of docs/operations/backup.md, in an engine with the configuration of that page. */
import assert from 'node:assert/strict';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { Session } from 'chdb';
import { blocksOf, readPage } from '../../docs/pages.ts';
import { fillHistory } from '../../support/stores/clickhouse.ts';

const folder = mkdtempSync(join(tmpdir(), 'weir-backup-'));
await fillHistory(folder);
const blocks = blocksOf(readPage('docs/operations/backup.md')).map(({ code }) => code);
const xml = blocks.find((code) => code.startsWith('<clickhouse>'))!.replace('/backups/', `${join(folder, 'backups')}/`);
const backup = blocks.find((code) => code.startsWith('BACKUP'))!;
const statementsOf = (code: string): string[] =>
  code
    .split(';')
    .map((one) => one.trim())
    .filter(Boolean);
const [trial, restore] = blocks.filter((code) => code.includes('RESTORE')).map(statementsOf) as [string[], string[]];
const config = join(folder, 'config.xml');
writeFileSync(config, xml);
mkdirSync(join(folder, 'backups'));
const session = new Session(join(folder, 'clickhouse'), { connectionArgs: [`--config-file=${config}`] });
after(() => {
  session.close();
  rmSync(folder, { recursive: true });
});

const tables = (): string =>
  session.query(
    "SELECT name, engine, create_table_query FROM system.tables WHERE database = 'weir' ORDER BY name",
    'JSONEachRow',
  );

test('BACKUP and RESTORE of history bring back all tables, views and rows', () => {
  const row = (n: number): string =>
    `('acme', 'chat', now64(3), generateUUIDv4(), 'session', 'message', 'u${n}', '{}', '', 1, [], [], [], [])`;
  const columns = `team, scope, ts, id, kind, type, user_id, policies, explained, flagged, violation.id, violation.name, violation.severity,
    violation.sources`;
  session.query(`INSERT INTO weir.items (${columns}) VALUES ${row(1)}, ${row(2)}`);
  const [before, there] = [tables(), session.query('SELECT * FROM weir.results ORDER BY id', 'JSONEachRow')];
  session.query(backup);
  session.query(`INSERT INTO weir.items (${columns}) VALUES ${row(3)}`);
  const said = trial.map((statement) => session.query(statement));
  assert.match(said[1]!, /,2\s*$/, 'beside them there are the rows of the backup');
  assert.notEqual(
    session.query('SELECT * FROM weir.results ORDER BY id', 'JSONEachRow'),
    there,
    'which are still here',
  );
  for (const statement of restore) session.query(statement);
  assert.equal(tables(), before);
  assert.equal(session.query('SELECT * FROM weir.results ORDER BY id', 'JSONEachRow'), there);
  assert.equal(there.trim().split('\n').length, 2);
  // What is written from now on goes through the views as ever.
  const request = session
    .query("SELECT count() FROM system.tables WHERE database = 'weir' AND engine = 'MaterializedView'")
    .trim();
  assert.ok(Number(request) > 3, request);
});

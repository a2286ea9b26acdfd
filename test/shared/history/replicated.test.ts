/**
 * The statements of replicated and sharded tables, in an engine with a ZooKeeper. The embedded engine takes part in no cluster: it refuses
 * ON CLUSTER, and its replicas stay read-only. So statements are run host by host as a cluster does, each with the UUID that it would add.
 */
import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { Session } from 'chdb';
import { type MigrateOptions, tableStatements } from '#weir/shared/history/migrate';
import { hasZooKeeper, startZooKeeper, type TestZooKeeper } from '../../support/stores/zookeeper.ts';

const skip = hasZooKeeper() ? false : 'ZooKeeper is needed, and cannot be installed here: apt-get install zookeeper';
const folder = mkdtempSync(join(tmpdir(), 'weir-replicated-'));
let zookeeper: TestZooKeeper | undefined;
let session: Session;

before(async () => {
  if (skip !== false) return;
  zookeeper = await startZooKeeper();
  const config = join(folder, 'config.xml');
  const node = '<node><host>127.0.0.1</host><port>9000</port></node>'.replaceAll('node', 'replica');
  writeFileSync(
    config,
    `<clickhouse><zookeeper><node><host>127.0.0.1</host><port>${zookeeper.port}</port></node></zookeeper>
     <macros><shard>01</shard><replica>one</replica></macros><remote_servers><c><shard>${node}</shard></c></remote_servers></clickhouse>`,
  );
  session = new Session(join(folder, 'data'), { connectionArgs: [`--config-file=${config}`] });
});
after(async () => {
  // An engine with replicated tables does not come to its end.
  for (const { database } of KINDS)
    for (const name of [`${database}_other`, database]) session?.query(`DROP DATABASE IF EXISTS ${name} SYNC`);
  session?.close();
  await zookeeper?.close();
  rmSync(folder, { recursive: true, force: true });
});

const ask = <T>(sql: string): T[] =>
  session
    .query(sql, 'JSONEachRow')
    .trim()
    .split('\n')
    .filter(Boolean)
    .map((line) => JSON.parse(line) as T);

/** A UUID of a table, which is the same on each host of a cluster. */
const uuidOf = (table: string): string =>
  createHash('md5')
    .update(table)
    .digest('hex')
    .replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, '$1-$2-$3-$4-$5');

/** A statement that makes a replicated table: its name is the group. */
const REPLICATED = /^CREATE TABLE IF NOT EXISTS (\S+)(?=[\s\S]*\bENGINE = Replicated)/;

/** A statement as the first host of the cluster runs it. */
const onOneHost = (statement: string): string =>
  statement
    .replaceAll(/ON CLUSTER c\b/g, '')
    .replace(REPLICATED, (head, table: string) => `${head} UUID '${uuidOf(table)}'`);

/** The same on a further host. It is this engine, so its table has another name. Undefined: it makes no replicated table. */
function onAnotherHost(statement: string): string | undefined {
  const [head, table] = REPLICATED.exec(statement) ?? [];
  if (head === undefined || table === undefined) return undefined;
  return statement
    .replaceAll(/ON CLUSTER c\b/g, '')
    .replace(head, `CREATE TABLE ${table.replace('.', '_other.')}`)
    .replace("/{uuid}/{shard}', '{replica}'", `/${uuidOf(table)}/01', 'two'`);
}

const ADDED = /^ALTER TABLE (\S+) ON CLUSTER c ADD COLUMN IF NOT EXISTS ([^;]+)$/;
const CHANGED = /^ALTER TABLE (\S+) ON CLUSTER c\s+MODIFY COLUMN (\w+) ([^;]+)$/;

/**
 * Those that make tables and views. Rows cannot be stored: the log of what was applied is one. Nor can a read-only replica be changed, so columns that
 * are added or changed later stand in the table from the beginning, and no row needs to get one.
 */
function statementsOf(options: MigrateOptions): string[] {
  const all = tableStatements(options).filter((statement) => !/^(INSERT|SYSTEM)|MATERIALIZE COLUMN/.test(statement));
  const added = all.flatMap((statement) => {
    const [, table, column] = ADDED.exec(statement) ?? [];
    return table === undefined ? [] : [{ table, column: column! }];
  });
  const changed = all.flatMap((statement) => {
    const [, table, column, type] = CHANGED.exec(statement) ?? [];
    return table === undefined
      ? []
      : [{ table, column: new RegExp(`\\n    ${column} .+`), now: `\n    ${column} ${type},` }];
  });
  assert.ok(added.length > 0 && changed.length > 0);
  return all
    .filter((statement) => !ADDED.test(statement) && !CHANGED.test(statement))
    .map((statement) => {
      const [, name] = REPLICATED.exec(statement) ?? [];
      const columns = added.filter(({ table }) => table === name).map(({ column }) => `,\n    ${column}`);
      const whole =
        columns.length === 0 ? statement : statement.replace('\n)\nENGINE', `${columns.join('')}\n)\nENGINE`);
      return changed
        .filter(({ table }) => table === name)
        .reduce((text, { column, now }) => {
          assert.match(text, column);
          return text.replace(column, now);
        }, whole);
    });
}

interface Replica {
  table: string;
  total_replicas: number;
  zookeeper_path: string;
}
const replicasOf = (database: string): Replica[] =>
  ask(
    `SELECT table, total_replicas, zookeeper_path FROM system.replicas WHERE database = '${database}' ORDER BY table`,
  );

const KINDS = [
  { database: 'replicated', sharded: false },
  { database: 'spread', sharded: true },
];

describe('the tables of a cluster', { skip }, () => {
  for (const { database, sharded } of KINDS) {
    it(`are made of ${sharded ? 'shards' : 'replicas'} where a ZooKeeper runs, and found there by a second replica`, () => {
      const options: MigrateOptions = { url: '', database, cluster: 'c', sharded };
      const statements = statementsOf(options);
      for (const statement of statements) session.query(onOneHost(statement));
      // They can run again, as after a migration that was cut off.
      for (const statement of statements) session.query(onOneHost(statement));
      const made = ask<{ name: string; engine: string }>(
        `SELECT name, engine FROM system.tables WHERE database = '${database}'`,
      );
      const storing = made.filter(({ engine }) => engine.includes('MergeTree'));
      assert.ok(storing.length >= 10, JSON.stringify(made));
      assert.deepEqual(
        storing.filter(({ engine }) => !engine.startsWith('Replicated')),
        [],
        'all that stores is replicated',
      );
      if (sharded) {
        const spread = made.filter(({ engine }) => engine === 'Distributed').map(({ name }) => `${name}_local`);
        assert.deepEqual(spread.sort(), storing.map(({ name }) => name).sort());
      }
      const replicas = replicasOf(database);
      assert.deepEqual(
        replicas.map(({ table }) => table),
        storing.map(({ name }) => name).sort(),
      );
      for (const { table, total_replicas, zookeeper_path } of replicas) {
        assert.equal(total_replicas, 1, table);
        assert.equal(zookeeper_path, `/clickhouse/tables/${uuidOf(`${database}.${table}`)}/01`, table);
      }
      session.query(`CREATE DATABASE ${database}_other`);
      const further = statements.map(onAnotherHost).filter((statement) => statement !== undefined);
      for (const statement of further) session.query(statement);
      assert.deepEqual([...new Set(replicasOf(database).map((one) => one.total_replicas))], [2]);
      // What differs from the tables in ZooKeeper is refused: they have been looked at.
      const names = further.find((statement) => statement.includes('.names'))!;
      const other = names.replace("'two'", "'three'").replace(/_other\.names\w*/, '_other.differs');
      assert.throws(() => session.query(other.replace('(\n', '(\n    more String,\n')), /INCOMPATIBLE_COLUMNS/);
    });
  }
});

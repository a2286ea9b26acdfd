/**
 * Migrations: numbered SQL files, one source for plain and for replicated tables. A command runs them, never a server at start.
 *
 * ClickHouse has no transactions over several statements. So each statement of a migration must be able to run again
 * (`IF NOT EXISTS`). A migration that was cut off, or two that run at the same time, then end in the same schema. A file must not
 * change after it was applied, not even its comments: its checksum is kept.
 */
import { createHash } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { packageRoot } from '../paths.js';
import { REGION_NAME } from '../region.js';
import { createHistoryClient, FOREGROUND, type HistoryAddress, type HistoryClient, UNFINISHED } from './client.js';
import { commentStatements } from './comments.js';
import { localTable, onShards } from './shards.js';

/** Days that rows are kept. */
export interface Retention {
  resultsDays: number;
  contentDays: number;
  /** default 400 */
  auditDays?: number;
}

export interface MigrateOptions extends HistoryAddress {
  /** name of the cluster, for replicated tables on each of its hosts; absent: plain tables */
  cluster?: string;
  /** the cluster has several shards: tables are spread over them */
  sharded?: boolean;
  /** days that results, contents and the audit log are kept, default 365, 30 and 400; another run may change them */
  retention?: Retention;
  /** name of the region that rows are of; absent or '': no change */
  region?: string;
  log?: (line: string) => void;
  /** folder of the files; default: those of this release */
  folder?: string;
}

export interface Migration {
  version: number;
  name: string;
  sql: string;
  checksum: string;
}

/** The schema cannot be brought up to date; the message says why and what to do. */
export class MigrationError extends Error {}

const FILE = /^(\d{3})_([a-z0-9_]+)\.sql$/;
const NAME = /^[A-Za-z_][A-Za-z0-9_]{0,63}$/;
const DEFAULT_RETENTION: Retention = { resultsDays: 365, contentDays: 30 };
export const DEFAULT_AUDIT_DAYS = 400;
/** Indexes have partitions of a month, which expire as a whole. */
const INDEX_EXTRA_DAYS = 31;

/** A statement may copy a year of rows. Progress headers keep proxies from closing the connection in the meantime. */
const LONGEST_MS = 12 * 3_600_000;
/** A column is there on every replica before a view of the next statement reads it. */
const EVERYWHERE = { alter_sync: '2' } as const;
const KEEP_ALIVE = { send_progress_in_http_headers: 1, http_headers_progress_interval_ms: '110000' } as const;

/** Applies the missing migrations and sets the retention. Returns the number of applied migrations. */
export async function migrate(options: MigrateOptions): Promise<number> {
  if (options.region && !REGION_NAME.pattern.test(options.region)) {
    throw new MigrationError(`"${options.region}" cannot be the name of a region: expected ${REGION_NAME.expected}.`);
  }
  for (const name of [options.database, options.cluster ?? 'none']) {
    if (!NAME.test(name)) {
      throw new MigrationError(`"${name}" cannot be the name of a database or cluster: use letters, digits and _.`);
    }
  }
  const migrations = readMigrations(options.folder);
  // Requests must not name the database, which may not exist yet.
  const client = createHistoryClient({ ...options, database: 'default', timeoutMs: LONGEST_MS });
  try {
    for (const statement of statementsOf(BOOTSTRAP, options)) await run(client, statement);
    const applied = await appliedVersions(client, options.database);
    const missing = check(migrations, applied);
    await checkTables(
      client,
      migrations.filter(({ version }) => applied.has(version)),
      options,
    );
    for (const migration of missing) {
      options.log?.(`applying ${migration.name}`);
      for (const statement of statementsOf(migration.sql, options))
        for (const one of shut(statement, options)) await run(client, one);
      await client.insert({
        table: `${options.database}.schema_migrations`,
        values: [{ version: migration.version, name: migration.name, checksum: migration.checksum }],
        format: 'JSONEachRow',
        clickhouse_settings: FOREGROUND,
      });
    }
    await open(client, options);
    await setRetention(client, options);
    await setRegion(client, options);
    for (const statement of await commentStatements(client, options)) await run(client, statement);
    return missing.length;
  } finally {
    await client.close();
  }
}

const BOOTSTRAP = `
CREATE DATABASE IF NOT EXISTS {{database}} {{on_cluster}};
CREATE TABLE IF NOT EXISTS {{database}}.schema_migrations {{on_cluster}}
(
    version UInt32,
    name String,
    checksum String,
    applied DateTime64(3, 'UTC') DEFAULT now64(3, 'UTC')
)
ENGINE = {{engine:ReplacingMergeTree}}
ORDER BY version
SETTINGS fsync_after_insert = 1;
`;

/** A table that stores nothing itself: its views do. */
const PASSES_ON = /^CREATE TABLE IF NOT EXISTS (\S+) [^;]*ENGINE = Null$/;
const SHUT = 'until_migrated';

/** It is made as another one. */
const AS_ANOTHER = /^CREATE TABLE IF NOT EXISTS \S+ [^;]*\bAS (\S+) ENGINE = Null$/;

/**
 * A table whose rows are stored by its views takes none before these are there. Otherwise ClickHouse would acknowledge rows that nothing
 * stores, of an archiver that goes on while a database gets its tables. A column that has no value refuses them, also in tables that are made
 * as this one; `SELECT *` leaves it out.
 */
function shut(statement: string, options: MigrateOptions): string[] {
  if (!PASSES_ON.test(statement)) return [statement];
  const column = `${SHUT} Bool MATERIALIZED throwIf(version >= 0, '${UNFINISHED}')`;
  const other = AS_ANOTHER.exec(statement)?.[1];
  return other === undefined
    ? [statement.replace(/\n\)\nENGINE = Null$/, `,\n    ${column}$&`)]
    : [`ALTER TABLE ${other}${onCluster(options)} ADD COLUMN IF NOT EXISTS ${column}`, statement];
}

const opened = (table: string, options: MigrateOptions): string =>
  `ALTER TABLE ${table}${onCluster(options)} DROP COLUMN IF EXISTS ${SHUT}`;

/** Lets rows in, once all views are there. */
async function open(client: HistoryClient, options: MigrateOptions): Promise<void> {
  const result = await client.query({
    query: 'SELECT table FROM system.columns WHERE database = {d:String} AND name = {c:String} ORDER BY table',
    query_params: { d: options.database, c: SHUT },
    format: 'JSONEachRow',
  });
  for (const { table } of await result.json<{ table: string }>())
    await run(client, opened(`${options.database}.${table}`, options));
}

/** What makes the tables where there are none, and notes that. Comments come with the next `migrate`, as does the retention. */
export function tableStatements(options: MigrateOptions): string[] {
  const migrations = readMigrations(options.folder);
  const made = [BOOTSTRAP, ...migrations.map(({ sql }) => sql)].flatMap((sql) => statementsOf(sql, options));
  const noted = migrations.map(({ version, name, checksum }) => `(${version}, '${name}', '${checksum}')`);
  return [
    ...made.flatMap((statement) => shut(statement, options)),
    ...made.flatMap((statement) => {
      const table = PASSES_ON.exec(statement)?.[1];
      return table === undefined ? [] : [opened(table, options)];
    }),
    `INSERT INTO ${options.database}.schema_migrations (version, name, checksum) VALUES ${noted.join(', ')}`,
  ];
}

/** The migrations of a folder in order. Throws when the numbers are not 1, 2, 3 …, or a file has another name. */
export function readMigrations(folder: string = join(packageRoot, 'shared/history/migrations')): Migration[] {
  return readdirSync(folder)
    .sort()
    .map((file, index) => {
      const match = FILE.exec(file);
      if (!match) throw new MigrationError(`${file} is not named as a migration: expected NNN_name.sql.`);
      const version = Number(match[1]);
      if (version !== index + 1) {
        throw new MigrationError(`migration ${file} follows ${index}: numbers must go up by one from 001.`);
      }
      const sql = readFileSync(join(folder, file), 'utf8');
      return { version, name: file.slice(0, -4), sql, checksum: createHash('sha256').update(sql).digest('hex') };
    });
}

/** The statements of a migration for one installation. A statement ends with a semicolon at the end of a line. */
export function statementsOf(sql: string, options: MigrateOptions): string[] {
  const { resultsDays, contentDays, auditDays = DEFAULT_AUDIT_DAYS } = options.retention ?? DEFAULT_RETENTION;
  const replicated = options.cluster !== undefined;
  return sql
    .replaceAll(/^\s*--.*$/gm, '')
    .replaceAll('{{database}}', options.database)
    .replaceAll('{{on_cluster}}', replicated ? `ON CLUSTER ${options.cluster}` : '')
    .replaceAll('{{results_days}}', String(resultsDays))
    .replaceAll('{{index_days}}', String(resultsDays + INDEX_EXTRA_DAYS))
    .replaceAll('{{content_days}}', String(contentDays))
    .replaceAll('{{audit_days}}', String(auditDays + INDEX_EXTRA_DAYS))
    .replaceAll('{{region}}', options.region ? `'${options.region}'` : 'NULL')
    .replaceAll(/\{\{replicated:([^}]*)\}\}/g, (_, text: string) => (replicated ? text : ''))
    .replaceAll(/\{\{engine:(\w+)(?:\(([^)]*)\))?\}\}/g, (_, engine: string, parameters: string | undefined) =>
      replicated ? replicatedEngine(engine, parameters) : `${engine}${parameters ? `(${parameters})` : ''}`,
    )
    .split(/;[ \t]*$/m)
    .map((statement) => statement.trim())
    .filter((statement) => statement !== '')
    .flatMap((statement) => placed(statement, options));
}

/** A statement of a plain table as it is run, which is several where tables are spread over shards. */
const placed = (statement: string, { cluster, sharded }: MigrateOptions): string[] =>
  sharded && cluster !== undefined ? onShards(statement, cluster) : [statement];

// {uuid}, {shard} and {replica} are macros of the server. A table has the same UUID on every host of the cluster.
function replicatedEngine(engine: string, parameters: string | undefined): string {
  return `Replicated${engine}('/clickhouse/tables/{uuid}/{shard}', '{replica}'${parameters ? `, ${parameters}` : ''})`;
}

function check(migrations: readonly Migration[], applied: ReadonlyMap<number, string>): Migration[] {
  const newest = Math.max(0, ...applied.keys());
  if (newest > migrations.length) {
    throw new MigrationError(
      `The database is at migration ${newest}, this release knows ${migrations.length}: run a newer release.`,
    );
  }
  for (const migration of migrations) {
    const checksum = applied.get(migration.version);
    if (checksum !== undefined && checksum !== migration.checksum) {
      throw new MigrationError(
        `Migration ${migration.name} was changed after it was applied: restore the file and put the change into a new one.`,
      );
    }
  }
  return migrations.filter((migration) => !applied.has(migration.version));
}

/** Statements that make and drop tables and views; the group is the plain name. */
const MADE = /^CREATE (?:OR REPLACE )?(?:TABLE|MATERIALIZED VIEW|VIEW) (?:IF NOT EXISTS )?[^\s.]+\.(\w+)/;
const DROPPED = /^DROP (?:TABLE|VIEW) (?:IF EXISTS )?[^\s.]+\.(\w+)/;

/** The tables and views that exist after `applied`, each with the migration that first made it. */
export function tablesOf(applied: readonly Migration[], options: MigrateOptions): Map<string, Migration> {
  const made = new Map<string, Migration>();
  for (const migration of applied) {
    for (const statement of statementsOf(migration.sql, options)) {
      const [name, gone] = [MADE.exec(statement)?.[1], DROPPED.exec(statement)?.[1]];
      if (name !== undefined && !made.has(name)) made.set(name, migration);
      if (gone !== undefined) made.delete(gone);
    }
  }
  return made;
}

/** Checks that nobody has dropped a table or view: otherwise only failing inserts and look-ups would show it. */
async function checkTables(
  client: HistoryClient,
  applied: readonly Migration[],
  options: MigrateOptions,
): Promise<void> {
  const { database } = options;
  const result = await client.query({
    query: 'SELECT name FROM system.tables WHERE database = {d:String}',
    query_params: { d: database },
    format: 'JSONEachRow',
  });
  const there = new Set((await result.json<{ name: string }>()).map(({ name }) => name));
  const missing = [...tablesOf(applied, options)].filter(([name]) => !there.has(name));
  if (missing.length === 0) return;
  const names = missing.map(([name, migration]) => `${database}.${name} (of ${migration.name})`).join(', ');
  const first = Math.min(...missing.map(([, { version }]) => version));
  throw new MigrationError(
    `These are missing, though they had been made: ${names}. Restore them from a backup. Or, to have them made again without their rows, stop all workers, run "ALTER TABLE ${database}.schema_migrations DELETE WHERE version >= ${first} SETTINGS mutations_sync = 2", and then weir migrate again.`,
  );
}

async function appliedVersions(client: HistoryClient, database: string): Promise<Map<number, string>> {
  const result = await client.query({
    query: `SELECT version, checksum FROM ${database}.schema_migrations FINAL ORDER BY version`,
    format: 'JSONEachRow',
  });
  const rows = await result.json<{ version: number; checksum: string }>();
  return new Map(rows.map((row) => [Number(row.version), row.checksum]));
}

async function run(client: HistoryClient, query: string): Promise<void> {
  await client.command({
    query,
    clickhouse_settings: { ...KEEP_ALIVE, ...FOREGROUND, ...EVERYWHERE, wait_end_of_query: 1 },
  });
}

async function setRetention(client: HistoryClient, options: MigrateOptions): Promise<void> {
  if (options.retention === undefined) return;
  const { resultsDays, contentDays, auditDays = DEFAULT_AUDIT_DAYS } = options.retention;
  for (const [days, least] of [
    [resultsDays, 1],
    [contentDays, 0],
    [auditDays, 1],
  ] as const) {
    if (!Number.isInteger(days) || days < least || days > 36_500) {
      throw new MigrationError(`Retention must be a whole number of days from ${least} to 36500, but is ${days}.`);
    }
  }
  const cluster = onCluster(options);
  const runPlaced = async (statement: string): Promise<void> => {
    for (const one of placed(statement, options)) await run(client, one);
  };
  // Contents that were stored before go at once, and not when their parts are merged.
  if (contentDays === 0) await runPlaced(`TRUNCATE TABLE ${options.database}.contents${cluster}`);
  const wanted: [table: string, start: string, days: number][] = [
    ['items', 'toDate(ts)', resultsDays],
    ['images', 'toDate(ts)', resultsDays],
    ['shadow_checks', 'toDate(ts)', resultsDays],
    ['metrics', 'toDate(ts)', resultsDays],
    ['traces', 'toDate(ts)', resultsDays],
    ['contents', 'toDate(ts)', contentDays],
    ['names', 'toStartOfMonth(ts)', resultsDays + INDEX_EXTRA_DAYS],
    ['labels', 'toStartOfMonth(ts)', resultsDays + INDEX_EXTRA_DAYS],
    ['appeals', 'toStartOfMonth(ts)', resultsDays + INDEX_EXTRA_DAYS],
    ['run_events', 'toStartOfMonth(ts)', resultsDays + INDEX_EXTRA_DAYS],
    ['user_checks', 'toStartOfMonth(ts)', resultsDays + INDEX_EXTRA_DAYS],
    ['erased', 'toStartOfMonth(ts)', resultsDays + INDEX_EXTRA_DAYS],
    ['erasures', 'toStartOfMonth(ts)', resultsDays + INDEX_EXTRA_DAYS],
    ['audit', 'toStartOfMonth(ts)', auditDays + INDEX_EXTRA_DAYS],
  ];
  for (const [table, start, days] of wanted) {
    const ttl = `${start} + toIntervalDay(${days})`;
    const result = await client.query({
      query: 'SELECT create_table_query AS text FROM system.tables WHERE database = {d:String} AND name = {t:String}',
      query_params: { d: options.database, t: options.sharded ? localTable(table) : table },
      format: 'JSONEachRow',
    });
    const [row] = await result.json<{ text: string }>();
    if (row?.text.includes(`TTL ${ttl}`)) continue;
    options.log?.(`keeping ${table} for ${days} days`);
    // Stored parts keep their old date until they merge. Rewriting them now would be costly.
    await runPlaced(`ALTER TABLE ${options.database}.${table}${cluster} MODIFY TTL ${ttl}`);
  }
}

/** Where the name of the region is the default of a column: of rows that are stored, and of those that were stored before it was known. */
async function setRegion(client: HistoryClient, options: MigrateOptions): Promise<void> {
  if (!options.region) return;
  const result = await client.query({
    query: `SELECT table, type FROM system.columns WHERE database = {d:String} AND name = 'region' AND default_kind = 'DEFAULT'
      AND default_expression != {quoted:String} ORDER BY table`,
    query_params: { d: options.database, quoted: `'${options.region}'` },
    format: 'JSONEachRow',
  });
  for (const { table, type } of await result.json<{ table: string; type: string }>()) {
    options.log?.(`rows of ${table} are of the region ${options.region}`);
    const named = `${options.database}.${table}${onCluster(options)}`;
    await run(client, `ALTER TABLE ${named} MODIFY COLUMN region ${type} DEFAULT '${options.region}'`);
  }
}

const onCluster = ({ cluster }: MigrateOptions): string => (cluster === undefined ? '' : ` ON CLUSTER ${cluster}`);

/**
 * The ClickHouse engine in this process, with one connection for each query.
 *
 * Rights: the engine has one user, which may use the home database and nothing else: no files, hosts or programs. A
 * writer may do there what migrations and inserts need. A reader's connection is made read-only before its query, and tables that show
 * what others do are made empty in it.
 *
 * Connections: a connection of the engine keeps what a query SETs, and runs one query at a time. So each query gets a
 * connection of its own, which ends with it (0.3 ms): no setting leaks into the next query, and queries run side by
 * side. One more connection stays open, because the engine ends when its last connection closes.
 */
import { chmodSync, mkdirSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { drainPending, Session } from 'chdb';
import { INTERNAL } from '../../../shared/history/dictionary.js';
import { READER_LIMITS } from '../../../shared/history/readers.js';
import { ClickHouseError, fromEngine } from './errors.js';
import { is, quoteName, quoteText, refusalOfReader, type Statement } from './sql.js';

/** Settings of each query; a query may set others for itself. */
const QUERY_DEFAULTS = {
  max_memory_usage: 2 * 1024 ** 3,
  max_result_bytes: 256 * 1024 ** 2,
  max_execution_time: 120,
  // As on a server, a misspelt statement is a syntax error and not an expression.
  implicit_select: 0,
};
/** One INSERT makes one block and so one part. */
const ONE_BLOCK = {
  max_insert_block_size: 1_000_000_000,
  max_insert_block_size_bytes: 0,
  min_insert_block_size_rows: 1_000_000_000,
  min_insert_block_size_bytes: 0,
  max_insert_threads: 1,
  input_format_parallel_parsing: 0,
};

/**
 * Look-ups have priority over inserts, which nobody waits for, and over queries that say a `priority`, which read many rows. All have priority over
 * merges (`MERGE_NICENESS`). This works where the system has priorities of threads. Without the right to set them, the engine does nothing.
 */
const YIELDING_NICENESS = ['os_threads_nice_value_query = 5', 'os_threads_nice_value_materialized_view = 5'];

/** What a reader may set: the form of results, and lower limits. */
const READER_SETTINGS =
  /^(output_format_(json|pretty|csv|tsv|decimal|float|parallel)_\w+|date_time_output_format|session_timezone|join_use_nulls|extremes|max_(result_rows|rows_to_read|bytes_to_read|execution_time|memory_usage|threads|block_size)|(result|read)_overflow_mode)$/;
/** Settings of how an answer is transferred. They have no effect here: an answer is always sent as a whole, and as it is. */
const TRANSFER_SETTINGS =
  /^(send_progress_in_http_headers|http_headers_progress_interval_ms|cancel_http_readonly_queries_on_client_close|enable_http_compression|http_zlib_compression_level|http_write_exception_in_output_format)$/;

/**
 * Tables of the engine that a reader sees empty: queries of others, and what the machine and its settings are. The engine has one user, so
 * its own rules show a reader what Weir does. They are empty, and not refused, since clients ask for some of them when they connect.
 */
const HIDDEN_TABLES = (
  'processes user_processes asynchronous_inserts mutations merges moves query_cache query_condition_cache ' +
  'query_log text_log errors warnings stack_trace settings settings_changes server_settings merge_tree_settings ' +
  'replicated_merge_tree_settings asynchronous_loader background_schedule_pool backups build_options ' +
  'certificates disks storage_policies remote_data_paths filesystem_cache schema_inference_cache dns_cache ' +
  'named_collections user_directories fail_points events metrics histogram_metrics asynchronous_metrics ' +
  'jemalloc_bins dropped_tables dropped_tables_parts detached_parts workloads resources'
).split(' ');
/** By table which rows a reader sees. Of Weir's tables it is shown those for people; it may ask the others where it knows them. */
const READER_FILTERS: Readonly<Record<string, string>> = {
  ...Object.fromEntries(HIDDEN_TABLES.map((name) => [name, '0'])),
  tables: `NOT startsWith(comment, ${quoteText(INTERNAL)})`,
};
const HIDDEN = `additional_table_filters = {${Object.entries(READER_FILTERS)
  .map(([name, filter]) => `'system.${name}': ${quoteText(filter)}`)
  .join(', ')}}`;

export interface Query {
  role: ClickHouseRole;
  sql: string;
  /** What `sql` holds; absent of an INSERT of data, which the server itself wrote. */
  statement?: Statement;
  database?: string;
  /** Settings by name; the engine checks them. */
  settings: Record<string, string>;
  /** Values of `{name:Type}`, in ClickHouse's escaped text form. */
  params: Record<string, string>;
  /** 0: may change things; 1 and 2 as in ClickHouse. */
  readonly: 0 | 1 | 2;
  format: string;
}

/** `writer`: Weir itself; `reader`: people's SQL. */
export type ClickHouseRole = 'writer' | 'reader';

export interface ClickHouseEngine {
  version: string;
  /** Folder for the data of INSERTs under way. */
  dataFolder: string;
  run(query: Query): Promise<Uint8Array>;
  /** Waits for queries under way, then ends the engine. */
  close(): Promise<void>;
}

/** Opens the engine on `dataDir`; one process at a time may do so. `home` is the database of queries that name none. */
export function openEngine(dataDir: string, home: string): ClickHouseEngine {
  const folder = resolve(dataDir);
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  // Its files hold everything that callers sent.
  chmodSync(folder, 0o700);
  const dataFolder = join(folder, 'http');
  const configFile = join(folder, 'engine.xml');
  writeFileSync(configFile, engineConfig(configFile, home), { mode: 0o600 });
  const connectionArgs = [
    `--config-file=${configFile}`,
    ...Object.entries({ ...QUERY_DEFAULTS, ...ONE_BLOCK }).map(([name, value]) => `--${name}=${value}`),
  ];
  const open = (): Session => new Session(folder, { connectionArgs });
  const keeper = open();
  // Not before: the engine's lock on the folder says that no other process has an INSERT under way.
  rmSync(dataFolder, { recursive: true, force: true });
  mkdirSync(dataFolder, { mode: 0o700 });
  const version = keeper.query('SELECT version()', 'TabSeparated').trim();
  keeper.query(`CREATE DATABASE IF NOT EXISTS ${quoteName(home)} ENGINE = Atomic`);

  async function run(query: Query): Promise<Uint8Array> {
    check(query);
    const session = open();
    try {
      const sql = `${preamble(query, home)}; ${query.sql}`;
      return (await session.queryAsync(sql, { format: query.format })).bytes();
    } catch (error) {
      throw error instanceof ClickHouseError ? error : fromEngine(error);
    } finally {
      session.close();
    }
  }

  return {
    version,
    dataFolder,
    run,
    close: async () => {
      await drainPending();
      keeper.close();
      await drainPending();
      for (const name of readdirSync(dataFolder)) rmSync(join(dataFolder, name), { force: true });
    },
  };
}

function check({ role, statement, settings }: Query): void {
  if (statement === undefined) return;
  if (statement.tokens.length === 0) throw new ClickHouseError(62, 'SYNTAX_ERROR', 'Syntax error: Empty query');
  if (statement.several) {
    throw new ClickHouseError(62, 'SYNTAX_ERROR', 'Syntax error: Multi-statements are not allowed');
  }
  if (role === 'writer') return;
  const refused = refusalOfReader(statement);
  if (refused) throw new ClickHouseError(497, 'ACCESS_DENIED', `Not enough privileges: ${refused}`);
  const fixed = Object.keys(settings).find((name) => !READER_SETTINGS.test(name) && !TRANSFER_SETTINGS.test(name));
  if (fixed)
    throw new ClickHouseError(164, 'READONLY', `Cannot modify '${fixed.slice(0, 128)}' setting in readonly mode`);
}

/** Statements before that of a query, which set up its connection. `readonly` is last, because nothing can be set after it. */
function preamble(query: Query, home: string): string {
  const database = query.database === undefined || query.database === 'default' ? home : query.database;
  const settings = Object.entries(query.settings).map(([name, value]) => `${checkedName(name)} = ${quoteText(value)}`);
  const params = Object.entries(query.params).map(([name, value]) => {
    if (!NAME.test(name)) {
      throw new ClickHouseError(457, 'BAD_QUERY_PARAMETER', 'A parameter name is of letters, digits and underscores');
    }
    return `param_${name} = ${quoteText(value)}`;
  });
  const limits = query.role === 'writer' ? [] : [...readerLimits(query.settings), HIDDEN];
  const readonly = query.role === 'writer' ? query.readonly : 1;
  const { statement } = query;
  const yields = statement === undefined || is(statement.tokens[0], 'INSERT') || query.settings.priority !== undefined;
  const priority = yields ? YIELDING_NICENESS : [];
  const last = readonly === 0 ? [] : [`readonly = ${readonly}`];
  const assignments = [...priority, ...settings, ...params, ...limits, ...last];
  return `USE ${quoteName(database)}${assignments.length > 0 ? `; SET ${assignments.join(', ')}` : ''}`;
}

const NAME = /^[A-Za-z_][A-Za-z0-9_]{0,127}$/;

function checkedName(name: string): string {
  if (NAME.test(name)) return name;
  throw new ClickHouseError(115, 'UNKNOWN_SETTING', 'Unknown setting: a name is of letters, digits and underscores');
}

/** The limits of a reader, or what it asks for where that is a lower number. */
function readerLimits(asked: Record<string, string>): string[] {
  return Object.entries(READER_LIMITS).map(([name, limit]) => {
    const value = asked[name] ?? '';
    return `${name} = ${/^[1-9]\d{0,9}$/.test(value) && Number(value) < limit ? value : limit}`;
  });
}

/** Nobody waits for merges, and large ones can take much of the processor. */
const MERGE_NICENESS = 10;

/**
 * Settings of all tables that a server of the same version has otherwise.
 *
 * - A merge reads the marks of each small part once for each column. Marks of parts of columns would make them twice as many.
 * - Statistics of columns are made for the order of joins. Questions join two tables, and look-ups none.
 * - A merge takes parts that are together at least this many times as large as the largest of them. Tables merge ten parts or more at
 *   once. With the default of 5 a large part is merged again and again as soon as nine new ones are there, since the engine counts each
 *   part as 5 MiB larger than it is.
 */
const TABLE_SETTINGS = {
  write_marks_for_substreams_in_compact_parts: '0',
  auto_statistics_types: '',
  merge_selector_base: '9',
};

/**
 * Configures the engine's one user. It has no grant for sources (file, url, remote, s3, executables and any that later
 * versions add). So the engine itself refuses to reach outside, in table functions, tables, dictionaries and backups.
 */
function engineConfig(path: string, home: string): string {
  const rights = [
    'SELECT, INSERT, ALTER, CREATE DATABASE, CREATE TABLE, CREATE VIEW, DROP DATABASE, DROP TABLE, DROP VIEW',
    'TRUNCATE, OPTIMIZE, CHECK, SYSTEM MERGES, SYSTEM FETCHES, SYSTEM SYNC REPLICA',
  ].join(', ');
  const tables = Object.entries(TABLE_SETTINGS).map(([name, value]) => `<${name}>${value}</${name}>`);
  return `<clickhouse>
  <os_threads_nice_value_merge_mutate>${MERGE_NICENESS}</os_threads_nice_value_merge_mutate>
  <merge_tree>${tables.join('')}</merge_tree>
  <users_config>${escapeXml(path)}</users_config>
  <profiles><default></default></profiles>
  <quotas><default></default></quotas>
  <users><default>
    <password></password>
    <networks><ip>::/0</ip></networks>
    <profile>default</profile>
    <quota>default</quota>
    <grants><query>GRANT ${rights} ON ${escapeXml(quoteName(home))}.*</query></grants>
  </default></users>
</clickhouse>
`;
}

const escapeXml = (text: string): string => text.replace(/[<>&'"]/g, (char) => `&#${char.charCodeAt(0)};`);

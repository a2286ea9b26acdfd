/**
 * The ClickHouse engine in this process, as a pool of one-query connections.
 *
 * A connection of the engine keeps what a query SETs, and runs one query at a time. Here each query gets a connection
 * of its own and the connection ends with it (0.3 ms): nothing leaks from one query to the next, and queries run side
 * by side. One more connection stays open for as long as the engine runs, since the last one to close ends the engine.
 */
import { mkdirSync, readdirSync, rmSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { drainPending, Session } from 'chdb';
import { ClickHouseError, fromEngine } from './errors.js';
import { forgetLostBlocks } from './repair.js';
import { namesOutside, reachesOutside, type Statement, withIdentifiers } from './sql.js';

/** What each query starts with; a query may set others for itself. */
const QUERY_DEFAULTS = {
  max_memory_usage: 2 * 1024 ** 3,
  max_result_bytes: 256 * 1024 ** 2,
  max_execution_time: 120,
  // As on a server: a misspelt statement is a syntax error, not an expression.
  implicit_select: 0,
};
/** One INSERT makes one block and so one part: a token then stands for exactly this block (rule 7). */
const ONE_BLOCK = {
  max_insert_block_size: 1_000_000_000,
  max_insert_block_size_bytes: 0,
  min_insert_block_size_rows: 1_000_000_000,
  min_insert_block_size_bytes: 0,
  max_insert_threads: 1,
  input_format_parallel_parsing: 0,
};

export interface Query {
  /** The statement; with `dataFile` up to its data. */
  sql: Buffer;
  statement: Statement;
  /** Data of an INSERT, in a file of ours, read by the format that the statement names. */
  dataFile?: string;
  database?: string;
  /** Settings by name; the engine judges them. */
  settings: Record<string, string>;
  /** Values of `{name:Type}`, in ClickHouse's escaped text form. */
  params: Record<string, string>;
  /** 0: may change things; 1 and 2 as in ClickHouse. */
  readonly: 0 | 1 | 2;
  format: string;
}

export interface QueryResult {
  body: Uint8Array;
  rows: number;
  bytes: number;
  elapsedNs: number;
}

export interface Engine {
  version: string;
  /** Folder for the data of INSERTs under way. */
  dataFolder: string;
  run(query: Query): Promise<QueryResult>;
  /** Waits for queries under way, then ends the engine. */
  close(): Promise<void>;
}

/** Opens the engine on `dataDir`; one process at a time may do so. `home` is the database of queries that name none. */
export function openEngine(dataDir: string, home: string): Engine {
  const folder = resolve(dataDir);
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  const dataFolder = join(folder, 'http');
  const connectionArgs = Object.entries({ ...QUERY_DEFAULTS, ...ONE_BLOCK }).map(
    ([name, value]) => `--${name}=${value}`,
  );
  const open = (): Session => new Session(folder, { connectionArgs });
  const keeper = open();
  // Only now: the engine's lock on the folder says that nobody else's INSERT is under way.
  rmSync(dataFolder, { recursive: true, force: true });
  mkdirSync(dataFolder, { mode: 0o700 });
  forgetLostBlocks((statement, format) => keeper.query(statement, format));
  const version = keeper.query('SELECT version()', 'TabSeparated').trim();
  const tableFunctions = new Set(
    keeper.query('SELECT lower(name) FROM system.table_functions', 'TabSeparated').trim().split('\n'),
  );
  keeper.query(`CREATE DATABASE IF NOT EXISTS ${quoteName(home)} ENGINE = Atomic`);

  async function run(query: Query): Promise<QueryResult> {
    check(query, tableFunctions);
    const session = open();
    try {
      await session.queryAsync(preamble(query, home));
      const sql = query.dataFile === undefined ? query.sql.toString() : insertFrom(query, query.dataFile);
      const result = await session.queryAsync(sql, { format: query.format });
      return {
        body: result.bytes(),
        rows: result.rowsRead,
        bytes: result.bytesRead,
        elapsedNs: Math.round(result.elapsed * 1e9),
      };
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

function check({ statement, settings, params }: Query, tableFunctions: ReadonlySet<string>): void {
  const foreign = statement.tokens.find((token) => token.kind === 'foreign');
  if (foreign) {
    throw new ClickHouseError(62, 'SYNTAX_ERROR', `Syntax error: unrecognized token at position ${foreign.start + 1}`);
  }
  if (statement.kind === 'empty') throw new ClickHouseError(62, 'SYNTAX_ERROR', 'Syntax error: Empty query');
  if (statement.several) {
    throw new ClickHouseError(62, 'SYNTAX_ERROR', 'Syntax error: Multi-statements are not allowed');
  }
  const named = withIdentifiers(statement.tokens, params);
  if (named === undefined) {
    throw new ClickHouseError(456, 'UNKNOWN_QUERY_PARAMETER', 'An Identifier is not set, or has a backslash in it');
  }
  const setting = Object.keys(settings).find(namesOutside);
  const refused = setting ? `the setting ${setting} is not available over HTTP` : reachesOutside(named, tableFunctions);
  if (refused) throw new ClickHouseError(497, 'ACCESS_DENIED', `Not enough privileges: ${refused}`);
}

/** Sets up the connection of one query; `readonly` last, because nothing can be set after it. */
function preamble(query: Query, home: string): string {
  const database = query.database === undefined || query.database === 'default' ? home : query.database;
  const settings = Object.entries(query.settings).map(([name, value]) => {
    if (!/^[A-Za-z_][A-Za-z0-9_]{0,127}$/.test(name)) {
      throw new ClickHouseError(
        115,
        'UNKNOWN_SETTING',
        'Unknown setting: a name is of letters, digits and underscores',
      );
    }
    return `${name} = ${quoteText(value)}`;
  });
  const params = Object.entries(query.params).map(([name, value]) => {
    if (!/^[A-Za-z_][A-Za-z0-9_]{0,127}$/.test(name)) {
      throw new ClickHouseError(457, 'BAD_QUERY_PARAMETER', 'A parameter name is of letters, digits and underscores');
    }
    return `param_${name} = ${quoteText(value)}`;
  });
  const readonly = query.readonly === 0 ? [] : [`readonly = ${query.readonly}`];
  const assignments = [...settings, ...params, ...readonly];
  return `USE ${quoteName(database)}${assignments.length > 0 ? `; SET ${assignments.join(', ')}` : ''}`;
}

function insertFrom(query: Query, file: string): string {
  const { targetEnd, settings, format } = query.statement.insert!;
  const text = (start: number, end: number): string => query.sql.subarray(start, end).toString();
  return `${text(0, targetEnd)} FROM INFILE ${quoteText(file)} ${text(...settings)} FORMAT ${format}`;
}

/** A string literal of ClickHouse. */
export function quoteText(text: string): string {
  return `'${text.replace(/[\\']/g, '\\$&').replaceAll('\0', '\\0')}'`;
}

/** A quoted identifier of ClickHouse. */
export function quoteName(name: string): string {
  return `\`${name.replace(/[\\`]/g, '\\$&').replaceAll('\0', '\\0')}\``;
}

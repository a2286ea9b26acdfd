/**
 * Reads an HTTP request: the statement from address and body, and its settings. An INSERT of data stands in the address as
 * Weir and the official client send it, `INSERT INTO name (columns) FORMAT name`, and its data are the body.
 */
import { randomUUID } from 'node:crypto';
import { createWriteStream } from 'node:fs';
import { unlink } from 'node:fs/promises';
import type { IncomingMessage } from 'node:http';
import { join } from 'node:path';
import { pipeline } from 'node:stream/promises';
import type { ClickHouseRole, Query } from './engine.js';
import { ClickHouseError } from './errors.js';
import { quoteText, readStatement } from './sql.js';

export interface QueryLimits {
  /** Longest data of one INSERT, in bytes. They are streamed to disk. */
  dataBytes: number;
  /** Longest body that holds a statement. */
  statementBytes: number;
}

export interface QueryRequest {
  query: Query;
  /** Deletes the data of an INSERT. */
  discard(): Promise<void>;
}

/** Parameters of the address for the HTTP interface. Every other parameter is a setting. */
const HTTP_PARAMETERS = new Set([
  'query',
  'query_id',
  'database',
  'default_format',
  'user',
  'password',
  'quota_key',
  'role',
  'readonly',
  'stacktrace',
  'wait_end_of_query',
  'buffer_size',
  'close_session',
  'client_protocol_version',
  // Clients name a session for each of their queries. There is none: what a query sets ends with it.
  'session_id',
  'session_timeout',
  'session_check',
]);

export interface Incoming {
  request: IncomingMessage;
  address: URL;
  /** of the user; the caller has checked the password */
  role: ClickHouseRole;
}

const INSERT_DATA = /^\s*(INSERT\s+INTO\s+[\w.`]+\s*(?:\([^()]*\))?)\s*(FORMAT\s+\w+)\s*$/i;

/**
 * Bytes of an INSERT that may wait for the disk: what comes in during a write goes with the next one. With Node's 16 KiB each piece from
 * the socket is a write of its own, and the socket stops meanwhile: half a second of CPU more for a million rows.
 */
const WAITING_BYTES = 1024 * 1024;

/** Reads the whole request. The caller runs the query, then calls `discard`. */
export async function readRequest(
  { request, address, role }: Incoming,
  folder: string,
  limits: QueryLimits,
): Promise<QueryRequest> {
  const coding = request.headers['content-encoding'] ?? 'identity';
  if (coding !== 'identity') {
    throw new ClickHouseError(48, 'NOT_IMPLEMENTED', 'A Content-Encoding is not supported by the embedded engine');
  }
  const parameters = address.searchParams;
  const head = parameters.get('query') ?? '';
  const rest = { role, ...readParameters(request, parameters) };
  const [, target, format] = (role === 'writer' && INSERT_DATA.exec(head)) || [];
  if (target === undefined) {
    const body = await collect(request, limits.statementBytes);
    const sql = head === '' || body === '' ? head + body : `${head}\n${body}`;
    return { query: { ...rest, sql, statement: readStatement(sql) }, discard: async () => {} };
  }
  const file = join(folder, randomUUID());
  const discard = (): Promise<void> => unlink(file).catch(() => {});
  try {
    const out = createWriteStream(file, { mode: 0o600, highWaterMark: WAITING_BYTES });
    await pipeline(request, limited(limits.dataBytes), out);
  } catch (error) {
    await discard();
    throw unreadable(error);
  }
  return { query: { ...rest, sql: `${target} FROM INFILE ${quoteText(file)} ${format}` }, discard };
}

/** ClickHouse's own limit (`http_max_field_value_size`). */
const MOST_VALUE_BYTES = 128 * 1024;

function readParameters(
  request: IncomingMessage,
  parameters: URLSearchParams,
): Omit<Query, 'sql' | 'statement' | 'role'> {
  const settings: Record<string, string> = Object.create(null);
  const params: Record<string, string> = Object.create(null);
  for (const [name, value] of parameters) {
    if (Buffer.byteLength(value) > MOST_VALUE_BYTES) {
      throw new ClickHouseError(1000, 'POCO_EXCEPTION', 'HTML Form Exception: Field value too long');
    }
    if (name.startsWith('param_')) params[name.slice('param_'.length)] = value;
    else if (!HTTP_PARAMETERS.has(name)) settings[name] = value;
  }
  for (const name of ['compress', 'decompress']) {
    const value = settings[name];
    delete settings[name];
    if (value !== undefined && value !== '0' && value !== '') {
      throw new ClickHouseError(344, 'SUPPORT_IS_DISABLED', `${name} is not supported by the embedded engine`);
    }
  }
  const database = parameters.get('database') ?? header(request, 'x-clickhouse-database');
  const format = parameters.get('default_format') ?? header(request, 'x-clickhouse-format') ?? 'TabSeparated';
  if (!/^\w{1,64}$/.test(format)) throw new ClickHouseError(73, 'UNKNOWN_FORMAT', 'Unknown format');
  return { settings, params, format, readonly: readReadonly(request, parameters), ...(database ? { database } : {}) };
}

/** A GET may read and set, but not change anything: ClickHouse's own rule, so that a link can do no harm. */
function readReadonly(request: IncomingMessage, parameters: URLSearchParams): 0 | 1 | 2 {
  const given = parameters.get('readonly');
  const value = given === null ? (request.method === 'POST' ? 0 : 2) : Number(given);
  if (value !== 0 && value !== 1 && value !== 2) {
    throw new ClickHouseError(36, 'BAD_ARGUMENTS', 'The setting readonly is 0, 1 or 2');
  }
  if (value === 0 && request.method !== 'POST') {
    throw new ClickHouseError(164, 'READONLY', "Cannot modify 'readonly' setting in readonly mode");
  }
  return value;
}

function header(request: IncomingMessage, name: string): string | undefined {
  const value = request.headers[name];
  return typeof value === 'string' && value !== '' ? value : undefined;
}

/** The body is longer than the limit; answered with 413. */
export class QueryTooLarge extends Error {}

/** Passes a body on up to `limit` bytes. */
const limited = (limit: number) =>
  async function* (body: AsyncIterable<Buffer>): AsyncGenerator<Buffer> {
    let size = 0;
    for await (const chunk of body) {
      size += chunk.length;
      if (size > limit) throw new QueryTooLarge(`the body is longer than ${limit} bytes`);
      yield chunk;
    }
  };

async function collect(body: AsyncIterable<Buffer>, limit: number): Promise<string> {
  const chunks: Buffer[] = [];
  try {
    for await (const chunk of limited(limit)(body)) chunks.push(chunk);
  } catch (error) {
    throw unreadable(error);
  }
  return Buffer.concat(chunks).toString();
}

function unreadable(error: unknown): Error {
  if (error instanceof QueryTooLarge) return error;
  const { code } = error as NodeJS.ErrnoException;
  if (code === 'ENOSPC') return new ClickHouseError(243, 'NOT_ENOUGH_SPACE', 'The disk is full');
  return new ClickHouseError(1000, 'POCO_EXCEPTION', 'The body could not be read');
}

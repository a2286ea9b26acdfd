/** Reads an HTTP request: the statement from address and body, its settings, and the data of an INSERT. */
import { randomUUID } from 'node:crypto';
import { createWriteStream } from 'node:fs';
import { unlink, writeFile } from 'node:fs/promises';
import type { IncomingMessage } from 'node:http';
import { join } from 'node:path';
import { type Readable, Transform } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { createBrotliDecompress, createGunzip, createInflate } from 'node:zlib';
import type { Query, Role } from './engine.js';
import { ClickHouseError } from './errors.js';
import { hasSecond, readStatement } from './sql.js';

export interface Limits {
  /** Longest data of one INSERT that is streamed to disk, in bytes after decompression. */
  dataBytes: number;
  /** Longest body that holds a statement, with or without its data. */
  bodyBytes: number;
  /** Longest statement. */
  statementBytes: number;
}

export interface Asked {
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
  'session_timeout',
  'session_check',
]);

export interface Incoming {
  request: IncomingMessage;
  address: URL;
  /** of the user; the caller has checked the password */
  role: Role;
}

/** Reads the whole request. The caller runs the query, then calls `discard`. */
export async function readRequest(
  { request, address, role }: Incoming,
  folder: string,
  limits: Limits,
): Promise<Asked> {
  const parameters = address.searchParams;
  const head = Buffer.from(parameters.get('query') ?? '');
  const rest = { role, ...readParameters(request, parameters) };
  const statement = readStatement(head.toString('latin1'));
  const body = decoded(request);
  // A reader has no data to send, so its body is a statement and no longer than one.
  const writes = role === 'writer';
  if (writes && statement.insert && isBlank(head.subarray(statement.insert.dataStart)) && hasBody(request)) {
    const dataFile = newFile(folder);
    await pipeline(body, limited(limits.dataBytes), createWriteStream(dataFile, { mode: 0o600 })).catch(
      failed(dataFile),
    );
    return { query: { ...rest, sql: head, statement, dataFile }, discard: () => remove(dataFile) };
  }
  const sent = await collect(body, writes ? limits.bodyBytes : limits.statementBytes);
  const whole =
    head.length > 0 && sent.length > 0 ? Buffer.concat([head, Buffer.from('\n'), sent]) : Buffer.concat([head, sent]);
  return wholeRequest(whole, rest, folder, limits);
}

type Rest = Omit<Query, 'sql' | 'statement' | 'dataFile'>;

async function wholeRequest(whole: Buffer, rest: Rest, folder: string, limits: Limits): Promise<Asked> {
  const statement = readStatement(whole.subarray(0, limits.statementBytes).toString('latin1'));
  const { insert } = statement;
  const fits = whole.length <= limits.statementBytes;
  if (rest.role === 'writer' && insert && !(fits && insert.format === 'Values')) {
    const dataFile = newFile(folder);
    await writeFile(dataFile, whole.subarray(insert.dataStart), { mode: 0o600 }).catch(failed(dataFile));
    const sql = whole.subarray(0, insert.dataStart);
    return { query: { ...rest, sql, statement, dataFile }, discard: () => remove(dataFile) };
  }
  if (!fits) {
    throw new ClickHouseError(
      62,
      'SYNTAX_ERROR',
      `Syntax error: max query size (${limits.statementBytes} bytes) exceeded`,
    );
  }
  // VALUES may hold expressions, so they stay in the statement. A second statement is looked for behind them.
  const several = statement.several || (insert !== undefined && hasSecond(whole.toString('latin1')));
  return { query: { ...rest, sql: whole, statement: { ...statement, several } }, discard: async () => {} };
}

const remove = (file: string): Promise<void> => unlink(file).catch(() => {});

/** Removes a file of data that could not be written, and throws why. */
const failed =
  (file: string) =>
  async (error: unknown): Promise<never> => {
    await remove(file);
    throw unreadable(error);
  };

/** ClickHouse's own limit (`http_max_field_value_size`). */
const MOST_VALUE_BYTES = 128 * 1024;

function readParameters(request: IncomingMessage, parameters: URLSearchParams): Omit<Rest, 'role'> {
  const settings: Record<string, string> = Object.create(null);
  const params: Record<string, string> = Object.create(null);
  for (const [name, value] of parameters) {
    if (Buffer.byteLength(value) > MOST_VALUE_BYTES) {
      throw new ClickHouseError(1000, 'POCO_EXCEPTION', 'HTML Form Exception: Field value too long');
    }
    if (name.startsWith('param_')) params[name.slice('param_'.length)] = value;
    else if (!HTTP_PARAMETERS.has(name)) settings[name] = value;
  }
  for (const name of ['session_id', 'compress', 'decompress']) {
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

function hasBody(request: IncomingMessage): boolean {
  return request.headers['transfer-encoding'] !== undefined || Number(request.headers['content-length'] ?? 0) > 0;
}

const isBlank = (bytes: Buffer): boolean => bytes.toString('latin1').trim() === '';
const newFile = (folder: string): string => join(folder, randomUUID());

function decoded(request: IncomingMessage): Readable {
  const coding = request.headers['content-encoding']?.trim().toLowerCase() ?? '';
  if (coding === '' || coding === 'identity') return request;
  const decompress = { gzip: createGunzip, 'x-gzip': createGunzip, deflate: createInflate, br: createBrotliDecompress };
  if (!Object.hasOwn(decompress, coding)) {
    throw new ClickHouseError(48, 'NOT_IMPLEMENTED', 'Content-Encoding must be gzip, deflate or br');
  }
  const stream = decompress[coding as keyof typeof decompress]();
  request.once('error', (error) => stream.destroy(error));
  request.once('aborted', () => stream.destroy(new Error('the request was cut off')));
  return request.pipe(stream);
}

/** The body is longer than the limit; answered with 413. */
export class TooLarge extends Error {}

function limited(limit: number): Transform {
  let size = 0;
  return new Transform({
    transform(chunk: Buffer, _encoding, done) {
      size += chunk.length;
      if (size > limit) done(new TooLarge(`the body is longer than ${limit} bytes`));
      else done(null, chunk);
    },
  });
}

async function collect(body: Readable, limit: number): Promise<Buffer> {
  const chunks: Buffer[] = [];
  let size = 0;
  try {
    for await (const chunk of body as AsyncIterable<Buffer>) {
      size += chunk.length;
      if (size > limit) throw new TooLarge(`the body is longer than ${limit} bytes`);
      chunks.push(chunk);
    }
  } catch (error) {
    throw unreadable(error);
  }
  return Buffer.concat(chunks, size);
}

function unreadable(error: unknown): Error {
  if (error instanceof TooLarge) return error;
  const code = (error as NodeJS.ErrnoException).code;
  if (code?.startsWith('Z_') || code === 'ERR__ERROR_FORMAT_PADDING_1') {
    return new ClickHouseError(354, 'ZLIB_INFLATE_FAILED', 'The body is not what its Content-Encoding says');
  }
  if (code === 'ENOSPC') return new ClickHouseError(243, 'NOT_ENOUGH_SPACE', 'The disk is full');
  return new ClickHouseError(1000, 'POCO_EXCEPTION', 'The body could not be read');
}

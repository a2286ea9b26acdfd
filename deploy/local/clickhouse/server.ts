/**
 * ClickHouse's HTTP interface in front of the embedded engine, on loopback: the part that `@clickhouse/client`, `curl`
 * and dashboards use. It has two users, each with a password: one writes (Weir) and one reads (people). It checks the
 * password before it reads a body. It refuses pages in a browser, and foreign host names that resolve to this machine.
 *
 * States: listening → draining (after close: no new queries, those under way finish) → closed.
 */
import { randomUUID } from 'node:crypto';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { Passwords } from '../credentials.js';
import { type ClickHouseAccess, createAccess } from './access.js';
import { type ClickHouseEngine, type ClickHouseRole, openEngine } from './engine.js';
import { ClickHouseError } from './errors.js';
import { createGate } from './gate.js';
import { type QueryLimits, type QueryRequest, QueryTooLarge, readRequest } from './request.js';

export interface ClickHouseOptions {
  /** Folder of the engine's data; one process at a time. */
  dataDir: string;
  /** 0: any free port. */
  port: number;
  /** Default 127.0.0.1. */
  host?: string;
  passwords: Pick<Passwords, ClickHouseRole>;
  /** The only database for users; made when missing. Default `weir`. */
  database?: string;
  /** Queries of the writer that run at once (default: from UV_THREADPOOL_SIZE) and that wait (default 256). */
  concurrency?: number;
  queue?: number;
  limits?: Partial<QueryLimits>;
}

export interface RunningClickHouse {
  url: string;
  port: number;
  /** Lets queries under way finish, then closes the engine. */
  close(): Promise<void>;
}

const MIB = 1024 ** 2;
/** Queries of readers that run at once. Each may use 1 GiB; they take no slots of the writer. */
const READERS = 2;
const DEFAULT_LIMITS: QueryLimits = { dataBytes: 1024 * MIB, statementBytes: MIB };

/** Opens the engine and serves it. Throws when the port is taken or another process has the folder. */
export async function startClickHouse(options: ClickHouseOptions): Promise<RunningClickHouse> {
  const host = options.host ?? '127.0.0.1';
  const engine = openEngine(options.dataDir, options.database ?? 'weir');
  // Each query under way holds a thread of libuv's pool; files and compression need some too.
  const pool = Number(process.env.UV_THREADPOOL_SIZE) || 4;
  const gates: Serving['gates'] = {
    writer: createGate(options.concurrency ?? Math.max(2, pool - 2 - READERS), options.queue ?? 256),
    reader: createGate(READERS, 16),
  };
  const access = createAccess(options.passwords);
  const limits = { ...DEFAULT_LIMITS, ...options.limits };
  // ClickHouse takes addresses of up to 1 MiB, parameters included. Node's default limit is 16 KiB.
  const server = createServer({ maxHeaderSize: MIB }, (request, response) => {
    handle({ engine, gates, access, limits, host }, request, response).catch((error: unknown) => {
      response.destroy(error instanceof Error ? error : undefined);
    });
  });
  server.keepAliveTimeout = 10_000;
  server.requestTimeout = 300_000;
  try {
    await new Promise<void>((resolve, reject) => {
      server.once('error', reject);
      server.listen(options.port, host, resolve);
    });
  } catch (error) {
    await engine.close();
    throw error;
  }
  const address = server.address();
  const port = typeof address === 'object' && address !== null ? address.port : options.port;
  let closing: Promise<void> | undefined;
  const close = async (): Promise<void> => {
    const closed = new Promise<void>((resolve) => server.close(() => resolve()));
    server.closeIdleConnections();
    await Promise.all([gates.writer.drain(), gates.reader.drain()]);
    server.closeIdleConnections();
    const cut = setTimeout(() => server.closeAllConnections(), 1000);
    await closed;
    clearTimeout(cut);
    await engine.close();
  };
  return { url: `http://${host.includes(':') ? `[${host}]` : host}:${port}`, port, close: () => (closing ??= close()) };
}

interface Serving {
  engine: ClickHouseEngine;
  gates: Record<ClickHouseRole, ReturnType<typeof createGate>>;
  access: ClickHouseAccess;
  limits: QueryLimits;
  host: string;
}

async function handle(serving: Serving, request: IncomingMessage, response: ServerResponse): Promise<void> {
  const address = parseAddress(request.url ?? '/');
  response.setHeader('X-ClickHouse-Server-Display-Name', 'weir');
  if (request.method !== 'GET' && request.method !== 'POST' && request.method !== 'HEAD') {
    response.setHeader('Allow', 'GET, POST, HEAD');
    return finish(request, response, 405, 'Only GET, POST and HEAD are answered here.\n');
  }
  if (!isLocal(request, serving.host)) {
    const refused = new ClickHouseError(497, 'ACCESS_DENIED', 'Only programs of this machine are answered here');
    return fail(serving, { request, response }, refused);
  }
  const isQuery = address?.pathname === '/' && (request.method === 'POST' || address.searchParams.has('query'));
  if (isQuery) return answerQuery(serving, { request, response }, address);
  if (address && ['/', '/ping'].includes(address.pathname)) {
    return finish(request, response, 200, 'Ok.\n');
  }
  const path = (address?.pathname ?? '').slice(0, 200);
  finish(request, response, 404, `There is no handle ${path}\nUse / or /ping, and / with a query.\n`);
}

interface QueryExchange {
  request: IncomingMessage;
  response: ServerResponse;
}

async function answerQuery(serving: Serving, exchange: QueryExchange, address: URL): Promise<void> {
  const { request, response } = exchange;
  const id = address.searchParams.get('query_id') ?? '';
  response.setHeader('X-ClickHouse-Query-Id', /^[\x21-\x7e]{1,128}$/.test(id) ? id : randomUUID());
  const gone = new AbortController();
  response.once('close', () => gone.abort());
  let asked: QueryRequest | undefined;
  try {
    const role = serving.access(request, address.searchParams);
    asked = await readRequest({ request, address, role }, serving.engine.dataFolder, serving.limits);
    const { query } = asked;
    const result = await serving.gates[role].run(() => serving.engine.run(query), gone.signal);
    const format = query.statement?.format ?? query.format;
    response.setHeader('X-ClickHouse-Format', format);
    response.setHeader('Content-Type', contentType(format));
    finish(request, response, 200, result);
  } catch (error) {
    fail(serving, exchange, error);
  } finally {
    await asked?.discard();
  }
}

function fail(serving: Serving, { request, response }: QueryExchange, error: unknown): void {
  if (response.destroyed || response.headersSent) return;
  const version = `${serving.engine.version} (embedded)`;
  if (error instanceof QueryTooLarge) {
    const known = new ClickHouseError(307, 'TOO_MANY_BYTES', error.message);
    response.setHeader('X-ClickHouse-Exception-Code', known.code);
    response.setHeader('Connection', 'close');
    finish(request, response, 413, known.render(version));
    return;
  }
  const known =
    error instanceof ClickHouseError ? error : new ClickHouseError(1002, 'UNKNOWN_EXCEPTION', 'Unexpected failure');
  response.setHeader('X-ClickHouse-Exception-Code', known.code);
  if (known.status === 503) response.setHeader('Retry-After', '1');
  if (known.status === 401) response.setHeader('WWW-Authenticate', 'Basic realm="ClickHouse server HTTP API"');
  finish(request, response, known.status, known.render(version));
}

/** Answers, and discards what is left of the body. */
function finish(request: IncomingMessage, response: ServerResponse, status: number, body: string | Uint8Array): void {
  if (!response.hasHeader('Content-Type')) response.setHeader('Content-Type', 'text/plain; charset=UTF-8');
  if (!request.complete) {
    response.setHeader('Connection', 'close');
    // A client that is still sending would see a reset before it could read the answer.
    response.once('finish', () => setTimeout(() => request.destroy(), 500).unref());
    request.unpipe();
    request.resume();
  }
  const bytes = Buffer.from(body as Uint8Array);
  response.writeHead(status, { 'Content-Length': bytes.length });
  response.end(request.method === 'HEAD' ? undefined : bytes);
}

function parseAddress(target: string): URL | undefined {
  try {
    return new URL(target, 'http://local');
  } catch {
    return undefined;
  }
}

const LOOPBACK = /^(localhost|127(\.\d{1,3}){3}|\[::1\])$/i;

/** False for a page in a browser, and for a foreign host name that resolves to this machine. */
function isLocal(request: IncomingMessage, host: string): boolean {
  const name = hostnameOf(`http://${request.headers.host ?? 'localhost'}`);
  if (name === undefined || (!LOOPBACK.test(name) && name !== host)) return false;
  const { origin } = request.headers;
  if (request.headers['sec-fetch-site'] === 'cross-site') return false;
  return origin === undefined || LOOPBACK.test(hostnameOf(origin) ?? '');
}

function hostnameOf(url: string): string | undefined {
  return URL.canParse(url) ? new URL(url).hostname : undefined;
}

function contentType(format: string): string {
  if (/^JSON.*EachRow/.test(format)) return 'application/x-ndjson; charset=UTF-8';
  if (/^JSON/.test(format)) return 'application/json; charset=UTF-8';
  if (/^(TabSeparated|TSV)/.test(format)) return 'text/tab-separated-values; charset=UTF-8';
  if (/^CSV/.test(format)) return `text/csv; charset=UTF-8; header=${/WithNames/.test(format) ? 'present' : 'absent'}`;
  if (/^(Native|RowBinary|Parquet|Arrow|ORC|Avro|MsgPack|Protobuf|BSON|Npy)/.test(format))
    return 'application/octet-stream';
  return 'text/plain; charset=UTF-8';
}

/**
 * Stands between clients and a server that speaks the streamable HTTP transport:
 *
 *     POST      its messages are checked and sent on; the answer, JSON or a stream of events, is checked on its way back
 *     GET       a stream of events, checked event by event
 *     DELETE    passed on
 *
 * A client that goes away ends its request to the server, which is how requests are cancelled there. Answers that are neither JSON nor a
 * stream of events lose their body: nothing could look at it.
 */
import { createHash, randomUUID } from 'node:crypto';
import { once } from 'node:events';
import {
  type ClientRequest,
  createServer,
  type IncomingHttpHeaders,
  type IncomingMessage,
  type RequestOptions,
  request,
  type Server,
  type ServerResponse,
} from 'node:http';
import { request as requestTls } from 'node:https';
import { localNames } from '../../../shared/loopback.js';
import { type McpEventsLimit, passEvents } from './events.js';
import type { McpGuard, McpSession } from './guard.js';
import { INVALID_REQUEST, type McpId, type McpObject, readMessages, STOPPED, writeError } from './message.js';
import { joined } from './stdio.js';

export interface McpHttpOptions {
  host: string;
  upstream: URL;
  guard: McpGuard;
  /** run of all requests; without it, one for each session */
  run?: string | undefined;
  mostBytes: number;
  /** requests at once, streams among them */
  inFlight: number;
  /** further names of this server and of pages that may call it, separated by commas */
  allowed: string;
  note(line: string): void;
}

/** Headers of the protocol and of what it needs. `mcp-param-…` repeats arguments, and is checked like them. */
const SENT_ON = /^(?:accept|authorization|content-type|last-event-id|user-agent|mcp-[\w-]{1,100})$/;
const SENT_BACK = /^(?:allow|cache-control|mcp-[\w-]{1,100}|retry-after|www-authenticate|x-accel-buffering)$/;

/** Headers of a client that the proxy sends with an answer of its own. */
const SENT_BY_PROXY = new Set(['authorization', 'mcp-session-id', 'mcp-protocol-version']);
const TELL_MS = 30_000;

function requestTo(upstream: URL, options: RequestOptions): ClientRequest {
  return (upstream.protocol === 'https:' ? requestTls : request)(upstream, options);
}

interface McpExchange {
  from: IncomingMessage;
  to: ServerResponse;
  session: McpSession;
}

export function createMcpHttp(options: McpHttpOptions): Server {
  const { host, upstream, guard, mostBytes, inFlight, note } = options;
  const names = localNames(host, options.allowed);
  const others = new Set(options.allowed.split(',').map((name) => name.trim().toLowerCase()));
  let open = 0;

  /** Whether a browser may have been led here by a page of others (DNS rebinding). */
  function isStranger({ host: named = '', origin = '' }: IncomingHttpHeaders): boolean {
    if (names) return names.stranger(named, origin) !== undefined;
    return origin !== '' && !(URL.canParse(origin) && others.has(new URL(origin).hostname));
  }

  function answer(to: ServerResponse, status: number, error: McpObject, ids: readonly (McpId | null)[] = [null]): void {
    if (to.headersSent) return void to.end();
    const texts = ids.map((id) => writeError(id, error));
    to.writeHead(status, { 'content-type': 'application/json' });
    to.end(texts.length === 1 ? texts[0] : `[${texts.join(',')}]`);
  }

  async function handle(from: IncomingMessage, to: ServerResponse): Promise<void> {
    if (isStranger(from.headers))
      return answer(to, 403, { code: STOPPED, message: 'This Host or Origin is not allowed.' });
    const [path = ''] = (from.url ?? '').split('?');
    if (path !== upstream.pathname)
      return answer(to, 404, { code: STOPPED, message: `The endpoint is ${upstream.pathname}.` });
    if (from.headers.origin !== undefined) allowPage(from, to);
    if (from.method === 'OPTIONS') return void to.writeHead(204).end();
    if (!['POST', 'GET', 'DELETE'].includes(from.method ?? '')) {
      to.setHeader('allow', 'GET, POST, DELETE');
      return answer(to, 405, { code: STOPPED, message: 'Expected POST, GET or DELETE.' });
    }
    if (open >= inFlight) {
      to.setHeader('retry-after', '1');
      return answer(to, 503, { code: STOPPED, message: 'There are too many requests at once.' });
    }
    open++;
    to.once('close', () => open--);
    const exchange = { from, to, session: sessionOf(from, options.run) };
    if (from.method === 'POST') return await post(exchange);
    const response = await ask(exchange, undefined);
    if (response) await back(exchange, response, { ids: [] });
  }

  async function post(exchange: McpExchange): Promise<void> {
    const { from, to, session } = exchange;
    const body = await bodyOf(from, mostBytes);
    if (body === undefined) {
      to.setHeader('connection', 'close');
      return answer(to, 413, { code: INVALID_REQUEST, message: `A message has more than ${mostBytes} bytes.` });
    }
    const read = readMessages(utf8(body) ?? '');
    if ('error' in read) return answer(to, 400, read.error, [read.id]);
    const repeated = await repeatedInHeaders(exchange);
    if (repeated !== undefined) {
      const ids = read.units.flatMap(({ message }) => (message.kind === 'request' ? [message.id!] : []));
      return answer(to, 400, { code: STOPPED, message: repeated }, ids.length > 0 ? ids : [null]);
    }
    const { pass, reply } = joined(
      await Promise.all(read.units.map((unit) => guard.inspect(unit, 'client', session))),
      read.isBatch,
    );
    if (to.destroyed) return;
    if (pass === undefined) {
      if (reply === undefined) return void to.writeHead(202).end();
      to.writeHead(200, { 'content-type': 'application/json' });
      return void to.end(reply);
    }
    const ids = read.units.flatMap(({ message }) => (message.kind === 'request' ? [message.id!] : []));
    const response = await ask(exchange, pass, ids);
    if (response) await back(exchange, response, { ids, ...(reply === undefined ? {} : { reply }) });
  }

  /** Values of `mcp-param-…` are arguments, so they are checked like these. Says why they must not pass. */
  async function repeatedInHeaders({ from, session }: McpExchange): Promise<string | undefined> {
    const values = Object.entries(from.headers).flatMap(([name, value]) =>
      name.startsWith('mcp-') && name !== 'mcp-session-id' ? [String(value)] : [],
    );
    const said = values.map(decodedHeader).filter((value) => !PLAIN_HEADER.test(value));
    if (said.length === 0) return undefined;
    const message = { kind: 'notification' as const, method: 'headers', params: { values: said } };
    const { pass } = await guard.inspect({ source: '', message, exact: message }, 'client', session);
    return pass === undefined ? 'Stopped by Weir: a header of the request.' : undefined;
  }

  /** The answer of the server; undefined where there is none, which the client is told. */
  async function ask(
    { from, to }: McpExchange,
    body: string | undefined,
    ids: readonly McpId[] = [],
  ): Promise<IncomingMessage | undefined> {
    const headers = Object.fromEntries(Object.entries(from.headers).filter(([name]) => SENT_ON.test(name)));
    const sent = body === undefined ? undefined : Buffer.from(body);
    if (sent) headers['content-length'] = String(sent.length);
    const asked = requestTo(upstream, { method: from.method, headers });
    to.once('close', () => asked.destroy());
    asked.end(sent);
    try {
      const [response] = (await once(asked, 'response')) as [IncomingMessage];
      asked.on('error', () => undefined);
      return response;
    } catch (error) {
      asked.on('error', () => undefined);
      if (to.destroyed) return undefined;
      note(`the server cannot be reached (${(error as NodeJS.ErrnoException).code ?? 'unknown'})`);
      answer(to, 502, { code: STOPPED, message: 'The server cannot be reached.' }, ids.length > 0 ? ids : [null]);
      return undefined;
    }
  }

  /** Answers a request of the server that was stopped: in the session, by a POST of its own. */
  function tell({ from }: McpExchange, reply: string): void {
    const headers = Object.fromEntries(Object.entries(from.headers).filter(([name]) => SENT_BY_PROXY.has(name)));
    const types = { 'content-type': 'application/json', accept: 'application/json, text/event-stream' };
    const asked = requestTo(upstream, { method: 'POST', headers: { ...headers, ...types } });
    asked.on('response', (response: IncomingMessage) => response.resume());
    asked.on('error', () => note('the server cannot be told of what was stopped'));
    asked.setTimeout(TELL_MS, () => asked.destroy());
    asked.end(reply);
  }

  async function back(
    exchange: McpExchange,
    response: IncomingMessage,
    { ids, reply }: { ids: readonly McpId[]; reply?: string },
  ): Promise<void> {
    const { to, session } = exchange;
    const status = response.statusCode ?? 502;
    const type = (response.headers['content-type'] ?? '').split(';')[0]!.trim().toLowerCase();
    const headers = Object.fromEntries(Object.entries(response.headers).filter(([name]) => SENT_BACK.test(name)));
    if (status >= 300 && status < 400) {
      // The client would go on without the proxy.
      response.resume();
      note('stopped: the server redirects; give the address that it redirects to');
      return answer(to, 502, { code: STOPPED, message: 'The server redirects.' }, ids.length > 0 ? ids : [null]);
    }
    if (type === 'text/event-stream' && status === 200) {
      to.writeHead(status, { ...headers, 'content-type': 'text/event-stream' });
      const limit: McpEventsLimit = { mostBytes, ids };
      return await passEvents(
        {
          response,
          to,
          guard,
          session,
          note,
          tell: (reply) => tell(exchange, reply),
          ...(reply === undefined ? {} : { reply }),
        },
        limit,
      );
    }
    const isJson = type === 'application/json';
    if (!isJson) response.resume();
    const body = isJson ? await bodyOf(response, mostBytes) : Buffer.alloc(0);
    if (body === undefined) {
      note(`stopped: an answer has more than ${mostBytes} bytes`);
      return answer(to, 502, { code: STOPPED, message: 'The answer is too large.' }, ids.length > 0 ? ids : [null]);
    }
    const read = body.length === 0 ? undefined : readMessages(utf8(body) ?? '');
    // What is no message, such as the page of a proxy in between, has a status that says enough.
    if (read === undefined || 'error' in read) {
      if (status === 200 && ids.length > 0) {
        return answer(to, 502, { code: STOPPED, message: 'The answer of the server cannot be read.' }, ids);
      }
      if (reply === undefined) return void to.writeHead(status, headers).end();
      to.writeHead(200, { ...headers, 'content-type': 'application/json' });
      return void to.end(reply);
    }
    const outcomes = await Promise.all(read.units.map((unit) => guard.inspect(unit, 'server', session)));
    const { pass, reply: told } = joined(outcomes, read.isBatch);
    if (told !== undefined) tell(exchange, told);
    const texts = [pass, reply].flatMap((text) =>
      text === undefined ? [] : text.startsWith('[') ? text.slice(1, -1) : text,
    );
    if (texts.length === 0) return void to.writeHead(202, headers).end();
    to.writeHead(status, { ...headers, 'content-type': 'application/json' });
    to.end(read.isBatch || reply !== undefined ? `[${texts.join(',')}]` : texts[0]);
  }

  const server = createServer((from, to) => {
    handle(from, to).catch(() => {
      note('failed: a request');
      if (!to.destroyed) answer(to, 500, { code: STOPPED, message: 'The proxy failed.' });
    });
  });
  server.maxHeadersCount = 100;
  return server;
}

/** Lets a page call that has an allowed origin. */
function allowPage({ headers, method }: IncomingMessage, to: ServerResponse): void {
  to.setHeader('access-control-allow-origin', headers.origin!);
  to.setHeader('vary', 'Origin');
  to.setHeader('access-control-expose-headers', 'mcp-session-id, mcp-protocol-version, www-authenticate');
  if (method !== 'OPTIONS') return;
  const asked = (headers['access-control-request-headers'] ?? '')
    .toLowerCase()
    .split(',')
    .map((name) => name.trim());
  to.setHeader('access-control-allow-methods', 'GET, POST, DELETE');
  to.setHeader('access-control-allow-headers', asked.filter((name) => SENT_ON.test(name)).join(', '));
}

/** Headers that repeat a method or a version, and short words. */
const PLAIN_HEADER = /^[a-z_-]{0,24}(?:\/[a-z_]{1,24}){0,3}$|^\d{4}-\d\d-\d\d$/i;

/** Values that are no plain ASCII stand as base64 between these marks. */
function decodedHeader(value: string): string {
  const [, coded] = /^=\?base64\?([\w+/=-]*)\?=$/i.exec(value) ?? [];
  return coded === undefined ? value : Buffer.from(coded, 'base64').toString();
}

function sessionOf({ headers }: IncomingMessage, run: string | undefined): McpSession {
  const told = headers['mcp-session-id'];
  const id = typeof told === 'string' && told !== '' ? told : randomUUID();
  // The id lets its holder into the session, so only its hash is told.
  return { id, run: run ?? `mcp-${createHash('sha256').update(id).digest('hex').slice(0, 32)}` };
}

/** Undefined when it is larger. */
async function bodyOf(from: IncomingMessage, most: number): Promise<Buffer | undefined> {
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of from as AsyncIterable<Buffer>) {
    size += chunk.length;
    if (size > most) return undefined;
    chunks.push(chunk);
  }
  return Buffer.concat(chunks);
}

function utf8(bytes: Buffer): string | undefined {
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes);
  } catch {
    return undefined;
  }
}

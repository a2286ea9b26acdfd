/** A small HTTP server that answers as a test wants, and a client of it. */
import { createServer, type IncomingHttpHeaders, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { after, before, beforeEach } from 'node:test';
import { type Client, type ClientOptions, createClient } from '#weir/shared/client/index';

export interface Received {
  method: string;
  path: string;
  headers: IncomingHttpHeaders;
  // biome-ignore lint/suspicious/noExplicitAny: bodies are looked into freely by assertions
  json: any;
}

export interface Answer {
  status?: number;
  headers?: Record<string, string>;
  /** sent as JSON; a text is sent as it is */
  body?: unknown;
}

/** The reaction to a request: an answer, or a function that handles `res` itself. */
export type Reaction = (received: Received, res: ServerResponse) => Answer | undefined;

export interface Service {
  readonly url: string;
  readonly client: Client;
  /** in the order of arrival */
  received: Received[];
  /** the reactions to the next requests; when they are used up, 200 and `{}` */
  script: Reaction[];
  make(options?: Partial<ClientOptions>): Client;
}

export const SECRET = 'wk_very-secret-key';

export const errorBody = (type: string, code: string, more: Record<string, unknown> = {}): unknown => ({
  error: { type, code, message: `This is ${code}.`, request_id: 'r-1', ...more },
});

/** An error with Retry-After, 0 by default. */
export const refusal =
  (status: number, code: string, headers: Record<string, string> = { 'retry-after': '0' }): Reaction =>
  () => ({ status, headers, body: errorBody(status === 429 ? 'rate_limit_error' : 'api_error', code) });

async function read(req: IncomingMessage): Promise<Received> {
  let text = '';
  for await (const chunk of req) text += String(chunk);
  return {
    method: req.method ?? '',
    path: req.url ?? '',
    headers: req.headers,
    json: text === '' ? undefined : JSON.parse(text),
  };
}

/** A service for all tests of a `describe`, to be called in it: each of them finds it as if it were new. */
export function sharedService(): Service {
  const received: Received[] = [];
  const script: Reaction[] = [];
  const server = createServer(async (req, res) => {
    const request = await read(req).catch(() => undefined);
    if (request === undefined) return;
    received.push(request);
    const answer: Reaction = script.shift() ?? (() => ({}));
    const made = answer(request, res);
    if (made === undefined) return;
    const { status = 200, headers = {}, body = {} } = made;
    res.writeHead(status, { 'content-type': 'application/json', 'x-request-id': 'r-1', ...headers });
    res.end(typeof body === 'string' ? body : JSON.stringify(body));
  });
  const service = {
    received,
    script,
    get url() {
      return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
    },
    get client() {
      return service.make();
    },
    make: (options: Partial<ClientOptions> = {}) => createClient({ url: service.url, apiKey: SECRET, ...options }),
  };
  before(() => new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve)));
  beforeEach(() => {
    received.length = 0;
    script.length = 0;
  });
  after(async () => {
    server.closeAllConnections();
    await new Promise((resolve) => server.close(resolve));
  });
  return service;
}

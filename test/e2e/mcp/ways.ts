/** Ways from a client of MCP through the proxy to a server: standard streams or HTTP, with the versions of the protocol. */
import { type ChildProcess, spawn } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { buffer } from 'node:stream/consumers';
import { Client, type ClientOptions, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio';
import { createMcpHandler, WebStandardStreamableHTTPServerTransport } from '@modelcontextprotocol/server';
import { packageRoot } from '#weir/shared/paths';
import { type Done, mcpServer } from './server.ts';

export const WEIR = join(packageRoot, 'deploy/cli/weir.mjs');

/** A client behind the proxy. */
export interface Way {
  client: Client;
  /** what the proxy, and a server that it starts, have said on the standard error */
  said(): string;
  /** what the proxied HTTP server was sent, but for its body */
  heard: IncomingMessage[];
  close(): Promise<void>;
}

export interface WayOptions {
  url: string;
  key: string;
  pictures: { small: string; large: string };
  options?: string[];
  /** answers requests for samples */
  sample?: () => string;
}

type Era = 'old' | 'new';

function clientOf(era: Era, { sample }: WayOptions): Client {
  const options: ClientOptions = { versionNegotiation: { mode: era === 'old' ? 'legacy' : { pin: '2026-07-28' } } };
  const client = new Client({ name: 'test', version: '1.0.0' }, { ...options, capabilities: { sampling: {} } });
  client.setRequestHandler('sampling/createMessage', () => ({
    model: 'none',
    role: 'assistant',
    content: { type: 'text', text: sample?.() ?? 'Hello.' },
  }));
  return client;
}

const proxyArgs = ({ url, options = [] }: WayOptions): string[] => [
  WEIR,
  'mcp-proxy',
  '--url',
  url,
  '--environment',
  'prod',
  ...options,
];

export async function overStdio(era: Era, given: WayOptions): Promise<Way> {
  const server = join(packageRoot, 'test/e2e/mcp/stdio-server.ts');
  const transport = new StdioClientTransport({
    command: process.execPath,
    args: [...proxyArgs(given), '--', process.execPath, '--import', 'tsx', server],
    cwd: packageRoot,
    env: { PATH: process.env.PATH ?? '', WEIR_KEY: given.key, PICTURES: JSON.stringify(given.pictures) },
    stderr: 'pipe',
  });
  let said = '';
  transport.stderr?.on('data', (chunk: Buffer) => {
    said += chunk.toString();
  });
  const client = clientOf(era, given);
  await client.connect(transport);
  return { client, said: () => said, heard: [], close: () => client.close() };
}

/** A server of both eras: the old one with sessions, whose answers are streams. */
export async function httpServer(pictures: WayOptions['pictures'], heard: IncomingMessage[]): Promise<Server> {
  const done: Done = { calls: 0, cancelled: 0 };
  const make = mcpServer(done, pictures);
  const handler = createMcpHandler((context) => make(context), { legacy: 'reject' });
  const sessions = new Map<string, WebStandardStreamableHTTPServerTransport>();

  async function old(request: Request): Promise<Response> {
    const id = request.headers.get('mcp-session-id') ?? '';
    const known = sessions.get(id);
    if (known) return await known.handleRequest(request);
    const transport = new WebStandardStreamableHTTPServerTransport({
      sessionIdGenerator: randomUUID,
      onsessioninitialized: (made) => void sessions.set(made, transport),
    });
    await make().connect(transport);
    return await transport.handleRequest(request);
  }

  const server = createServer((from: IncomingMessage, to: ServerResponse) => {
    heard.push(from);
    void (async () => {
      const body = from.method === 'POST' ? await buffer(from) : undefined;
      const headers = new Headers(from.headers as Record<string, string>);
      const ended = new AbortController();
      to.once('close', () => ended.abort());
      const init = { method: from.method ?? 'GET', headers, signal: ended.signal, ...(body ? { body } : {}) };
      const request = new Request(`http://127.0.0.1${from.url}`, init);
      const isNew = headers.get('mcp-protocol-version') === '2026-07-28';
      const response = isNew ? await handler.fetch(request) : await old(request);
      to.writeHead(response.status, Object.fromEntries(response.headers));
      if (!response.body) return void to.end();
      to.flushHeaders();
      Readable.fromWeb(response.body as Parameters<typeof Readable.fromWeb>[0])
        .on('error', () => to.destroy())
        .pipe(to);
    })().catch(() => to.destroy());
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return server;
}

export interface Proxy {
  child: ChildProcess;
  url: string;
  said(): string;
}

/** `upstream`: port of the server. */
export async function startProxy(given: WayOptions, upstream: number): Promise<Proxy> {
  const args = [...proxyArgs(given), '--listen', '127.0.0.1:0', '--upstream', `http://127.0.0.1:${upstream}/mcp`];
  const env = { PATH: process.env.PATH ?? '', WEIR_KEY: given.key };
  const child = spawn(process.execPath, args, { cwd: packageRoot, env, stdio: ['ignore', 'pipe', 'pipe'] });
  let said = '';
  child.stderr.on('data', (chunk: Buffer) => {
    said += chunk.toString();
  });
  const [line] = (await once(child.stdout, 'data')) as [Buffer];
  return { child, url: `${/http:\S+/.exec(line.toString())![0]}/mcp`, said: () => said };
}

export async function overHttp(era: Era, given: WayOptions): Promise<Way> {
  const heard: IncomingMessage[] = [];
  const server = await httpServer(given.pictures, heard);
  const proxy = await startProxy(given, (server.address() as AddressInfo).port);
  const client = clientOf(era, given);
  const transport = new StreamableHTTPClientTransport(new URL(proxy.url), {
    requestInit: { headers: { authorization: 'Bearer of-the-server' } },
  });
  await client.connect(transport);
  return {
    client,
    said: proxy.said,
    heard,
    async close() {
      if (era === 'old') await transport.terminateSession();
      await client.close();
      const gone = once(proxy.child, 'exit');
      proxy.child.kill('SIGTERM');
      await gone;
      server.closeAllConnections();
      server.close();
    },
  };
}

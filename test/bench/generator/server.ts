/** HTTP servers on free ports, for the load generator to talk to. They behave well or badly on purpose. */
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import { createServer as createSocketServer, type Socket, type Server as SocketServer } from 'node:net';
import type { OfferedLoad } from '#weir/bench/generator/types';

export interface TestServer {
  port: number;
  close(): Promise<void>;
}

type Handler = (body: string, response: ServerResponse, request: IncomingMessage) => void;

/** A server that hands each whole request body to `handler`. */
export function httpServer(handler: Handler): Promise<TestServer> {
  const server = createServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('end', () => handler(Buffer.concat(chunks).toString(), response, request));
  });
  return listening(server, () => server.closeAllConnections());
}

/** A server that hands each connection to `handler`. */
export function socketServer(handler: (socket: Socket) => void): Promise<TestServer> {
  const sockets = new Set<Socket>();
  const server = createSocketServer((socket) => {
    sockets.add(socket);
    socket.on('error', () => {});
    socket.on('close', () => sockets.delete(socket));
    handler(socket);
  });
  return listening(server, () => {
    for (const socket of sockets) socket.destroy();
  });
}

function listening(server: Server | SocketServer, closeConnections: () => void): Promise<TestServer> {
  return new Promise((resolve) => {
    server.listen(0, '127.0.0.1', () => {
      const address = server.address();
      resolve({
        port: typeof address === 'object' && address !== null ? address.port : 0,
        close: () =>
          new Promise((done) => {
            server.close(() => done());
            closeConnections();
          }),
      });
    });
  });
}

/** Answers a batch as the service would, with every event completed and those that hold "AKIA" flagged. */
export function answerBatch(text: string): string {
  const { events } = JSON.parse(text) as { events: { type: string; event_id?: string }[] };
  const types = ['message', 'artifact', 'tool', 'function', 'agent', 'reasoning'];
  const results = Object.fromEntries(types.map((type) => [type, {} as Record<string, unknown>]));
  const order = events.map(({ type, event_id = `evt_${type}`, ...event }, index) => {
    const flagged = JSON.stringify(event).includes('AKIA');
    results[type]![event_id] = { flagged, policies: {}, event: { status: 'completed' } };
    return { index, type, event_id, status: 'completed', flagged };
  });
  return JSON.stringify({ flagged: order.some((entry) => entry.flagged), results, order });
}

/** A short, small load; `over` replaces what a test needs otherwise. */
export function loadOn(port: number, over: Partial<OfferedLoad> & Pick<OfferedLoad, 'bodies' | 'mode'>): OfferedLoad {
  return {
    host: '127.0.0.1',
    port,
    path: '/api/events',
    headers: { authorization: 'Bearer test' },
    connections: 4,
    maxInFlight: 1000,
    seconds: 0.5,
    timeoutMs: 60_000,
    sampleEvery: 1,
    firstStamp: 1,
    inspect: () => ({ items: 1, completed: 1, flagged: 0 }),
    ...over,
  };
}

/** One body of one item: `{"id":"00000000"}`, with its stamp. */
export const smallBody = { bytes: Buffer.from('{"id":"00000000"}'), stamps: [7], items: 1, flagged: 0 };

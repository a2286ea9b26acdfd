/** A host of images on loopback: a real HTTP or HTTPS server, or a bare TCP one for answers that no server would give. */
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { createServer as createSecureServer } from 'node:https';
import { createServer as createTcpServer, type Server, type Socket } from 'node:net';

export interface Origin {
  port: number;
  requests: IncomingMessage[];
  /** connections accepted so far */
  connections(): number;
  close(): Promise<void>;
}

type Handler = (request: IncomingMessage, response: ServerResponse) => void;

export function startOrigin(handle: Handler, tls?: { key: string; cert: string }, host = '127.0.0.1'): Promise<Origin> {
  const requests: IncomingMessage[] = [];
  const listener: Handler = (request, response) => {
    requests.push(request);
    handle(request, response);
  };
  return open(tls ? createSecureServer(tls, listener) : createServer(listener), requests, host);
}

/** `handle` gets each connection once its first bytes have come. */
export function startBareOrigin(handle: (socket: Socket) => void): Promise<Origin> {
  const server = createTcpServer((socket) => {
    socket.on('error', () => undefined);
    socket.once('data', () => handle(socket));
  });
  return open(server, [], '127.0.0.1');
}

async function open(server: Server, requests: IncomingMessage[], host: string): Promise<Origin> {
  const sockets = new Set<Socket>();
  let connections = 0;
  server.on('connection', (socket: Socket) => {
    connections++;
    sockets.add(socket);
    socket.on('close', () => sockets.delete(socket));
  });
  await new Promise<void>((resolve) => server.listen(0, host, resolve));
  const address = server.address();
  if (address === null || typeof address === 'string') throw new Error('the origin has no port');
  return {
    port: address.port,
    requests,
    connections: () => connections,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        for (const socket of sockets) socket.destroy();
      }),
  };
}

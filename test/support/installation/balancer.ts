/** A load balancer as people have one: it asks each backend twice a second whether it is ready, and passes each request on once. */
import { Agent, createServer, request as httpRequest } from 'node:http';
import type { AddressInfo } from 'node:net';

const PROBE_MS = 500;
/** Connections are closed here before an ingress would: what is sent on one that is about to be closed is lost. */
const IDLE_MS = 5000;

/** An ingress as the balancer knows it. */
export interface Backend {
  port(): number;
  up: boolean;
  /** requests that were passed to it */
  sent: number;
}

export interface Balancer {
  url: string;
  add(port: () => number): Backend;
  remove(backend: Backend): void;
  close(): void;
}

export async function startBalancer(): Promise<Balancer> {
  const backends = new Map<Backend, Agent>();
  let turn = 0;
  const probe = async (backend: Backend): Promise<void> => {
    try {
      const answer = await fetch(`http://127.0.0.1:${backend.port()}/readyz`, {
        signal: AbortSignal.timeout(PROBE_MS * 10),
      });
      await answer.arrayBuffer();
      backend.up = answer.status === 200;
    } catch {
      backend.up = false;
    }
  };
  const prober = setInterval(() => {
    for (const backend of backends.keys()) void probe(backend);
  }, PROBE_MS);
  const server = createServer((incoming, outgoing) => {
    const up = [...backends.keys()].filter((one) => one.up);
    const backend = up[turn++ % up.length];
    if (!backend) {
      outgoing.writeHead(502).end('{}');
      return;
    }
    backend.sent++;
    const { method, url: path, headers } = incoming;
    const to = { host: '127.0.0.1', port: backend.port(), method, path, headers, agent: backends.get(backend)! };
    const passed = httpRequest(to, (answer) => {
      // A connection belongs to one hop.
      const { connection: _, ...rest } = answer.headers;
      outgoing.writeHead(answer.statusCode ?? 502, rest);
      answer.pipe(outgoing);
    });
    passed.on('error', () => {
      if (outgoing.headersSent) outgoing.destroy();
      else outgoing.writeHead(502).end('{}');
    });
    incoming.pipe(passed);
  });
  // It never closes a connection that a caller may be about to use.
  server.keepAliveTimeout = 600_000;
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    add(port) {
      const backend: Backend = { port, up: false, sent: 0 };
      backends.set(backend, new Agent({ keepAlive: true, timeout: IDLE_MS }));
      return backend;
    },
    remove(backend) {
      backends.get(backend)?.destroy();
      backends.delete(backend);
    },
    close() {
      clearInterval(prober);
      server.close();
      server.closeAllConnections();
      for (const agent of backends.values()) agent.destroy();
    },
  };
}

/** What `--traces` sends spans to: it takes them and keeps nothing. Its CPU counts for none of the processes that are measured. */
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Extra } from './target.js';

export interface BenchCollector {
  /** what the stack is given */
  extra: Extra;
  close(): Promise<void>;
}

/** `share`: of the requests, as in `WEIR_TRACES_SHARE`. */
export async function startCollector(share: number): Promise<BenchCollector> {
  const server = createServer((request, response) => {
    request.resume().on('end', () => response.writeHead(200, { 'content-type': 'application/json' }).end('{}'));
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  return {
    extra: {
      env: { WEIR_TRACES_URL: `http://127.0.0.1:${port}/v1/traces`, WEIR_TRACES_SHARE: String(share) },
      configure: (text) => text,
    },
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}

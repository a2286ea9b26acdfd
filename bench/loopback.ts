/** Servers of the benchmark's own, on free ports of the loopback interface. */
import type { AddressInfo, Server } from 'node:net';

/** Listens on a free port; returns `127.0.0.1:port`. */
export async function listenOnLoopback(server: Server): Promise<string> {
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return `127.0.0.1:${(server.address() as AddressInfo).port}`;
}

/** Closes a server; `cut` ends the connections that it has. */
export function closeServer(server: Server, cut: () => void): Promise<void> {
  return new Promise((resolve) => {
    server.close(() => resolve());
    cut();
  });
}

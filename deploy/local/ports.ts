/** Ports: whether those that the settings name are free, and a free one. */
import { createServer } from 'node:net';

/** A port is taken or cannot be used; the message names the variable to change. */
export class PortTaken extends Error {}

export interface WantedPort {
  variable: string;
  port: number;
  host: string;
  what: string;
}

/** Throws {@link PortTaken} for the first port that stays taken for `patienceMs`. Port 0 is always free. */
export async function checkPorts(wanted: readonly WantedPort[], patienceMs: number = 2000): Promise<void> {
  const named = wanted.filter(({ port }) => port !== 0);
  const twice = named.find((one) => named.some((other) => other !== one && other.port === one.port));
  if (twice) throw new PortTaken(`Port ${twice.port} is set twice: give ${twice.variable} another one.`);
  const end = Date.now() + patienceMs;
  for (const { variable, port, host, what } of named) {
    // A process that was stopped a moment ago may still hold its port.
    for (let code = await refusal(port, host); code !== undefined; code = await refusal(port, host)) {
      if (code !== 'EADDRINUSE') {
        throw new PortTaken(
          `Port ${port}, for ${what}, cannot be had at ${host} (${code}): set ${variable} to a port that this user may have, and WEIR_HOST to an address of this machine.`,
        );
      }
      if (Date.now() >= end) {
        throw new PortTaken(
          `Port ${port}, for ${what}, is taken: stop what listens there, or set ${variable} to another port (0: any free one).`,
        );
      }
      await new Promise((next) => setTimeout(next, 100));
    }
  }
}

/** The error code that listening there gives; undefined when the port is free. */
function refusal(port: number, host: string): Promise<string | undefined> {
  return new Promise((resolve) => {
    const server = createServer();
    server.once('error', (error: NodeJS.ErrnoException) => resolve(error.code ?? error.message));
    server.listen({ port, host, exclusive: true }, () => server.close(() => resolve(undefined)));
  });
}

/** A port of the loopback interface that is free now. */
export function freePort(): Promise<number> {
  return new Promise((done, reject) => {
    const server = createServer();
    server.once('error', reject);
    server.listen(0, '127.0.0.1', () => {
      const address = server.address();
      const port = typeof address === 'object' && address !== null ? address.port : 0;
      server.close(() => done(port));
    });
  });
}

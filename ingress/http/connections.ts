/**
 * Connections of one address, so many at a time: each takes a descriptor, of which a process has a number.
 *
 * uWebSockets.js says how many connections there are, and from where one comes, but not which one has ended. So nothing is counted by
 * address until there are more than an address may have, and then the system is asked, once a second. It is asked for everything that
 * is connected to the port, so ingress processes that share it share the limit. Only Linux can be asked; elsewhere there is none.
 */

import type { HttpResponse } from 'uWebSockets.js';
import { readFile } from 'node:fs/promises';
import type { Logger } from '../../shared/log.js';
import { Counter, Gauge, type Registry } from '../../shared/telemetry.js';
import { addressOf } from '../admission/failed-keys.js';

const SAMPLE_MS = 1000;
const TABLES = ['/proc/net/tcp', '/proc/net/tcp6'];
const ESTABLISHED = '01';

export interface Connections {
  /** `change` is 1 where `res` has come, -1 where one has gone. Closes it where its address has too many. */
  changed(res: HttpResponse, change: number): void;
}

/** `most` of one address on `port()`; 0: any number. */
export function createConnections(
  most: number,
  port: () => number,
  { logger, registry }: { logger: Logger; registry: Registry },
): Connections {
  let open = 0;
  let sampled = Number.NEGATIVE_INFINITY;
  /** connections of each address when they were counted last, and those that have come since */
  let counts = new Map<string, number>();
  const refused = new Counter({
    name: 'weir_connections_refused_total',
    help: 'Connections ended at once, since their address had too many',
    registers: [registry],
  });
  new Gauge({
    name: 'weir_connections',
    help: 'Open connections',
    registers: [registry],
    collect() {
      this.set(open);
    },
  });

  async function sample(): Promise<void> {
    sampled = performance.now();
    const before = counts;
    counts = new Map();
    try {
      const tables = await Promise.all(TABLES.map((table) => readFile(table, 'latin1').catch(() => '')));
      const since = counts;
      counts = connectedTo(port(), tables);
      // Some that came meanwhile are counted twice until the next sample.
      for (const [address, number] of since) counts.set(address, (counts.get(address) ?? 0) + number);
    } catch (error) {
      counts = before;
      logger.warn({ error: String(error) }, 'connections could not be counted by address');
    }
  }

  return {
    changed(res, change) {
      open += change;
      if (change < 0 || most === 0) return;
      if (open <= most) {
        counts.clear();
        return;
      }
      if (performance.now() - sampled > SAMPLE_MS) void sample();
      const address = addressOf(res);
      const own = (counts.get(address) ?? 0) + 1;
      if (own <= most) {
        counts.set(address, own);
        return;
      }
      refused.inc();
      res.close();
    },
  };
}

/** How many connections each address has to a port of this machine, by the system's tables. */
function connectedTo(port: number, tables: readonly string[]): Map<string, number> {
  const counts = new Map<string, number>();
  const local = `:${port.toString(16).toUpperCase().padStart(4, '0')}`;
  for (const table of tables) {
    for (const line of table.split('\n').slice(1)) {
      const [, here, there, state] = line.trim().split(/\s+/);
      if (state !== ESTABLISHED || !here?.endsWith(local) || !there) continue;
      const address = textOf(there.split(':')[0]!);
      counts.set(address, (counts.get(address) ?? 0) + 1);
    }
  }
  return counts;
}

/** An address of the tables (words of 32 bits, in hexadecimal, as this processor stores them) as uWebSockets.js writes it. */
function textOf(words: string): string {
  const bytes = (words.match(/.{8}/g) ?? []).flatMap((word) => [...Buffer.from(word, 'hex')].reverse());
  const mapped = bytes.length === 16 && bytes.slice(0, 12).join() === '0,0,0,0,0,0,0,0,0,0,255,255';
  if (bytes.length === 4 || mapped) return bytes.slice(-4).join('.');
  return (Buffer.from(bytes).toString('hex').match(/.{4}/g) ?? []).join(':');
}

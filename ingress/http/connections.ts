/**
 * Limits the connections of one address. Each takes a file descriptor, and a process has only so many.
 *
 * uWebSockets.js tells how many connections there are and where one comes from, but not which one has ended. States:
 *
 *     few: no more connections in all than one address may have ──> nothing is counted by address
 *     many ──> the system's tables are read once a second, and counts are kept up in between
 *
 * The tables have all connections to the port, so ingress processes that share a port share the limit. Only Linux has such
 * tables; on other systems there is no limit.
 */
import type { HttpResponse } from 'uWebSockets.js';
import { readFile } from 'node:fs/promises';
import type { Logger } from '../../shared/log.js';
import { metersOf, type Registry } from '../../shared/telemetry.js';
import { addressOf } from '../admission/failed-keys.js';

const SAMPLE_MS = 1000;
const TABLES = ['/proc/net/tcp', '/proc/net/tcp6'];
const ESTABLISHED = '01';

export interface HttpConnections {
  /** `change`: 1 when `res` has connected, -1 when one has gone. False: its address has too many, and `res` was closed. */
  changed(res: HttpResponse, change: number): boolean;
}

/** At most `most` of one address on `port()`; 0: any number. */
export function createConnections(
  most: number,
  port: () => number,
  { logger, registry }: { logger: Logger; registry: Registry },
): HttpConnections {
  let open = 0;
  let sampled = Number.NEGATIVE_INFINITY;
  /** connections of each address at the last count, and those that have come since */
  let counts = new Map<string, number>();
  const { counter, gauge } = metersOf(registry);
  const tooMany = 'Connections ended at once because their address had too many';
  const refused = counter('weir_connections_refused_total', tooMany);
  gauge('weir_connections', 'Open connections', () => open);

  async function sample(): Promise<void> {
    sampled = performance.now();
    const before = counts;
    counts = new Map();
    try {
      const tables = await Promise.all(TABLES.map((table) => readFile(table, 'latin1').catch(() => '')));
      const since = counts;
      counts = connectedTo(port(), tables);
      // Some that came meanwhile are counted twice, until the next sample.
      for (const [address, number] of since) counts.set(address, (counts.get(address) ?? 0) + number);
    } catch (error) {
      counts = before;
      logger.warn({ error: String(error) }, 'connections could not be counted by address');
    }
  }

  return {
    changed(res, change) {
      open += change;
      if (change < 0 || most === 0) return true;
      if (open <= most) {
        counts.clear();
        return true;
      }
      if (performance.now() - sampled > SAMPLE_MS) void sample();
      const address = addressOf(res);
      const own = (counts.get(address) ?? 0) + 1;
      if (own <= most) {
        counts.set(address, own);
        return true;
      }
      refused.inc();
      res.close();
      return false;
    },
  };
}

/** Connections of each address to a port of this machine, by the system's tables. */
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

/** An address of the tables (hexadecimal words of 32 bits in this processor's byte order) as uWebSockets.js writes it. */
function textOf(words: string): string {
  const bytes = (words.match(/.{8}/g) ?? []).flatMap((word) => [...Buffer.from(word, 'hex')].reverse());
  const mapped = bytes.length === 16 && bytes.slice(0, 12).join() === '0,0,0,0,0,0,0,0,0,0,255,255';
  if (bytes.length === 4 || mapped) return bytes.slice(-4).join('.');
  return (Buffer.from(bytes).toString('hex').match(/.{4}/g) ?? []).join(':');
}

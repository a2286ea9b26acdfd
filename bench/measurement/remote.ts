/**
 * What the processes of a running installation cost, as they say it themselves: Weir on its metrics ports, Redis by INFO, ClickHouse in its
 * system tables. A worker does not count the processes that read its images. ClickHouse counts its queries and merges.
 */
import type { ClickHouseClient } from '@clickhouse/client';
import { nodesOf, type Redis } from '../../shared/streams/client.js';
import { type ProcessCost, slope } from './processes.js';

interface RemoteReading {
  /** so far */
  cpuSeconds: number;
  /** resident */
  mib: number;
}

export interface RemoteSource {
  /** ingress, worker, redis, clickhouse; several may share a name */
  name: string;
  /** host and port */
  at: string;
  /** Rejects where it does not say. */
  read(): Promise<RemoteReading>;
}

export interface RemoteWatch {
  /** Ends the watch; what each cost since it began. One that did not answer at the beginning or at the end is left out. */
  stop(): Promise<ProcessCost[]>;
}

const ANSWER_MS = 5000;

/** A process of Weir by the address of its metrics. Rejects with a sentence where there is none. */
export async function weirSource(address: string): Promise<RemoteSource> {
  const { origin, host } = new URL(address);
  const fetchMetrics = async (): Promise<string> => {
    const answer = await fetch(`${origin}/metrics`, { signal: AbortSignal.timeout(ANSWER_MS) });
    if (!answer.ok) throw new Error(`${origin}/metrics answers ${answer.status}`);
    return answer.text();
  };
  const text = await fetchMetrics().catch((error: unknown) => {
    throw new Error(`--metrics ${origin} cannot be read: ${error instanceof Error ? error.message : String(error)}`);
  });
  const [, name] = /^process_cpu_seconds_total\{process="(\w+)"\}/m.exec(text) ?? [];
  if (name === undefined) throw new Error(`--metrics ${origin} is no process of Weir: it has no figures of one.`);
  return { name, at: host, read: async () => readingIn(await fetchMetrics()) };
}

/** CPU and memory in the text of a process's metrics. */
export function readingIn(text: string): RemoteReading {
  const figure = (name: string): number => Number(new RegExp(`^${name}\\{[^}]*\\} (\\S+)`, 'm').exec(text)?.[1]);
  return {
    cpuSeconds: figure('process_cpu_seconds_total'),
    mib: figure('process_resident_memory_bytes') / 2 ** 20,
  };
}

/** Every node that the client knows: of a Cluster, each primary. */
export function redisSources(redis: Redis): RemoteSource[] {
  return nodesOf(redis).map((node) => ({
    name: 'redis',
    at: `${node.options.host ?? ''}:${node.options.port ?? ''}`,
    async read() {
      const info = `${await node.info('cpu')}\n${await node.info('memory')}`;
      const figure = (name: string): number => Number(new RegExp(`^${name}:(\\S+)`, 'm').exec(info)?.[1]);
      return {
        cpuSeconds: figure('used_cpu_user') + figure('used_cpu_sys'),
        mib: figure('used_memory_rss') / 2 ** 20,
      };
    },
  }));
}

export function clickhouseSource(clickhouse: ClickHouseClient, url: string): RemoteSource {
  const query = `SELECT (SELECT maxOrNull(value) FROM system.events WHERE event = 'OSCPUVirtualTimeMicroseconds') AS cpu,
    (SELECT maxOrNull(value) FROM system.metrics WHERE metric = 'MemoryTracking') AS memory`;
  return {
    name: 'clickhouse',
    at: new URL(url).host,
    async read() {
      const [row] = await (await clickhouse.query({ query, format: 'JSONEachRow' })).json<Record<string, unknown>>();
      // Null where it does not count, or has not yet.
      const figure = (value: unknown): number => (value === null ? Number.NaN : Number(value));
      return { cpuSeconds: figure(row?.cpu) / 1e6, mib: figure(row?.memory) / 2 ** 20 };
    },
  };
}

/** Watches `sources` until stopped: CPU from end to end, memory every `everyMs`. */
export async function watchRemote(sources: readonly RemoteSource[], everyMs = 2000): Promise<RemoteWatch> {
  const started = performance.now();
  const watched = sources.map((source) => ({ source, points: [] as [seconds: number, mib: number][] }));
  const sample = async ({ source, points }: (typeof watched)[number]): Promise<number | undefined> => {
    try {
      const { cpuSeconds, mib } = await source.read();
      if (!Number.isFinite(cpuSeconds) || !Number.isFinite(mib)) return undefined;
      points.push([(performance.now() - started) / 1000, mib]);
      return cpuSeconds;
    } catch {
      return undefined;
    }
  };
  const sampleAll = (): Promise<(number | undefined)[]> => Promise.all(watched.map(sample));
  const before = await sampleAll();
  let sampling: Promise<unknown> | undefined;
  const timer = setInterval(() => {
    sampling ??= sampleAll().finally(() => {
      sampling = undefined;
    });
  }, everyMs);
  return {
    async stop() {
      clearInterval(timer);
      await sampling;
      const after = await sampleAll();
      return watched.flatMap(({ source: { name, at }, points }, i): ProcessCost[] => {
        const [from, to] = [before[i], after[i]];
        if (from === undefined || to === undefined) return [];
        const sizes = points.map(([, mib]) => mib);
        return [
          {
            name,
            at,
            cpuSeconds: to - from,
            rssMin: Math.min(...sizes),
            rssMax: Math.max(...sizes),
            rssSlope: slope(points) * 60,
          },
        ];
      });
    },
  };
}

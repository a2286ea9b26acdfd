/** What the tiers have counted so far: bytes, commands, memory and disk. */
import { createClient } from '@clickhouse/client';
import type { FigureInstallation } from './installation.js';

export interface TierCounts {
  redisIn: number;
  redisOut: number;
  commands: number;
  replication: number;
  appendOnly: number;
  hot: number;
  inserted: number;
  results: number;
  content: number;
}

type CountedInstallation = Pick<FigureInstallation, 'redis' | 'inserted' | 'clickhouseUrl' | 'database'>;

/** `disk`: parts are merged first, so that what is on disk is what stays there. */
export async function readCounts(installation: CountedInstallation, disk: boolean): Promise<TierCounts> {
  const stored = disk ? await diskOf(installation) : { results: 0, content: 0 };
  const { redis, inserted } = installation;
  return { ...redisCounts(await redis.info('everything')), inserted: inserted(), ...stored };
}

/** Memory of Redis that grows with connections and replicas, not with what is kept. */
const BUFFERS = ['mem_total_replication_buffers', 'mem_clients_normal', 'mem_aof_buffer'];

/** From the text of INFO. Bytes of replicas are in the totals of Redis, and are taken out of them. */
export function redisCounts(info: string): Omit<TierCounts, 'inserted' | 'results' | 'content'> {
  const figure = (name: string): number => Number(new RegExp(`^${name}:(\\S+)`, 'm').exec(info)?.[1] ?? 0);
  const replication = figure('total_net_repl_output_bytes');
  return {
    redisIn: figure('total_net_input_bytes') - figure('total_net_repl_input_bytes'),
    redisOut: figure('total_net_output_bytes') - replication,
    commands: figure('total_commands_processed'),
    replication,
    appendOnly: figure('aof_current_size'),
    hot: figure('used_memory') - BUFFERS.reduce((sum, name) => sum + figure(name), 0),
  };
}

/** Bytes of active parts after a merge, by whether a table lives as long as contents or as results. */
async function diskOf({ clickhouseUrl, database }: CountedInstallation): Promise<{ results: number; content: number }> {
  const client = createClient({ url: clickhouseUrl, database, request_timeout: 120_000 });
  const rows = async <T>(query: string): Promise<T[]> =>
    (await client.query({ query, format: 'JSONEachRow' })).json<T>();
  try {
    const tables = await rows<{ name: string }>(
      `SELECT name FROM system.tables WHERE database = '${database}' AND total_rows > 0 AND engine LIKE '%MergeTree'`,
    );
    for (const { name } of tables) await client.command({ query: `OPTIMIZE TABLE ${database}.${name} FINAL` });
    const parts = await rows<{ table: string; bytes: string }>(
      `SELECT table, sum(bytes_on_disk) AS bytes FROM system.parts WHERE database = '${database}' AND active GROUP BY table`,
    );
    const sum = (of: (table: string) => boolean): number =>
      parts.filter(({ table }) => of(table)).reduce((all, { bytes }) => all + Number(bytes), 0);
    return { content: sum(isContent), results: sum((table) => !isContent(table)) };
  } finally {
    await client.close();
  }
}

const isContent = (table: string): boolean => /content/.test(table);

/** `weir status`: how far behind each stage is, as Redis says. */
import { connectCommands, type Redis, waitForRedis } from '../../../shared/streams/client.js';
import { activeVersion } from '../../../shared/streams/configuration.js';
import { GROUP, keys, LANES } from '../../../shared/streams/keys.js';
import { pressure, type Scripted, withScripts } from '../../../shared/streams/scripts.js';
import { type Command, UsageError } from '../command.js';
import { installationSettings } from '../installation.js';

export interface PartitionStatus {
  partition: number;
  /** work entries that are not finished: unread and under way */
  entries: number;
  pending: number;
  /** ms */
  oldestUnread: number;
  consumers: number;
  /** finished requests that are not archived yet */
  unarchived: number;
  /** ms since the oldest of them was committed */
  archiveLag: number;
  deadLetters: number;
  /** rows that ClickHouse could not parse */
  refused: number;
}

export interface Status {
  configuration: number;
  memoryRatio: number;
  partitions: PartitionStatus[];
}

/** Reads the state of every partition. */
export async function readStatus(redis: Redis & Scripted): Promise<Status> {
  const count = Number((await redis.get(keys.partitions())) ?? '0');
  const info = await redis.info('memory');
  const read = (field: string): number => Number(new RegExp(`^${field}:(\\d+)`, 'm').exec(info)?.[1] ?? 0);
  const most = read('maxmemory');
  const partitions: PartitionStatus[] = [];
  for (let p = 0; p < count; p++) partitions.push(await partitionStatus(redis, p));
  return {
    configuration: await activeVersion(redis),
    memoryRatio: most === 0 ? 0 : read('used_memory') / most,
    partitions,
  };
}

async function partitionStatus(redis: Redis & Scripted, p: number): Promise<PartitionStatus> {
  const lanes = await Promise.all(LANES.map((lane) => pressure(redis, { partition: p, lane })));
  const sum = (of: 'entries' | 'pending'): number => lanes.reduce((all, lane) => all + lane[of], 0);
  const [oldest] = await redis.xrange(keys.results(p), '-', '+', 'COUNT', 1);
  const [seconds] = await redis.time();
  const groups = (await redis.exists(keys.checks(p))) === 0 ? [] : await consumersOf(redis, p);
  return {
    partition: p,
    entries: sum('entries'),
    pending: sum('pending'),
    oldestUnread: Math.max(...lanes.map((lane) => lane.oldestUnread)),
    consumers: groups.length,
    unarchived: await redis.xlen(keys.results(p)),
    archiveLag: oldest ? Math.max(0, Number(seconds) * 1000 - Number(oldest[0].split('-')[0])) : 0,
    deadLetters: await redis.xlen(keys.dead(p)),
    refused: await redis.xlen(keys.refused(p)),
  };
}

async function consumersOf(redis: Redis, p: number): Promise<unknown[]> {
  try {
    return (await redis.xinfo('CONSUMERS', keys.checks(p), GROUP)) as unknown[];
  } catch (error) {
    // The stream is there but no worker has ever read it.
    if (String(error).includes('NOGROUP')) return [];
    throw error;
  }
}

const COLUMNS: [title: string, value: (row: PartitionStatus) => string][] = [
  ['partition', (row) => String(row.partition)],
  ['entries', (row) => String(row.entries)],
  ['pending', (row) => String(row.pending)],
  ['oldest unread', (row) => `${(row.oldestUnread / 1000).toFixed(1)} s`],
  ['consumers', (row) => String(row.consumers)],
  ['unarchived', (row) => String(row.unarchived)],
  ['archive lag', (row) => `${(row.archiveLag / 1000).toFixed(1)} s`],
  ['dead letters', (row) => String(row.deadLetters)],
  ['refused rows', (row) => String(row.refused)],
];

/** The table that the command prints. */
export function statusTable(status: Status): string {
  const version = status.configuration === 0 ? 'none applied (weir apply FILE)' : String(status.configuration);
  const lines = [
    `configuration  ${version}`,
    `Redis memory   ${(status.memoryRatio * 100).toFixed(1)} % of maxmemory`,
    '',
    COLUMNS.map(([title]) => title).join('  '),
  ];
  for (const row of status.partitions) {
    lines.push(COLUMNS.map(([title, value]) => value(row).padStart(title.length)).join('  '));
  }
  return lines.join('\n');
}

/** How long the command line waits for a Redis that does not answer. */
const CONNECT_MS = 5000;

/** Runs `use` with a connection to the installation that WEIR_REDIS_URL names. */
export async function withInstallation<T>(use: (redis: Redis & Scripted) => Promise<T>): Promise<T> {
  const { redisUrl } = installationSettings(['redisUrl']);
  const redis = withScripts(connectCommands(redisUrl, 'weir-cli'));
  // Failing commands tell; an error event that nobody hears would end the process before they can.
  redis.on('error', () => undefined);
  try {
    await waitForRedis(redis, redisUrl, CONNECT_MS);
    return await use(redis);
  } finally {
    redis.disconnect();
  }
}

export const status: Command = {
  name: 'status',
  summary: 'streams, lags, pending work, dead letters',
  usage: `weir status [--json]

Shows, per partition, the work that is not finished, how old the oldest unread of it is, what is not archived yet, dead
letters, and rows that ClickHouse refused. WEIR_REDIS_URL names the installation (default: the one of npm start in
WEIR_DATA_DIR, else redis://127.0.0.1:6379).`,
  options: { json: { type: 'boolean' } },
  async run({ positionals, values }, output) {
    if (positionals.length > 0) throw new UsageError('expected no arguments but --json');
    const read = await withInstallation(readStatus);
    output.out(values.json === true ? JSON.stringify(read) : statusTable(read));
    return 0;
  },
};

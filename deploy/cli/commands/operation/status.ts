/** `weir status`: whether checks are taken, which processes live, and how far behind each stage is. */
import { loadSettings } from '../../../../shared/settings.js';
import { waitForConnection } from '../../../../shared/streams/client.js';
import { type Command, UsageError } from '../../command.js';
import { historyAddress, withInstallation } from '../../installation.js';
import { type PartitionStatus, readStatus, type Status } from '../../state.js';

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
  ['unmeasured', (row) => String(row.unmeasured)],
];

const ROLES: Readonly<Record<string, string>> = { master: 'primary', slave: 'replica' };

/** Processes cannot say that they live while Redis takes no writes. */
const UNKNOWN = 'not known while Redis takes no writes';

/** What the command prints. */
export function statusTable(status: Status): string {
  const { redis, live, identity, refusing, clickhouse } = status;
  const behind = live.ingress.filter(({ inForce }) => inForce !== identity).map(({ name }) => name);
  const mute = redis.refuses !== null;
  const replicas = redis.role === 'master' ? `, replicas: ${redis.replicas}` : '';
  const lines = [
    `checks         ${refusing.length === 0 ? 'taken' : `refused: ${refusing.join(' ')}`}`,
    `configuration  ${status.configuration === 0 ? 'none applied (weir apply FILE)' : status.configuration}`,
    `ingress        ${live.ingress.length === 0 && mute ? UNKNOWN : `${live.ingress.length} live`}${behind.length > 0 ? `, without this configuration: ${behind.join(', ')}` : ''}`,
    `workers        ${live.worker.length === 0 && mute ? UNKNOWN : `${live.worker.length} live, archivers: ${live.archiver.length}`}`,
    ...Object.entries(status.unable).map(
      ([name, why]) => `               ${name} cannot use this configuration: ${why}`,
    ),
    `Redis          ${ROLES[redis.role] ?? 'of an unknown role'}${replicas}; ${redis.refuses ?? 'takes writes'}`,
    `Redis memory   ${(status.memoryRatio * 100).toFixed(1)} % of maxmemory`,
    `ClickHouse     ${clickhouse === undefined ? 'not asked (WEIR_CLICKHOUSE_URL)' : (clickhouse ?? 'answers')}`,
    ...metricsLines(status),
    '',
    COLUMNS.map(([title]) => title).join('  '),
  ];
  for (const row of status.partitions) {
    lines.push(COLUMNS.map(([title, value]) => value(row).padStart(title.length)).join('  '));
  }
  return lines.join('\n');
}

/** Only where metrics are in use, or were and lost something. */
function metricsLines({ metrics, live, redis, partitions }: Status): string[] {
  const dropped = partitions.reduce((sum, { metricsDropped }) => sum + metricsDropped, 0);
  if (metrics === 0 && dropped === 0) return [];
  const workers =
    live.metrics.length > 0
      ? `, workers: ${live.metrics.length}`
      : redis.refuses === null
        ? ', and no worker computes them (WEIR_ROLES)'
        : '';
  const lost = dropped === 0 ? '' : `, requests dropped unread: ${dropped}`;
  return [`metrics        ${metrics} in use${workers}${lost}`];
}

export const status: Command = {
  usage: `weir status [--json]

Shows:
- whether checks are taken, or why they are refused
- which processes live, which workers cannot use the configuration, and the state of Redis and ClickHouse
- for each partition: unfinished work entries, the age of the oldest unread entry, live workers that read the partition,
  finished requests that are not archived yet, dead letters, rows that ClickHouse refused, and finished requests whose
  metrics are not computed yet
- where metrics are in use: how many, by how many workers, and how many requests were dropped before they were computed

WEIR_REDIS_URL names the installation (default: that of npm start in WEIR_DATA_DIR, else redis://127.0.0.1:6379), and
WEIR_CLICKHOUSE_URL its ClickHouse.`,
  options: { json: { type: 'boolean' } },
  async run({ positionals, values }, output) {
    if (positionals.length > 0) throw new UsageError('expected no arguments but --json');
    const thresholds = loadSettings(process.env, ['maxMemoryPercent', 'maxAgeMs']);
    const read = await withInstallation(
      (redis) => readStatus(redis, thresholds, historyAddress()),
      // It may take no writes.
      waitForConnection,
    );
    output.out(values.json === true ? JSON.stringify(read) : statusTable(read));
    return 0;
  },
};

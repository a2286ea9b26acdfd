/** `weir status`: whether checks are taken, which processes live, and how far behind each stage is. */

import type { RedisNodeStatus } from '../../../../shared/operation/redis-state.js';
import {
  leftIn,
  type PartitionStatus,
  readStatus,
  type Status,
  THRESHOLDS,
} from '../../../../shared/operation/state.js';
import { loadSettings } from '../../../../shared/settings.js';
import { waitForConnection } from '../../../../shared/streams/client.js';
import type { Follower } from '../../../../shared/streams/keys.js';
import { type Command, CommandUsageError, optionsOf } from '../../command.js';
import { historyAddress, namedInstallations, withInstallation } from '../../installation.js';
import { textOption } from '../../options.js';
import { statusOfSeveral } from '../../several.js';

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
export function statusLines(status: Status): string[] {
  const { redis, live, identity, refusing, clickhouse } = status;
  const behind = live.ingress.filter(({ inForce }) => inForce !== identity).map(({ name }) => name);
  const mute = !redis.hears;
  const none = status.unread === null ? 'none applied (weir apply FILE)' : 'not known';
  const lines = [
    `checks         ${refusing.length === 0 ? 'taken' : `refused: ${refusing.join(' ')}`}`,
    ...(status.region ? [`region         ${status.region.number} ${status.region.name}`] : []),
    `configuration  ${status.configuration === 0 ? none : status.configuration}`,
    `ingress        ${live.ingress.length === 0 && mute ? UNKNOWN : `${live.ingress.length} live`}${behind.length > 0 ? `, without this configuration: ${behind.join(', ')}` : ''}`,
    `workers        ${live.worker.length === 0 && mute ? UNKNOWN : `${live.worker.length} live, archivers: ${live.archiver.length}`}`,
    ...Object.entries(status.unable).map(
      ([name, why]) => `               ${name} cannot use this configuration: ${why}`,
    ),
    ...redisLines(status),
    `ClickHouse     ${clickhouse === undefined ? 'not asked (WEIR_CLICKHOUSE_URL)' : (clickhouse ?? 'answers')}`,
    ...formatLines(status),
    ...refusedLines(status),
    ...followerLines(status),
    '',
    COLUMNS.map(([title]) => title).join('  '),
  ];
  for (const row of status.partitions) {
    lines.push(COLUMNS.map(([title, value]) => value(row).padStart(title.length)).join('  '));
  }
  return lines;
}

/** What `--drained` prints. */
export function drainedLines(status: Status): string[] {
  const left = leftIn(status);
  if (left.length === 0) return ['drained: nothing is in Redis alone'];
  return [`not drained, in Redis alone: ${left.join(', ')}`];
}

/** Of a Cluster, one for each primary. */
function redisLines({ redis, away }: Status): string[] {
  const percent = (ratio: number): string => `${(ratio * 100).toFixed(1)} % of maxmemory`;
  const state = ({ role, replicas, refuses }: Omit<RedisNodeStatus, 'address'>): string =>
    `${ROLES[role] ?? 'of an unknown role'}${role === 'master' ? `, replicas: ${replicas}` : ''}; ${refuses ?? 'takes writes'}`;
  if (!redis.nodes) return [`Redis          ${state(redis)}`, `Redis memory   ${percent(redis.memoryRatio)}`];
  const nodes = redis.nodes.map((node, i) => {
    const said = node.role === '' ? node.refuses : `${state(node)}, ${percent(node.memoryRatio)}`;
    return `${(i === 0 ? 'Redis' : '').padEnd(14)} ${node.address}: ${said}`;
  });
  return away.length === 0 ? nodes : [...nodes, `${' '.repeat(15)}partitions that are away: ${away.join(', ')}`];
}

/** Only where processes of two releases live that differ in it. */
function formatLines({ formats }: Status): string[] {
  const all = Object.entries(formats).map(([format, processes]) => `up to ${format}: ${processes}`);
  return all.length < 2 ? [] : [`formats        processes that read ${all.join(', ')}; the lowest is written`];
}

/** Only where there are some. */
function refusedLines({ partitions, oldestRefused }: Status): string[] {
  if (oldestRefused === null) return [];
  const { partition, id, reason } = oldestRefused;
  const count = partitions.reduce((sum, { refused }) => sum + refused, 0);
  const full = partitions.filter(({ refusedFull }) => refusedFull).map((each) => each.partition);
  const lines = [`refused rows   of ${count} requests (weir refused list); the oldest, ${partition}/${id}: ${reason}`];
  if (full.length > 0) {
    lines.push(
      `               no room for more, so archiving waits: partition ${full.join(', ')} (weir refused replay)`,
    );
  }
  return lines;
}

/** Each only where it is in use, or was and lost something. */
function followerLines({ metrics, hooks, live, redis, partitions }: Status): string[] {
  const lost = (of: 'metricsDropped' | 'hooksDropped'): number => partitions.reduce((sum, each) => sum + each[of], 0);
  const workers = (kind: Follower, none: string): string => {
    if (live[kind].length > 0) return `, workers: ${live[kind].length}`;
    return redis.hears ? `, and ${none} (WEIR_ROLES)` : '';
  };
  const unread = (dropped: number): string => (dropped === 0 ? '' : `, requests dropped unread: ${dropped}`);
  const lines: string[] = [];
  const unmeasured = lost('metricsDropped');
  if (metrics > 0 || unmeasured > 0) {
    const computing = workers('metrics', 'no worker computes them');
    lines.push(`metrics        ${metrics} in use${computing}${unread(unmeasured)}`);
  }
  const { inUse, waiting, dead, dropped } = hooks;
  const untold = lost('hooksDropped');
  if (inUse > 0 || untold > 0) {
    const queued = `, deliveries waiting: ${waiting}, given up: ${dead}${dropped === 0 ? '' : `, dropped: ${dropped}`}`;
    lines.push(`webhooks       ${inUse} in use${workers('hooks', 'no worker tells them')}${queued}${unread(untold)}`);
  }
  return lines;
}

export const status: Command = {
  usage: `weir status [--json | --drained]
weir status --of ENV,ENV … [--json]

  --of ENV,ENV …  of several installations a line each, and whether they have the same configuration; ENV is a file with the
                  settings of one, as for weir apply --to

Shows:
- whether checks are taken, or why they are refused
- which processes live, which workers cannot use the configuration, and the state of Redis (of a Cluster, of each primary) and ClickHouse
- where there are several regions, which one it is
- during an upgrade that brings a new format: how many processes read which
- for each partition: unfinished work entries, the age of the oldest unread entry, live workers that read the partition,
  finished requests that are not archived yet, dead letters, requests whose rows ClickHouse refuses, and finished requests
  whose metrics are not computed yet
- where ClickHouse refuses rows: the oldest such request with the reason, and which partitions have no room for more
- where metrics are in use: how many, by how many workers, and how many requests were dropped before they were computed
- where webhooks are in use: the same, and their deliveries: those that wait, those that were given up, and those that
  were dropped because there was no room for them

The exit code is 1 while checks are refused, of a Cluster also where only some are; with --of also where an installation
cannot be reached, and where configurations differ.

--drained says instead what Redis alone has of checks: those that are not finished, archived, measured or told to webhooks, dead letters, refused
rows and deliveries. The exit code is 1 while there is any. Ask after ingresses have stopped.

WEIR_REDIS_URL names the installation (default: that of npm start in WEIR_DATA_DIR, else redis://127.0.0.1:6379), and
WEIR_CLICKHOUSE_URL its ClickHouse.`,
  options: optionsOf({ texts: 'of', flags: 'json drained' }),
  async run(given, output) {
    const { positionals, values } = given;
    if (positionals.length > 0) throw new CommandUsageError('expected no arguments but --json, --drained and --of');
    const of = textOption(given, 'of');
    if (values.drained === true && (values.json === true || of !== undefined))
      throw new CommandUsageError('--drained is without --json and --of');
    if (of !== undefined) return await statusOfSeveral(namedInstallations(of, '--of'), values.json === true, output);
    const thresholds = loadSettings(process.env, THRESHOLDS);
    const read = await withInstallation(
      (redis) => readStatus(redis, thresholds, historyAddress()),
      // It may take no writes.
      waitForConnection,
    );
    if (values.drained === true) {
      for (const line of drainedLines(read)) output.out(line);
      return leftIn(read).length === 0 ? 0 : 1;
    }
    for (const line of values.json === true ? [JSON.stringify(read)] : statusLines(read)) output.out(line);
    return read.refusing.length === 0 ? 0 : 1;
  },
};

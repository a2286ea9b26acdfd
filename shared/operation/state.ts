/**
 * Reads the state of an installation from its Redis, even when Redis takes no writes: parts that cannot be read are
 * named, and the others are still shown.
 */

import { liveMetrics } from '../configuration/metrics.js';
import { hooksOf } from '../configuration/notify.js';
import type { Configuration } from '../configuration/types.js';
import { createHistoryClient, type HistoryAddress } from '../history/client.js';
import { explainHistory, troubleOf } from '../history/watch.js';
import { type Region, regionText } from '../region.js';
import type { Settings } from '../settings.js';
import { explainRefusal, isAway, isCluster, isRefusal, type Redis } from '../streams/client.js';
import { activeIdentity, NO_CONFIGURATION, readVersion } from '../streams/configuration.js';
import { type FleetMember, liveMembers, lookAtFleet, readiness } from '../streams/fleet.js';
import { countsOf, type QueueCounts } from '../streams/hooks.js';
import { FOLLOWERS, type Follower, GROUP, keys, LANES, MEMBER_KINDS, type MemberKind } from '../streams/keys.js';
import { readLayout } from '../streams/partitions.js';
import { measurePressure } from '../streams/pressure.js';
import { listRefused, type RefusedEntry } from '../streams/refused.js';
import { type RedisStatus, redisStatus } from './redis-state.js';

export interface PartitionStatus {
  partition: number;
  /** work entries that are not finished, unread or under way */
  entries: number;
  pending: number;
  /** ms */
  oldestUnread: number;
  /** live workers that read the partition */
  consumers: number;
  /** finished requests that are not archived yet */
  unarchived: number;
  /** ms since the oldest of them was committed */
  archiveLag: number;
  deadLetters: number;
  /** entries whose rows ClickHouse refuses */
  refused: number;
  /** archiving of the partition waits, because there is no room for another one */
  refusedFull: boolean;
  /** finished requests whose metrics are not computed yet; 0 where none are in use */
  unmeasured: number;
  /** those that have none, because Redis kept no more for them (WEIR_METRICS_BACKLOG_BYTES) */
  metricsDropped: number;
  /** finished requests that are not read for webhooks yet; 0 where there are none */
  unnotified: number;
  /** those that were not read, because Redis kept no more for them (WEIR_METRICS_BACKLOG_BYTES) */
  hooksDropped: number;
}

export interface Status {
  /** number and name; null: it has none */
  region: Region | null;
  /** number of the active configuration; 0: none */
  configuration: number;
  /** its identity, or '' */
  identity: string;
  memoryRatio: number;
  redis: RedisStatus;
  /** why checks are refused, in sentences; empty: they are not */
  refusing: string[];
  /** live workers that cannot use the active configuration, with the reason */
  unable: Record<string, string>;
  /** live processes, by kind */
  live: Record<MemberKind, FleetMember[]>;
  /** newest format that live processes read (`shared/formats.ts`) → how many processes: more than one during an upgrade */
  formats: Record<number, number>;
  /** metrics that the active configuration asks for */
  metrics: number;
  /** webhooks of the active configuration, and what their queues hold */
  hooks: { inUse: number } & QueueCounts;
  /** why ClickHouse cannot be used, in a sentence; null: it can be used; absent: it was not asked */
  clickhouse?: string | null;
  partitions: PartitionStatus[];
  /** partitions of a Cluster whose primary does not answer: nothing is known of them */
  away: number[];
  /** the oldest entry whose rows ClickHouse refuses; null: there is none */
  oldestRefused: Pick<RefusedEntry, 'partition' | 'id' | 'request' | 'reason'> | null;
  /** why the rest of the state could not be read, in a sentence; null: it was read */
  unread: string | null;
}

/** Limits above which ingress refuses all checks. */
export const THRESHOLDS = ['maxMemoryPercent', 'maxAgeMs', 'redisReplicas'] as const;
export type Thresholds = Settings<(typeof THRESHOLDS)[number]>;

/**
 * Reads the whole state; of a Cluster, that of partitions whose primary answers. Rejects only when Redis does not answer at all.
 * `clickhouseMs`: how long ClickHouse has for each of two answers.
 */
export async function readStatus(
  redis: Redis,
  thresholds: Thresholds,
  history?: HistoryAddress,
  clickhouseMs = 10_000,
): Promise<Status> {
  const [server, clickhouse] = await Promise.all([
    redisStatus(redis),
    history && clickhouseTrouble(history, clickhouseMs),
  ]);
  const status: Status = {
    region: null,
    configuration: 0,
    identity: '',
    memoryRatio: server.memoryRatio,
    redis: server,
    refusing: [],
    unable: {},
    live: { ingress: [], worker: [], archiver: [], metrics: [], hooks: [] },
    formats: {},
    metrics: 0,
    hooks: { inUse: 0, waiting: 0, dead: 0, dropped: 0, bytes: 0 },
    ...(clickhouse === undefined ? {} : { clickhouse }),
    partitions: [],
    away: [],
    oldestRefused: null,
    unread: null,
  };
  try {
    await readStreams(redis, status);
  } catch (error) {
    // A primary of a Cluster that has no part of it may answer.
    if (!isRefusal(error) && !isCluster(redis)) throw error;
    status.unread = explainRefusal(error);
  }
  if (status.region && history && clickhouse === null)
    status.clickhouse = await rowsTrouble(history, status.region, clickhouseMs);
  status.refusing = refusals(status, thresholds);
  return status;
}

/** What only Redis has of checks, each kind with its number; empty: nothing would be lost with Redis but what it remembers for an hour. */
export function leftIn({ partitions, hooks, away, unread }: Status): string[] {
  const sum = (of: Exclude<keyof PartitionStatus, 'refusedFull'>): number =>
    partitions.reduce((all, each) => all + each[of], 0);
  const counts: [count: number, what: string][] = [
    [sum('entries'), 'unfinished checks'],
    [sum('unarchived'), 'unarchived results'],
    [sum('unmeasured'), 'results without metrics'],
    [sum('unnotified'), 'results that webhooks were not told of'],
    [hooks.waiting + hooks.dead, 'deliveries to webhooks'],
    [sum('deadLetters'), 'dead letters'],
    [sum('refused'), 'requests with refused rows'],
  ];
  const left = counts.filter(([count]) => count > 0).map(([count, what]) => `${what}: ${count}`);
  if (away.length > 0) left.push(`what is in partitions that are away: ${away.join(', ')}`);
  return unread === null ? left : [...left, `what could not be read: ${unread}`];
}

async function readStreams(redis: Redis, status: Status): Promise<void> {
  // A configuration of an old release gets its identity here. This is a write.
  const active = await activeIdentity(redis).catch((error: unknown) => {
    if (isRefusal(error)) return undefined;
    throw error;
  });
  status.configuration = active?.version ?? Number((await redis.get(keys.configActive())) ?? '0');
  status.identity = active?.id ?? '';
  const text = await readVersion(redis, status.configuration);
  const configuration = text === undefined ? {} : (JSON.parse(text) as Configuration);
  status.metrics = liveMetrics(configuration).size;
  for (const kind of MEMBER_KINDS) status.live[kind] = await liveMembers(redis, kind);
  status.formats = Object.fromEntries((await lookAtFleet(redis)).formats);
  status.unable = Object.fromEntries((await readiness(redis, status.configuration)).refused);
  const workers = new Set(status.live.worker.map(({ name }) => name));
  const layout = await readLayout(redis);
  if (layout.region.number !== 0) status.region = layout.region;
  for (let p = 0; p < layout.partitions; p++) {
    if (!isAway(redis, keys.checks(p))) status.partitions.push(await partitionStatus(redis, p, workers));
    else status.away.push(p);
  }
  status.oldestRefused = await oldestRefused(redis, status.partitions);
  const partitions = status.partitions.map(({ partition }) => partition);
  const hooks = [...hooksOf(configuration).keys()];
  status.hooks = { inUse: hooks.length, ...(await countsOf(redis, hooks, partitions)) };
}

async function partitionStatus(redis: Redis, p: number, workers: ReadonlySet<string>): Promise<PartitionStatus> {
  const lanes = await Promise.all(LANES.map((lane) => measurePressure(redis, { partition: p, lane })));
  const sum = (of: 'entries' | 'pending'): number => lanes.reduce((all, lane) => all + lane[of], 0);
  const [last, full] = await redis.hmget(keys.position(p), 'last', 'full');
  const [oldest] = await redis.xrange(keys.results(p), last == null ? '-' : `(${last}`, '+', 'COUNT', 1);
  const logged = await redis.xlen(keys.results(p));
  const places = await Promise.all(FOLLOWERS.map((follower) => placeStatus(redis, follower, p)));
  // The log also has what is archived and waits for a follower.
  const unarchived = Math.max(0, logged - Math.max(0, ...places.map(({ behind }) => behind)));
  const unread = ({ follows, behind }: PlaceStatus): number => (follows ? Math.max(0, unarchived + behind) : 0);
  const [metrics, hooks] = places as [PlaceStatus, PlaceStatus];
  const [seconds] = await redis.time();
  const readers = await readersOf(redis, p);
  return {
    partition: p,
    entries: sum('entries'),
    pending: sum('pending'),
    oldestUnread: Math.max(...lanes.map((lane) => lane.oldestUnread)),
    consumers: readers.filter((name) => workers.has(name)).length,
    unarchived,
    archiveLag: oldest ? Math.max(0, Number(seconds) * 1000 - Number(oldest[0].split('-')[0])) : 0,
    deadLetters: await redis.xlen(keys.dead(p)),
    refused: await redis.xlen(keys.refused(p)),
    refusedFull: full != null,
    unmeasured: unread(metrics),
    metricsDropped: metrics.dropped,
    unnotified: unread(hooks),
    hooksDropped: hooks.dropped,
  };
}

async function oldestRefused(redis: Redis, partitions: readonly PartitionStatus[]): Promise<Status['oldestRefused']> {
  let oldest: RefusedEntry | undefined;
  const time = ({ id }: RefusedEntry): number => Number(id.split('-')[0]);
  for (const { partition } of partitions.filter(({ refused }) => refused > 0)) {
    const [first] = await listRefused(redis, partition, { from: '-', to: '+', most: 1 });
    if (first && (oldest === undefined || time(first) < time(oldest))) oldest = first;
  }
  if (oldest === undefined) return null;
  const { partition, id, request, reason } = oldest;
  return { partition, id, request, reason };
}

interface PlaceStatus {
  follows: boolean;
  /** entries that are archived and not read; below 0: read and not archived */
  behind: number;
  /** entries that were dropped unread */
  dropped: number;
}

async function placeStatus(redis: Redis, follower: Follower, p: number): Promise<PlaceStatus> {
  const place = await redis.hmget(keys.place(follower, p), 'archived_entries', 'read_entries', 'dropped');
  const [archived, read, dropped] = place.map(Number) as [number, number, number];
  return { follows: place[0] !== null, behind: archived - read, dropped };
}

/** Names of the consumers of a partition. Those of workers that have ended stay for a while. */
async function readersOf(redis: Redis, p: number): Promise<string[]> {
  if ((await redis.exists(keys.checks(p))) === 0) return [];
  try {
    const consumers = (await redis.xinfo('CONSUMERS', keys.checks(p), GROUP)) as unknown[][];
    return consumers.map((fields) => String(fields[fields.indexOf('name') + 1]));
  } catch (error) {
    // No worker has ever read the stream.
    if (String(error).includes('NOGROUP')) return [];
    throw error;
  }
}

function refusals(status: Status, { maxMemoryPercent, maxAgeMs, redisReplicas }: Thresholds): string[] {
  const { redis, live, partitions } = status;
  const list: string[] = [];
  if (redis.refuses !== null) list.push(redis.refuses);
  if (status.unread !== null) {
    if (!redis.refuses?.includes(status.unread)) list.push(status.unread);
    return list;
  }
  if (status.configuration === 0) list.push(NO_CONFIGURATION);
  // Heartbeats are writes. When Redis takes none, live processes cannot be seen.
  const heard = redis.hears;
  if (heard && live.ingress.length === 0) list.push('No ingress lives.');
  if (heard && live.worker.length === 0) list.push('No worker lives that could evaluate checks.');
  for (const { name, replicas, memoryRatio } of answering(redis)) {
    if (replicas < redisReplicas)
      list.push(`${name} has ${replicas} replicas, where ${redisReplicas} must have a verdict (WEIR_REDIS_REPLICAS).`);
    if (memoryRatio * 100 >= maxMemoryPercent)
      list.push(`${name} uses ${maxMemoryPercent} % of its maxmemory or more (WEIR_MAX_MEMORY_PERCENT).`);
  }
  if (partitions.some(({ oldestUnread }) => oldestUnread > maxAgeMs)) {
    list.push(`Checks wait for longer than ${maxAgeMs} ms to be read (WEIR_MAX_AGE_MS).`);
  }
  return list;
}

/** One Redis, or the primaries of a Cluster that answer. */
function answering({ nodes, ...whole }: RedisStatus): { name: string; replicas: number; memoryRatio: number }[] {
  if (!nodes) return [{ ...whole, name: 'Redis' }];
  return nodes.filter(({ role }) => role !== '').map((node) => ({ ...node, name: node.address }));
}

async function clickhouseTrouble(history: HistoryAddress, ms: number): Promise<string | null> {
  const client = createHistoryClient(history);
  try {
    return (await troubleOf(client, ms)) ?? null;
  } finally {
    await client.close();
  }
}

/** Why rows do not name their region, in a sentence. */
async function rowsTrouble(history: HistoryAddress, region: Region, ms: number): Promise<string | null> {
  const client = createHistoryClient(history);
  try {
    const result = await client.query({
      query:
        "SELECT default_expression AS named FROM system.columns WHERE database = {d:String} AND table = 'items' AND name = 'region'",
      query_params: { d: history.database },
      format: 'JSONEachRow',
      abort_signal: AbortSignal.timeout(ms),
    });
    const [column] = await result.json<{ named: string }>();
    if (column?.named === `'${region.name}'`) return null;
    return `answers, but rows do not have the name of the region: weir migrate with WEIR_REGION=${regionText(region)}`;
  } catch (error) {
    return explainHistory(error);
  } finally {
    await client.close();
  }
}

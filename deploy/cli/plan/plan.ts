/**
 * The model: what an installation needs for a demand, from figures that were measured. Each formula is a sum of measured
 * costs times rates. What is not measured is a constant here, with its reason.
 */
import type { Demand, LoadDemand } from './demand.js';
import type { BatchCost, CpuCosts, ImageCost, PlanFigures, SingleCost, TierCosts } from './figures.js';

const DAY = 86_400;
const GIB = 2 ** 30;
const TIB = 2 ** 40;
const BITS = 8;

/** vCPU of one process: Node has one busy thread at ingress and in an archiver, an evaluator one beside that of its checks. */
export const VCPU = { ingress: 1, evaluator: 2, archiver: 1, redis: 1 } as const;
/** Of each kind of process, so that one may go. */
const FEWEST = 2;
/** Seconds from a commit until its rows are archived: a block waits 2 s, and is inserted and trimmed. */
const ARCHIVE_SECONDS = 5;
/** Memory of an empty Redis with its connections, bytes. */
const REDIS_BASE = 0.25 * GIB;
/**
 * The append-only file is rewritten once it has doubled, so it has at most twice what is in memory, and a rewrite writes a
 * third copy beside it (bytes of file for a byte of memory).
 */
const FILE_COPIES = 3;
/**
 * Kinds of events (messages of each role, calls and outputs of tools, states, reasoning) of which a batch is mixed, all
 * equally often. What policies looked at is stored once for each kind of a batch, so its first events cost most.
 */
const KINDS = 6;
/** Workers that read each partition. */
const READERS = 2;
/** Bounds of `WEIR_PARTITIONS`. */
export const MOST_PARTITIONS = 1024;
const MOST_A_PRIMARY = 8;
const FEWEST_A_PRIMARY = 4;
export const MOST_PRIMARIES = MOST_PARTITIONS / FEWEST_A_PRIMARY;

/** What each tier does in a second at the peak: bytes, or commands. `hot`, `results`, `content`: what comes anew. */
export type TierRates = TierCosts<number>;

export interface PlannedTier {
  processes: number;
  vcpu: number;
  /** GiB of all */
  memory: number;
  /** GiB of all */
  disk: number;
  /** cores that are busy at the peak */
  cores: number;
}

export interface CapacityPlan {
  demand: Demand;
  /** a second: requests of events, and images */
  requests: number;
  images: number;
  rates: TierRates;
  tiers: {
    ingress: PlannedTier;
    evaluator: PlannedTier;
    archiver: PlannedTier;
    redis: PlannedTier;
    clickhouse: PlannedTier;
  };
  primaries: number;
  partitions: number;
  shards: number;
  /** of the busiest primary, 0 to 1 and beyond: of one core, and of its network */
  primaryBusy: number;
  primaryNetwork: number;
  /** bytes a second over each hop, and those of all hops inside that cross zones */
  hops: Record<PlanHop, number>;
  acrossZones: number;
  /** rows a day; bytes a day that are kept, of all replicas */
  rowsPerDay: number;
  storedPerDay: number;
}

export type PlanHop =
  | 'callers to ingress'
  | 'ingress to callers'
  | 'Weir to Redis'
  | 'Redis to Weir'
  | 'primaries to replicas'
  | 'archivers to ClickHouse'
  | 'between replicas of ClickHouse';

/** A value for each name. */
export const recordOf = <Name extends string, Value>(names: readonly Name[], of: (name: Name) => Value) =>
  Object.fromEntries(names.map((name) => [name, of(name)])) as Record<Name, Value>;

/** What is measured for each request, event and byte, a second at `demand`; without what runs at rest. */
export function ratesOf(
  { single, batch: batches, images }: Pick<PlanFigures, 'single' | 'batch' | 'images'>,
  demand: LoadDemand,
): { rates: TierRates; cpu: CpuCosts<number> } {
  const { requests, pictures } = requestsOf(demand);
  const { batch, flagged, eventBytes, imageBytes } = demand;
  const ofSingle = (cost: SingleCost): number => cost.request + flagged * cost.flagged + eventBytes * cost.byte;
  const ofBatch = (cost: BatchCost): number =>
    cost.request + kindsOf(batch) * cost.kind + batch * (cost.event + flagged * cost.flagged + eventBytes * cost.byte);
  const sum = (one: SingleCost, many: BatchCost, image: ImageCost): number =>
    requests * (batch === 1 ? ofSingle(one) : ofBatch(many)) + pictures * (image.request + imageBytes * image.byte);
  return {
    rates: recordOf(TIER_QUANTITIES, (name) => sum(single[name], batches[name], images[name])),
    cpu: recordOf(CPU_TIERS, (name) => sum(single.cpu[name], batches.cpu[name], images.cpu[name])),
  };
}

/** How many kinds of events are in a batch, on average. */
export const kindsOf = (batch: number): number => KINDS * (1 - (1 - 1 / KINDS) ** batch);

export const TIER_QUANTITIES = [
  'httpIn',
  'httpOut',
  'redisIn',
  'redisOut',
  'commands',
  'replication',
  'appendOnly',
  'hot',
  'inserted',
  'results',
  'content',
] as const satisfies readonly (keyof TierCosts<unknown>)[];

export const CPU_TIERS = [
  'ingress',
  'evaluator',
  'archiver',
  'redis',
  'replica',
  'clickhouse',
] as const satisfies readonly (keyof CpuCosts<unknown>)[];

function requestsOf({ eventsPerSecond, images, batch }: LoadDemand): { requests: number; pictures: number } {
  return { requests: (eventsPerSecond * (1 - images)) / batch, pictures: eventsPerSecond * images };
}

/** The largest power of two with at most 8 a primary, so at least 4 (docs/operations/redis.md). */
export const partitionsFor = (primaries: number): number =>
  Math.min(MOST_PARTITIONS, 2 ** Math.floor(Math.log2(primaries * MOST_A_PRIMARY)));

/** Throws a sentence where no installation can have it. */
export function planFor(figures: PlanFigures, demand: Demand): CapacityPlan {
  const { requests, pictures } = requestsOf(demand);
  const { rates, cpu } = ratesOf(figures, demand);
  const { busy, cpuFactor, redisReplicas, clickhouseReplicas } = demand;
  const cores = recordOf(CPU_TIERS, (tier) => cpu[tier] * cpuFactor);

  const weir = (tier: 'ingress' | 'evaluator' | 'archiver'): PlannedTier => {
    const processes = Math.max(FEWEST, Math.ceil(cores[tier] / (VCPU[tier] * busy)));
    const memory = (processes * figures.resident[tier]) / 1024 / busy;
    return { processes, vcpu: processes * VCPU[tier], memory, disk: 0, cores: cores[tier] };
  };
  const [ingress, evaluator, archiver] = [weir('ingress'), weir('evaluator'), weir('archiver')];

  // Redis: one busy thread, one network and one memory a primary.
  const hotBytes = rates.hot * (demand.hotSeconds + ARCHIVE_SECONDS);
  const networkBytes = (demand.networkGbit * 1e9) / BITS;
  const redisBytes = Math.max(rates.redisIn, rates.redisOut + redisReplicas * rates.replication);
  const needed = [
    cores.redis / busy,
    redisBytes / networkBytes / busy,
    hotBytes / (demand.redisMemoryGib * GIB * busy),
  ];
  const primaries = primariesFor(needed, demand.skew);
  const partitions = partitionsFor(primaries);
  const skew = primaries === 1 ? 1 : demand.skew;
  const nodes = primaries * (1 + redisReplicas);
  const nodeMemory = ((hotBytes * skew) / primaries + REDIS_BASE) / busy / GIB;
  const redis: PlannedTier = {
    processes: nodes,
    vcpu: nodes * VCPU.redis,
    memory: nodes * nodeMemory,
    disk: nodes * nodeMemory * FILE_COPIES,
    cores: cores.redis + redisReplicas * cores.replica,
  };

  // Reading goes on where nothing comes.
  const { idle } = figures;
  const atRest = (of: keyof typeof idle): number =>
    idle[of].process * (ingress.processes + evaluator.processes + archiver.processes) +
    idle[of].reader * partitions * READERS;
  for (const of of ['commands', 'redisIn', 'redisOut'] as const) rates[of] += atRest(of);

  const storedPerDay = (rates.results + rates.content) * DAY * demand.mean * clickhouseReplicas;
  const kept = rates.results * demand.resultsDays + rates.content * demand.contentDays;
  const disk = (kept * DAY * demand.mean) / busy;
  const shards = Math.max(
    1,
    Math.ceil(cores.clickhouse / (demand.clickhouseVcpu * busy)),
    Math.ceil(disk / (demand.clickhouseDiskTib * TIB)),
  );
  const machines = shards * clickhouseReplicas;
  const clickhouse: PlannedTier = {
    processes: machines,
    vcpu: machines * Math.max(2, Math.min(demand.clickhouseVcpu, Math.ceil(cores.clickhouse / shards / busy))),
    memory: (machines * Math.max(4 * 1024, figures.resident.clickhouse)) / 1024 / busy,
    disk: (disk * clickhouseReplicas) / GIB,
    cores: cores.clickhouse * clickhouseReplicas,
  };

  const hops: CapacityPlan['hops'] = {
    'callers to ingress': rates.httpIn,
    'ingress to callers': rates.httpOut,
    'Weir to Redis': rates.redisIn,
    'Redis to Weir': rates.redisOut,
    'primaries to replicas': rates.replication * redisReplicas,
    'archivers to ClickHouse': rates.inserted,
    'between replicas of ClickHouse': (rates.results + rates.content) * (clickhouseReplicas - 1),
  };
  return {
    demand,
    requests,
    images: pictures,
    rates,
    tiers: { ingress, evaluator, archiver, redis, clickhouse },
    primaries,
    partitions,
    shards,
    primaryBusy: (cores.redis * skew) / primaries,
    primaryNetwork: (redisBytes * skew) / primaries / networkBytes,
    hops,
    acrossZones: acrossZones(hops, demand.zones),
    rowsPerDay: demand.eventsPerSecond * demand.mean * DAY,
    storedPerDay,
  };
}

/** As few as carry the `needed` ones, of which the busiest has `skew` times the mean. */
function primariesFor(needed: readonly number[], skew: number): number {
  const most = Math.max(...needed);
  const primaries = most <= 1 ? 1 : Math.ceil(most * skew);
  if (primaries <= MOST_PRIMARIES) return primaries;
  throw new Error(
    `${primaries} primaries of Redis would be needed, but ${MOST_PARTITIONS} partitions serve at most ${MOST_PRIMARIES}; plan several installations`,
  );
}

/**
 * Processes of Weir ask whatever node has a partition, so of these hops a share of `(zones − 1) / zones` crosses. Replicas
 * are in other zones than what they copy, so all of it crosses.
 */
function acrossZones(hops: CapacityPlan['hops'], zones: number): number {
  if (zones === 1) return 0;
  const asked = hops['Weir to Redis'] + hops['Redis to Weir'] + hops['archivers to ClickHouse'];
  const copied = hops['primaries to replicas'] + hops['between replicas of ClickHouse'];
  return (asked * (zones - 1)) / zones + copied;
}

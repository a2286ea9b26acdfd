/** What ends first when the load grows: for each bound, the events a second at which it is met. */
import { type CapacityPlan, MOST_PRIMARIES } from './plan.js';

export interface PlanWall {
  what: string;
  /** events a second, with the same batches, images and retention */
  eventsPerSecond: number;
  then: string;
}

/** The nearest first. */
export function wallsOf(plan: CapacityPlan): PlanWall[] {
  const { demand, primaries, shards, tiers } = plan;
  const { eventsPerSecond: now, busy, redisReplicas, networkGbit } = demand;
  const wall = (what: string, used: number, then: string): PlanWall[] =>
    used > 0 ? [{ what, eventsPerSecond: now / used, then }] : [];
  const redisNodes = primaries * (1 + redisReplicas);
  const of = primaries === 1 ? 'the one Redis' : `the busiest of ${primaries} primaries`;
  const more = primaries === 1 ? 'a Redis Cluster' : 'more primaries';
  return [
    ...wall(`CPU of ${of} (one thread, ${percent(busy)} busy)`, plan.primaryBusy / busy, more),
    ...wall(`network of ${of} (${networkGbit} Gbit/s, ${percent(busy)} busy)`, plan.primaryNetwork / busy, more),
    ...wall(
      `memory of ${of} (${demand.redisMemoryGib} GiB)`,
      tiers.redis.memory / redisNodes / demand.redisMemoryGib,
      `${more}, or a smaller WEIR_HOT_SECONDS`,
    ),
    ...wall(
      `CPU of ${shards} ${shards === 1 ? 'shard' : 'shards'} of ClickHouse (${demand.clickhouseVcpu} vCPU each)`,
      tiers.clickhouse.cores / demand.clickhouseReplicas / (shards * demand.clickhouseVcpu * busy),
      'more shards, which must be chosen before the tables are made',
    ),
    ...wall(
      `disk of ${shards} ${shards === 1 ? 'shard' : 'shards'} of ClickHouse (${demand.clickhouseDiskTib} TiB each)`,
      tiers.clickhouse.disk / demand.clickhouseReplicas / (shards * demand.clickhouseDiskTib * 1024),
      'more shards, or a shorter retention',
    ),
    ...wall(
      `1,024 partitions, 4 for each of ${MOST_PRIMARIES} primaries`,
      Math.max(plan.primaryBusy, plan.primaryNetwork) / busy / (MOST_PRIMARIES / primaries),
      'several installations',
    ),
  ].sort((a, b) => a.eventsPerSecond - b.eventsPerSecond);
}

const percent = (share: number): string => `${Math.round(share * 100)} %`;

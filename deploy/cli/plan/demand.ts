/** What a plan is made for: the load, how long things are kept, and what machines there are. */

import { DEFINITIONS } from '../../../shared/settings.js';

export interface LoadDemand {
  /** checked events and images a second, at the peak */
  eventsPerSecond: number;
  /** events of a request; 1: each by `POST /api/event` */
  batch: number;
  /** bytes of the body of a request for each of its events */
  eventBytes: number;
  /** share of what is checked that are images, 0 to 1, and bytes of the body that has one */
  images: number;
  imageBytes: number;
  /** share of the events with a flagged verdict */
  flagged: number;
}

export interface Demand extends LoadDemand {
  /** mean rate beside the peak, 0 to 1: what is stored grows by the mean */
  mean: number;
  contentDays: number;
  resultsDays: number;
  /** `WEIR_HOT_SECONDS` */
  hotSeconds: number;
  /** of each primary of Redis, and of each shard of ClickHouse (all copies) */
  redisReplicas: number;
  clickhouseReplicas: number;
  zones: number;
  /** share of its vCPU, memory and disk that a process may take at the peak */
  busy: number;
  /** CPU seconds here for one where the figures were measured */
  cpuFactor: number;
  /** load of the busiest primary beside the mean of all */
  skew: number;
  /** of one machine of ClickHouse */
  clickhouseVcpu: number;
  clickhouseDiskTib: number;
  /** of one machine of Redis */
  redisMemoryGib: number;
  /** of any machine */
  networkGbit: number;
}

export const DEMAND_DEFAULTS: Omit<Demand, 'eventsPerSecond'> = {
  batch: 50,
  eventBytes: 320,
  images: 0,
  imageBytes: 500_000,
  flagged: 0.05,
  mean: 1,
  contentDays: 30,
  resultsDays: 365,
  hotSeconds: DEFINITIONS.hotSeconds.default,
  redisReplicas: 1,
  clickhouseReplicas: 2,
  zones: 3,
  busy: 0.6,
  cpuFactor: 1,
  skew: 1,
  clickhouseVcpu: 16,
  clickhouseDiskTib: 16,
  redisMemoryGib: 32,
  networkGbit: 10,
};

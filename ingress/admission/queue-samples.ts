/** How Redis and its work streams fare, sampled five times a second: memory in use, and the age of the oldest unread entry by lane. */

import { repeat } from '../../shared/async.js';
import type { Logger } from '../../shared/log.js';
import type { Redis } from '../../shared/streams/client.js';
import { keys, LANES, type Lane } from '../../shared/streams/keys.js';
import { measurePressure, type Pressure, type SeenUnread } from '../../shared/streams/pressure.js';
import { metersOf, type Registry } from '../../shared/telemetry.js';
import { createAges } from './queue-age.js';

export interface QueueSamples {
  /** the last good sample; changed in place */
  readonly last: {
    /** when it was taken: ms of the steady clock */
    readonly at: number;
    /** ms, by lane */
    readonly age: Readonly<Record<Lane, number>>;
    /** used share of Redis's `maxmemory`; 0 when none is set */
    readonly memory: number;
    /** of Redis, which are connected */
    readonly replicas: number;
  };
  /** Redis said that it is full: believed until the next sample. */
  full(): void;
  close(): void;
}

const SAMPLE_MS = 200;
/** A replica in the answer of INFO that has all but what is on its way. */
const ONLINE = /^slave\d+:.*\bstate=online\b/gm;

/** Resolves after the first sample, also when that failed. */
export async function sampleQueue(
  redis: Redis,
  partitions: () => number,
  tools: { logger: Logger; registry: Registry },
): Promise<QueueSamples> {
  const last = { at: Number.NEGATIVE_INFINITY, age: { fast: 0, slow: 0 }, memory: 0, replicas: 0 };
  const ages = createAges();
  const seen: SeenUnread = new Map();
  const { gauge, gaugeBy } = metersOf(tools.registry);
  const help = 'Age of the oldest check that no worker has read; the slow lane has images and large bodies';
  gaugeBy('lane', LANES, 'weir_oldest_unread_age_seconds', help, (lane) => last.age[lane] / 1000);
  gauge('weir_redis_replicas', 'Replicas of Redis that are connected and have caught up', () => last.replicas);
  gauge('weir_redis_memory_ratio', "Share of Redis's maxmemory in use", () => last.memory);

  async function sample(): Promise<void> {
    try {
      const all = (lane: Lane) =>
        Promise.all(
          Array.from({ length: partitions() }, (_, partition) => measurePressure(redis, { partition, lane }, seen)),
        );
      const [info, fast, slow] = await Promise.all([redis.info('memory', 'replication'), all('fast'), all('slow')]);
      const now = performance.now();
      const oldest = (lane: Lane, each: Pressure[]): number =>
        Math.max(...each.map((one, partition) => ages(keys.checks(partition, lane), one, now)));
      last.age.fast = oldest('fast', fast);
      last.age.slow = oldest('slow', slow);
      last.memory = memoryRatio(info);
      last.replicas = info.match(ONLINE)?.length ?? 0;
      last.at = now;
    } catch (error) {
      tools.logger.debug({ error: String(error) }, 'sampling the queue failed');
    }
  }

  await sample();
  return {
    last,
    full() {
      last.memory = 1;
    },
    close: repeat(SAMPLE_MS, sample),
  };
}

function memoryRatio(info: string): number {
  const read = (field: string): number => Number(new RegExp(`^${field}:(\\d+)`, 'm').exec(info)?.[1] ?? 0);
  const most = read('maxmemory');
  return most === 0 ? 0 : read('used_memory') / most;
}

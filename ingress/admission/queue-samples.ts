/**
 * How Redis and its work streams fare, sampled four times a second: memory in use, and the age of the oldest unread entry by lane. One
 * process measures and stores its sample, the others read it. States of a process:
 *
 *     reading ──no new sample for 0.5 to 1 s──> measuring ──another process has stored one──> reading
 *
 * - *reading*: one command for each sample, however many partitions there are.
 * - *measuring*: stores what it measures in place of the sample that it knows. So of several that begin, one goes on. What Redis refuses to
 *   store is used by this process alone.
 */

import { randomBytes } from 'node:crypto';
import { repeat } from '../../shared/async.js';
import type { Logger } from '../../shared/log.js';
import { isRefusal, type Redis } from '../../shared/streams/client.js';
import { LANES, type Lane } from '../../shared/streams/keys.js';
import { type PressureSample, storedSample, storeSample } from '../../shared/streams/pressure.js';
import { metersOf, type Registry } from '../../shared/telemetry.js';
import { createQueueMeasure } from './measure-queue.js';

export interface QueueSamples {
  /** the last good sample; changed in place */
  readonly last: {
    /** when it came: ms of the steady clock */
    readonly at: number;
    /** ms, by lane */
    readonly age: Readonly<Record<Lane, number>>;
    /** used share of Redis's `maxmemory`; 0 when none is set */
    readonly memory: number;
    /** of Redis, which are connected */
    readonly replicas: number;
  };
  /** Redis said that it is full: believed until it has been measured again. */
  full(): void;
  close(): void;
}

export interface QueueSamplesOptions {
  redis: Redis;
  partitions(): number;
  /** how often a stream is looked at in which everything was read */
  idleMs: number;
  logger: Logger;
  registry: Registry;
}

const SAMPLE_MS = 250;
/** A process measures itself when there was no new sample for so long, and up to as long again: they do not begin together. */
const SILENCE_MS = 500;
/** Of all partitions, which share one Redis. */
const FIRST = 0;

/** Resolves after the first sample, also when that failed. */
export async function sampleQueue({
  redis,
  partitions,
  idleMs,
  logger,
  registry,
}: QueueSamplesOptions): Promise<QueueSamples> {
  const last = { at: Number.NEGATIVE_INFINITY, age: { fast: 0, slow: 0 }, memory: 0, replicas: 0 };
  const by = randomBytes(6).toString('base64url');
  const silenceMs = SILENCE_MS * (1 + Math.random());
  const measure = createQueueMeasure(redis, partitions, idleMs);
  let round = 0;
  let measuring = false;
  /** the sample that was stored last, as far as this process knows, and when it was new */
  let [seen, seenAt] = ['', Number.NEGATIVE_INFINITY];
  /** samples that may have been measured before Redis said that it is full */
  let doubtful = 0;

  const help = 'Age of the oldest check that no worker has read; the slow lane has images and large bodies';
  const { gauge, gaugeBy } = metersOf(registry);
  gaugeBy('lane', LANES, 'weir_oldest_unread_age_seconds', help, (lane) => last.age[lane] / 1000);
  gauge('weir_redis_replicas', 'Replicas of Redis that are connected and have caught up', () => last.replicas);
  gauge('weir_redis_memory_ratio', "Share of Redis's maxmemory in use", () => last.memory);

  function take(text: string): void {
    const { age, memory, replicas } = JSON.parse(text) as PressureSample;
    [seen, seenAt] = [text, performance.now()];
    doubtful = Math.max(0, doubtful - 1);
    Object.assign(last, { at: seenAt, age, memory: doubtful > 0 ? 1 : memory, replicas });
  }

  async function measureForAll(): Promise<void> {
    const measured: PressureSample = { ...(await measure()), by, round: ++round };
    const text = JSON.stringify(measured);
    const other = await storeSample(redis, FIRST, seen, text).catch((error: unknown) => {
      if (isRefusal(error)) return '';
      throw error;
    });
    measuring = other === '';
    take(measuring ? text : other);
  }

  async function sample(): Promise<void> {
    try {
      if (measuring) return await measureForAll();
      const stored = await storedSample(redis, FIRST);
      if (stored !== '' && stored !== seen) return take(stored);
      if (stored !== '' && performance.now() - seenAt < silenceMs) return;
      seen = stored;
      await measureForAll();
    } catch (error) {
      logger.debug({ error: String(error) }, 'sampling the queue failed');
    }
  }

  await sample();
  return {
    last,
    full() {
      last.memory = 1;
      doubtful = 2;
    },
    close: repeat(SAMPLE_MS, sample),
  };
}

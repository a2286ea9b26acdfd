/**
 * How Redis and its work streams fare, sampled four times a second: memory in use, and by lane the number of unread entries and the age of the
 * oldest. One process measures and stores its sample, the others read it. In a Cluster each primary is sampled by itself. States of a process:
 *
 *     reading ──no new sample for 0.5 to 1 s──> measuring ──another process that goes before it has stored one──> reading
 *
 * - *reading*: one command for each sample, however many partitions there are.
 * - *measuring*: stores what it measures, and hears which sample that replaces. Of several that measure, the one whose name is last goes on. What
 *   Redis refuses to store is used by this process alone.
 */

import { randomBytes } from 'node:crypto';
import { repeat } from '../../shared/async.js';
import type { Logger } from '../../shared/log.js';
import { addressIn, isRefusal, nodeOf, type Redis } from '../../shared/streams/client.js';
import { keys, LANES, type Lane } from '../../shared/streams/keys.js';
import { type PressureSample, storedSample, storeSample } from '../../shared/streams/pressure.js';
import { metersOf, type Registry } from '../../shared/telemetry.js';
import { createQueueMeasure } from './measure-queue.js';

/** The last good sample of a Redis; changed in place. */
export interface QueueSample {
  /** when it came: ms of the steady clock */
  readonly at: number;
  /** ms, by lane */
  readonly age: Readonly<Record<Lane, number>>;
  /** by lane */
  readonly unread: Readonly<Record<Lane, number>>;
  /** used share of its `maxmemory`; 0 when none is set */
  readonly memory: number;
  /** those that are connected */
  readonly replicas: number;
  readonly connected: boolean;
}

export interface QueueSamples {
  /** of the Redis that has a partition; undefined: none has it */
  of(partition: number): QueueSample | undefined;
  /** of each Redis that has partitions */
  all(): readonly QueueSample[];
  /** The Redis of a partition said that it is full: believed until it has been measured again. Absent: that of all, if there is one only. */
  full(partition?: number): void;
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

/** Resolves after the first sample of each, also when that failed. */
export async function sampleQueue(options: QueueSamplesOptions): Promise<QueueSamples> {
  const { redis, registry } = options;
  const by = randomBytes(6).toString('base64url');
  const silenceMs = SILENCE_MS * (1 + Math.random());
  let samplers = new Map<Redis, QueueSampler>();
  let samples: readonly QueueSample[] = [];

  /** Which Redis has which partitions is looked at with each sample. */
  function assign(): void {
    const known = samplers;
    samplers = new Map();
    for (let p = 0; p < options.partitions(); p++) {
      const node = nodeOf(redis, keys.checks(p));
      if (!node) continue;
      const sampler = samplers.get(node) ?? known.get(node) ?? createSampler(node, { ...options, by, silenceMs });
      if (!samplers.has(node)) sampler.partitions.length = 0;
      sampler.partitions.push(p);
      samplers.set(node, sampler);
    }
    samples = [...samplers.values()].map(({ last }) => last);
  }

  function samplerOf(partition: number): QueueSampler | undefined {
    const node = nodeOf(redis, keys.checks(partition));
    return node && samplers.get(node);
  }

  async function sampleAll(): Promise<void> {
    assign();
    await Promise.all([...samplers.values()].map((sampler) => sampler.sample()));
  }

  /** One that does not answer holds up no other. */
  async function sampleAgain(): Promise<void> {
    void sampleAll();
  }

  gaugeSamples(registry, () => samplers);
  await sampleAll();
  return {
    of: (partition) => samplerOf(partition)?.last,
    all: () => samples,
    full(partition) {
      if (partition !== undefined || samplers.size === 1) samplerOf(partition ?? 0)?.full();
    },
    close: repeat(SAMPLE_MS, sampleAgain),
  };
}

/** Of samples that one process has measured, so each has the same to tell: of several, the highest is as good as any. */
function gaugeSamples(registry: Registry, samplers: () => ReadonlyMap<Redis, QueueSampler>): void {
  const { gauge, gaugeBy, gaugeOf } = metersOf(registry);
  const samples = (): QueueSample[] => [...samplers().values()].map(({ last }) => last);
  const most = (of: (sample: QueueSample) => number): number => Math.max(0, ...samples().map(of));
  /** of each Redis that has been sampled and has partitions: those of a Cluster come and go */
  const byNode = (of: (sample: QueueSample) => number): [string, number][] =>
    [...samplers()].filter(([, { last }]) => last.at > 0).map(([node, { last }]) => [addressIn(node), of(last)]);
  const age = 'Age of the oldest check that no worker has read; the slow lane has images and large bodies';
  gaugeBy('lane', LANES, 'weir_oldest_unread_age_seconds', age, (lane) => most((sample) => sample.age[lane]) / 1000);
  const unread = 'Checks that no worker has read, of all partitions; every ingress tells the same number';
  gaugeBy('lane', LANES, 'weir_unread_entries', unread, (lane) =>
    samples().reduce((sum, sample) => sum + sample.unread[lane], 0),
  );
  gauge(
    'weir_redis_replicas',
    'Replicas of Redis that are connected and have caught up; of a Cluster, of the primary with the fewest',
    () => (samplers().size === 0 ? 0 : Math.min(...samples().map(({ replicas }) => replicas))),
  );
  gauge('weir_redis_memory_ratio', "Share of Redis's maxmemory in use; of a Cluster, of the fullest primary", () =>
    most(({ memory }) => memory),
  );
  gaugeOf(
    'node',
    'weir_redis_node_memory_ratio',
    'The same of each Redis that has partitions: of a Cluster, its primaries',
    () => byNode(({ memory }) => memory),
  );
  gaugeOf('node', 'weir_redis_node_replicas', 'Replicas, in the same way, of each Redis that has partitions', () =>
    byNode(({ replicas }) => replicas),
  );
}

interface QueueSampler {
  /** changed in place */
  partitions: number[];
  last: QueueSample;
  /** Does nothing while it is under way. */
  sample(): Promise<void>;
  full(): void;
}

/** Samples one Redis, `node`. Streams are asked for by way of `redis`: while a slot moves, they may be at another node. */
function createSampler(
  node: Redis,
  {
    redis,
    by,
    silenceMs,
    idleMs,
    logger,
  }: Pick<QueueSamplesOptions, 'redis' | 'idleMs' | 'logger'> & { by: string; silenceMs: number },
): QueueSampler {
  const last = {
    at: Number.NEGATIVE_INFINITY,
    age: { fast: 0, slow: 0 },
    unread: { fast: 0, slow: 0 },
    memory: 0,
    replicas: 0,
    get connected() {
      return node.status === 'ready';
    },
  };
  const partitions: number[] = [];
  const measure = createQueueMeasure({ redis, node }, partitions, idleMs);
  let round = 0;
  let measuring = false;
  let busy = false;
  /** the sample that was stored last, as far as this process knows, and when it was new */
  let [seen, seenAt] = ['', Number.NEGATIVE_INFINITY];
  /** samples that may have been measured before Redis said that it is full */
  let doubtful = 0;

  function take(text: string): void {
    // A release before may have measured, which did not count what is unread.
    const { age, unread = { fast: 0, slow: 0 }, memory, replicas } = JSON.parse(text) as PressureSample;
    [seen, seenAt] = [text, performance.now()];
    doubtful = Math.max(0, doubtful - 1);
    Object.assign(last, { at: seenAt, age, unread, memory: doubtful > 0 ? 1 : memory, replicas });
  }

  async function measureForAll(): Promise<void> {
    const measured: PressureSample = { ...(await measure()), by, round: ++round };
    const text = JSON.stringify(measured);
    const replaced = await storeSample(redis, partitions[0]!, text).catch((error: unknown) => {
      if (isRefusal(error)) return '';
      throw error;
    });
    measuring = replaced === '' || replaced === seen || (JSON.parse(replaced) as PressureSample).by < by;
    take(text);
  }

  async function sample(): Promise<void> {
    if (busy) return;
    busy = true;
    try {
      if (measuring) return await measureForAll();
      const stored = await storedSample(redis, partitions[0]!);
      if (stored !== '' && stored !== seen) return take(stored);
      if (stored !== '' && performance.now() - seenAt < silenceMs) return;
      seen = stored;
      await measureForAll();
    } catch (error) {
      logger.debug({ error: String(error) }, 'sampling the queue failed');
    } finally {
      busy = false;
    }
  }

  return {
    partitions,
    last,
    sample,
    full() {
      last.memory = 1;
      doubtful = 2;
    },
  };
}

/**
 * Whether there is room for more work. What it depends on is sampled by timers, so asking costs a few comparisons. States:
 *
 *     admitting ──sampled: Redis away, near its `maxmemory`, without the replicas that are wanted, old──> refusing (503)
 *         ^       unread work, too many bytes unanswered, or an event loop that lags                         │
 *         └────────────────────────────── sampled: none of it any more ──────────────────────────────────────┘
 *     both ──shutDown──> shutting down (503) until the process ends
 */
import { ApiError } from '../../shared/api/errors.js';
import type { Logger } from '../../shared/log.js';
import type { Settings } from '../../shared/settings.js';
import type { Redis } from '../../shared/streams/client.js';
import type { Lane } from '../../shared/streams/keys.js';
import { metersOf, type Registry } from '../../shared/telemetry.js';
import { type QueueSample, sampleQueue } from './queue-samples.js';

export type AdmissionSettings = Settings<
  'pendingBytes' | 'redisReplicas' | 'maxAgeMs' | 'maxSlowAgeMs' | 'maxMemoryPercent' | 'maxLoopLagMs'
>;

export interface Admission {
  /**
   * Why no work is admitted now, or undefined. Work of the slow lane may hold half of the bytes, and old work in that lane
   * keeps out only more of its kind. Before the lane of a check is known, ask for the fast one. Before its partition is known, it is
   * refused where each partition would be: in a Cluster, their primaries may fare differently.
   */
  refusal(pendingBytes: Readonly<Record<Lane, number>>, lane?: Lane, partition?: number): ApiError | undefined;
  /** Refuses everything from now on: the process is stopping. */
  shutDown(): void;
  /** The Redis of a partition said that it is full: believed until the next sample. */
  full(partition?: number): void;
  close(): void;
}

/** When the last good sample is older, Redis counts as away. */
const STALE_MS = 2000;
/** How often work streams are looked at in which everything was read. */
const IDLE_MS = 1000;
const LOOP_MS = 100;

const REFUSALS = {
  unavailable: new ApiError('unavailable', 'The service cannot reach its queue at the moment. Try again.'),
  replicas: new ApiError('unavailable', 'The queue has too few replicas at the moment. Try again.'),
  memory: new ApiError('overloaded', 'The queue is full. Try again.'),
  age: new ApiError('overloaded', 'Checks are waiting longer than they should. Try again.'),
  bytes: new ApiError('overloaded', 'Too many checks are under way. Try again.'),
  loop: new ApiError('overloaded', 'The service is busier than it should be. Try again.'),
  shutDown: new ApiError('shutting_down', 'This process is stopping. Try again: another one will answer.'),
};

export async function createAdmission(
  redis: Redis,
  partitions: () => number,
  settings: AdmissionSettings,
  tools: { logger: Logger; registry: Registry },
): Promise<Admission> {
  // What is too old must be found to be so, however little that is.
  const idleMs = Math.min(IDLE_MS, settings.maxAgeMs, settings.maxSlowAgeMs);
  const queue = await sampleQueue({ redis, partitions, idleMs, ...tools });
  const loop = watchLoop(tools.registry);
  const wanted = 'Replicas of Redis without which checks are refused (WEIR_REDIS_REPLICAS)';
  metersOf(tools.registry).gauge('weir_redis_replicas_wanted', wanted, () => settings.redisReplicas);
  let stopping = false;

  function refusalBy(last: QueueSample | undefined, lane: Lane): ApiError | undefined {
    if (!last?.connected || performance.now() - last.at > STALE_MS) return REFUSALS.unavailable;
    if (last.replicas < settings.redisReplicas) return REFUSALS.replicas;
    if (last.memory * 100 >= settings.maxMemoryPercent) return REFUSALS.memory;
    if (last.age.fast > settings.maxAgeMs) return REFUSALS.age;
    if (lane === 'slow' && last.age.slow > settings.maxSlowAgeMs) return REFUSALS.age;
    return undefined;
  }

  function refusalByAll(lane: Lane): ApiError | undefined {
    let refusal: ApiError | undefined = REFUSALS.unavailable;
    for (const last of queue.all()) {
      refusal = refusalBy(last, lane);
      if (!refusal) return undefined;
    }
    return refusal;
  }

  return {
    refusal(pendingBytes, lane = 'fast', partition) {
      if (stopping) return REFUSALS.shutDown;
      const refusal = partition === undefined ? refusalByAll(lane) : refusalBy(queue.of(partition), lane);
      if (refusal) return refusal;
      if (pendingBytes.fast + pendingBytes.slow > settings.pendingBytes) return REFUSALS.bytes;
      if (lane === 'slow' && pendingBytes.slow > settings.pendingBytes / 2) return REFUSALS.bytes;
      if (loop.lagMs() > settings.maxLoopLagMs) return REFUSALS.loop;
      return undefined;
    },
    shutDown() {
      stopping = true;
    },
    full: queue.full,
    close() {
      queue.close();
      loop.close();
    },
  };
}

/** How late the event loop ran its last timer. */
function watchLoop(registry: Registry): { lagMs(): number; close(): void } {
  let lag = 0;
  let due = performance.now() + LOOP_MS;
  const timer = setInterval(() => {
    lag = Math.max(0, performance.now() - due);
    due = performance.now() + LOOP_MS;
  }, LOOP_MS);
  metersOf(registry).gauge('weir_loop_lag_seconds', 'Delay of the event loop', () => lag / 1000);
  return { lagMs: () => lag, close: () => clearInterval(timer) };
}

/**
 * Whether there is room for more work. Sampled from a timer, so that asking costs a few comparisons: a request is
 * refused while Redis is away or near its `maxmemory`, while unread work is old, while this process holds too many
 * bytes unanswered, or while its event loop lags.
 */
import { ApiError } from '../../shared/api/errors.js';
import { repeat } from '../../shared/async.js';
import type { Logger } from '../../shared/log.js';
import type { Settings } from '../../shared/settings.js';
import type { Redis } from '../../shared/streams/client.js';
import { keys, LANES, type Lane } from '../../shared/streams/keys.js';
import { measurePressure, type Pressure } from '../../shared/streams/pressure.js';
import { Gauge, type Registry } from '../../shared/telemetry.js';
import { createAges } from './queue-age.js';

export type AdmissionSettings = Settings<
  'pendingBytes' | 'maxAgeMs' | 'maxSlowAgeMs' | 'maxMemoryPercent' | 'maxLoopLagMs'
>;

export interface Admission {
  /**
   * Why no work is admitted now, or undefined. Work that waits in the slow lane keeps out only more of its kind, and may
   * hold half of the bytes: what is asked before the lane is known is asked for the fast one.
   */
  refusal(pendingBytes: Readonly<Record<Lane, number>>, lane?: Lane): ApiError | undefined;
  /** Refuses everything from now on: the process is stopping. */
  shutDown(): void;
  /** Redis said it is full; believed until the next sample. */
  full(): void;
  close(): void;
}

const SAMPLE_MS = 200;
/** Samples older than this are no knowledge: Redis is taken for away. */
const STALE_MS = 2000;
const LOOP_MS = 100;

export async function createAdmission(
  redis: Redis,
  partitions: () => number,
  settings: AdmissionSettings,
  tools: { logger: Logger; registry: Registry },
): Promise<Admission> {
  const refusals = {
    unavailable: new ApiError('unavailable', 'The service cannot reach its queue at the moment. Try again.'),
    memory: new ApiError('overloaded', 'The queue is full. Try again.'),
    age: new ApiError('overloaded', 'Checks are waiting longer than they should. Try again.'),
    bytes: new ApiError('overloaded', 'Too many checks are under way. Try again.'),
    loop: new ApiError('overloaded', 'The service is busier than it should be. Try again.'),
    shutDown: new ApiError('shutting_down', 'This process is stopping. Try again: another one will answer.'),
  };
  let sampled = Number.NEGATIVE_INFINITY;
  const ages = createAges();
  const age: Record<Lane, number> = { fast: 0, slow: 0 };
  let memory = 0;
  let lag = 0;
  let stopping = false;
  let due = performance.now() + LOOP_MS;

  const gauge = (name: string, help: string, read: () => number): void => {
    new Gauge({
      name,
      help,
      registers: [tools.registry],
      collect() {
        this.set(read());
      },
    });
  };
  new Gauge({
    name: 'weir_oldest_unread_age_seconds',
    help: 'Age of the oldest work entry nobody has read, by lane',
    labelNames: ['lane'] as const,
    registers: [tools.registry],
    collect() {
      for (const lane of LANES) this.set({ lane }, age[lane] / 1000);
    },
  });
  gauge('weir_redis_memory_ratio', "Share of Redis's maxmemory in use", () => memory);
  gauge('weir_loop_lag_seconds', 'Last delay of the event loop', () => lag / 1000);

  async function sample(): Promise<void> {
    try {
      const all = (lane: Lane) =>
        Promise.all(
          Array.from({ length: partitions() }, (_, partition) => measurePressure(redis, { partition, lane })),
        );
      const [info, fast, slow] = await Promise.all([redis.info('memory'), all('fast'), all('slow')]);
      const now = performance.now();
      const oldest = (lane: Lane, each: Pressure[]): number =>
        Math.max(...each.map((one, partition) => ages(keys.checks(partition, lane), one, now)));
      age.fast = oldest('fast', fast);
      age.slow = oldest('slow', slow);
      memory = memoryRatio(info);
      sampled = now;
    } catch (error) {
      tools.logger.debug({ error: String(error) }, 'sampling the queue failed');
    }
  }

  await sample();
  const stopSampling = repeat(SAMPLE_MS, sample);
  const loop = setInterval(() => {
    lag = Math.max(0, performance.now() - due);
    due = performance.now() + LOOP_MS;
  }, LOOP_MS);

  return {
    refusal(pendingBytes, lane = 'fast') {
      if (stopping) return refusals.shutDown;
      if (redis.status !== 'ready' || performance.now() - sampled > STALE_MS) return refusals.unavailable;
      if (memory * 100 >= settings.maxMemoryPercent) return refusals.memory;
      if (age.fast > settings.maxAgeMs) return refusals.age;
      if (lane === 'slow' && age.slow > settings.maxSlowAgeMs) return refusals.age;
      if (pendingBytes.fast + pendingBytes.slow > settings.pendingBytes) return refusals.bytes;
      if (lane === 'slow' && pendingBytes.slow > settings.pendingBytes / 2) return refusals.bytes;
      if (lag > settings.maxLoopLagMs) return refusals.loop;
      return undefined;
    },
    shutDown() {
      stopping = true;
    },
    full() {
      memory = 1;
    },
    close() {
      stopSampling();
      clearInterval(loop);
    },
  };
}

/** Used share of `maxmemory`; 0 where none is set. */
function memoryRatio(info: string): number {
  const read = (field: string): number => Number(new RegExp(`^${field}:(\\d+)`, 'm').exec(info)?.[1] ?? 0);
  const most = read('maxmemory');
  return most === 0 ? 0 : read('used_memory') / most;
}

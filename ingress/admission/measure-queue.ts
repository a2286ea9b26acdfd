/**
 * Measures how Redis and its work streams fare: memory in use, and the number of unread entries and the age of the oldest one by lane. A stream
 * in which everything was read is looked at once in `idleMs`, the others each time: until then its oldest unread entry is no older than that.
 */
import type { Redis } from '../../shared/streams/client.js';
import { keys, LANES, type WorkStream } from '../../shared/streams/keys.js';
import {
  measurePressure,
  type Pressure,
  type PressureSample,
  type SeenUnread,
  withEntries,
} from '../../shared/streams/pressure.js';
import { createAges } from './queue-age.js';

export type QueueMeasure = Pick<PressureSample, 'age' | 'unread' | 'memory' | 'replicas'>;

interface MeasuredStream extends WorkStream {
  key: string;
  /** ms of the steady clock at which it is looked at next */
  due: number;
  /** ms: age of its oldest unread entry when it was looked at last */
  age: number;
  /** entries that no worker had read then */
  unread: number;
}

/** A replica in the answer of INFO that has all but what is on its way. */
const ONLINE = /^slave\d+:.*\bstate=online\b/gm;
const NOTHING: Pressure = { oldestUnread: 0, entries: 0, pending: 0 };

/**
 * Returns a function that measures `node` and the partitions that are in the list then, which are reached by `redis`. It rejects when Redis
 * cannot be asked.
 */
export function createQueueMeasure(
  { redis, node }: { redis: Redis; node: Redis },
  partitions: readonly number[],
  idleMs: number,
): () => Promise<QueueMeasure> {
  const known = new Map<string, MeasuredStream>();
  const ages = createAges();
  const seen: SeenUnread = new Map();

  async function look(stream: MeasuredStream, hasEntries: boolean): Promise<void> {
    const pressure = hasEntries ? await measurePressure(redis, stream, seen) : NOTHING;
    const now = performance.now();
    // The first looks at streams are all at once, the later ones are not.
    const pause = stream.due === 0 ? idleMs * Math.random() : idleMs;
    stream.age = ages(stream.key, pressure, now);
    // Entries are deleted with their acknowledgement, so those that are not pending are unread.
    stream.unread = pressure.oldest ? Math.max(1, pressure.entries - pressure.pending) : 0;
    stream.due = pressure.oldest ? now : now + pause;
  }

  function streamOf(stream: WorkStream): MeasuredStream {
    const key = keys.checks(stream.partition, stream.lane);
    const measured = known.get(key) ?? { ...stream, key, due: 0, age: 0, unread: 0 };
    known.set(key, measured);
    return measured;
  }

  return async () => {
    const streams = partitions.flatMap((partition) => LANES.map((lane) => streamOf({ partition, lane })));
    const now = performance.now();
    const due = streams.filter((stream) => stream.due <= now);
    const asked = node.info('memory', 'replication');
    const [info, filled] = await Promise.all([asked, due.length > 0 ? withEntries(redis, due) : []]);
    const some = new Set(filled);
    await Promise.all(due.map((stream) => look(stream, some.has(stream))));
    const age = { fast: 0, slow: 0 };
    const unread = { fast: 0, slow: 0 };
    for (const stream of streams) {
      age[stream.lane] = Math.max(age[stream.lane], stream.age);
      unread[stream.lane] += stream.unread;
    }
    return { age, unread, memory: memoryRatio(info), replicas: info.match(ONLINE)?.length ?? 0 };
  };
}

function memoryRatio(info: string): number {
  const read = (field: string): number => Number(new RegExp(`^${field}:(\\d+)`, 'm').exec(info)?.[1] ?? 0);
  const most = read('maxmemory');
  return most === 0 ? 0 : read('used_memory') / most;
}

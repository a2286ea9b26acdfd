/** How far what was accepted is on its way into history: entries of work streams, then of logs. */
import type { Redis } from './client.js';
import { keys, LANES } from './keys.js';
import type { RedisCommand } from './script.js';
import { sendTogether } from './send.js';

const each = (partitions: number): number[] => Array.from({ length: partitions }, (_, p) => p);
const workStreams = (partitions: number): string[] =>
  each(partitions).flatMap((p) => LANES.map((lane) => keys.checks(p, lane)));
const logs = (partitions: number): string[] => each(partitions).map((p) => keys.results(p));

/** Unix ms of the oldest check up to `ms` that has no result yet; infinity: there is none. */
export const oldestWork = (redis: Redis, partitions: number, ms: number): Promise<number> =>
  oldestOf(redis, workStreams(partitions), ms);

/** Unix ms of the oldest result up to `ms` that is not archived; infinity: there is none. */
export const oldestResult = (redis: Redis, partitions: number, ms: number): Promise<number> =>
  oldestOf(redis, logs(partitions), ms);

/** Unix ms of the newest result that is not archived; 0: there is none. */
export const newestResult = async (redis: Redis, partitions: number): Promise<number> =>
  Math.max(0, ...(await firstTimes(redis, logs(partitions), (key) => ['XREVRANGE', key, '+', '-', 'COUNT', 1])));

const oldestOf = async (redis: Redis, streams: readonly string[], ms: number): Promise<number> =>
  Math.min(...(await firstTimes(redis, streams, (key) => ['XRANGE', key, '-', ms, 'COUNT', 1])));

async function firstTimes(
  redis: Redis,
  streams: readonly string[],
  ask: (key: string) => RedisCommand,
): Promise<number[]> {
  const answers = await sendTogether(redis, streams.map(ask));
  return answers.flatMap((answer) => {
    if (answer instanceof Error) throw answer;
    const [entry] = answer as [Buffer, unknown][];
    return entry === undefined ? [] : [Number.parseInt(entry[0].toString(), 10)];
  });
}

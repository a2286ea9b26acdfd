/**
 * Adds work entries. A body is written from where it is and must not change: copying it took a twentieth of the CPU of an ingress process under
 * batches. A large one is written in segments first (`shared/streams/segments.ts`), which the entry names.
 */
import type { Redis } from '../../shared/streams/client.js';
import { keys, type WorkStream } from '../../shared/streams/keys.js';
import { script } from '../../shared/streams/script.js';
import { deleteSegments, isLarge, segmentsIn, segmentsKey, writeSegments } from '../../shared/streams/segments.js';
import { sendTogether } from '../../shared/streams/send.js';

/** Connections to Redis. Large bodies have one of their own: small commands do not wait until they are sent. */
export interface DispatchConnections {
  redis: Redis;
  large: Redis;
}

/** The body of an entry: its bytes, or the reference to its segments with their key and number. */
export type CarriedBody = { value: Buffer } | { value: string; key: string; count: number };

/** Writes a body where it is large. Rejects with the error of Redis; nothing was added then. */
export async function carry({ large }: DispatchConnections, partition: number, body: Buffer): Promise<CarriedBody> {
  if (!isLarge(body)) return { value: body };
  const reference = await writeSegments(large, partition, body);
  return { value: reference, key: segmentsKey(partition, reference), count: segmentsIn(reference) };
}

/** Awaits what names a body. Its segments are deleted where Redis refuses that: until they expire they would keep a full Redis full. */
export async function naming<T>(redis: Redis, partition: number, body: CarriedBody, added: Promise<T>): Promise<T> {
  try {
    return await added;
  } catch (error) {
    const isRefused = (error as Error).name === 'ReplyError';
    if (isRefused && 'key' in body) await deleteSegments(redis, partition, body.value);
    throw error;
  }
}

const addLarge = script('work/add-large-entry');

/** Adds the entry of a request that nobody can have added before. */
export async function addEntry(redis: Redis, stream: WorkStream, header: string, body: CarriedBody): Promise<string> {
  const checks = keys.checks(stream.partition, stream.lane);
  if ('key' in body) {
    const added = addLarge(redis, [checks, body.key], [header, body.value, body.count]);
    return String(await naming(redis, stream.partition, body, added));
  }
  const [answer] = await sendTogether(redis, [['XADD', checks, '*', 'header', header, 'body', body.value]]);
  if (answer instanceof Error) throw answer;
  return String(answer);
}

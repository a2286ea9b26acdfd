/**
 * Large values in Redis: bodies and rows. A command with megabytes keeps Redis from everything else. Writing 12 MB to the append-only file
 * takes it 30 to 140 ms, and so does reading them. So a large value is a hash of *segments*, each written and read by a command of its
 * own, and the entry of a stream has a reference to it:
 *
 *     written ──an entry names it──> kept ──the entry is gone──> deleted
 *        └── no entry names it: expires
 */
import { randomBytes } from 'node:crypto';
import type { Redis } from './client.js';
import { keys } from './keys.js';
import { type RedisCommand, script } from './script.js';
import { sendTogether } from './send.js';

/** What is larger is written in segments. */
export const SEGMENT_BYTES = 256 * 1024;
/** Segments that are asked for at once. */
const READ_TOGETHER = 4;
/** How long segments live that no entry names: far longer than it takes to add one. */
const UNNAMED_MS = 300_000;
/** References of one call. */
const PAGE = 100;

const listDropped = script('log/list-dropped-segments');

/** What an entry says of a value in segments: a random name and its bytes, parted by a space. */
export type SegmentsReference = string;

export const isLarge = (value: Buffer): boolean => value.length > SEGMENT_BYTES;

export const segmentsKey = (partition: number, reference: SegmentsReference): string =>
  keys.segments(partition, reference.slice(0, reference.indexOf(' ')));

/** Bytes of the whole value. */
export const segmentsBytes = (reference: SegmentsReference): number =>
  Number(reference.slice(reference.indexOf(' ') + 1));

/** Number of segments. */
export const segmentsIn = (reference: SegmentsReference): number => Math.ceil(segmentsBytes(reference) / SEGMENT_BYTES);

/**
 * Writes a value, from where it is: it must not change meanwhile. Rejects with the error of Redis, such as OOM, and takes back what was
 * written.
 */
export async function writeSegments(redis: Redis, partition: number, value: Buffer): Promise<SegmentsReference> {
  const reference = `${randomBytes(12).toString('base64url')} ${value.length}`;
  const key = segmentsKey(partition, reference);
  const segments = Array.from({ length: segmentsIn(reference) }, (_, i): RedisCommand => {
    return ['HSET', key, i, value.subarray(i * SEGMENT_BYTES, (i + 1) * SEGMENT_BYTES)];
  });
  // Each with its end: any of them may be the only one that Redis takes or still has, and the last one before a connection breaks.
  const commands = segments.flatMap((segment): RedisCommand[] => [
    ['MULTI'],
    segment,
    ['PEXPIRE', key, UNNAMED_MS],
    ['EXEC'],
  ]);
  const answers = await sendTogether(redis, commands);
  const refused = answers.find((answer) => answer instanceof Error);
  if (!refused) return reference;
  await deleteSegments(redis, partition, reference);
  throw refused;
}

/** Deletes segments that no entry names. Never rejects: they expire anyway. */
export async function deleteSegments(redis: Redis, partition: number, reference: SegmentsReference): Promise<void> {
  await redis.unlink(segmentsKey(partition, reference)).catch(() => undefined);
}

/**
 * The value; undefined when it is not there any more: its entry is finished, or archived. `limitMs`: as of {@link sendTogether}, for four
 * segments.
 */
export async function readSegments(
  redis: Redis,
  partition: number,
  reference: SegmentsReference,
  limitMs?: number,
): Promise<Buffer | undefined> {
  const key = segmentsKey(partition, reference);
  const value = Buffer.allocUnsafeSlow(segmentsBytes(reference));
  let at = 0;
  for (let i = 0; at < value.length; i += READ_TOGETHER) {
    const commands = Array.from({ length: READ_TOGETHER }, (_, j): RedisCommand => ['HGET', key, i + j]);
    const segments = await sendTogether(redis, commands, limitMs);
    const refused = segments.find((segment) => segment instanceof Error);
    if (refused) throw refused;
    if (segments[0] === null) return undefined;
    for (const segment of segments) if (segment !== null) at += (segment as Buffer).copy(value, at);
  }
  return value;
}

/** Deletes the segments of entries that have left the log of a partition. May be repeated. */
export async function deleteDroppedSegments(redis: Redis, partition: number): Promise<void> {
  const index = keys.logSegments(partition);
  for (;;) {
    const references = (await listDropped(redis, [index, keys.results(partition)], [PAGE])) as SegmentsReference[];
    if (references.length === 0) return;
    await redis.unlink(...references.map((reference) => segmentsKey(partition, reference)));
    await redis.zrem(index, ...references);
    if (references.length < PAGE) return;
  }
}

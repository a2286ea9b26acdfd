/** Work entries as they are read from their stream. */
import type { Redis } from '../../shared/streams/client.js';
import type { WorkStream } from '../../shared/streams/keys.js';
import { readSegments, type SegmentsReference } from '../../shared/streams/segments.js';

/** `header` and `body` are empty when the entry has no such field. */
export interface RawEntry extends WorkStream {
  id: string;
  header: Buffer;
  body: Buffer;
  /** where its body is in Redis, if that is large; empty: in the entry */
  segments: SegmentsReference;
  /** 1 the first time it is handed out */
  attempt: number;
}

/** An entry as Redis returns it. */
export type StreamEntry = [id: Buffer, fields: Buffer[]];

const EMPTY = Buffer.alloc(0);

export function rawEntry({ partition, lane }: WorkStream, [id, fields]: StreamEntry, attempt: number): RawEntry {
  const entry: RawEntry = {
    partition,
    lane,
    id: id.toString('latin1'),
    header: EMPTY,
    body: EMPTY,
    segments: '',
    attempt,
  };
  for (let i = 0; i + 1 < fields.length; i += 2) {
    const field = fields[i]!.toString('latin1');
    if (field === 'header') entry.header = fields[i + 1]!;
    else if (field === 'body') entry.body = fields[i + 1]!;
    else if (field === 'segments') entry.segments = fields[i + 1]!.toString('latin1');
  }
  return entry;
}

/** Reads the bodies that are not in the entries. One that another worker has finished meanwhile stays empty. */
export async function readBodies(redis: Redis, entries: readonly RawEntry[], limitMs?: number): Promise<void> {
  for (const entry of entries) {
    const { partition, segments } = entry;
    if (segments !== '') entry.body = (await readSegments(redis, partition, segments, limitMs)) ?? EMPTY;
  }
}

/** Splits `all` by the partitions of their entries, in order. */
export function byPartition<T>(all: readonly T[], entryOf: (one: T) => RawEntry): T[][] {
  const parts = new Map<number, T[]>();
  for (const one of all) {
    const { partition } = entryOf(one);
    const part = parts.get(partition);
    if (part) part.push(one);
    else parts.set(partition, [one]);
  }
  return [...parts.values()];
}

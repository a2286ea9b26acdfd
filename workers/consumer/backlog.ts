/**
 * Entries that were read and wait for the turn of their team, in order. A chunk has those of one partition and team, and of further partitions of the
 * same Redis for which no other slot is free. With many partitions hardly two entries that wait are of the same one, and an entry alone costs
 * twice as much as one of a chunk of four, evaluation included.
 */
import { teamIn } from '../../shared/streams/work.js';
import type { RawEntry } from './entry.js';

/** Bytes of a chunk of several entries. A thread takes about as long for them as another team may have to wait for it. */
const CHUNK_BYTES = 160 * 1024;

export interface Backlog {
  /** Appends entries. Returns, for each of them, its team and the key that {@link take} finds it by. */
  add(entries: readonly RawEntry[]): { team: string; key: string }[];
  /** Removes the next chunk of `key`; `free`: slots beside the own one. It is empty when earlier chunks have taken every entry. */
  take(key: string, free: number): RawEntry[];
}

export interface BacklogOptions {
  /** entries of a chunk at most */
  chunk: number;
  /** names the Redis that has a partition */
  redisOf(partition: number): string;
}

/** What waits of a key. */
interface Line {
  /** in the order in which they have their turn */
  partitions: Map<number, RawEntry[]>;
  entries: number;
}

export function createBacklog({ chunk: most, redisOf }: BacklogOptions): Backlog {
  const waiting = new Map<string, Line>();

  function append(entry: RawEntry): { team: string; key: string } {
    const team = teamIn(entry.header);
    const key = `${redisOf(entry.partition)} ${team}`;
    const line = waiting.get(key) ?? { partitions: new Map<number, RawEntry[]>(), entries: 0 };
    waiting.set(key, line);
    const own = line.partitions.get(entry.partition);
    if (own) own.push(entry);
    else line.partitions.set(entry.partition, [entry]);
    line.entries++;
    return { team, key };
  }

  return {
    add: (entries) => entries.map(append),
    take(key, free) {
      const chunk: RawEntry[] = [];
      const line = waiting.get(key);
      if (!line) return chunk;
      const share = line.entries / (free + 1);
      let bytes = 0;
      for (const [partition, own] of line.partitions) {
        if (chunk.length > 0 && chunk.length >= share) break;
        let count = 0;
        while (count < own.length && chunk.length + count < most) {
          bytes += own[count]!.body.length;
          if (chunk.length + count > 0 && bytes > CHUNK_BYTES) break;
          count++;
        }
        if (count === 0) break;
        chunk.push(...own.splice(0, count));
        line.partitions.delete(partition);
        if (own.length === 0) continue;
        // Behind the others, which come first in the next chunk.
        line.partitions.set(partition, own);
        break;
      }
      line.entries -= chunk.length;
      if (line.entries === 0) waiting.delete(key);
      return chunk;
    },
  };
}

/** Entries that were read and wait for the turn of their team, in order. Those of one partition and team make a chunk together. */
import { teamIn } from '../../shared/streams/work.js';
import type { RawEntry } from './entry.js';

/** Bytes of a chunk of several entries. A thread takes about as long for them as another team may have to wait for it. */
const CHUNK_BYTES = 160 * 1024;

export interface Backlog {
  /** Appends entries. Returns, for each of them, its team and the key that {@link take} finds it by. */
  add(entries: readonly RawEntry[]): { team: string; key: string }[];
  /** Removes the next chunk of `key`. It is empty when earlier chunks have taken every entry. */
  take(key: string): RawEntry[];
}

/** `most`: entries of a chunk. */
export function createBacklog(most: number): Backlog {
  const waiting = new Map<string, RawEntry[]>();
  return {
    add(entries) {
      return entries.map((entry) => {
        const team = teamIn(entry.header);
        const key = `${entry.partition} ${team}`;
        const line = waiting.get(key);
        if (line) line.push(entry);
        else waiting.set(key, [entry]);
        return { team, key };
      });
    },
    take(key) {
      const line = waiting.get(key) ?? [];
      let count = 0;
      for (let bytes = 0; count < Math.min(line.length, most); count++) {
        bytes += line[count]!.body.length;
        if (count > 0 && bytes > CHUNK_BYTES) break;
      }
      const chunk = line.splice(0, count);
      if (line.length === 0) waiting.delete(key);
      return chunk;
    },
  };
}

/**
 * The entries that a worker holds: everything it has read or taken over and not finished. An entry is held while it waits for
 * its turn, while it is handled, and while it waits apart from its chunk.
 */
import { createReusedTable } from '../../shared/table.js';
import type { RawEntry } from './entry.js';

export interface HeldEntries {
  add(entries: readonly RawEntry[]): void;
  release(entry: RawEntry): void;
  has(partition: number, id: string): boolean;
  /** Resolves as soon as fewer entries and fewer bytes are held than allowed. Only entries that are not read yet wait here. */
  room(): Promise<void>;
  count(): number;
  idsByPartition(): Map<number, string[]>;
}

export interface HeldLimits {
  entries: number;
  /** bytes of bodies */
  bytes: number;
}

export function createHeld(limits: HeldLimits): HeldEntries {
  const entries = createReusedTable<RawEntry>();
  let bytes = 0;
  const waiting: (() => void)[] = [];

  const hasRoom = (): boolean => bytes < limits.bytes && entries.size < limits.entries;

  return {
    add(added) {
      for (const entry of added) {
        entries.set(`${entry.partition} ${entry.id}`, entry);
        bytes += entry.body.length;
      }
    },
    release(entry) {
      entries.delete(`${entry.partition} ${entry.id}`);
      bytes -= entry.body.length;
      if (waiting.length > 0 && hasRoom()) for (const resolve of waiting.splice(0)) resolve();
    },
    has: (partition, id) => entries.has(`${partition} ${id}`),
    async room() {
      while (!hasRoom()) await new Promise<void>((resolve) => waiting.push(resolve));
    },
    count: () => entries.size,
    idsByPartition() {
      const byPartition = new Map<number, string[]>();
      for (const { partition, id } of entries.values()) {
        const ids = byPartition.get(partition);
        if (ids) ids.push(id);
        else byPartition.set(partition, [id]);
      }
      return byPartition;
    },
  };
}

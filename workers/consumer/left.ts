/** Entries that this worker cannot read, since a newer release wrote them: it does not take them over again. */
import type { RawEntry } from './entry.js';

export interface LeftEntries {
  add(entry: Pick<RawEntry, 'partition' | 'id'>): void;
  has(partition: number, id: string): boolean;
}

/** Beyond these the oldest are forgotten: they may then be taken over, and left, once more. */
const MOST = 10_000;

export function createLeft(): LeftEntries {
  const left = new Set<string>();
  return {
    add({ partition, id }) {
      left.add(`${partition} ${id}`);
      if (left.size > MOST) left.delete(left.values().next().value!);
    },
    has: (partition, id) => left.has(`${partition} ${id}`),
  };
}

/**
 * Room for entries that wait for history apart from their chunks. It bounds the questions for declared causes: beyond it they are not
 * asked for, which costs a note. Questions for references are never skipped; what a worker holds is bounded where it is read.
 */
export interface HistoryRoom {
  /** Whether `team` has room for an entry with a body of so many bytes. */
  has(team: string, bytes: number): boolean;
  /** Counts an entry that waits, whether there is room or not. Returns a function that ends that; call it once. */
  take(team: string, bytes: number): () => void;
}

/** Of one team. */
const MOST_ENTRIES = 64;
const MOST_BYTES = 16 * 1024 * 1024;

export function createHistoryRoom(): HistoryRoom {
  const teams = new Map<string, { entries: number; bytes: number }>();
  return {
    has(team, bytes) {
      const held = teams.get(team);
      return held ? held.entries < MOST_ENTRIES && held.bytes + bytes <= MOST_BYTES : bytes <= MOST_BYTES;
    },
    take(team, bytes) {
      const held = teams.get(team) ?? { entries: 0, bytes: 0 };
      teams.set(team, held);
      held.entries++;
      held.bytes += bytes;
      return () => {
        held.entries--;
        held.bytes -= bytes;
        if (held.entries === 0) teams.delete(team);
      };
    },
  };
}

/**
 * Room for entries whose images are looked at, and which hold no place meanwhile (see `Aside`):
 *
 *     taken ──> waiting for its turn ──> looking ──> left
 *       └ no room: its images are not looked at
 *
 * One team gets half of all of it: whoever names hosts that hang keeps up the images of his own team at most, and no text.
 */
import { createSlots } from '../media/slots.js';

export interface ImageRoomOptions {
  /** entries of a team that look at their images at once; of all teams twice as many do, and eight times as many may wait */
  entries: number;
  /** of bodies whose images are to be fetched; a team has half, and one body whatever its size */
  bytes: number;
}

export interface ImageRoom {
  /** Takes room for an entry of `team`, of whose body so many bytes count; undefined when there is none. */
  take(team: string, bytes: number): Stay | undefined;
}

export interface Stay {
  /** Waits for the turn to look; what it resolves to ends the turn. Rejects when `signal` ends the wait. */
  turn(signal: AbortSignal): Promise<() => void>;
  /** Gives the room back; call it once. */
  leave(): void;
}

/** Entries that have room for each one that looks. */
const HELD_PER_TURN = 8;

export function createImageRoom({ entries, bytes }: ImageRoomOptions): ImageRoom {
  const turns = createSlots({ total: 2 * entries, perHost: entries, waiting: Number.POSITIVE_INFINITY });
  const most = HELD_PER_TURN * entries;
  const teams = new Map<string, { entries: number; bytes: number }>();
  let total = 0;
  return {
    take(team, size) {
      const held = teams.get(team) ?? { entries: 0, bytes: 0 };
      if (total >= 2 * most || held.entries >= most) return undefined;
      if (size > 0 && held.bytes > 0 && held.bytes + size > bytes / 2) return undefined;
      total++;
      held.entries++;
      held.bytes += size;
      teams.set(team, held);
      return {
        // Who has room may wait: so many that none is turned away here.
        turn: async (signal) => (await turns.take(team, signal))!,
        leave() {
          total--;
          held.entries--;
          held.bytes -= size;
          if (held.entries === 0) teams.delete(team);
        },
      };
    },
  };
}

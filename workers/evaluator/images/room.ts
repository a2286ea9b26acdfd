/**
 * Room for entries whose images are looked at, and which hold no place meanwhile (see `Aside`):
 *
 *     taken ──> waiting for its turn ──> looking ──> left
 *       └ no room: its images are not looked at
 *
 * A team gets more only while more is free than it has (see `slots.ts`), which is half of all of it at most: whoever names hosts
 * that hang keeps up the images of his own team, and no text, and some room is left for the images of other teams.
 */
import { createSlots } from '../../../shared/slots.js';

export interface ImageRoomOptions {
  /** entries of a team that look at their images at once; of all teams twice as many do, and eight times as many may wait */
  entries: number;
  /** of bodies whose images are to be fetched; a team has half at most, and one body whatever its size */
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

interface Room {
  entries: number;
  bytes: number;
}

/** Entries that have room for each one that looks. */
const HELD_PER_TURN = 8;

export function createImageRoom({ entries, bytes }: ImageRoomOptions): ImageRoom {
  const places = 2 * entries;
  const turns = createSlots({ total: places, perHost: places, waiting: Number.POSITIVE_INFINITY, spare: true });
  const teams = new Map<string, Room>();
  const free: Room = { entries: HELD_PER_TURN * places, bytes };
  const move = (from: Room, to: Room, size: number): void => {
    from.entries--;
    to.entries++;
    from.bytes -= size;
    to.bytes += size;
  };
  return {
    take(team, size) {
      const held = teams.get(team) ?? { entries: 0, bytes: 0 };
      if (held.entries >= free.entries) return undefined;
      if (size > 0 && held.bytes > 0 && held.bytes + size > free.bytes - size) return undefined;
      move(free, held, size);
      teams.set(team, held);
      return {
        // Who has room may wait: so many that none is turned away here.
        turn: async (signal) => (await turns.take('', signal, team))!,
        leave() {
          move(held, free, size);
          if (held.entries === 0) teams.delete(team);
        },
      };
    },
  };
}

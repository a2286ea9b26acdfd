/**
 * Room for entries that are set aside while others are asked: hosts of images, or backends.
 *
 *     taken ──> waiting for its turn ──> asking ──> left
 *       └ no room: nobody is asked
 *
 * A team may take more only while more is free than it holds (see `slots.ts`), so it holds half of everything at most. A team whose hosts
 * hang delays its own entries only: none that need not ask, and other teams still find room.
 */
import { createSlots } from '../../shared/slots.js';

export interface RoomOptions {
  /** entries of one team that ask at once; all teams together have twice as many turns, and 16 times as much room */
  entries: number;
  /** bytes of bodies that are held meanwhile; a team may hold half of them, or a single body of any size */
  bytes: number;
}

export interface Room {
  /** Takes room for an entry of `team` with a body that counts for `bytes`; undefined when there is none. */
  take(team: string, bytes: number): Stay | undefined;
}

export interface Stay {
  /** Waits for the turn to ask; what it resolves to ends the turn. Rejects when `signal` ends the wait. */
  turn(signal: AbortSignal): Promise<() => void>;
  /** Gives the room back; call it once. */
  leave(): void;
}

/** What is free, or what a team holds. */
interface Amount {
  entries: number;
  bytes: number;
}

/** Entries that have room, for each turn. */
const HELD_PER_TURN = 8;

export function createRoom({ entries, bytes }: RoomOptions): Room {
  const most = 2 * entries;
  const turns = createSlots({ total: most, perHost: most, waiting: Number.POSITIVE_INFINITY, spare: true });
  const teams = new Map<string, Amount>();
  const free: Amount = { entries: HELD_PER_TURN * most, bytes };
  const move = (from: Amount, to: Amount, size: number): void => {
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
        // There is no limit on waiting: the room is the limit.
        turn: async (signal) => (await turns.take('', signal, team))!,
        leave() {
          move(held, free, size);
          if (held.entries === 0) teams.delete(team);
        },
      };
    },
  };
}

/** Asks backends and models about what is open in a check, on the main thread. It holds room of its team meanwhile, and no slot. */
import { leftOf, type WorkHeader } from '../../shared/streams/work.js';
import type { Asking, AskReplies } from '../asking.js';
import type { Check } from './check.js';
import type { ItemAsks } from './outcome.js';
import type { Room, RoomOptions } from './room.js';

/** Half of what the fast lane reads ahead is left to entries that ask nobody. */
export const ASKING_ROOM: RoomOptions = { entries: 128, bytes: 16 * 1024 * 1024 };

/** The last quarter of the time until the sync deadline, at most this long, is kept for evaluating and committing. */
const RESERVE_MS = 1000;
/** Time for a check that nobody waits for any more. */
const LATE_MS = 30_000;

type ItemReplies = Pick<AskReplies, 'answers' | 'notes'>;

interface AskMeans {
  rooms: { asking: Room };
  asking: Asking;
}

/** What was said in time. Never rejects. `signal` ends it. */
export async function askAbout(
  { rooms, asking }: AskMeans,
  { raw, header }: Check,
  asks: readonly ItemAsks[],
  signal: AbortSignal,
): Promise<ItemReplies> {
  const stay = rooms.asking.take(header.team, raw.body.length);
  if (!stay) return left('no_room');
  const time = timeFor(header);
  const until = performance.now() + time;
  try {
    const leave = await stay.turn(AbortSignal.any([signal, AbortSignal.timeout(time)])).catch(() => undefined);
    if (!leave) return left('no_time');
    try {
      return await asking.ask(asks, { until, signal, team: header.team, ...(header.look ? { unkept: true } : {}) });
    } finally {
      leave();
    }
  } finally {
    stay.leave();
  }

  function left(why: 'no_room' | 'no_time'): ItemReplies {
    asking.leave(asks, why);
    return { answers: new Map(), notes: new Map() };
  }
}

/** ms */
function timeFor(header: WorkHeader): number {
  const { received, deadline } = header;
  const time = leftOf(header);
  return time > 0 ? Math.max(0, time - Math.min(RESERVE_MS, (deadline - received) / 4)) : LATE_MS;
}

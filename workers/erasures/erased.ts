/** Tells what is erased, among the items of a request. */
import { marksOf } from '../../shared/erasure-marks.js';
import type { Logger } from '../../shared/log.js';
import type { Redis } from '../../shared/streams/client.js';
import { createErasedFollower, type ErasedMarks } from '../../shared/streams/erasures.js';
import type { RowIdentity } from '../rows/leave-out.js';

/** The ids of the items of a request that are erased. */
export type ErasedAmong = (items: readonly RowIdentity[]) => ReadonlySet<string>;

const NONE: ReadonlySet<string> = new Set();

/** What is erased by any of these. A check that came after an erasure is not of it. */
export function createErasedAmong({ salt, erasures }: ErasedMarks): ErasedAmong {
  /** by team: a mark, or an id of ours, and the last sequence that is erased by it */
  const byTeam = new Map<string, Map<string, number>>();
  for (const { team, marks, internal, until } of erasures) {
    const known = byTeam.get(team) ?? new Map<string, number>();
    byTeam.set(team, known);
    for (const name of internal === '' ? marks : [...marks, internal]) {
      known.set(name, Math.max(until, known.get(name) ?? 0));
    }
  }
  return (items) => {
    const team = items[0]?.team ?? '';
    const known = byTeam.get(team);
    if (!known) return NONE;
    const isErased = (item: RowIdentity): boolean => {
      const { id, sessionId, sequence } = item;
      // A session without a name is told by our id of it.
      const marks = marksOf({ salt, team }, { ...item, externalSessionId: item.externalSessionId || sessionId });
      return [id, sessionId, ...marks].some((name) => (known.get(name) ?? -1) >= sequence);
    };
    const erased = items.filter(isErased);
    // The images of a session name no user: they are of the check.
    const all = erased.some(({ ofSession }) => ofSession) ? items : erased;
    return new Set(all.map(({ id }) => id));
  };
}

/**
 * What archivers leave out now; undefined: nothing. Where Redis cannot be asked it is what was known last: what comes past is found by the
 * search of each hour.
 */
export type ErasedWatch = () => Promise<ErasedAmong | undefined>;

export function createErasedWatch(
  redis: Redis,
  { logger, asked }: { logger: Logger; asked<T>(answer: Promise<T>): Promise<T> },
): ErasedWatch {
  const follow = createErasedFollower(redis);
  let last: ErasedMarks | undefined;
  let among: ErasedAmong | undefined;
  return async () => {
    try {
      const now = await asked(follow());
      if (now !== last) among = now.erasures.length === 0 ? undefined : createErasedAmong(now);
      last = now;
    } catch (error) {
      logger.debug({ error: String(error) }, 'what is erased could not be asked for');
    }
    return among;
  };
}

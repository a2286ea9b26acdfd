/**
 * Hands chunks over to be handled, and releases their entries:
 *
 *     handed over ──> finished: released
 *          ^  └─────> set aside: still held, without a slot
 *          └────────────┘ when it is ready, in a slot of its own
 *
 * What takes long in the fast lane passes its slot to other teams now and then, and goes on in the next slot of its team.
 *
 * An entry that handling leaves unfinished is released too. Its claim is no longer renewed, so another worker takes it over.
 */
import type { Logger } from '../../shared/log.js';
import { teamIn } from '../../shared/streams/work.js';
import type { RawEntry } from './entry.js';
import type { HeldEntries } from './held.js';
import type { Pass, Turns } from './turns.js';

/** The slot in which entries are handled. */
export interface EntriesSlot {
  /**
   * Sets entries of a chunk aside while they wait for something: they keep their claims, their bytes still count, and they hold no
   * slot. Once `ready` has settled they take a slot of their own, and `work` finishes them there or sets them aside again.
   * Neither `ready` nor `work` rejects. The caller bounds how many entries are set aside.
   */
  aside(entries: readonly RawEntry[], ready: Promise<void>, work: (slot: EntriesSlot) => Promise<void>): void;
  /** Gives the slot to the team whose turn it is; resolves when it is the turn of this one again. */
  pass: Pass;
}

export interface HandOverTools {
  turns: Turns;
  held: HeldEntries;
  handle(entries: RawEntry[], slot: EntriesSlot): Promise<void>;
  logger: Logger;
}

/** Hands a chunk over, in a slot that `pass` is of. Resolves when every entry is finished or set aside, and never rejects. */
export type HandOver = (entries: RawEntry[], pass: Pass) => Promise<void>;

export function createHandOver({ turns, held, handle, logger }: HandOverTools): HandOver {
  async function finish(
    entries: readonly RawEntry[],
    work: (slot: EntriesSlot) => Promise<void>,
    pass: Pass,
  ): Promise<void> {
    const apart = new Set<RawEntry>();
    const aside: EntriesSlot['aside'] = (some, ready, later) => {
      for (const entry of some) apart.add(entry);
      void ready.then(() => turns.add(teamIn(some[0]!.header), (next) => finish(some, later, next.pass)));
    };
    try {
      await work({ aside, pass });
    } catch (error) {
      // Another worker takes the entries over and tries again. Ending here instead would let one bad entry end every worker in turn.
      logger.error({ error: String(error) }, 'handling entries failed; they are left to others');
    } finally {
      for (const entry of entries) if (!apart.has(entry)) held.release(entry);
    }
  }

  return (entries, pass) => finish(entries, (slot) => handle(entries, slot), pass);
}

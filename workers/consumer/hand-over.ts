/**
 * Hands chunks over to be handled, and releases their entries:
 *
 *     handed over ──> finished: released
 *          ^  └─────> set aside: still held, without a slot
 *          └────────────┘ when it is ready, in a slot of its own
 *
 * An entry that handling leaves unfinished is released too. Its claim is no longer renewed, so another worker takes it over.
 */
import type { Logger } from '../../shared/log.js';
import { teamIn } from '../../shared/streams/work.js';
import type { RawEntry } from './entry.js';
import type { Held } from './held.js';
import type { Turns } from './turns.js';

/**
 * Sets entries of a chunk aside while they wait for something: they keep their claims, their bytes still count, and they hold no
 * slot. Once `ready` has settled they take a slot of their own, and `work` finishes them there or sets them aside again.
 * Neither `ready` nor `work` rejects. The caller bounds how many entries are set aside.
 */
export type Aside = (entries: readonly RawEntry[], ready: Promise<void>, work: (aside: Aside) => Promise<void>) => void;

export interface HandOverTools {
  turns: Turns;
  held: Held;
  handle(entries: RawEntry[], aside: Aside): Promise<void>;
  logger: Logger;
}

/** Returns a function that hands a chunk over. It resolves when every entry is finished or set aside, and never rejects. */
export function createHandOver({ turns, held, handle, logger }: HandOverTools): (entries: RawEntry[]) => Promise<void> {
  async function finish(entries: readonly RawEntry[], work: (aside: Aside) => Promise<void>): Promise<void> {
    const apart = new Set<RawEntry>();
    const aside: Aside = (some, ready, later) => {
      for (const entry of some) apart.add(entry);
      void ready.then(() => turns.add(teamIn(some[0]!.header), () => finish(some, later)));
    };
    try {
      await work(aside);
    } catch (error) {
      // Another worker takes the entries over and tries again. Ending here instead would let one bad entry end every worker in turn.
      logger.error({ error: String(error) }, 'handling entries failed; they are left to others');
    } finally {
      for (const entry of entries) if (!apart.has(entry)) held.release(entry);
    }
  }

  return (entries) => finish(entries, (aside) => handle(entries, aside));
}

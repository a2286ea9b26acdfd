/**
 * Scans of long texts, which stop between two steps where others are to have their turn. Evaluating is a pure function. So what was stopped is
 * evaluated again from its beginning: its scans come in the same order, those that are done have their finds at once, and the one that was
 * stopped goes on.
 */

/** A scan in steps, and what it has found in the end. */
export type ScanInSteps<Finds> = Iterator<undefined, Finds>;

/** A scan has stopped, and with it what asked for it. */
export class Paused extends Error {}

/** How long to go on. */
export interface ScanTurn {
  /** asked after each step */
  hasEnded(): boolean;
}

/** The scans of what is evaluated, which is evaluated until none stops. Most have none. */
export interface LongScans {
  turn: ScanTurn;
  /** in their order; undefined: none has begun */
  known: StartedScan[] | undefined;
  /** number of the scan that comes next */
  next: number;
}

interface StartedScan {
  steps: ScanInSteps<unknown>;
  isDone: boolean;
  finds: unknown;
}

export const newScans = (turn: ScanTurn): LongScans => ({ turn, known: undefined, next: 0 });

/** What has been stopped is evaluated again. */
export function rewind(scans: LongScans): void {
  scans.next = 0;
}

/** Something else is evaluated next. */
export function forget(scans: LongScans): void {
  scans.known = undefined;
  scans.next = 0;
}

/** The finds of the next scan, which `begin` begins: the same object each time. Throws {@link Paused} where it has stopped. */
export function run<Finds>(scans: LongScans, begin: () => ScanInSteps<Finds>): Finds {
  scans.known ??= [];
  const { known, next, turn } = scans;
  const scan = known[next] ?? { steps: begin(), isDone: false, finds: undefined };
  while (!scan.isDone) {
    // A scan whose step throws must not be taken for one that has found nothing.
    known.length = next;
    const { done = false, value } = scan.steps.next();
    known.push(scan);
    scan.isDone = done;
    scan.finds = value;
    if (!done && turn.hasEnded()) throw new Paused();
  }
  scans.next++;
  return scan.finds as Finds;
}

/** All steps at once. */
export function runAll<Finds>(steps: ScanInSteps<Finds>): Finds {
  for (;;) {
    const { done, value } = steps.next();
    if (done) return value;
  }
}

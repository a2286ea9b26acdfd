/**
 * Slots for jobs, shared fairly between teams. A free slot goes to the team whose jobs have held slots for the shortest time in all.
 * A team whose jobs are many or slow waits for its own jobs; a job of another team starts as soon as any slot is free.
 *
 * - Within a team the job that was added first comes first, to start and to go on.
 * - A team that was away starts level with the others: it saves up no time.
 * - A slot is held until the work is committed, which may take tens of milliseconds. `spare` further slots are for teams that
 *   hold none, so that their first job starts at once.
 */
export interface Turns {
  /** Runs `job` in a slot when it is the turn of `team`. A job never rejects. */
  add(team: string, job: TurnJob): void;
  /** Resolves to true as soon as a slot is free and no job waits for it, or to false after `limitMs`. */
  idle(limitMs: number): Promise<boolean>;
  /** Slots that nobody holds, without the spare ones. */
  free(): number;
}

export type TurnJob = (place: TurnSlot) => Promise<void>;

/** What a job has while it runs. */
export interface TurnSlot {
  /** number of its slot: from 0 on, the spare ones last */
  slot: number;
  pass: Pass;
  /** As `pass`, for a job that can go on in this slot only. Later jobs of its team wait with it, also while other slots are free. */
  lend: Pass;
}

/** Gives the slot to whose turn it is, and resolves when the job has one again; not before `ready` has resolved, where it is given. */
export type Pass = (ready?: Promise<void>) => Promise<void>;

export interface TurnsOptions {
  slots: number;
  /** further slots; default 0 */
  spare?: number;
  /** A team that holds fewer slots than this may take a spare one; default 1. */
  few?: number;
}

/** A job that waits for a slot, to start or to go on. */
interface Waiting {
  /** in the order in which jobs were added */
  number: number;
  /** that it has lent; undefined: any will do */
  slot: number | undefined;
  start(slot: number): void;
}

interface Team {
  /** in order */
  waiting: Waiting[];
  running: number;
  /** jobs that have passed their slot until something is ready */
  away: number;
  /** ms that its jobs have held slots; for jobs that still run, less the time at which each started */
  held: number;
}

const isIdle = (team: Team): boolean => team.waiting.length === 0 && team.running === 0 && team.away === 0;
const heldBy = (team: Team): number => team.held + team.running * performance.now();

export function createTurns({ slots, spare = 0, few = 1 }: TurnsOptions): Turns {
  const teams = new Map<string, Team>();
  const watchers = createWatchers();
  /** negative while spare slots are taken */
  let free = slots;
  /** numbers of the slots that are held */
  const taken = new Set<number>();
  /** what the last team to be served had held: a team that was away starts here */
  let clock = 0;
  let added = 0;

  /** The slot for the first job of a team; undefined: the team must wait. */
  function slotFor(team: Team): number | undefined {
    const [first] = team.waiting;
    if (!first || free + (team.running < few ? spare : 0) <= 0) return undefined;
    if (first.slot !== undefined) return taken.has(first.slot) ? undefined : first.slot;
    let slot = 0;
    while (taken.has(slot)) slot++;
    return slot;
  }

  function least(): { team: Team; slot: number } | undefined {
    let found: { team: Team; slot: number } | undefined;
    for (const team of teams.values()) {
      const slot = slotFor(team);
      if (slot !== undefined && (!found || heldBy(team) < heldBy(found.team))) found = { team, slot };
    }
    return found;
  }

  function startNext(): void {
    for (let next = least(); next; next = least()) {
      const { team, slot } = next;
      clock = Math.max(clock, heldBy(team));
      free--;
      team.running++;
      team.held -= performance.now();
      taken.add(slot);
      team.waiting.shift()!.start(slot);
    }
    if (free > 0) watchers.wake();
  }

  async function run(team: Team, number: number, job: TurnJob, first: number): Promise<void> {
    const wait = (slot: number | undefined, resolve: () => void): void => {
      const start = (next: number): void => {
        place.slot = next;
        resolve();
      };
      const behind = team.waiting.findIndex((other) => other.number > number);
      team.waiting.splice(behind < 0 ? team.waiting.length : behind, 0, { number, slot, start });
    };
    const goOn = (slot: number | undefined): Promise<void> =>
      new Promise((resolve) => {
        wait(slot, resolve);
        release(team, place.slot);
      });
    const goOnLater = async (ready: Promise<void>): Promise<void> => {
      team.away++;
      release(team, place.slot);
      await ready.finally(() => team.away--);
      await new Promise<void>((resolve) => {
        wait(undefined, resolve);
        startNext();
      });
    };
    const pass: Pass = (ready) => (ready ? goOnLater(ready) : goOn(undefined));
    const place: TurnSlot = { slot: first, pass, lend: () => goOn(place.slot) };
    try {
      await job(place);
    } finally {
      release(team, place.slot);
    }
  }

  function release(team: Team, slot: number): void {
    team.held += performance.now();
    team.running--;
    free++;
    taken.delete(slot);
    forgetIdle();
    startNext();
  }

  /** A team without jobs is kept only while it has held slots for longer than the others. */
  function forgetIdle(): void {
    for (const [name, team] of teams) {
      if (isIdle(team) && team.held <= clock) teams.delete(name);
    }
  }

  return {
    add(name, job) {
      const team = teams.get(name) ?? { waiting: [], running: 0, away: 0, held: clock };
      teams.set(name, team);
      if (isIdle(team)) team.held = Math.max(team.held, clock);
      const number = added++;
      team.waiting.push({ number, slot: undefined, start: (slot) => void run(team, number, job, slot) });
      startNext();
    },
    free: () => Math.max(0, free),
    idle: (limitMs) => (free > 0 ? Promise.resolve(true) : watchers.wait(limitMs)),
  };
}

/** Callers that wait until something happens, each with a time limit. */
function createWatchers() {
  const waiting = new Set<() => void>();
  return {
    wake(): void {
      for (const wake of waiting) wake();
    },
    /** true: woken; false: the time was up */
    wait(limitMs: number): Promise<boolean> {
      return new Promise((resolve) => {
        const done = (woken: boolean): void => {
          clearTimeout(timer);
          waiting.delete(wake);
          resolve(woken);
        };
        const wake = (): void => done(true);
        const timer = setTimeout(done, limitMs, false);
        waiting.add(wake);
      });
    },
  };
}

/**
 * Slots for jobs, shared fairly between teams. A free slot goes to the team whose jobs have held slots for the shortest time in all.
 * A team whose jobs are many or slow waits for its own jobs; a job of another team starts as soon as any slot is free.
 *
 * - A team that was away starts level with the others: it saves up no time.
 * - A slot is held until the work is committed, which may take tens of milliseconds. `spare` further slots are for teams that
 *   hold none, so that their first job starts at once.
 */
export interface Turns {
  /** Runs `job` in a slot when it is the turn of `team`. The jobs of a team start in order. A job never rejects. */
  add(team: string, job: Job): void;
  /** Resolves to true as soon as a slot is free and no job waits for it, or to false after `limitMs`. */
  idle(limitMs: number): Promise<boolean>;
}

/** `pass` gives the slot to whose turn it is, and resolves when the job has one again: before those of its team that have not started. */
export type Job = (pass: Pass) => Promise<void>;
export type Pass = () => Promise<void>;

interface Team {
  /** jobs that wait for a slot: each starts, or goes on */
  jobs: (() => void)[];
  running: number;
  /** ms that its jobs have held slots; for jobs that still run, less the time at which each started */
  held: number;
}

const isIdle = (team: Team): boolean => team.jobs.length === 0 && team.running === 0;
const heldBy = (team: Team): number => team.held + team.running * performance.now();

export function createTurns(slots: number, spare: number = 0): Turns {
  const teams = new Map<string, Team>();
  const watchers = createWatchers();
  /** negative while spare slots are taken */
  let free = slots;
  /** what the last team to be served had held: a team that was away starts here */
  let clock = 0;

  const mayStart = (team: Team): boolean => team.jobs.length > 0 && (free > 0 || (team.running === 0 && free > -spare));

  function least(): Team | undefined {
    let found: Team | undefined;
    for (const team of teams.values()) {
      if (mayStart(team) && (!found || heldBy(team) < heldBy(found))) found = team;
    }
    return found;
  }

  function startNext(): void {
    for (let team = least(); team; team = least()) {
      clock = Math.max(clock, heldBy(team));
      free--;
      team.running++;
      team.held -= performance.now();
      team.jobs.shift()!();
    }
    if (free > 0) watchers.wake();
  }

  async function run(team: Team, job: Job): Promise<void> {
    try {
      await job(() => pass(team));
    } finally {
      release(team);
    }
  }

  function pass(team: Team): Promise<void> {
    return new Promise((resolve) => {
      team.jobs.unshift(resolve);
      release(team);
    });
  }

  function release(team: Team): void {
    team.held += performance.now();
    team.running--;
    free++;
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
      const team = teams.get(name) ?? { jobs: [], running: 0, held: clock };
      teams.set(name, team);
      if (isIdle(team)) team.held = Math.max(team.held, clock);
      team.jobs.push(() => void run(team, job));
      startNext();
    },
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

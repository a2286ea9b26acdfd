/**
 * Places for work, given to the team that has had the least of them: so many jobs run at once, and the next is one of the team
 * whose jobs have held places for the shortest time. A team whose work is costly, by its number or each job by itself, thus waits
 * for its own, and the job of another team begins as soon as any place is given back.
 *
 * A team that was away begins where the others are: what it did not use meanwhile is not saved for it.
 *
 * A place is held until what it was for is committed, so costly jobs hold the places for tens of milliseconds. `spare` places
 * beside them are for teams that have none: their first job begins at once, whatever others are at.
 */
export interface Turns {
  /** Runs `job` in a place when it is the turn of `team`; jobs of a team begin in their order. A job never rejects. */
  add(team: string, job: () => Promise<void>): void;
  /** Resolves to true as soon as a place is free and no job waits, or to false after `limitMs`. */
  idle(limitMs: number): Promise<boolean>;
}

interface Team {
  jobs: (() => Promise<void>)[];
  running: number;
  /** ms that its jobs have held places; of those that run, less the time at which each began */
  held: number;
}

export function createTurns(places: number, spare: number = 0): Turns {
  const teams = new Map<string, Team>();
  const resting = new Set<() => void>();
  /** less than none while spare ones are taken */
  let free = places;
  /** what the team that was served last had held: where a team begins that was away */
  let clock = 0;

  const heldBy = (team: Team): number => team.held + team.running * performance.now();

  const mayBegin = (team: Team): boolean => team.jobs.length > 0 && (free > 0 || (team.running === 0 && free > -spare));

  function least(): Team | undefined {
    let found: Team | undefined;
    for (const team of teams.values()) {
      if (mayBegin(team) && (!found || heldBy(team) < heldBy(found))) found = team;
    }
    return found;
  }

  function next(): void {
    for (let team = least(); team; team = least()) {
      clock = Math.max(clock, heldBy(team));
      free--;
      void run(team, team.jobs.shift()!);
    }
    if (free > 0) for (const rest of resting) rest();
  }

  async function run(team: Team, job: () => Promise<void>): Promise<void> {
    team.running++;
    team.held -= performance.now();
    try {
      await job();
    } finally {
      team.held += performance.now();
      team.running--;
      free++;
      forget();
      next();
    }
  }

  /** Teams that have nothing to do, and are not ahead of the others. */
  function forget(): void {
    for (const [name, team] of teams) {
      if (team.running === 0 && team.jobs.length === 0 && team.held <= clock) teams.delete(name);
    }
  }

  return {
    add(name, job) {
      let team = teams.get(name);
      if (!team) {
        team = { jobs: [], running: 0, held: clock };
        teams.set(name, team);
      }
      if (team.jobs.length === 0 && team.running === 0) team.held = Math.max(team.held, clock);
      team.jobs.push(job);
      next();
    },
    idle(limitMs) {
      if (free > 0) return Promise.resolve(true);
      return new Promise((resolve) => {
        const done = (idle: boolean): void => {
          clearTimeout(timer);
          resting.delete(rest);
          resolve(idle);
        };
        const rest = (): void => done(true);
        const timer = setTimeout(done, limitMs, false);
        resting.add(rest);
      });
    },
  };
}

/**
 * A queue with turns by team: first come, first served within a team, and the teams take turns. So however much one team has
 * waiting, the first of another team waits for one of them at most.
 */
export interface Lines<T> {
  push(team: string, one: T): void;
  /**
   * Takes out the first that fits, of the team whose turn it is, else of the next team. Teams that are not open are skipped
   * without a look at what they have.
   */
  next(isOpen?: (team: string) => boolean, fits?: (one: T) => boolean): T | undefined;
  /** What `next` takes out where all are open and fit, also after others were pushed. */
  first(): T | undefined;
  /** Takes `one` out; false when it was not waiting. */
  remove(team: string, one: T): boolean;
  of(team: string): readonly T[];
  all(): T[];
  size(): number;
}

export function createLines<T>(): Lines<T> {
  /** Waiting teams, in the order of their turns. */
  const lines = new Map<string, T[]>();
  let size = 0;

  function takeOut(team: string, line: T[], at: number): T {
    const [one] = line.splice(at, 1) as [T];
    size--;
    if (line.length === 0) lines.delete(team);
    return one;
  }

  return {
    push(team, one) {
      size++;
      const line = lines.get(team);
      if (line) line.push(one);
      else lines.set(team, [one]);
    },
    next(isOpen = always, fits = always) {
      for (const [team, line] of lines) {
        if (!isOpen(team)) continue;
        const at = line.findIndex(fits);
        if (at < 0) continue;
        const one = takeOut(team, line, at);
        if (lines.delete(team)) lines.set(team, line);
        return one;
      }
      return undefined;
    },
    first: () => lines.values().next().value?.[0],
    remove(team, one) {
      const line = lines.get(team) ?? [];
      const at = line.indexOf(one);
      if (at < 0) return false;
      takeOut(team, line, at);
      return true;
    },
    of: (team) => lines.get(team) ?? [],
    all: () => [...lines.values()].flat(),
    size: () => size,
  };
}

const always = (): boolean => true;

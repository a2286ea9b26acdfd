/** When the loops of an archiver have last moved: the check of liveness looks at the one that has not moved for longest. */
export interface Progress {
  moved(partition: number): void;
  /** The loop of `partition` waits for other loops. That is no sign of being stuck, so it does not count until it moves again. */
  waits(partition: number): void;
  /** ms of the steady clock; now if no loop counts */
  oldest(): number;
}

export function createProgress(): Progress {
  const last = new Map<number, number>();
  return {
    moved: (partition) => last.set(partition, performance.now()),
    waits: (partition) => last.delete(partition),
    oldest: () => Math.min(performance.now(), ...last.values()),
  };
}

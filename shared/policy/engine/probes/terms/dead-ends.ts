/**
 * Places of walks from which no term ends, however the text is read. Walks from neighbouring places come to the same ones, and a text
 * that is made for it has them come there hundreds of times.
 */

/** A power of two. A place may take the room of another one, which then is walked again. */
const ROOM = 8192;
const SHIFT = 32 - Math.log2(ROOM);

export interface DeadEnds {
  /** `at`: where the text is read; `how`: the node, and what else decides how it may be read on; `until`: how far it is */
  has(at: number, how: number, until: number): boolean;
  add(at: number, how: number, until: number): void;
  /** forgets all: they are of another text */
  clear(): void;
}

export function createDeadEnds(): DeadEnds {
  // By place, three cells. An offset is kept as one more, so that 0 is none.
  const cells = new Int32Array(ROOM * 3);
  let used = false;
  const cellOf = (at: number, how: number): number =>
    ((Math.imul(at, 0x9e3779b1) ^ Math.imul(how, 0x85ebca6b)) >>> SHIFT) * 3;
  return {
    has(at, how, until) {
      const cell = cellOf(at, how);
      return cells[cell] === at + 1 && cells[cell + 1] === how && cells[cell + 2]! >= until;
    },
    add(at, how, until) {
      const cell = cellOf(at, how);
      cells[cell] = at + 1;
      cells[cell + 1] = how;
      cells[cell + 2] = until;
      used = true;
    },
    clear() {
      if (used) cells.fill(0);
      used = false;
    },
  };
}

/**
 * Prints of names, a number each: names that are equal have equal prints. Those of one object are told apart at its end, so as few are
 * kept as the objects have names that are open at a time.
 */

/** Up to so many, each is compared with each. Beyond, they are sorted, which takes longer for few. */
const FEW = 16;
const KEPT = 4096;

export interface Prints {
  count(): number;
  add(print: number): void;
  /** Takes out the one that was added last. */
  takeLast(): void;
  /** Takes out all from place `first` on. Returns whether they are all distinct. */
  takeDistinct(first: number): boolean;
  clear(): void;
}

export function createPrints(): Prints {
  let prints = new Int32Array(KEPT);
  let count = 0;

  function grow(): void {
    const more = new Int32Array(2 * prints.length);
    more.set(prints);
    prints = more;
  }

  return {
    count: () => count,
    add(print) {
      if (count === prints.length) grow();
      prints[count++] = print;
    },
    takeLast() {
      count--;
    },
    takeDistinct(first) {
      const end = count;
      count = first;
      return end - first <= FEW
        ? isEachOther(prints, first, end)
        : isEachOtherSorted(prints.subarray(first, end).sort());
    },
    clear() {
      count = 0;
      if (prints.length > KEPT) prints = new Int32Array(KEPT);
    },
  };
}

function isEachOther(prints: Int32Array, first: number, end: number): boolean {
  for (let i = first + 1; i < end; i++) {
    const print = prints[i];
    for (let j = first; j < i; j++) if (prints[j] === print) return false;
  }
  return true;
}

function isEachOtherSorted(prints: Int32Array): boolean {
  for (let i = 1; i < prints.length; i++) if (prints[i] === prints[i - 1]) return false;
  return true;
}

/**
 * Prints of names, a number each: names that are equal have equal prints. Those of one object are told apart at its end, so as few are
 * kept as the objects have names that are open at a time. Names that differ may have the same print: then the names are compared.
 */

/** Up to so many, each is compared with each. Beyond, they are sorted, which takes longer for few. */
const FEW = 16;
const KEPT = 4096;

export interface Prints {
  count(): number;
  /** `at`: where the name is. */
  add(print: number, at: number): void;
  /** Takes out the one that was added last. */
  takeLast(): void;
  /** Takes out all from place `first` on. Returns whether their names are all distinct. */
  takeDistinct(first: number): boolean;
  clear(): void;
}

/** `nameAt`: the name at a place that was added. */
export function createPrints(nameAt: (at: number) => string): Prints {
  let prints = new Int32Array(KEPT);
  let places = new Int32Array(KEPT);
  let count = 0;

  function grow(): void {
    prints = doubled(prints);
    places = doubled(places);
  }

  function areDistinct(first: number, end: number): boolean {
    const names = new Set<string>();
    for (let i = first; i < end; i++) names.add(nameAt(places[i]!));
    return names.size === end - first;
  }

  return {
    count: () => count,
    add(print, at) {
      if (count === prints.length) grow();
      places[count] = at;
      prints[count++] = print;
    },
    takeLast() {
      count--;
    },
    takeDistinct(first) {
      const end = count;
      count = first;
      const differ =
        end - first <= FEW ? isEachOther(prints, first, end) : isEachOtherSorted(prints.subarray(first, end).sort());
      return differ || areDistinct(first, end);
    },
    clear() {
      count = 0;
      if (prints.length === KEPT) return;
      prints = new Int32Array(KEPT);
      places = new Int32Array(KEPT);
    },
  };
}

function doubled(kept: Int32Array<ArrayBuffer>): Int32Array<ArrayBuffer> {
  const more = new Int32Array(2 * kept.length);
  more.set(kept);
  return more;
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

/** Random values that can be repeated: the same seed gives the same workload on every machine. */

export interface WorkloadRandom {
  /** from 0 (included) to 1 (excluded) */
  next(): number;
  /** a whole number from `low` to `high`, both included */
  between(low: number, high: number): number;
  pick<T>(from: readonly T[]): T;
  /** a key of `weights`, drawn in proportion to its weight */
  weighted<K extends string>(weights: Readonly<Partial<Record<K, number>>>): K;
  /** `length` characters of `alphabet` */
  characters(alphabet: string, length: number): string;
}

/** A generator from a 32-bit seed: a Weyl sequence, mixed by two multiplications and shifts. */
export function seeded(seed: number): WorkloadRandom {
  let state = seed >>> 0;
  const next = (): number => {
    state = (state + 0x9e3779b9) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 16), 0x85ebca6b);
    mixed = Math.imul(mixed ^ (mixed >>> 13), 0xc2b2ae35);
    return ((mixed ^ (mixed >>> 16)) >>> 0) / 0x1_0000_0000;
  };
  const between = (low: number, high: number): number => low + Math.floor(next() * (high - low + 1));
  return {
    next,
    between,
    pick: (from) => from[between(0, from.length - 1)]!,
    weighted: <K extends string>(weights: Readonly<Partial<Record<K, number>>>): K => {
      const entries = Object.entries(weights) as [K, number][];
      let rest = next() * entries.reduce((sum, [, weight]) => sum + weight, 0);
      for (const [key, weight] of entries) {
        rest -= weight;
        if (rest < 0) return key;
      }
      return entries.at(-1)![0];
    },
    characters: (alphabet, length) => {
      let out = '';
      for (let i = 0; i < length; i++) out += alphabet[between(0, alphabet.length - 1)];
      return out;
    },
  };
}

/**
 * A map for what comes and goes all the time, such as the requests under way.
 *
 * A `Map` of these makes garbage that is found late (`places.ts`). This table is used again for as long as it is large enough.
 */
export interface ReusedTable<V> {
  get(key: string): V | undefined;
  has(key: string): boolean;
  /** Adds `value`, or replaces that of the same key. */
  set(key: string, value: V): void;
  /** Whether it was there. */
  delete(key: string): boolean;
  /** All of them now, in no order. */
  values(): V[];
  readonly size: number;
}

interface Slot<V> {
  key: string;
  hash: number;
  value: V;
}

const FIRST_SLOTS = 256;
/** Keys differ in their last characters: those of an id are random. */
const HASHED = 16;

export function createReusedTable<V>(): ReusedTable<V> {
  // Open addressing; at least half of the slots are free. What stands behind a slot that becomes free moves up, so none is ever in the way.
  let slots: (Slot<V> | undefined)[] = new Array(FIRST_SLOTS).fill(undefined);
  let size = 0;

  /** Where `key` is, or the free slot in which it belongs. */
  function place(key: string, hash: number): number {
    const mask = slots.length - 1;
    let at = hash & mask;
    for (let slot = slots[at]; slot && (slot.hash !== hash || slot.key !== key); slot = slots[at]) at = (at + 1) & mask;
    return at;
  }

  function grow(): void {
    const old = slots;
    slots = new Array(2 * old.length).fill(undefined);
    for (const slot of old) if (slot) slots[place(slot.key, slot.hash)] = slot;
    old.fill(undefined);
  }

  function free(hole: number): void {
    const mask = slots.length - 1;
    let at = hole;
    slots[hole] = undefined;
    for (let next = (at + 1) & mask; slots[next]; next = (next + 1) & mask) {
      const home = slots[next]!.hash & mask;
      // It may stand at the hole unless its own place is behind that.
      if (((next - home) & mask) < ((next - at) & mask)) continue;
      slots[at] = slots[next];
      slots[next] = undefined;
      at = next;
    }
  }

  return {
    get: (key) => slots[place(key, hashOf(key))]?.value,
    has: (key) => slots[place(key, hashOf(key))] !== undefined,
    set(key, value) {
      const hash = hashOf(key);
      const slot = slots[place(key, hash)];
      if (slot) slot.value = value;
      else {
        if (2 * ++size > slots.length) grow();
        slots[place(key, hash)] = { key, hash, value };
      }
    },
    delete(key) {
      const at = place(key, hashOf(key));
      if (!slots[at]) return false;
      size--;
      free(at);
      return true;
    },
    values() {
      const all: V[] = [];
      for (const slot of slots) if (slot) all.push(slot.value);
      return all;
    },
    get size() {
      return size;
    },
  };
}

function hashOf(key: string): number {
  let hash = 0;
  for (let i = Math.max(0, key.length - HASHED); i < key.length; i++)
    hash = (Math.imul(hash, 31) + key.charCodeAt(i)) | 0;
  return (hash ^ (hash >>> 15)) >>> 0;
}

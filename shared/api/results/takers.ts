/** Events of a batch with the same type and id: the last one has the place in the results. */
import { AT, type StoredRecord } from './layout.js';

/** more than there are items, so that most hashes are found at their first place */
const SLOTS = 256;
const slots = new Int32Array(SLOTS);

/** Writes into `takers` by item the later one with the same type and id, which takes its place in the results; -1: none. */
export function findTakers(stored: StoredRecord, takers: Int32Array): void {
  slots.fill(-1);
  for (let i = 0; i < stored.count; i++) {
    takers[i] = -1;
    const text = stored.number(i, AT.eventId);
    const { bytes } = stored;
    const end = stored.textEnd(text);
    let hash = stored.byte(i, AT.type);
    for (let at = stored.textStart(text); at < end; at++) hash = Math.imul(hash ^ bytes[at]!, 0x01000193);
    let slot = hash & (SLOTS - 1);
    for (; slots[slot]! >= 0; slot = (slot + 1) & (SLOTS - 1)) {
      if (!sameSlot(stored, slots[slot]!, i)) continue;
      takers[slots[slot]!] = i;
      break;
    }
    slots[slot] = i;
  }
}

function sameSlot(stored: StoredRecord, a: number, b: number): boolean {
  if (stored.byte(a, AT.type) !== stored.byte(b, AT.type)) return false;
  const { bytes } = stored;
  const [one, other] = [stored.number(a, AT.eventId), stored.number(b, AT.eventId)];
  const start = stored.textStart(one);
  return bytes.compare(bytes, start, stored.textEnd(one), stored.textStart(other), stored.textEnd(other)) === 0;
}

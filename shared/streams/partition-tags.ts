/**
 * The hash tags of partitions. They are chosen so that the slots of any power of two of partitions lie evenly in a Redis Cluster, whose
 * primaries have equal ranges of slots: with plain numbers, the busiest of 12 primaries had 1.7 times the mean of 64 partitions, and
 * so it has 1.1 times.
 *
 * An installation keeps the tags that it began with (`partitions.ts`). Those of earlier releases have plain numbers.
 */
import { SLOTS, slotOf } from './cluster/slots.js';

export type PartitionLayout = 'even' | 'plain';

/** Most partitions of an installation, as a power of two. */
const BITS = 10;
const SPACE = SLOTS / 2 ** BITS;

const tags: string[] = [];
let layout: PartitionLayout = 'even';

/** The tag of a partition, without braces: its number, with letters behind it that give it its slot. */
export function partitionTag(p: number): string {
  if (layout === 'plain') return String(p);
  tags[p] ??= findTag(p);
  return tags[p];
}

/** Says which tags the installation has. A process works for one installation. */
export function usePartitionLayout(used: PartitionLayout): void {
  layout = used;
}

function findTag(p: number): string {
  // The order of the bits is turned: so each doubling puts the new partitions right between those that are there.
  let place = 0;
  for (let bit = 0; bit < BITS; bit++) place = place * 2 + ((p >> bit) & 1);
  for (let n = 0; ; n++) {
    const tag = `${p}-${n.toString(36)}`;
    const off = slotOf(tag) - place * SPACE;
    // Away from the ends of its space, where a range of slots may end, too.
    if (off >= SPACE / 4 && off < (SPACE * 3) / 4) return tag;
  }
}

/**
 * The latest of what both stores have (rule 7 of the architecture). A hot result is nearly always the newest: everything that was submitted after it is
 * still in Redis, too. Exceptions: a result that is `late` came so long after its check that a newer one may have left before it; and an index
 * whose primary was lost may lack newer ones (`streams/hot/losses.ts`).
 */

/** The place of a result: by sequence, then by id, which is the order within a batch. */
export interface ResultPlace {
  sequence: number;
  id: string;
}

/** Negative when `a` stands before `b`. */
export function comparePlaces(a: ResultPlace, b: ResultPlace): number {
  if (a.sequence !== b.sequence) return a.sequence - b.sequence;
  return a.id < b.id ? -1 : a.id > b.id ? 1 : 0;
}

interface Dated extends ResultPlace {
  /** row version: the higher of two versions of an item is the newer */
  version: number;
  /** it was finished so long after it was submitted that a newer result may have left Redis before */
  late?: true | undefined;
}

/** The later of two results. Of one item: the newer version, or `one` when they are equal. */
export function later<T extends Dated>(one: T | undefined, other: T | undefined): T | undefined {
  if (!one || !other) return one ?? other;
  if (one.id === other.id) return one.version >= other.version ? one : other;
  return comparePlaces(one, other) > 0 ? one : other;
}

/** Whether `place` stands before `limit`, if there is one. */
export const isBefore = (place: ResultPlace, limit: ResultPlace | undefined): boolean =>
  limit === undefined || comparePlaces(place, limit) < 0;

/**
 * Whether an archived result may be later than the hot one, or there is no hot one. `from`: the sequence below which hot results may be missing
 * that are archived.
 */
export const mayBeArchived = (hot: Omit<Dated, 'version'> | undefined, from = 0): boolean =>
  hot === undefined || hot.late === true || hot.sequence < from;

/** The later of the hot result and of what `archived` finds, which is asked only when that may be later. */
export async function latestOf<T extends Dated>(
  hot: T | undefined,
  archived: () => Promise<T | undefined>,
  from = 0,
): Promise<T | undefined> {
  return mayBeArchived(hot, from) ? later(hot, await archived()) : hot;
}

/**
 * The latest of what both stores have (rule 7). What is hot is the newest almost always: it was indexed while everything
 * that was submitted after it was still in Redis. One that is `late` was not, so something newer may have left before it came.
 */

/** Place of a result: by sequence, then by id, which within a request is the order of the batch. */
export interface Place {
  sequence: number;
  id: string;
}

/** Negative when `a` stands before `b`. */
export function comparePlaces(a: Place, b: Place): number {
  if (a.sequence !== b.sequence) return a.sequence - b.sequence;
  return a.id < b.id ? -1 : a.id > b.id ? 1 : 0;
}

interface Dated extends Place {
  /** row version: of two of one item, the highest is the newest */
  version: number;
  /** it was finished so long after it was submitted that something newer may have left Redis before */
  late?: true | undefined;
}

/** The later of two results; of one item, the newer version, and of equal ones the first. */
export function later<T extends Dated>(one: T | undefined, other: T | undefined): T | undefined {
  if (!one || !other) return one ?? other;
  if (one.id === other.id) return one.version >= other.version ? one : other;
  return comparePlaces(one, other) > 0 ? one : other;
}

/** Whether `place` stands before `limit`, if there is one. */
export const isBefore = (place: Place, limit: Place | undefined): boolean =>
  limit === undefined || comparePlaces(place, limit) < 0;

/** Whether something archived may be later than what is hot, or nothing is hot. */
export const mayBeArchived = (hot: Dated | undefined): boolean => hot === undefined || hot.late === true;

/** The latest of what is hot and what `archived` finds, which is asked only where that may be later. */
export async function latestOf<T extends Dated>(
  hot: T | undefined,
  archived: () => Promise<T | undefined>,
): Promise<T | undefined> {
  return mayBeArchived(hot) ? later(hot, await archived()) : hot;
}

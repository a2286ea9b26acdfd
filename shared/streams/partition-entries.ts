/** Entries that each partition keeps in a stream of its own, such as dead letters: where one is, and pages of all of them. */

/** Where an entry is: written `PARTITION/ID`. */
export interface EntryPlace {
  partition: number;
  /** in the stream of its partition: ms of Unix time and a number */
  id: string;
}

export const placeText = ({ partition, id }: EntryPlace): string => `${partition}/${id}`;

/** Reads what {@link placeText} writes; undefined where it is none. Longer numbers than these are in no id of a stream. */
export function placeFrom(text: string): EntryPlace | undefined {
  const match = /^(\d{1,4})\/(\d{1,15}-\d{1,15})$/.exec(text);
  return match ? { partition: Number(match[1]), id: match[2]! } : undefined;
}

/** When an entry came into its stream, Unix ms. */
export const timeOf = ({ id }: EntryPlace): number => Number(id.split('-')[0]);

export interface EntryQuestion {
  partitions: readonly number[];
  /** by their ids */
  order: 'newest first' | 'oldest first';
  /** behind this one */
  after: EntryPlace | undefined;
  limit: number;
}

export interface EntryPage<T> {
  entries: T[];
  /** there are more behind this one */
  next?: EntryPlace;
}

/** Entries of a partition that are read at a time. */
const PAGE = 20;

/** The last entries of a partition that were read and not taken yet. */
interface PartitionPage<T> {
  partition: number;
  waiting: T[];
  isWhole: boolean;
}

/**
 * A page of the entries of all partitions. `read` has the next ones of a partition from an id on, which may begin with a bracket that
 * leaves it out; '': from the first. Of each partition it is asked for a few, and for more only as these are taken.
 */
export async function pageOfAll<T extends EntryPlace>(
  { partitions, order, after, limit }: EntryQuestion,
  read: (partition: number, from: string, most: number) => Promise<T[]>,
): Promise<EntryPage<T>> {
  const sign = order === 'newest first' ? -1 : 1;
  const inOrder = (a: EntryPlace, b: EntryPlace): number => sign * compareIds(a.id, b.id) || a.partition - b.partition;
  const most = Math.min(PAGE, limit + 1);
  const pageFrom = async (partition: number, from: string): Promise<PartitionPage<T>> => {
    const waiting = await read(partition, from, most);
    return { partition, waiting, isWhole: waiting.length < most };
  };
  // Of two entries with the same id, that of the lower partition comes first.
  const start = (partition: number): string =>
    after === undefined ? '' : partition > after.partition ? after.id : `(${after.id}`;
  const pages = await Promise.all(partitions.map((partition) => pageFrom(partition, start(partition))));
  const entries: T[] = [];
  for (;;) {
    let first: PartitionPage<T> | undefined;
    for (const page of pages) {
      const [head] = page.waiting;
      if (head && (first === undefined || inOrder(head, first.waiting[0]!) < 0)) first = page;
    }
    if (!first) return { entries };
    if (entries.length === limit) return { entries, next: entries.at(-1)! };
    const entry = first.waiting.shift()!;
    entries.push(entry);
    if (first.waiting.length === 0 && !first.isWhole)
      Object.assign(first, await pageFrom(first.partition, `(${entry.id}`));
  }
}

function compareIds(a: string, b: string): number {
  const [[ms, n], [otherMs, other]] = [numbersIn(a), numbersIn(b)];
  return ms === otherMs ? n - other : ms - otherMs;
}

const numbersIn = (id: string): [ms: number, n: number] => id.split('-').map(Number) as [number, number];

/**
 * Arrays of what comes and goes all the time, in which each member knows its place. A `Set` or `Map` would do but for garbage: while members
 * come and go it makes a new table now and then, and the old one leads to the new one. Once one of them is old to the collector, each that
 * follows is kept with all that it held when it was replaced, until the whole heap is collected.
 */
export interface Placed {
  /** in its array; meaningless once it is removed */
  place: number;
}

export function add<T extends Placed>(members: T[], one: T): void {
  one.place = members.length;
  members.push(one);
}

/** The last one takes the place of `one`, if that is there. */
export function remove<T extends Placed>(members: T[], one: T): void {
  if (members[one.place] !== one) return;
  const last = members.pop()!;
  if (last === one) return;
  last.place = one.place;
  members[last.place] = last;
}

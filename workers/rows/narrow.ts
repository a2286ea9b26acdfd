/**
 * Sends items in groups, and finds those that cannot be sent by halving the groups: the largest first, so that what is left when no more
 * may be halved is small.
 */

export interface NarrowedSending<T, E> {
  /** groups that are not sent yet, the next one first */
  left: (readonly T[])[];
  /** items that are refused */
  refused: Map<T, SendRefusal<E>>;
}

export interface SendRefusal<E> {
  error: E;
  /** items that were refused together; 1: it was refused alone */
  among: number;
}

/** Groups that are halved in one call. Five items at fault among 50,000 need fewer; so there are at most twice as many further groups. */
export const MOST_HALVED = 90;

/**
 * Sends what is left. A group is halved where `send` rejects with an error that `narrows` takes. An item alone is refused then, and so is
 * a whole group once {@link MOST_HALVED} were halved. With any other error it rejects: what was sent until then is not sent again by a
 * further call. `cut` says where a group is parted, default in the middle.
 *
 * One item at fault among `n` takes about 2 × log₂ n calls.
 */
export async function sendAll<T, E>(
  { left, refused }: NarrowedSending<T, E>,
  send: (group: readonly T[]) => Promise<void>,
  narrows: (error: unknown) => error is E,
  cut: (group: readonly T[]) => number = middleOf,
): Promise<void> {
  let halved = 0;
  for (let group = left[0]; group; group = left[0]) {
    try {
      await send(group);
      left.shift();
    } catch (error) {
      if (!narrows(error)) throw error;
      left.shift();
      if (group.length > 1 && halved++ < MOST_HALVED) {
        const at = cut(group);
        left.push(group.slice(0, at), group.slice(at));
      } else for (const item of group) refused.set(item, { error, among: group.length });
    }
  }
}

export const middleOf = (group: readonly unknown[]): number => group.length >>> 1;

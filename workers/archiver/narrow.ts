/** Sends items in groups, and finds those that cannot be sent by halving the groups. */

export interface Sending<T, E> {
  /** groups that are not sent yet, the next one last */
  left: (readonly T[])[];
  /** items that are refused even alone, and why */
  refused: Map<T, E>;
}

/**
 * Sends what is left. A group is halved where `send` rejects with an error that `narrows` takes; an item alone is refused then. With any
 * other error it rejects: what was sent until then is not sent again by a further call.
 *
 * One item at fault among `n` takes about 2 × log₂ n calls.
 */
export async function sendAll<T, E>(
  sending: Sending<T, E>,
  send: (group: readonly T[]) => Promise<void>,
  narrows: (error: unknown) => error is E,
): Promise<void> {
  const { left, refused } = sending;
  for (let group = left.at(-1); group; group = left.at(-1)) {
    try {
      await send(group);
      left.pop();
    } catch (error) {
      if (!narrows(error)) throw error;
      left.pop();
      const middle = group.length >>> 1;
      if (group.length === 1) refused.set(group[0]!, error);
      else left.push(group.slice(middle), group.slice(0, middle));
    }
  }
}

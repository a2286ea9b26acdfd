/**
 * Of a session check that an adapter made: its last messages are checked, each by its role, and not only the last one. The adapter
 * wrote the messages from elements of its own request.
 */
export interface CheckedMessages {
  /** number of the first message that is checked; the ones before it are not */
  from: number;
  /** what the messages were made of, in order */
  runs: readonly MessageRun[];
}

/** So many messages in a row are elements of a field of the request, from number `first` on. */
export type MessageRun = readonly [field: string, first: number, count: number];

/** The field with the messages of a conversation. Messages that were made of others are no part of it. */
export const CONVERSATION = 'structured_messages';

/** By number of the message: its number in the conversation; -1: it is no part of it. */
export const numbersOf = ({ runs }: CheckedMessages): number[] =>
  runs.flatMap(([field, first, count]) =>
    Array.from({ length: count }, (_, i) => (field === CONVERSATION ? first + i : -1)),
  );

/** Adds a message that was made of an element. */
export function addToRuns(runs: MessageRun[], field: string, index: number): void {
  const last = runs.at(-1);
  if (last?.[0] === field && last[1] + last[2] === index) runs[runs.length - 1] = [field, last[1], last[2] + 1];
  else runs.push([field, index, 1]);
}

/**
 * What the people, agents and tools of a workload say, in one language. Words in braces in a sentence are filled from the lists of `words`.
 * Nothing here may look like what a policy searches for, such as long runs of digits or addresses: `sensitive.ts` adds what is to be flagged.
 */
export type Voice = 'user' | 'assistant' | 'reasoning' | 'output';
export type PhraseSlot = 'product' | 'city' | 'day' | 'name' | 'team' | 'tool' | 'service';

export interface Phrases {
  words: Readonly<Record<PhraseSlot, readonly string[]>>;
  /** what an agent is after */
  goal: string;
  sentences: Readonly<Record<Voice, readonly string[]>>;
}

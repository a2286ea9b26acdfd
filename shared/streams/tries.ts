/**
 * Tries: what ingress has an evaluator try, and what that answers. A try is a look (`looks.ts`), so it is answered and leaves nothing behind. The
 * body of its entry is the request of a check, and behind it the JSON of what is edited.
 */
import type { Issue } from '../api/types.js';
import type { TriedScore } from '../policy/tried-scores.js';

export interface TriedCondition {
  id: string;
  name: string;
  /** null: the conditions took too many steps */
  matched: boolean | null;
}

/** What a thread makes of a try. */
export interface TriedVerdict {
  /** null: it could not be evaluated */
  flagged: boolean | null;
  note: string;
  /** JSON, and its explanation, as records have both */
  policies: string;
  explained: string;
  /** policies in the shadow that were evaluated */
  shadow: { id: string; name: string; flagged: boolean }[];
  scores: TriedScore[];
  /** of an event: the active ones, in order */
  conditions: TriedCondition[];
  /** steps that they took */
  steps: number;
  /** microseconds that a check would not have taken: of scores and conditions */
  beside: number;
}

/** What it took, in microseconds. */
export interface TriedCost {
  evaluating: number;
  /** until images were fetched and looked at, and until backends and models had answered; 0: there was nothing to wait for */
  images: number;
  asking: number;
}

export type TryAnswer =
  | { verdict: TriedVerdict; cost: TriedCost }
  /** what is wrong with what is edited */
  | { refused: Issue[] }
  /** nothing came in time */
  | { late: true }
  /** it takes more than a try may, in words for the caller */
  | { over: string }
  | { busy: true }
  | { failed: true };

export const tryAnswerOf = (stored: Buffer): TryAnswer => JSON.parse(stored.toString()) as TryAnswer;
export const tryAnswerBytes = (answer: TryAnswer): Buffer => Buffer.from(JSON.stringify(answer));

/**
 * Tries: what ingress has an evaluator try, and what that answers. A try is a look (`looks.ts`), so it is answered and leaves nothing behind. The
 * body of its entry is the request of a check, or the JSON of {@link StoredPage} or {@link CasesPage}, and behind it the JSON of what is edited.
 */
import type { BacktestLabels } from '../api/try.js';
import type { CheckKind, Issue } from '../api/types.js';
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

/** A stored item that is judged again. */
export interface StoredAgain {
  id: string;
  kind: CheckKind;
  type: string;
  field: string;
  role: string;
  name: string;
  /** number of the configuration that judged it */
  config: number;
  /** policies that could not be evaluated then */
  notEvaluated: number;
  /** it had no verdict, or one without some policies */
  failed: boolean;
  /** it is an image, or a chat with some: their bytes are not stored */
  image: boolean;
  /** its policies map, in `maps` of the page */
  map: number;
  /** null: it is not stored any more, or never was */
  content: string | null;
  /** JSON, or empty */
  metadata: string;
  /** what people said of policies on it */
  truths: { policy: string; name: string; flagged: boolean; truth: boolean }[];
}

export interface StoredPage {
  items: StoredAgain[];
  /** policies maps, in JSON */
  maps: string[];
}

/** A file of cases, of which those are evaluated from `start` on that there is time for. */
export interface CasesPage {
  text: string;
  /** from 0 */
  start: number;
  /** where cases may be checked */
  environments: readonly string[];
  deployments: readonly string[];
}

/** What a page of stored items comes to. */
export interface BacktestedPage {
  /** items from the first on that there was time for */
  done: number;
  evaluated: number;
  not_stored: number;
  images: number;
  failed: number;
  /** sessions and events whose content may have been read in two ways that differ */
  two_readings: number;
  policies: BacktestedPolicy[];
  /** those that a policy judges otherwise */
  differing: { id: string; newly_flagged: string[]; newly_cleared: string[] }[];
}

/** Items of a policy. */
export interface BacktestedPolicy {
  id: string;
  name: string;
  still_flagged: number;
  newly_flagged: number;
  newly_cleared: number;
  still_clean: number;
  not_evaluated: number;
  /** it had looked at them, and their content is not there */
  not_stored: number;
  /** of labelled items; absent: there are none */
  labelled?: BacktestLabels;
}

/** Cases that were evaluated. */
export interface TestedCases {
  /** all cases of the file */
  total: number;
  results: TestedResult[];
}

export interface TestedResult {
  name: string;
  /** in the file, from 1 */
  line: number;
  outcome: 'passed' | 'failed' | 'not_run';
  /** lines that say what differs, or why it was not run */
  why: string[];
}

export type TryAnswer =
  | { verdict: TriedVerdict; cost: TriedCost }
  | { backtest: BacktestedPage }
  | { cases: TestedCases }
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

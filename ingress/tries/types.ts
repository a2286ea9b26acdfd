/** What a route has of tries. */
import type { TriedInput } from '../../shared/api/validate/issues.js';
import type {
  BacktestedPage,
  CasesPage,
  StoredPage,
  TestedCases,
  TriedCost,
  TriedVerdict,
} from '../../shared/streams/tries.js';
import type { Scope } from '../admission/directory.js';
import type { CheckCaller } from '../dispatch/check-request.js';

export interface PolicyTries {
  /** Rejects with an ApiError. */
  run(caller: CheckCaller, of: ScopedTry): Promise<TriedOut>;
  /** Judges the stored items that `page` reads once it is the turn of the team. Rejects with an ApiError. */
  backtest(caller: CheckCaller, of: ScopedPage, page: () => Promise<StoredPage>): Promise<BacktestedPage>;
  /** Evaluates cases. Rejects with an ApiError. */
  test(caller: CheckCaller, of: ScopedPage, page: CasesPage): Promise<TestedCases>;
}

/** Where policies are edited, and how. */
export interface ScopedPage {
  kind: 'environment' | 'deployment';
  scope: Scope;
  /** as those of a try */
  edits: string;
}

export interface TriedOut {
  verdict: TriedVerdict;
  cost: TriedCost;
}

/** What is tried, and where. */
export interface ScopedTry {
  tried: TriedInput;
  scope: Scope;
  images: number;
  messageBytes: number | undefined;
}

/** What a route has of tries. */
import type { TriedInput } from '../../shared/api/validate/issues.js';
import type { TriedCost, TriedVerdict } from '../../shared/streams/tries.js';
import type { Scope } from '../admission/directory.js';
import type { CheckCaller } from '../dispatch/check-request.js';

export interface PolicyTries {
  /** Rejects with an ApiError. */
  run(caller: CheckCaller, of: ScopedTry): Promise<TriedOut>;
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

/** What the HTTP edge asks of the stream side. */
import type { AwaitedArtifact } from '../../shared/api/artifact.js';
import type { ApiError } from '../../shared/api/errors.js';
import type { ResultRecord } from '../../shared/api/results/record.js';
import type { CheckKind } from '../../shared/api/types.js';
import type { Cause, ReferredEvent } from '../../shared/api/validate/issues.js';
import type { Lane } from '../../shared/streams/keys.js';
import type { Reference } from '../../shared/streams/work.js';

/** An admitted, validated check. */
export interface CheckRequest {
  kind: CheckKind;
  team: string;
  /** environment (events) or deployment (sessions) */
  scope: string;
  /** configuration version that judges it */
  config: number;
  /** its identity; absent: whatever has that number */
  configId?: string;
  /** id of the API key */
  key: string;
  /** what keeps related requests in one partition: run id, external session id, or '' (then the request id) */
  affinity: string;
  /** the caller's bytes, untouched */
  body: Buffer;
  /** a function of what was sent alone: a retry with an Idempotency-Key looks for its check where the first one put it */
  lane: Lane;
  /** reference-only events that the batch itself does not resolve */
  references: Reference[];
  /** declared causes that the batch itself does not resolve */
  causes?: Cause[];
  /** of events: the caller's ids in order, as in the validated input */
  events?: { eventIds: readonly (string | null)[]; runIds: readonly string[] };
  /** images that are to be looked at */
  images: number;
  /** of an artifact by itself: what it is called and belongs to */
  artifact?: AwaitedArtifact;
  /** conversation keys whose earlier texts the plan looks at; empty when it looks at none */
  conversations: string[];
  /** how many earlier texts of each; 0 when there are none to look at */
  contextDepth: number;
  /** Unix ms */
  received: number;
  /** how long the check may take, counted from `received` */
  deadlineMs: number;
  /** how long the caller waits, where that is less: the check has its time all the same */
  waitMs?: number;
  /** W3C trace context, or '' */
  traceparent: string;
  /** set when the caller sent an Idempotency-Key */
  retry?: Retry;
}

/** What a check that may be repeated carries beside the others. */
export interface Retry {
  /** the Idempotency-Key as sent */
  key: string;
  /** hash of route, scope and body: a retry sends the same */
  fingerprint: string;
  /** as in the validated input: what an answer is made of again that is not hot any more */
  eventIds: readonly (string | null)[];
  referred: readonly ReferredEvent[];
}

export type Outcome =
  /** `replayed`: of the check that an earlier request with the same Idempotency-Key began */
  | { status: 'done'; record: ResultRecord; replayed?: boolean }
  /** the deadline passed; `id` is the request id, and the work goes on */
  | { status: 'timeout'; id: string; replayed?: boolean };

export interface Dispatcher {
  /**
   * Rejects with an ApiError of status 503: `overloaded`, `unavailable` or `shutting_down`; with an Idempotency-Key also
   * 409 `idempotency_mismatch` or `idempotency_in_progress`, and 429 `rate_limited`.
   */
  check(request: CheckRequest): Promise<Outcome>;
  /** undefined: work is admitted; else why not (503). Cheap and synchronous. */
  refusal(): ApiError | undefined;
}

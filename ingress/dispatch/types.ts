/** A check as the HTTP edge hands it to the dispatcher, and what comes back. */
import type { AwaitedArtifact } from '../../shared/api/artifact.js';
import type { ApiError } from '../../shared/api/errors.js';
import type { ResultRecord } from '../../shared/api/results/record.js';
import type { ReferredEvent } from '../../shared/api/validate/issues.js';
import type { Lane } from '../../shared/streams/keys.js';
import type { LookHeader } from '../../shared/streams/looks.js';
import type { Reference, WorkHeader } from '../../shared/streams/work.js';

/** What its work entry says in the same words. */
type HandedOn = Pick<
  WorkHeader,
  | 'kind'
  | 'team'
  | 'scope'
  | 'config'
  | 'configId'
  | 'key'
  | 'received'
  | 'causes'
  | 'messageBytes'
  | 'checked'
  | 'scores'
  | 'finds'
  | 'unkept'
>;

/** An admitted, validated check. */
export interface CheckRequest extends HandedOn {
  /** what keeps related requests in one partition: run id, external session id, or '' (any partition) */
  affinity: string;
  /** the caller's bytes, untouched */
  body: Buffer;
  /** depends only on what was sent: a retry with an Idempotency-Key looks for its check in the same lane */
  lane: Lane;
  /** references to events that are not in the batch */
  references: Reference[];
  /** of events: the caller's ids in order, as in the validated input */
  events?: { eventIds: readonly (string | null)[]; runIds: readonly string[] };
  /** how many images are to be looked at */
  images: number;
  /** the answer has the content with marks in place of what was found */
  redact?: boolean;
  /** of an artifact that came by itself: its name and its session */
  artifact?: AwaitedArtifact;
  /** it is a look at a stream */
  look?: LookHeader;
  /** keys of conversations whose earlier texts the plan reads; empty when it reads none */
  conversations: string[];
  /** how many earlier texts of each; 0 for none */
  contextDepth: number;
  /** how long the check may take, counted from `received` */
  deadlineMs: number;
  /** how long the caller waits, if that is shorter; the check itself keeps its time */
  waitMs?: number;
  /** W3C trace context, or '' */
  traceparent: string;
  /** its trace is recorded */
  traced?: true;
  /** the `X-Request-Id` of its answer, for logs; absent: nobody waits for one */
  requestId?: string | undefined;
  /** set when the caller sent an Idempotency-Key */
  retry?: Retry;
}

/** What a check with an Idempotency-Key carries in addition. */
export interface Retry {
  /** the Idempotency-Key as sent */
  key: string;
  /** hash of route, scope and body, which a retry repeats */
  fingerprint: string;
  /** as in the validated input: from these an answer is rebuilt when its result has left Redis */
  eventIds: readonly (string | null)[];
  referred: readonly ReferredEvent[];
}

export type CheckOutcome =
  /**
   * `stored`: the bytes of the record, where they are at hand. Then `record` is read from them when it is asked for, and throws an
   * ApiError where it cannot be read; `id`: of the request, as the record has it. `replayed`: the check was begun by an earlier request with the same Idempotency-Key;
   * `archived`: its result was read from history
   */
  | {
      status: 'done';
      readonly record: ResultRecord;
      readonly id?: string;
      stored?: Buffer;
      replayed?: boolean;
      archived?: boolean;
    }
  /** the deadline passed; `id` is the request id, and the work goes on; `entry`: that of its entry, where it is known */
  | { status: 'timeout'; id: string; entry?: string; replayed?: boolean };

export interface Dispatcher {
  /**
   * Rejects with an ApiError of status 503: `overloaded`, `unavailable` or `shutting_down`; with an Idempotency-Key also
   * 409 `idempotency_mismatch` or `idempotency_in_progress`, and 429 `rate_limited`.
   */
  check(request: CheckRequest): Promise<CheckOutcome>;
  /** undefined: work is admitted; else why not (503). Cheap and synchronous. `check` asks by itself. */
  refusal(): ApiError | undefined;
}

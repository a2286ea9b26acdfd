/** What the HTTP edge asks of the stream side. */
import type { ApiError } from '../shared/api/errors.js';
import type { Cause } from '../shared/api/issues.js';
import type { ResultRecord } from '../shared/api/record.js';
import type { CheckKind } from '../shared/api/types.js';
import type { Reference } from '../shared/streams/work.js';

/** An admitted, validated check. */
export interface CheckRequest {
  kind: CheckKind;
  team: string;
  /** environment (events) or deployment (sessions) */
  scope: string;
  /** configuration version that judges it */
  config: number;
  /** id of the API key */
  key: string;
  /** what keeps related requests in one partition: run id, external session id, or '' (then the request id) */
  affinity: string;
  /** the caller's bytes, untouched */
  body: Buffer;
  /** reference-only events that the batch itself does not resolve */
  references: Reference[];
  /** declared causes that the batch itself does not resolve */
  causes?: Cause[];
  /** conversation keys whose earlier texts the plan looks at; empty when it looks at none */
  conversations: string[];
  /** how many earlier texts of each; 0 when there are none to look at */
  contextDepth: number;
  /** Unix ms */
  received: number;
  /** how long the caller waits, counted from `received` */
  deadlineMs: number;
  /** W3C trace context, or '' */
  traceparent: string;
}

export type Outcome =
  | { status: 'done'; record: ResultRecord }
  /** the deadline passed; `id` is the request id, and the work goes on */
  | { status: 'timeout'; id: string };

export interface Dispatcher {
  /** Rejects with an ApiError of status 503: `overloaded`, `unavailable` or `shutting_down`. */
  check(request: CheckRequest): Promise<Outcome>;
  /** undefined: work is admitted; else why not (503). Cheap and synchronous. */
  refusal(): ApiError | undefined;
}

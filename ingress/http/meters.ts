/** Metrics of the HTTP edge. Labels are routes, status classes and our own reasons: nothing that a caller chose. */
import { ERROR_STATUS, type ErrorCode } from '../../shared/api/errors.js';
import { metersOf, type Registry } from '../../shared/telemetry.js';
import type { Shares } from '../admission/memory-shares.js';
import { CUT_OFF, type CutOff } from './transfers.js';

const ERROR_CODES = Object.keys(ERROR_STATUS) as ErrorCode[];

/** bytes */
const SIZE_BUCKETS = [1024, 4096, 16_384, 65_536, 262_144, 1 << 20, 4 << 20, 16 << 20, 32 << 20];
/** seconds */
const VALIDATION_BUCKETS = [0.00001, 0.000025, 0.00005, 0.0001, 0.00025, 0.0005, 0.001, 0.005, 0.025, 0.1, 0.5];

interface Observer {
  observe(seconds: number): void;
}

/** Latency of one route, by status class (index 2 for 2xx). */
export type RouteMetrics = readonly (Observer | undefined)[];

type SealOutcome = 'made' | 'opened' | 'refused';

export interface EdgeMetrics {
  route(name: string): RouteMetrics;
  aborted: { inc(): void };
  refused(reason: ErrorCode): void;
  cutOff(reason: CutOff | 'unread_answers'): void;
  bodyBytes: Observer;
  validation: Observer;
  unexplained: { inc(): void };
  keyless: { inc(): void };
  redactions(outcome: 'redacted' | 'refused', count: number): void;
  seals(outcome: SealOutcome, count: number): void;
}

/** Registers the edge's metrics; `state` is read when they are collected. */
export function createMetrics(registry: Registry, state: () => { inFlight: number; held: Shares }): EdgeMetrics {
  const { counter, counterBy, gauge, histogram, histogramBy } = metersOf(registry);
  const refused = counterBy('reason', ERROR_CODES, 'weir_http_refused_total', 'Errors, by their code');
  const cutOff = counterBy(
    'reason',
    [...CUT_OFF, 'unread_answers'],
    'weir_http_cut_off_total',
    'Connections ended because a body or an answer took too long, a body stood still, or too many answers were unread',
  );
  const redactions = counterBy(
    'outcome',
    ['redacted', 'refused'],
    'weir_redactions_total',
    'Texts that were to be redacted',
  );
  const seals = counterBy(
    'outcome',
    ['made', 'opened', 'refused'] satisfies SealOutcome[],
    'weir_seals_total',
    'Seals of redacted texts that were made, opened to restore them, or could not be opened',
  );
  const latency = histogramBy(
    ['route', 'status'],
    'weir_http_request_seconds',
    'Time to the answer, by route and class of status',
  );
  const inFlight = 'Requests without an answer, or with an answer that is not read';
  gauge('weir_http_in_flight', inFlight, () => state().inFlight);
  const pendingBytes = 'Bytes of the bodies and answers of requests in flight';
  gauge('weir_http_pending_bytes', pendingBytes, () => state().held.held());
  return {
    route: (name) =>
      [0, 1, 2, 3, 4, 5].map((n) =>
        n === 2 || n >= 4 ? latency.labels({ route: name, status: `${n}xx` }) : undefined,
      ),
    aborted: counter(
      'weir_http_aborted_total',
      'Callers that left, or whose connection was ended, before the whole answer',
    ),
    refused: (reason) => refused.inc({ reason }),
    cutOff: (reason) => cutOff.inc({ reason }),
    redactions: (outcome, count) => redactions.inc({ outcome }, count),
    seals: (outcome, count) => seals.inc({ outcome }, count),
    bodyBytes: histogram('weir_http_body_bytes', 'Sizes of bodies', SIZE_BUCKETS),
    keyless: counter(
      'weir_http_keyless_total',
      'Requests without an API key that counted as those of the key which has their address',
    ),
    unexplained: counter(
      'weir_http_unexplained_total',
      'Bodies of events that were refused though nothing was found to be wrong with them: each is a defect of Weir',
    ),
    validation: histogram('weir_http_validation_seconds', 'Time to parse and validate a body', VALIDATION_BUCKETS),
  };
}

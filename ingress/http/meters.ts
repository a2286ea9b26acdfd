/** Metrics of the HTTP edge. Labels are routes, status classes and our own reasons: nothing that a caller chose. */
import { metersOf, type Registry } from '../../shared/telemetry.js';
import type { Shares } from '../admission/memory-shares.js';
import type { CutOff } from './transfers.js';

/** bytes */
const SIZE_BUCKETS = [1024, 4096, 16_384, 65_536, 262_144, 1 << 20, 4 << 20, 16 << 20, 32 << 20];
/** seconds */
const VALIDATION_BUCKETS = [0.00001, 0.000025, 0.00005, 0.0001, 0.00025, 0.0005, 0.001, 0.005, 0.025, 0.1, 0.5];

interface Observer {
  observe(seconds: number): void;
}

/** Latency of one route, by status class (index 2 for 2xx). */
export type RouteMetrics = readonly (Observer | undefined)[];

export interface EdgeMetrics {
  route(name: string): RouteMetrics;
  aborted: { inc(): void };
  refused(reason: string): void;
  cutOff(reason: CutOff | 'unread_answers'): void;
  bodyBytes: Observer;
  validation: Observer;
  unexplained: { inc(): void };
  redactions(outcome: 'redacted' | 'refused', count: number): void;
}

/** Registers the edge's metrics; `state` is read when they are collected. */
export function createMetrics(registry: Registry, state: () => { inFlight: number; held: Shares }): EdgeMetrics {
  const { counter, counterBy, gauge, histogram, histogramBy } = metersOf(registry);
  const refused = counterBy('reason', 'weir_http_refused_total', 'Requests answered with an error, by its code');
  const cutOff = counterBy(
    'reason',
    'weir_http_cut_off_total',
    'Connections ended because a body or an answer took too long, a body stood still, or because too many answers were unread',
  );
  const redactions = counterBy(
    'outcome',
    'weir_redactions_total',
    'Texts that were to be redacted, by what came of it',
  );
  const latency = histogramBy(['route', 'status'], 'weir_http_request_seconds', 'Time from a request to its answer');
  const inFlight = 'Requests without an answer, or whose answer is not sent yet';
  gauge('weir_http_in_flight', inFlight, () => state().inFlight);
  const pendingBytes = 'Bytes set aside for bodies that are held unanswered, and of answers not sent yet';
  gauge('weir_http_pending_bytes', pendingBytes, () => state().held.held());
  return {
    route: (name) =>
      [0, 1, 2, 3, 4, 5].map((n) =>
        n === 2 || n >= 4 ? latency.labels({ route: name, status: `${n}xx` }) : undefined,
      ),
    aborted: counter('weir_http_aborted_total', 'Requests whose caller left before the answer'),
    refused: (reason) => refused.inc({ reason }),
    cutOff: (reason) => cutOff.inc({ reason }),
    redactions: (outcome, count) => redactions.inc({ outcome }, count),
    bodyBytes: histogram('weir_http_body_bytes', 'Sizes of bodies', SIZE_BUCKETS),
    unexplained: counter(
      'weir_http_unexplained_total',
      'Bodies of events that were refused though nothing was found to be wrong with them: each is a defect of Weir',
    ),
    validation: histogram(
      'weir_http_validation_seconds',
      'Time that parsing and validating a body took',
      VALIDATION_BUCKETS,
    ),
  };
}

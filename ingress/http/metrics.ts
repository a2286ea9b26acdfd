/** Metrics of the HTTP edge. Labels are routes, status classes and our own reasons: nothing that a caller chose. */
import { Counter, Gauge, Histogram, LATENCY_BUCKETS, type Registry } from '../../shared/telemetry.js';
import type { Shares } from '../admission/memory-shares.js';
import type { CutOff } from './transfers.js';

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
}

/** Registers the edge's metrics; `state` is read when they are collected. */
export function createMetrics(registry: Registry, state: () => { inFlight: number; held: Shares }): EdgeMetrics {
  const registers = [registry];
  const counter = (name: string, help: string): Counter<'reason'> =>
    new Counter({ name, help, labelNames: ['reason'] as const, registers });
  const refused = counter('weir_http_refused_total', 'Requests answered with an error, by its code');
  const cutOff = counter(
    'weir_http_cut_off_total',
    'Connections ended because a body or an answer took too long, a body stood still, or because too many answers were unread',
  );
  const latency = new Histogram({
    name: 'weir_http_request_seconds',
    help: 'Time from a request to its answer',
    labelNames: ['route', 'status'] as const,
    buckets: LATENCY_BUCKETS,
    registers,
  });
  registerGauges(registry, state);
  return {
    route: (name) =>
      [0, 1, 2, 3, 4, 5].map((n) =>
        n === 2 || n >= 4 ? latency.labels({ route: name, status: `${n}xx` }) : undefined,
      ),
    aborted: new Counter({
      name: 'weir_http_aborted_total',
      help: 'Requests whose caller left before the answer',
      registers,
    }),
    refused: (reason) => refused.inc({ reason }),
    cutOff: (reason) => cutOff.inc({ reason }),
    bodyBytes: new Histogram({
      name: 'weir_http_body_bytes',
      help: 'Sizes of bodies',
      buckets: [1024, 4096, 16_384, 65_536, 262_144, 1 << 20, 4 << 20, 16 << 20, 32 << 20],
      registers,
    }),
    validation: new Histogram({
      name: 'weir_http_validation_seconds',
      help: 'Time that parsing and validating a body took',
      buckets: [0.00001, 0.000025, 0.00005, 0.0001, 0.00025, 0.0005, 0.001, 0.005, 0.025, 0.1, 0.5],
      registers,
    }),
  };
}

function registerGauges(registry: Registry, state: () => { inFlight: number; held: Shares }): void {
  const registers = [registry];
  new Gauge({
    name: 'weir_http_in_flight',
    help: 'Requests without an answer, or whose answer is not sent yet',
    registers,
    collect() {
      this.set(state().inFlight);
    },
  });
  new Gauge({
    name: 'weir_http_pending_bytes',
    help: 'Bytes set aside for bodies that are held unanswered, and of answers not sent yet',
    registers,
    collect() {
      this.set(state().held.held());
    },
  });
}

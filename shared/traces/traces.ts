/**
 * Traces: spans of requests and of the steps of their checks, sent to a collector by OTLP over HTTP. Off unless `WEIR_TRACES_URL` names one.
 * Then the library of OpenTelemetry is loaded, which nothing else needs.
 */
import type { Logger } from '../log.js';
import type { Settings } from '../settings.js';
import { metersOf, type Registry } from '../telemetry.js';
import { SPAN_OUTCOMES, type SpanCounter, type Traces } from './spans.js';

export const TRACE_SETTINGS = ['tracesUrl', 'tracesShare'] as const;

/** Undefined: traces are off. `service`: as in `weir-ingress`. */
export async function startTraces(
  service: string,
  settings: Settings<'tracesUrl'>,
  { logger, registry }: { logger: Logger; registry: Registry },
): Promise<Traces | undefined> {
  const spans: SpanCounter = metersOf(registry).counterBy(
    'outcome',
    SPAN_OUTCOMES,
    'weir_trace_spans_total',
    'Spans of traces that were recorded; of these, sent to the collector, or dropped because it did not take them or too many waited. The rest waits',
  );
  if (settings.tracesUrl === '') return undefined;
  const { connectCollector } = await import('./otlp.js');
  return connectCollector(service, settings.tracesUrl, { logger, spans });
}

/**
 * Sends spans to a collector by OTLP over HTTP, with the library of OpenTelemetry. That reads its own variables, too: headers
 * (`OTEL_EXPORTER_OTLP_HEADERS`), time-out, compression, certificates, and attributes of the process (`OTEL_RESOURCE_ATTRIBUTES`).
 *
 * At most 2,048 spans wait. They go in requests of up to 512, at the latest after a second. What is above is dropped, and counts as failed: a
 * collector that is slow or away holds nothing up.
 */
import { randomUUID } from 'node:crypto';
import { hostname } from 'node:os';
import { ROOT_CONTEXT, SpanKind, SpanStatusCode, TraceFlags, trace } from '@opentelemetry/api';
import { OTLPTraceExporter } from '@opentelemetry/exporter-trace-otlp-http';
import { defaultResource, detectResources, envDetector, resourceFromAttributes } from '@opentelemetry/resources';
import {
  AlwaysOnSampler,
  BasicTracerProvider,
  BatchSpanProcessor,
  type ReadableSpan,
  type SpanExporter,
  type SpanProcessor,
} from '@opentelemetry/sdk-trace-base';
import { within } from '../async.js';
import type { Logger } from '../log.js';
import { packageVersion } from '../paths.js';
import { spanIdOf, traceIdOf } from './context.js';
import { type OpenSpan, preciseNow, type SpanCounter, type SpanStart, type Traces } from './spans.js';

const KINDS = {
  server: SpanKind.SERVER,
  consumer: SpanKind.CONSUMER,
  internal: SpanKind.INTERNAL,
  client: SpanKind.CLIENT,
} as const;

const QUEUE = { maxQueueSize: 2048, maxExportBatchSize: 512, scheduledDelayMillis: 1000, exportTimeoutMillis: 10_000 };
/** How long the last spans may take when the process stops. */
const CLOSE_MS = 2000;
/** How often it is logged that the collector takes nothing. */
const REPORT_MS = 60_000;

export function connectCollector(
  service: string,
  url: string,
  { logger, spans }: { logger: Logger; spans: SpanCounter },
): Traces {
  const own = resourceFromAttributes({
    'service.name': service,
    'service.namespace': 'weir',
    'service.version': packageVersion(),
    'service.instance.id': randomUUID(),
    'host.name': hostname(),
    'process.pid': process.pid,
  });
  const provider = new BasicTracerProvider({
    // What the environment says is said by the operator.
    resource: defaultResource()
      .merge(own)
      .merge(detectResources({ detectors: [envDetector] })),
    sampler: new AlwaysOnSampler(),
    spanProcessors: [counted(new OTLPTraceExporter({ url }), { logger, spans })],
  });
  const tracer = provider.getTracer('weir', packageVersion());

  function begin({ name, kind, parent, start, attributes }: SpanStart): OpenSpan {
    const context =
      parent === ''
        ? ROOT_CONTEXT
        : trace.setSpanContext(ROOT_CONTEXT, {
            traceId: traceIdOf(parent),
            spanId: spanIdOf(parent),
            traceFlags: TraceFlags.SAMPLED,
            isRemote: true,
          });
    const span = tracer.startSpan(name, { kind: KINDS[kind], startTime: start, attributes }, context);
    const { traceId, spanId } = span.spanContext();
    return {
      traceparent: `00-${traceId}-${spanId}-01`,
      attribute: (key, value) => void span.setAttribute(key, value),
      event: (event, details) => void span.addEvent(event, details, preciseNow()),
      end(failure) {
        if (failure !== undefined) {
          span.setStatus({ code: SpanStatusCode.ERROR });
          span.setAttribute('error.type', failure);
        }
        span.end(preciseNow());
        spans.inc({ outcome: 'recorded' });
      },
    };
  }

  return {
    begin,
    async close() {
      await within(
        provider.shutdown().catch(() => undefined),
        { ms: CLOSE_MS },
      );
    },
  };
}

/**
 * Counts what becomes of spans, and logs when the collector begins to take none or not all, and when it takes some again: at most once a
 * minute, also where it changes its mind with every request.
 */
function counted(exporter: SpanExporter, { logger, spans }: { logger: Logger; spans: SpanCounter }): SpanProcessor {
  let waiting = 0;
  let failing = false;
  let reported = Number.NEGATIVE_INFINITY;
  const failed = (count: number, why: { error: string; code?: unknown }): void => {
    spans.inc({ outcome: 'failed' }, count);
    const now = performance.now();
    if (now - reported < REPORT_MS) return;
    reported = now;
    failing = true;
    logger.warn(why, 'the collector of traces (WEIR_TRACES_URL) takes no spans, or not all: they are dropped');
  };
  const exported = (count: number): void => {
    spans.inc({ outcome: 'exported' }, count);
    if (!failing || waiting >= QUEUE.maxQueueSize / 2) return;
    failing = false;
    logger.info('the collector of traces takes spans again');
  };
  const sending: SpanExporter = {
    export(batch: ReadableSpan[], done) {
      exporter.export(batch, (result) => {
        waiting -= batch.length;
        // The message may have the answer of the collector, and the address a password: neither is logged.
        const { name = '', code } = (result.error ?? {}) as { name?: string; code?: unknown };
        if (result.error === undefined && result.code === 0) exported(batch.length);
        else failed(batch.length, { error: name, code });
        done(result);
      });
    },
    shutdown: () => exporter.shutdown(),
    forceFlush: async () => exporter.forceFlush?.(),
  };
  const batches = new BatchSpanProcessor(sending, QUEUE);
  return {
    onStart: () => undefined,
    onEnd(span) {
      if (waiting >= QUEUE.maxQueueSize) return failed(1, { error: 'too many wait' });
      waiting++;
      batches.onEnd(span);
    },
    forceFlush: () => batches.forceFlush(),
    shutdown: () => batches.shutdown(),
  };
}

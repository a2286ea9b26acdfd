/**
 * Sends spans to a collector by OTLP over HTTP, with the library of OpenTelemetry. That reads its own variables, too: headers
 * (`OTEL_EXPORTER_OTLP_HEADERS`), time-out, compression, certificates, and attributes of the process (`OTEL_RESOURCE_ATTRIBUTES`).
 *
 * Spans wait in a queue of 2,048 and go in requests of up to 512, at the latest after a second. What finds the queue full is dropped: a
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
  const exporter = counted(new OTLPTraceExporter({ url }), { logger, spans });
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
    spanProcessors: [new BatchSpanProcessor(exporter, QUEUE)],
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

/** Counts what becomes of spans, and logs when the collector begins to take none, and when it takes some again. */
function counted(exporter: SpanExporter, { logger, spans }: { logger: Logger; spans: SpanCounter }): SpanExporter {
  let failing = false;
  let reported = Number.NEGATIVE_INFINITY;
  const failed = (error: Error | undefined): void => {
    failing = true;
    const now = performance.now();
    if (now - reported < REPORT_MS) return;
    reported = now;
    // The message may have the answer of the collector, and the address a password: neither is logged.
    const { name = '', code } = (error ?? {}) as { name?: string; code?: unknown };
    logger.warn({ error: name, code }, 'the collector of traces (WEIR_TRACES_URL) takes no spans: they are dropped');
  };
  return {
    export(batch: ReadableSpan[], done) {
      exporter.export(batch, (result) => {
        const fine = result.error === undefined && result.code === 0;
        spans.inc({ outcome: fine ? 'exported' : 'failed' }, batch.length);
        if (!fine) failed(result.error);
        else if (failing) {
          failing = false;
          reported = Number.NEGATIVE_INFINITY;
          logger.info('the collector of traces takes spans again');
        }
        done(result);
      });
    },
    shutdown: () => exporter.shutdown(),
    forceFlush: async () => exporter.forceFlush?.(),
  };
}

/** A collector of traces on loopback: takes spans by OTLP over HTTP, as JSON. */
import { startOrigin } from './origin.ts';

export interface CollectedSpan {
  service: string;
  name: string;
  kind: number;
  traceId: string;
  spanId: string;
  parentSpanId: string;
  /** Unix ms */
  start: number;
  end: number;
  attributes: Record<string, string | number | boolean>;
  events: { name: string; attributes: Record<string, string | number | boolean> }[];
  failed: boolean;
}

export interface Collector {
  url: string;
  spans: CollectedSpan[];
  /** bodies as they came */
  bodies: string[];
  /** headers of the requests */
  headers: Record<string, unknown>[];
  /** status of the answers; replace at will */
  status: number;
  close(): Promise<void>;
}

interface OtlpAttribute {
  key: string;
  value: { stringValue?: string; intValue?: number; doubleValue?: number; boolValue?: boolean };
}

const attributesOf = (all: OtlpAttribute[]): CollectedSpan['attributes'] =>
  Object.fromEntries(
    all.map(({ key, value }) => [
      key,
      value.stringValue ?? value.intValue ?? value.doubleValue ?? value.boolValue ?? '',
    ]),
  );

const msOf = (nanoseconds: string): number => Number(BigInt(nanoseconds) / 1000n) / 1000;

// biome-ignore lint/suspicious/noExplicitAny: the wire of OTLP
function spansIn(body: any): CollectedSpan[] {
  // biome-ignore lint/suspicious/noExplicitAny: as above
  return body.resourceSpans.flatMap(({ resource, scopeSpans }: any) =>
    // biome-ignore lint/suspicious/noExplicitAny: as above
    scopeSpans.flatMap(({ spans }: any) =>
      // biome-ignore lint/suspicious/noExplicitAny: as above
      spans.map((span: any) => ({
        service: String(attributesOf(resource.attributes)['service.name']),
        name: span.name,
        kind: span.kind,
        traceId: span.traceId,
        spanId: span.spanId,
        parentSpanId: span.parentSpanId ?? '',
        start: msOf(span.startTimeUnixNano),
        end: msOf(span.endTimeUnixNano),
        attributes: attributesOf(span.attributes),
        // biome-ignore lint/suspicious/noExplicitAny: as above
        events: span.events.map((event: any) => ({ name: event.name, attributes: attributesOf(event.attributes) })),
        failed: span.status?.code === 2,
      })),
    ),
  );
}

export async function startCollector(): Promise<Collector> {
  const origin = await startOrigin((request, response) => {
    let body = '';
    request.setEncoding('utf8').on('data', (text: string) => {
      body += text;
    });
    request.on('end', () => {
      collector.headers.push(request.headers);
      if (collector.status === 200) {
        collector.bodies.push(body);
        collector.spans.push(...spansIn(JSON.parse(body)));
      }
      response.writeHead(collector.status, { 'content-type': 'application/json' }).end('{}');
    });
  });
  const collector: Collector = {
    url: `http://127.0.0.1:${origin.port}/v1/traces`,
    spans: [],
    bodies: [],
    headers: [],
    status: 200,
    close: origin.close,
  };
  return collector;
}

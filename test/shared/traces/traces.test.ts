/** Spans on their way to a collector. */
import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { createLogger } from '#weir/shared/log';
import { Registry } from '#weir/shared/telemetry';
import { preciseNow, type SpanStart, type Traces, unixMsOf } from '#weir/shared/traces/spans';
import { startTraces } from '#weir/shared/traces/traces';
import { type Collector, startCollector } from '../../support/network/collector.ts';
import { until } from '../../support/wait.ts';

const PARENT = '00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01';
const step = (more: Partial<SpanStart> = {}): SpanStart => ({
  name: 'evaluate',
  kind: 'internal',
  parent: PARENT,
  start: preciseNow(),
  attributes: { 'weir.partition': 3 },
  ...more,
});

interface Sending {
  traces: Traces;
  lines: Record<string, unknown>[];
  count(outcome: string): Promise<number>;
}

async function start(url: string): Promise<Sending> {
  const registry = new Registry();
  const lines: Record<string, unknown>[] = [];
  const logger = createLogger('test', 'info', { write: (line) => void lines.push(JSON.parse(line)) });
  const traces = await startTraces('weir-test', { tracesUrl: url }, { logger, registry });
  assert.ok(traces);
  const count = async (outcome: string): Promise<number> => {
    const text = await registry.metrics();
    return Number(new RegExp(`^weir_trace_spans_total\\{outcome="${outcome}"\\} (\\d+)$`, 'm').exec(text)![1]);
  };
  return { traces, lines, count };
}

describe('traces', () => {
  let collector: Collector;
  before(async () => {
    collector = await startCollector();
  });
  after(() => collector.close());

  it('are off without an address, and are counted as nothing', async () => {
    const registry = new Registry();
    const logger = createLogger('test', 'silent');
    assert.equal(await startTraces('weir-test', { tracesUrl: '' }, { logger, registry }), undefined);
    assert.match(await registry.metrics(), /weir_trace_spans_total\{outcome="recorded"\} 0/);
  });

  it('arrive as they were recorded, parts below their request', async () => {
    const { traces, count } = await start(collector.url);
    const begun = preciseNow();
    const request = traces.begin(step({ name: 'POST /api/event', kind: 'server', parent: '' }));
    assert.match(request.traceparent, /^00-[0-9a-f]{32}-[0-9a-f]{16}-01$/);
    traces.begin(step({ parent: request.traceparent, start: begun - 50 })).end('failed');
    request.event('gen_ai.security.finding', { 'gen_ai.security.policy.name': 'Cards' });
    request.attribute('weir.items', 2);
    request.end();
    traces.begin(step({ name: 'alien', parent: PARENT })).end();
    await traces.close();
    const of = (name: string) => collector.spans.find((span) => span.name === name)!;
    const [root, part, alien] = [of('POST /api/event'), of('evaluate'), of('alien')];
    assert.equal(root.service, 'weir-test');
    assert.equal(root.kind, 2);
    assert.equal(root.parentSpanId, '');
    assert.equal(`00-${root.traceId}-${root.spanId}-01`, request.traceparent);
    assert.deepEqual(root.events, [
      { name: 'gen_ai.security.finding', attributes: { 'gen_ai.security.policy.name': 'Cards' } },
    ]);
    assert.equal(root.attributes['weir.items'], 2);
    assert.equal(root.failed, false);
    assert.deepEqual([part.traceId, part.parentSpanId], [root.traceId, root.spanId]);
    assert.equal(part.failed, true);
    assert.equal(part.attributes['error.type'], 'failed');
    assert.ok(Math.abs(part.start - (begun - 50)) < 1, 'it began when it was said to');
    assert.ok(part.end >= part.start + 50, `${part.end} is before ${part.start + 50}`);
    assert.equal(`00-${alien.traceId}-${alien.parentSpanId}-01`, PARENT);
    assert.deepEqual([await count('recorded'), await count('exported'), await count('failed')], [3, 3, 0]);
  });

  it('say which process they are of, in the words of the operator where he says more', async () => {
    process.env.OTEL_RESOURCE_ATTRIBUTES = 'service.name=other,deployment.environment.name=stage';
    process.env.OTEL_EXPORTER_OTLP_HEADERS = 'x-token=abc';
    try {
      const { traces } = await start(collector.url);
      traces.begin(step({ name: 'named' })).end();
      await traces.close();
    } finally {
      delete process.env.OTEL_RESOURCE_ATTRIBUTES;
      delete process.env.OTEL_EXPORTER_OTLP_HEADERS;
    }
    assert.equal(collector.spans.find(({ name }) => name === 'named')!.service, 'other');
    assert.match(collector.bodies.at(-1)!, /"deployment.environment.name","value":\{"stringValue":"stage"\}/);
    assert.equal(collector.headers.at(-1)!['x-token'], 'abc');
  });

  it('that the collector does not take are counted and told of once, without its address', async () => {
    const { traces, lines, count } = await start(collector.url.replace('127.0.0.1', 'someone:secret@127.0.0.1'));
    collector.status = 400;
    for (let i = 0; i < 3; i++) {
      traces.begin(step()).end();
      await until('the collector has refused it', async () => (await count('failed')) === i + 1);
    }
    collector.status = 200;
    traces.begin(step()).end();
    await until('the collector has taken it', async () => (await count('exported')) === 1);
    await traces.close();
    assert.equal(await count('recorded'), 4);
    assert.equal(lines.length, 2, JSON.stringify(lines));
    assert.match(String(lines[0]!.msg), /takes no spans/);
    assert.match(String(lines[1]!.msg), /takes spans again/);
    assert.doesNotMatch(JSON.stringify(lines), /secret/);
  });

  it('of a collector that changes its mind with every request are told of once', async () => {
    const { traces, lines, count } = await start(collector.url);
    for (let i = 1; i <= 3; i++) {
      collector.status = 400;
      traces.begin(step()).end();
      await until('the collector has refused it', async () => (await count('failed')) === i);
      collector.status = 200;
      traces.begin(step()).end();
      await until('the collector has taken it', async () => (await count('exported')) === i);
    }
    await traces.close();
    assert.equal(lines.length, 2, JSON.stringify(lines));
  });

  it('that come faster than the collector takes them are dropped, counted and told of once', async () => {
    const { traces, lines, count } = await start(collector.url);
    // Within a turn: nothing is sent meanwhile.
    for (let i = 0; i < 3000; i++) traces.begin(step()).end();
    assert.equal(await count('failed'), 3000 - 2048);
    await traces.close();
    assert.deepEqual([await count('recorded'), await count('exported')], [3000, 2048]);
    assert.match(JSON.stringify(lines[0]), /too many wait/);
    assert.ok(lines.length <= 2, JSON.stringify(lines));
  });

  it('wait for no collector that is away: what is too much is dropped, and closing ends', async () => {
    const away = await startCollector();
    await away.close();
    const { traces, count } = await start(away.url);
    for (let i = 0; i < 5000; i++) traces.begin(step()).end();
    await traces.close();
    assert.equal(await count('recorded'), 5000);
    assert.equal(await count('exported'), 0);
  });
});

describe('the time of a span', () => {
  it('is that of the clock of the system, with fractions', () => {
    const steady = performance.now();
    const [before, now, after] = [Date.now() - 1, unixMsOf(steady), Date.now() + 2];
    assert.ok(before <= now && now <= after, `${now} is not between ${before} and ${after}`);
    assert.equal(unixMsOf(steady + 0.25) - unixMsOf(steady) > 0.2, true);
  });
});

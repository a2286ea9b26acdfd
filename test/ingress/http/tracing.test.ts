/** Which requests are traced, and what their spans say. */
import assert from 'node:assert/strict';
import { after, before, beforeEach, describe, it } from 'node:test';
import { ApiError } from '#weir/shared/api/errors';
import { createLogger } from '#weir/shared/log';
import { Registry } from '#weir/shared/telemetry';
import type { Traces } from '#weir/shared/traces/spans';
import { startTraces } from '#weir/shared/traces/traces';
import { type Collector, startCollector } from '../../support/network/collector.ts';
import { until } from '../../support/wait.ts';
import { type Ingress, POLICY, record, recordItem, startIngress } from '../support.ts';

const TRACE = '4bf92f3577b34da6a3ce929d0e0e4736';
const caller = (flags: string): string => `00-${TRACE}-00f067aa0ba902b7-${flags}`;
const EVENT = { environment_id: 'prod', event: { type: 'message', role: 'user', content: 'my secret text' } };

describe('the span of a request', () => {
  let collector: Collector;
  let traces: Traces;
  let never: Ingress;
  let always: Ingress;
  before(async () => {
    collector = await startCollector();
    const tools = { logger: createLogger('test', 'silent'), registry: new Registry() };
    traces = (await startTraces('weir-ingress', { tracesUrl: collector.url }, tools))!;
    never = await startIngress({ tracesShare: '0' }, { traces });
    always = await startIngress({ tracesShare: '1' }, { traces });
  });
  after(async () => {
    await never.server.close();
    await always.server.close();
    await traces.close();
    await collector.close();
  });
  beforeEach(() => {
    collector.spans.length = 0;
  });

  const check = (ingress: Ingress, headers: Record<string, string> = {}, more: Record<string, unknown> = {}) =>
    ingress.call({ path: '/api/event', body: EVENT, headers, ...more });
  const spans = async (count: number): Promise<Collector['spans']> => {
    await until(`${count} spans have come`, () => collector.spans.length >= count);
    return collector.spans;
  };

  it('is recorded where its caller records the trace, as a part of it, and the check as a part of the span', async () => {
    await check(never, { traceparent: caller('00') });
    await check(never);
    await check(never, { traceparent: caller('01'), 'x-request-id': 'r-1' });
    const [span, ...others] = await spans(1);
    assert.deepEqual(others, []);
    assert.deepEqual([span!.traceId, span!.parentSpanId], [TRACE, '00f067aa0ba902b7']);
    assert.equal(span!.name, 'POST /api/event');
    assert.equal(span!.attributes['http.request.method'], 'POST');
    assert.equal(span!.attributes['http.route'], '/api/event');
    assert.equal(span!.attributes['http.response.status_code'], 200);
    assert.equal(span!.attributes['weir.request_id'], 'r-1');
    assert.equal(span!.attributes['weir.team'], 'acme');
    assert.equal(never.checks.at(-1)!.traceparent, `00-${TRACE}-${span!.spanId}-01`);
    // Those of others are handed on as they came.
    assert.equal(never.checks.at(-3)!.traceparent, caller('00'));
    assert.equal(never.checks.at(-2)!.traceparent, '');
  });

  it('is recorded of none where traces are off, nor is anything behind this process', async () => {
    const off = await startIngress({ tracesShare: '1' });
    try {
      await check(off, { traceparent: caller('01') });
      await check(off, { traceparent: caller('03') });
      await check(off);
      const handedOn = off.checks.map(({ traceparent, traced }) => [traceparent, traced]);
      assert.deepEqual(handedOn, [
        [caller('01'), undefined],
        [caller('03'), undefined],
        ['', undefined],
      ]);
    } finally {
      await off.server.close();
    }
  });

  it('is recorded of a share of the others', async () => {
    await check(always);
    await check(always, { traceparent: caller('00') });
    const [first, second] = await spans(2);
    assert.equal(first!.parentSpanId, '');
    assert.notEqual(first!.traceId, TRACE);
    assert.equal(second!.traceId, TRACE);
    assert.ok(always.checks.at(-1)!.traced);
  });

  it('tells violated policies by their names, and nothing of the content', async () => {
    const results = {
      [POLICY]: { name: 'Hate', flagged: true },
      '00000000-0000-4000-8000-000000000001': { name: 'Answers', flagged: false },
    };
    const items = [recordItem(1), recordItem(2, { flagged: true })];
    const stored = record({ kind: 'events', items, fragments: [JSON.stringify(results)] });
    always.outcome = async () => ({ status: 'done', record: stored });
    await always.call({
      path: '/api/events',
      body: { environment_id: 'prod', events: [EVENT.event, EVENT.event] },
    });
    const [span] = await spans(1);
    assert.deepEqual(span!.events, [
      {
        name: 'gen_ai.security.finding',
        attributes: {
          'gen_ai.security.policy.id': POLICY,
          'gen_ai.security.policy.name': 'Hate',
          'weir.item_id': span!.events[0]!.attributes['weir.item_id']!,
        },
      },
    ]);
    assert.equal(span!.attributes['weir.check_id'], stored.id);
    assert.equal(span!.attributes['weir.items'], 2);
    assert.equal(span!.attributes['weir.flagged'], 1);
    assert.doesNotMatch(collector.bodies.join(), /secret text/);
  });

  it('is of an error where we are at fault, and says which', async () => {
    always.outcome = async () => {
      throw new ApiError('unavailable', 'The service cannot reach its queue at the moment. Try again.');
    };
    await check(always);
    await check(always, {}, { body: { environment_id: 'prod' } });
    const all = await spans(2);
    const of = (status: number) => all.find(({ attributes }) => attributes['http.response.status_code'] === status)!;
    assert.equal(of(503).failed, true);
    assert.equal(of(503).attributes['error.type'], 'unavailable');
    assert.equal(of(400).failed, false);
    assert.equal(of(400).attributes['weir.error'], 'validation_failed');
  });

  it('leads from the log to its trace, where something fails', async () => {
    const lines: Record<string, unknown>[] = [];
    const logger = createLogger('test', 'error', { write: (line) => void lines.push(JSON.parse(line)) });
    const broken = await startIngress({ tracesShare: '0' }, { traces, logger });
    try {
      broken.outcome = async () => {
        throw new Error('a defect');
      };
      for (const flags of ['01', '00']) await check(broken, { traceparent: caller(flags) });
      await check(broken);
      assert.deepEqual(
        lines.map(({ trace_id }) => trace_id),
        [TRACE, TRACE, undefined],
      );
      const [span] = await spans(1);
      assert.equal(span!.attributes['error.type'], 'internal_error');
    } finally {
      await broken.server.close();
    }
  });

  it('is that of look-ups, too, but of none without a key', async () => {
    await always.call({ method: 'GET', path: '/healthz' });
    await check(always, { authorization: 'Bearer unknown' });
    await always.call({ method: 'GET', path: '/api/event?environment_id=prod&run_id=r&event_id=e' });
    const [span, ...others] = await spans(1);
    assert.deepEqual(others, []);
    assert.equal(span!.name, 'GET /api/event');
    assert.equal(span!.attributes['http.response.status_code'], 404);
  });

  it('is bounded: a team that records everything leaves room for others', async () => {
    const team = await startIngress({ tracesShare: '0' }, { traces });
    const headers = { traceparent: caller('01') };
    const handedOn = (): number => team.checks.filter(({ traced }) => traced).length;
    try {
      // Within a second, or the next one begins: then twice the number may be recorded.
      const begun = Date.now();
      for (let i = 0; i < 300; i++) await check(team, headers);
      const seconds = Math.floor(Date.now() / 1000) - Math.floor(begun / 1000) + 1;
      assert.ok(handedOn() <= 50 * seconds, `${handedOn()} in ${seconds} s`);
      assert.ok(handedOn() >= 50 || handedOn() === 300);
      const refused = team.checks.filter(({ traced }) => !traced);
      for (const { traceparent } of refused) assert.equal(traceparent, caller('01'));
      await check(team, { ...headers, authorization: 'Bearer other' });
      assert.ok(team.checks.at(-1)!.traced, 'another team has room');
    } finally {
      await team.server.close();
    }
  });
});

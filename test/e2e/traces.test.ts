/** The trace of a check, from its request to its rows, as a collector and SQL see it. */
import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { after, before, describe, it } from 'node:test';
import { partsOf } from '#weir/shared/ids';
import { picture } from '../support/images/pictures.ts';
import { type CollectedSpan, type Collector, startCollector } from '../support/network/collector.ts';
import { until } from '../support/wait.ts';
import { CARD, POLICY } from './configuration.ts';
import { type System, startSystem } from './system.ts';

const hex = (bytes: number): string => randomBytes(bytes).toString('hex');

describe('the trace of a check', () => {
  let collector: Collector;
  let system: System;
  before(async () => {
    collector = await startCollector();
    system = await startSystem({ env: { WEIR_TRACES_URL: collector.url, WEIR_TRACES_SHARE: '0' } });
  });
  after(async () => {
    await system?.close();
    await collector?.close();
  });

  /** The spans of a trace, once its rows are archived: that is its last one. */
  async function traced(trace: string): Promise<CollectedSpan[]> {
    const spans = (): CollectedSpan[] => collector.spans.filter(({ traceId }) => traceId === trace);
    await until('the trace is whole', () => {
      const all = spans();
      return all.some(({ name }) => name === 'archive') && all.some(({ kind }) => kind === 2);
    });
    return spans();
  }

  it('has its steps as parts of its request, in their order, and a row in history', async () => {
    const [trace, caller] = [hex(16), hex(8)];
    const body = {
      environment_id: 'prod',
      event: { type: 'message', role: 'user', content: `my card ${CARD}`, run_id: 'traced', event_id: 'e1' },
    };
    const answer = await system.post('/api/event', body, { headers: { traceparent: `00-${trace}-${caller}-01` } });
    assert.equal(answer.status, 200);
    const spans = await traced(trace);
    const of = (name: string): CollectedSpan => spans.find((span) => span.name === name)!;
    const request = of('POST /api/event');
    assert.equal(request.parentSpanId, caller);
    assert.equal(request.service, 'weir-ingress');
    assert.ok(request.events.some(({ attributes }) => attributes['gen_ai.security.policy.id'] === POLICY.card));
    const steps = ['queue', 'evaluate', 'commit', 'archive'].map(of);
    for (const step of steps) {
      assert.equal(step.parentSpanId, request.spanId, step.name);
      assert.equal(step.service, 'weir-worker');
      assert.equal(step.failed, false);
      assert.ok(step.start <= step.end, `${step.name}: ${step.start} to ${step.end}`);
      assert.equal(step.attributes['weir.check_id'], request.attributes['weir.check_id']);
    }
    const ends = steps.map(({ end }) => end);
    assert.deepEqual(
      ends,
      ends.toSorted((a, b) => a - b),
    );
    assert.equal(of('queue').kind, 5);
    assert.doesNotMatch(collector.bodies.join(), /4111/);
    const id = String(request.attributes['weir.check_id']);
    assert.ok(partsOf(id));
    const rows = () =>
      system.sql(`SELECT team, scope, kind, toString(request_id) AS id, toString(ts) AS ts, trace_id
      FROM weir.traces FINAL WHERE trace_id = '${trace}'`);
    await until('the row is there', async () => (await rows()).length === 1);
    const ts = new Date(partsOf(id)!.time).toISOString().replace('T', ' ').slice(0, -1);
    assert.deepEqual(await rows(), [{ team: 'acme', scope: 'prod', kind: 'event', id, ts, trace_id: trace }]);
  });

  it('of what has images and context shows that they were waited for', async () => {
    const trace = hex(16);
    const data = (await picture('photo', 1, 64, 64)).toString('base64');
    const content = [
      { type: 'text', text: 'look' },
      { type: 'artifact', content: { kind: 'image', data } },
    ];
    const body = { deployment_id: 'chat', external_session_id: 'seen', messages: [{ role: 'user', content }] };
    const headers = { traceparent: `00-${trace}-${hex(8)}-01` };
    const answer = await system.post('/api/session/check', body, { headers });
    assert.equal(answer.status, 200, answer.text);
    const spans = await traced(trace);
    const names = spans.map(({ name }) => name);
    for (const name of ['queue', 'images', 'evaluate', 'commit']) assert.ok(names.includes(name), `${name}: ${names}`);
  });

  it('is that of its large batch, too, whose records are staged', async () => {
    const trace = hex(16);
    const events = Array.from({ length: 50 }, (_, i) => ({
      type: 'message',
      role: 'user',
      content: `${'a word or two '.repeat(40)}${i}`,
    }));
    const headers = { traceparent: `00-${trace}-${hex(8)}-01` };
    const answer = await system.post('/api/events', { environment_id: 'prod', events }, { headers });
    assert.equal(answer.status, 200);
    const spans = await traced(trace);
    assert.equal(spans.find(({ kind }) => kind === 2)!.attributes['weir.items'], 50);
  });

  it('of a stream has the findings of the piece that has some', async () => {
    const trace = hex(16);
    const headers = { traceparent: `00-${trace}-${hex(8)}-01` };
    const piece = { stream_id: 'traced', deployment_id: 'chat' };
    const clean = await system.post('/api/stream/check', { ...piece, sequence: 0, delta: 'My card is ' }, { headers });
    const found = await system.post(
      '/api/stream/check',
      { ...piece, sequence: 1, delta: `${CARD}. ${'Thank you. '.repeat(40)}` },
      { headers },
    );
    assert.deepEqual([clean.json.flagged, found.json.flagged], [false, true]);
    const requests = (): CollectedSpan[] =>
      collector.spans.filter(({ traceId, kind }) => traceId === trace && kind === 2);
    await until('both have ended', () => requests().length === 2);
    const flagged = requests().find(({ events }) => events.length > 0)!;
    await traced(trace);
    assert.equal(flagged.attributes['weir.flagged'], 1);
    // Behind it is the number of the item.
    assert.equal(String(flagged.attributes['weir.check_id']).slice(0, -4), found.json.internal_session_id.slice(0, -4));
    assert.equal(flagged.events[0]!.attributes['gen_ai.security.policy.id'], POLICY.card);
  });

  it('is recorded of nothing that its caller does not record, at a share of 0', async () => {
    const [silent, heard] = [hex(16), hex(16)];
    const body = { environment_id: 'prod', event: { type: 'message', role: 'user', content: 'hello' } };
    await system.post('/api/event', body, { headers: { traceparent: `00-${silent}-${hex(8)}-00` } });
    await system.post('/api/event', body);
    await system.post('/api/event', body, { headers: { traceparent: `00-${heard}-${hex(8)}-01` } });
    await traced(heard);
    assert.ok(collector.spans.every(({ traceId }) => traceId !== silent));
    const [row] = await system.sql(`SELECT toUInt32(count()) AS n FROM weir.traces WHERE trace_id = '${silent}'`);
    assert.deepEqual(row, { n: 0 });
  });
});

import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { EventInput, EventsResponse } from '#weir/shared/client/index';
import { pluck } from '../../support/pluck.ts';
import { errorBody, type Reaction, type Received, refusal, sharedService } from './support.ts';

const TYPES = ['message', 'artifact', 'tool', 'function', 'agent', 'reasoning'];
const tool = (id: string, more: Partial<EventInput> = {}): EventInput => ({
  type: 'tool',
  event_id: id,
  output: 'x',
  ...more,
});
const tools = (count: number): EventInput[] => Array.from({ length: count }, (_, i) => tool(`t${i}`));

/** Answers a batch as the service does: a bucket holds the last event of an id, and `order` the others. */
const answering =
  (flagged: readonly string[] = []): Reaction =>
  ({ json }: Received) => {
    const results = Object.fromEntries(TYPES.map((type) => [type, new Map<string, unknown>()]));
    const order: Record<string, unknown>[] = [];
    for (const [index, event] of json.events.entries()) {
      const is = flagged.includes(event.event_id);
      const entry = { index, type: event.type, event_id: event.event_id, run_id: event.run_id ?? json.run_id };
      const earlier = order.findLast(({ type, event_id }) => type === event.type && event_id === event.event_id);
      if (earlier) earlier.result = results[event.type]!.get(event.event_id);
      results[event.type]!.set(event.event_id, { flagged: is, note: event.output });
      order.push({ ...entry, flagged: is });
    }
    const buckets = Object.entries(results).map(([type, bucket]) => [type, Object.fromEntries(bucket)]);
    return { body: { flagged: order.some((e) => e.flagged), failed: 0, results: Object.fromEntries(buckets), order } };
  };

describe('many events', () => {
  const service = sharedService();
  const sizes = (): number[] => service.received.map(({ json }) => json.events.length);

  it('are sent in order, 50 at a time, each batch after the answer to the one before', async () => {
    let underWay = 0;
    const one: Reaction = (received, res) => {
      assert.equal(++underWay, 1);
      const { body } = answering(['t77'])(received, res)!;
      setTimeout(() => {
        underWay--;
        res.writeHead(200, { 'content-type': 'application/json' });
        res.end(JSON.stringify(body));
      }, 20);
      return undefined;
    };
    service.script.push(one, one, one);
    const events = tools(120);
    const result = await service.client.checkEvents({ environment_id: 'prod', run_id: 'r', events });
    assert.ok(result.ok);
    assert.deepEqual(sizes(), [50, 50, 20]);
    const sent = service.received.flatMap(({ json }) => json.events);
    assert.deepEqual(sent, events);
    for (const { json } of service.received) assert.deepEqual([json.environment_id, json.run_id], ['prod', 'r']);
    const { order, results, flagged, run_id } = result.value;
    assert.deepEqual([flagged, run_id], [true, 'r']);
    const named = pluck(order, 'index', 'event_id');
    assert.deepEqual(
      named,
      events.map((event, index) => [index, event.event_id]),
    );
    assert.deepEqual(Object.keys(results), TYPES);
    assert.equal(Object.keys(results.tool).length, 120);
    assert.equal(results.tool.t77!.flagged, true);
  });

  it('that fit into one batch are sent as they are', async () => {
    for (const count of [0, 1, 50]) {
      service.script.push(answering());
      assert.ok((await service.client.checkEvents({ environment_id: 'prod', events: tools(count) })).ok);
      assert.deepEqual(service.received.at(-1)!.json, { environment_id: 'prod', events: tools(count) });
    }
    assert.equal(service.received.length, 3);
  });

  it('without a run share a generated one, since the service would generate one for each batch', async () => {
    service.script.push(answering(), answering());
    const result = await service.client.checkEvents({ environment_id: 'prod', events: tools(60) });
    assert.ok(result.ok);
    const runs = service.received.map(({ json }) => json.run_id);
    assert.match(runs[0], /^run_[0-9a-f]{32}$/);
    assert.deepEqual(runs, [runs[0], runs[0]]);
    assert.equal(result.value.run_id, runs[0]);
    service.script.push(answering(), answering());
    const own = tools(60).map((event, i) => ({ ...event, run_id: i < 10 ? 'a' : 'b' }));
    const mixed = await service.client.checkEvents({ environment_id: 'prod', events: own });
    assert.ok(mixed.ok && !('run_id' in mixed.value));
    assert.equal(service.received.at(-1)!.json.run_id, undefined);
  });

  it('with the same id keep all results, and no id is special', async () => {
    service.script.push(answering(['__proto__']), answering());
    const events = tools(60);
    events[3] = tool('twice', { output: 'first' });
    events[4] = tool('twice', { output: 'second' });
    events[5] = tool('__proto__', { output: 'own' });
    events[6] = tool('constructor');
    events[55] = tool('twice', { output: 'third' });
    const result = await service.client.checkEvents({ environment_id: 'prod', run_id: 'r', events });
    assert.ok(result.ok);
    const { order, results } = result.value;
    assert.equal(results.tool.twice!.note, 'third');
    const notes = [3, 4, 55].map((i) => order[i]!.result?.note);
    assert.deepEqual(notes, ['first', 'second', undefined]);
    assert.ok(Object.hasOwn(results.tool, '__proto__'));
    assert.deepEqual(Object.getOwnPropertyDescriptor(results.tool, '__proto__')?.value, { flagged: true, note: 'own' });
    assert.ok(Object.hasOwn(results.tool, 'constructor'));
    assert.equal(Object.getPrototypeOf(results.tool), Object.prototype);
  });

  it('are split when a batch would have too many parents and links', async () => {
    service.script.push(answering(), answering(), answering());
    const links = Array.from({ length: 49 }, (_, i) => ({ event_id: `l${i}` }));
    const events = tools(25).map((event) => ({ ...event, parent: { event_id: 'p' }, links }));
    assert.ok((await service.client.checkEvents({ environment_id: 'prod', run_id: 'r', events })).ok);
    assert.deepEqual(sizes(), [10, 10, 5]);
  });

  it('have a key for each batch, which repeated attempts keep', async () => {
    service.script.push(answering(), refusal(503, 'overloaded'), answering());
    const request = { environment_id: 'prod', run_id: 'r', events: tools(60) };
    assert.ok((await service.client.checkEvents(request, { idempotencyKey: 'mine' })).ok);
    const keys = service.received.map(({ headers }) => headers['idempotency-key']);
    assert.deepEqual(keys, ['mine-1', 'mine-2', 'mine-2']);
    service.received.length = 0;
    service.script.push(answering(), answering());
    assert.ok((await service.make({ idempotencyKeys: true }).checkEvents(request)).ok);
    assert.equal(new Set(service.received.map(({ headers }) => headers['idempotency-key'])).size, 2);
    const tooLong = await service.client.checkEvents(request, { idempotencyKey: 'x'.repeat(241) });
    assert.ok(!tooLong.ok && tooLong.error.type === 'usage_error');
    const noList = await service.client.checkEvents({ events: 'x' as unknown as EventInput[] });
    assert.ok(!noList.ok && noList.error.type === 'usage_error');
  });

  it('are a protocol error, one batch or several, where the answer is not that of a batch', async () => {
    const buckets = (of: unknown) => Object.fromEntries(TYPES.map((type) => [type, of]));
    const { tool: _tool, ...fewer } = buckets({});
    const answers: unknown[] = [
      {},
      { flagged: false },
      { results: buckets({}), order: [] },
      { flagged: false, results: null, order: [] },
      { flagged: false, results: [], order: [] },
      { flagged: false, results: fewer, order: [] },
      { flagged: false, results: buckets([]), order: [] },
      { flagged: false, results: buckets({}), order: {} },
      { flagged: false, results: buckets({}), order: [null] },
      { flagged: false, results: buckets({}), order: [{ type: 'tool' }] },
      { flagged: false, results: buckets({}), order: [{ type: '__proto__', event_id: 'x' }] },
    ];
    for (const answer of answers) {
      for (const count of [1, 60]) {
        service.script.push(() => ({ body: answer }));
        const request = { environment_id: 'prod', run_id: 'r', events: tools(count) };
        const result = await service.client.checkEvents(request);
        assert.ok(!result.ok && result.error.type === 'protocol_error', JSON.stringify(answer));
        assert.deepEqual([result.error.status, 'checked' in result], [200, false]);
      }
    }
    service.script.push(answering(), () => ({ body: {} }));
    const second = await service.client.checkEvents({ environment_id: 'prod', run_id: 'r', events: tools(60) });
    assert.ok(!second.ok && second.error.type === 'protocol_error');
    assert.equal(second.checked!.order.length, 50);
  });

  it('stop at the first batch that fails, and say what was checked and where the fault is', async () => {
    const issues = [{ path: 'events[3].content', code: 'type', message: 'expected string' }];
    const body = errorBody('invalid_request_error', 'validation_failed', {
      message: 'events[3].content: expected string.',
      param: 'events[3].content',
      issues,
    });
    service.script.push(answering(['t7']), () => ({ status: 400, body }));
    const result = await service.client.checkEvents({ environment_id: 'prod', run_id: 'r', events: tools(130) });
    assert.ok(!result.ok && 'requestId' in result.error);
    assert.equal(service.received.length, 2);
    assert.equal(result.error.param, 'events[53].content');
    assert.equal(result.error.message, 'events[53].content: expected string.');
    assert.deepEqual(result.error.issues, [{ ...issues[0], path: 'events[53].content' }]);
    const checked: EventsResponse = result.checked!;
    assert.deepEqual([checked.flagged, checked.order.length], [true, 50]);

    const items = [{ index: 2, event_id: 't52', internal_event_id: 'i' }];
    const late = { status: 504, body: errorBody('api_error', 'evaluation_timeout', { items }) };
    service.script.push(answering(), () => late);
    const client = service.make({ retries: 0 });
    const timeout = await client.checkEvents({ environment_id: 'prod', run_id: 'r', events: tools(60) });
    assert.ok(!timeout.ok && 'requestId' in timeout.error);
    assert.equal(timeout.error.items![0]!.index, 52);

    service.script.push(() => ({ status: 400, body }));
    const first = await client.checkEvents({ environment_id: 'prod', run_id: 'r', events: tools(60) });
    assert.ok(!first.ok && 'requestId' in first.error);
    assert.deepEqual([first.error.param, 'checked' in first], ['events[3].content', false]);
  });
});

describe('the pages of a run graph', () => {
  const service = sharedService();
  const page =
    (id: string, next: string | null): Reaction =>
    () => ({
      body: { run_id: 'r', environment_id: 'prod', nodes: [{ internal_event_id: id }], edges: [], next_cursor: next },
    });
  const query = { environment_id: 'prod', run_id: 'r', limit: 1 };

  it('come one after the other until there is no next one', async () => {
    service.script.push(page('a', '1'), page('b', '2'), page('c', null));
    const nodes: string[] = [];
    for await (const result of service.client.runGraphPages(query)) {
      assert.ok(result.ok);
      nodes.push(...result.value.nodes.map((node) => node.internal_event_id));
    }
    assert.deepEqual(nodes, ['a', 'b', 'c']);
    const cursors = service.received.map(({ path }) => new URL(path, service.url).searchParams.get('cursor'));
    assert.deepEqual(cursors, [null, '1', '2']);
  });

  it('end with a failure, and with a cursor that leads to itself', async () => {
    service.script.push(page('a', '1'), () => ({ status: 404, body: errorBody('not_found_error', 'not_found') }));
    const failing = [];
    for await (const result of service.client.runGraphPages(query)) failing.push(result.ok);
    assert.deepEqual(failing, [true, false]);
    service.script.push(page('a', '1'), page('b', '1'));
    const looping = [];
    for await (const result of service.client.runGraphPages(query)) looping.push(result);
    assert.equal(looping.length, 3);
    assert.ok(!looping[2]!.ok && looping[2]!.error.type === 'protocol_error');
  });
});

import assert from 'node:assert/strict';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import { readConfigurations } from '#weir/bench/installation/configuration';
import { FRAMEWORKS } from '#weir/bench/workloads/agents/frameworks';
import { type LoadBody, makeBodies, rowsOf } from '#weir/bench/workloads/bodies';
import { seeded } from '#weir/bench/workloads/random';
import { checkWorkload, readWorkload } from '#weir/bench/workloads/workload';
import { parseBody } from '#weir/ingress/parse/parse-body';
import { CHECKABLE_FIELDS, type EventInput, type EventReference } from '#weir/shared/api/types';
import { loadConfiguration } from '#weir/shared/configuration/configuration';
import { newRequestId } from '#weir/shared/ids';
import { packageRoot } from '#weir/shared/paths';
import { compilePlan } from '#weir/shared/policy/compile';
import { evaluateEntry } from '#weir/workers/evaluator/outcome';

type Sent = EventInput & Record<string, unknown>;

const SCOPE = { environment: 'prod', deployment: 'chat' };
const WORKLOAD = readWorkload('events-agents');
const SENSITIVE = /\d{4}[ -]?\d{4}[ -]?\d{4}[ -]?\d{4}|@|AKIA|ghp_|ignore all previous|reveal your system/;

const bodies = makeBodies(WORKLOAD, SCOPE, 't');
const eventsIn = ({ bytes }: LoadBody): Sent[] => (JSON.parse(bytes.toString()) as { events: Sent[] }).events;
const contentOf = (event: Sent): unknown => event[CHECKABLE_FIELDS[event.type].find((field) => field in event) ?? ''];

/** What is said, without the names and brackets around it. */
function textOf(content: unknown): string {
  if (typeof content === 'string') return content;
  return Array.isArray(content) ? content.map(({ text }: { text: string }) => text).join(' ') : JSON.stringify(content);
}

const lengths = (all: readonly LoadBody[]): number => {
  const texts = all
    .flatMap(eventsIn)
    .map(contentOf)
    .filter((content) => content !== undefined);
  return texts.reduce((sum: number, content) => sum + textOf(content).length, 0) / texts.length;
};

describe('batches of agents', () => {
  it('are taken by ingress, which has nothing to look up for them', () => {
    for (const { bytes } of bodies) {
      const read = parseBody('events', bytes);
      assert.ok(read.ok, JSON.stringify(read));
      assert.equal(read.value.eventIds.length, 50);
      assert.deepEqual([read.value.references, read.value.causes], [[], undefined]);
    }
  });

  it('have runs whose events name a parent, and links, that were sent before', () => {
    for (const body of bodies.slice(0, 16)) {
      const events = eventsIn(body);
      const known = new Set<string>();
      for (const [index, event] of events.entries()) {
        const parent = event.parent as EventReference | undefined;
        const named = [parent, ...(event.links ?? [])].filter((one) => one !== undefined);
        for (const one of named as (EventReference | string)[]) {
          const { event_id: id, run_id: run } = typeof one === 'string' ? { event_id: one, run_id: null } : one;
          assert.ok(known.has(`${run ?? event.run_id} ${id}`), JSON.stringify(event));
        }
        // The first event of the batch has no event above it. References have nothing but what they refer to.
        assert.equal(parent === undefined, index === 0 || contentOf(event) === undefined, JSON.stringify(event));
        known.add(`${event.run_id} ${event.event_id}`);
      }
      assert.equal(new Set(events.map((event) => event.run_id)).size, 2);
      assert.ok(events.some((event) => event.links !== undefined));
    }
  });

  it('have references to earlier events of their run, which are answered and become no rows', () => {
    for (const body of bodies) {
      const events = eventsIn(body);
      const references = events.filter((event) => contentOf(event) === undefined);
      assert.equal(references.length, 3);
      assert.deepEqual([body.items, rowsOf(body)], [50, 47]);
      for (const reference of references) {
        assert.deepEqual(Object.keys(reference), ['type', 'event_id', 'run_id']);
        const named = events.find(({ event_id }) => event_id === reference.event_id)!;
        assert.deepEqual([named.type, named.run_id], [reference.type, reference.run_id]);
        assert.ok(events.indexOf(named) < events.indexOf(reference) && contentOf(named) !== undefined);
      }
    }
  });

  it('have parts, JSON in strings, objects, and fields that Weir does not know', () => {
    const all = bodies.flatMap(eventsIn).filter((event) => contentOf(event) !== undefined);
    for (const event of all) {
      if (event.type === 'message') assert.ok(Array.isArray(event.content), JSON.stringify(event));
      if (event.arguments !== undefined) assert.equal(typeof JSON.parse(event.arguments as string), 'object');
      if (event.output !== undefined && event.type !== 'agent') assert.equal(typeof event.output, 'object');
      for (const name of ['trace_id', 'span_id', 'timestamp', 'framework']) assert.equal(typeof event[name], 'string');
    }
    const shapes = new Set(all.flatMap((event) => Object.keys(event).map((name) => `${event.type}.${name}`)));
    for (const shape of [
      'tool.arguments',
      'function.output',
      'agent.state',
      'agent.instructions',
      'agent.input',
      'message.metadata',
    ])
      assert.ok(shapes.has(shape), shape);
    assert.deepEqual(
      [...new Set(all.map((event) => event.framework))].sort(),
      FRAMEWORKS.map(({ name }) => name).sort(),
    );
  });

  it('are in two languages, of texts about as long as those of events-50, hardly any of them twice', () => {
    const texts = bodies
      .flatMap(eventsIn)
      .map(contentOf)
      .filter((content) => content !== undefined)
      .map(textOf);
    const german = texts.filter((text) => /[äöüß„]|\\u00[ef]/.test(text)).length / texts.length;
    assert.ok(german > 0.1 && german < 0.4, `${german}`);
    const plain = lengths(makeBodies(readWorkload('events-50'), SCOPE, 't'));
    const ratio = lengths(bodies) / plain;
    assert.ok(ratio > 0.95 && ratio < 1.05, `${ratio}`);
    assert.ok(new Set(texts).size > texts.length * 0.98, `${new Set(texts).size} of ${texts.length}`);
  });

  it('hold the stated share of sensitive things, and the policies flag exactly these', () => {
    const { policies, scope } = readConfigurations(join(packageRoot, 'bench', 'policies.yaml'));
    const loaded = loadConfiguration(policies);
    assert.ok(loaded.ok);
    const plan = compilePlan(loaded.configuration, 1);
    const rest = { gathered: { references: {}, context: {} }, indexes: new Map(), late: false, completed: 3 };
    for (const { bytes, flagged, ...body } of bodies) {
      const events = eventsIn({ bytes, flagged, ...body });
      const holding = events.filter((event) => SENSITIVE.test(textOf(contentOf(event) ?? '')));
      assert.equal(holding.length, 5);
      const again = events.filter((event) => contentOf(event) === undefined);
      const named = again.filter(({ event_id }) => holding.some((event) => event.event_id === event_id));
      assert.equal(flagged, holding.length + named.length);
      const times = { received: 1, deadline: 2, reply: '', key: 'k', config: 1 };
      const header = { id: newRequestId(0), kind: 'events', team: 'acme', scope: scope.environment, ...times } as const;
      const outcome = evaluateEntry(plan, { id: '1-1', header, body: bytes, ...rest });
      assert.deepEqual([outcome.items, outcome.flagged], [47, 5]);
    }
  });

  it('are the same from the same seed', () => {
    const joined = (seed: number): string =>
      makeBodies({ ...WORKLOAD, bodies: 2, seed }, SCOPE, 't')
        .map(({ bytes }) => bytes)
        .join();
    assert.equal(joined(1), joined(1));
    assert.notEqual(joined(1), joined(2));
  });

  it('need a workload that has room for them', () => {
    const agents = WORKLOAD.agents!;
    const wrong: [object, RegExp][] = [
      [{ route: '/api/event', items: 1 }, /agents is for the route/],
      [{ sessions: 2 }, /sessions must be 0 beside agents/],
      [{ agents: { ...agents, languages: {} } }, /languages must name a language/],
      [{ items: 8, agents: { ...agents, references: 6 } }, /items must be enough/],
      [{ agents: { ...agents, languages: { fr: 1 } } }, /fr/],
    ];
    for (const [over, message] of wrong)
      assert.throws(() => checkWorkload({ ...WORKLOAD, ...over }, 'w.yaml'), message);
  });
});

describe('libraries for agents', () => {
  it('write JSON that says the same, some with spaces and escapes', () => {
    const value = { city: 'Köln', tags: ['a', null], more: { n: 0.5, quoted: '"„' } };
    const written = FRAMEWORKS.map(({ json }) => json(value));
    for (const json of written) assert.deepEqual(JSON.parse(json), value);
    assert.ok(
      written.includes('{"city": "K\\u00f6ln", "tags": ["a", null], "more": {"n": 0.5, "quoted": "\\"\\u201e"}}'),
    );
    assert.ok(written.includes(JSON.stringify(value)));
  });

  it('have ids of traces and of steps that differ', () => {
    const random = seeded(5);
    for (const { traceId, spanId } of FRAMEWORKS) {
      assert.notEqual(traceId(random), traceId(random));
      assert.match(spanId(random), /^[a-z0-9_-]{16,36}$/);
    }
  });
});

/** Evidence, as `explain=true` gives it, leads to what was found in what the caller has sent. */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { viewedItem } from '#weir/shared/api/results/explanation';
import { decodeRecord } from '#weir/shared/api/results/record';
import { storedItem } from '#weir/shared/api/results/render';
import type { PolicyEvidence, PolicyResult } from '#weir/shared/api/types';
import { compilePlan } from '#weir/shared/policy/compile';
import type { WorkHeader } from '#weir/shared/streams/work';
import { evaluateEntry } from '#weir/workers/evaluator/outcome';
import { id, sketch } from '../../../shared/policy/support.ts';
import { entryOf } from '../support.ts';

const plan = compilePlan(
  sketch({
    policies: [
      { severity: 'high', detect: { terms: { list: ['zebra'] } } },
      { severity: 'low', detect: { pii: { entities: ['CREDIT_CARD'] } } },
      { detect: { not: { terms: { list: ['please'] } } } },
    ],
  }),
  1,
);

function evaluated(kind: WorkHeader['kind'], body: unknown, more: Partial<WorkHeader> = {}) {
  const { record, rows } = evaluateEntry(plan, entryOf(kind, body, more));
  const read = decodeRecord(record);
  const items = read.items.map((item) => viewedItem(storedItem(read, item), { explain: true, flaggedOnly: false }));
  const policies = items.map((item): Record<string, PolicyResult> => JSON.parse(item.policies));
  return { policies, rows: rows.toString('latin1') };
}

const evidenceIn = (kind: WorkHeader['kind'], body: unknown, policy = 0): PolicyEvidence[] =>
  evaluated(kind, body).policies[0]![id(policy)]!.evidence!;

const event = (fields: object): object => ({ run_id: 'r', event: { event_id: 'e', ...fields } });
const session = (message: object): object => ({ messages: [{ role: 'user', content: 'zebra' }, message] });

/** The string that a path leads to, from offset to offset. */
function cut(value: unknown, { path = '', start, end }: PolicyEvidence): string {
  const steps = path.split('/').slice(1);
  return String(steps.reduce((at, step) => (at as Record<string, unknown>)[step], value)).slice(start, end);
}

describe('evidence', () => {
  it('of a text has offsets in it, in UTF-16 units', () => {
    const content = '😀 a zebra, please';
    const [one, ...more] = evidenceIn('event', event({ type: 'message', role: 'user', content }));
    assert.deepEqual(more, []);
    assert.deepEqual(one, { detector: 'terms', view: 'folded', source: 'text', start: 5, end: 10 });
    assert.equal(content.slice(one!.start, one!.end), 'zebra');
  });

  it('of a number is in it as it is written [event.scalar-content]', () => {
    const [one] = evidenceIn('event', '{"run_id":"r","event":{"type":"tool","output": 4111111111111111 }}', 1);
    assert.deepEqual([one!.start, one!.end, one!.path ?? ''], [0, 16, '']);
  });

  it('of JSON in an event leads from the field to the string, also where that string is JSON', () => {
    const output = { list: [{ note: 'a "zebra"' }], raw: '{"x":"my zebra"}' };
    const found = evidenceIn('event', event({ type: 'tool', output }));
    assert.deepEqual(
      found.map((one) => [one.path, cut(output, one)]),
      [
        ['/list/0/note', 'zebra'],
        ['/raw', 'zebra'],
      ],
    );
  });

  it('of a string that is JSON has offsets in that string', () => {
    const said = '{"x":"a zebra"}';
    const [one] = evidenceIn('event', event({ type: 'tool', arguments: said }));
    assert.deepEqual([one!.path, cut(said, one!)], [undefined, 'zebra']);
  });

  it('of the last message of a chat leads from the message to its parts and calls', () => {
    const message = {
      role: 'assistant',
      content: [
        { type: 'text', text: 'nothing' },
        { type: 'text', text: 'the zebra' },
        { type: 'refusal', refusal: 'no zebra' },
        { type: 'tool_use', id: 'zebra', name: 'find', input: { animal: ['zebra'] } },
      ],
      tool_calls: [{ id: 'c', type: 'function', function: { name: 'f', arguments: '{"q":"zebra"}' } }],
    };
    const found = evidenceIn('session', session(message));
    assert.deepEqual(
      found.map((one) => [one.path, cut(message, one)]),
      [
        ['/content/1/text', 'zebra'],
        ['/content/2/refusal', 'zebra'],
        ['/content/3/input/animal/0', 'zebra'],
        ['/tool_calls/0/function/arguments', 'zebra'],
      ],
    );
    const plain = evidenceIn('session', session({ role: 'user', content: 'a zebra' }));
    assert.deepEqual(plain, [{ detector: 'terms', view: 'folded', source: 'text', start: 2, end: 7 }]);
  });

  it('has no content: neither names in which something was found, nor odd ones', () => {
    const output = { 'the zebra': { a: 'zebra' }, '4111 1111 1111 1111': 'zebra' };
    const { policies, rows } = evaluated('event', event({ type: 'tool', output }));
    const told = JSON.stringify(policies);
    for (const word of ['zebra', '4111']) assert.equal(told.includes(word), false, told);
    assert.deepEqual(
      policies[0]![id(0)]!.evidence!.map(({ path, index }) => [path, index]),
      [
        ['', 0],
        ['', undefined],
        ['', undefined],
      ],
    );
    assert.ok(rows.includes('"path":""'));
  });

  it('is stored without the names of fields where no content is kept, though the caller gets them', () => {
    const body = event({ type: 'tool', output: { colour: 'zebra' } });
    const { policies, rows } = evaluated('event', body, { unkept: true });
    assert.equal(policies[0]![id(0)]!.evidence![0]!.path, '/colour');
    assert.equal(rows.includes('colour'), false);
    assert.ok(evaluated('event', body).rows.includes('"path":"/colour"'));
  });

  it('has the score of the detector, if that is below 1', () => {
    const [card] = evidenceIn('event', event({ type: 'reasoning', content: 'please pay 4111 1111 1111 1111' }), 1);
    assert.equal(card!.detector, 'pii:CREDIT_CARD');
    assert.ok(card!.score === undefined || (card!.score > 0.3 && card!.score < 1), String(card!.score));
  });

  it('is an empty list where a policy is flagged since nothing was found', () => {
    assert.deepEqual(evidenceIn('event', event({ type: 'reasoning', content: 'good day' }), 2), []);
  });
});

describe('severities', () => {
  it('are those of the configuration that judged, of flagged and of clean policies', () => {
    const { policies } = evaluated('event', event({ type: 'reasoning', content: 'a zebra, please' }));
    const told = [0, 1, 2].map((n) => [policies[0]![id(n)]!.flagged, policies[0]![id(n)]!.severity]);
    assert.deepEqual(told, [
      [true, 'high'],
      [false, 'low'],
      [false, 'medium'],
    ]);
  });

  it('and evidence are those of the event that a reference names', () => {
    const events = [
      { type: 'reasoning', event_id: 'a', content: 'a zebra' },
      { type: 'reasoning', event_id: 'a' },
      { type: 'reasoning', event_id: 'gone' },
    ];
    const { policies } = evaluated('events', { run_id: 'r', events });
    assert.deepEqual(policies[1], policies[0]);
    assert.equal(policies[1]![id(0)]!.evidence!.length, 1);
    assert.deepEqual(policies[2], {});
  });
});

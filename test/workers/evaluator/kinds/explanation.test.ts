/** Evidence, as `explain=true` gives it, leads to what was found in what the caller has sent. */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { contentTexts, textOf } from '#weir/ingress/parse/content-texts';
import { viewedItem } from '#weir/shared/api/results/explanation';
import { decodeRecord } from '#weir/shared/api/results/record';
import { storedItem } from '#weir/shared/api/results/render';
import type { OffsetUnit, PolicyEvidence, PolicyResult } from '#weir/shared/api/types';
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

/** What a client in another language does with the offsets that it asked for. */
const CUTS: Record<OffsetUnit, (text: string, start: number, end: number) => string> = {
  utf16: (text, start, end) => text.slice(start, end),
  codepoints: (text, start, end) => Array.from(text).slice(start, end).join(''),
  bytes: (text, start, end) => Buffer.from(text).subarray(start, end).toString(),
};

/** Evidence of the first policy with what was found, of a check that still has its body, and what a caller cuts out by path and offsets. */
function matchedIn(kind: WorkHeader['kind'], body: unknown, sent: unknown, unit: OffsetUnit): [string?, string?][] {
  const entry = entryOf(kind, body);
  const read = decodeRecord(evaluateEntry(plan, entry).record);
  const texts = contentTexts(kind, Buffer.from(entry.body), [1]);
  const view = { explain: true, flaggedOnly: true, offsets: unit, matched: true };
  const item = viewedItem(storedItem(read, read.items[0]!), view, texts.get(1));
  const { evidence = [] } = (JSON.parse(item.policies) as Record<string, PolicyResult>)[id(0)]!;
  return evidence.map(({ path = '', start, end, matched }) => {
    const steps = path.split('/').slice(1);
    const at = steps.reduce((value, step) => (value as Record<string, unknown>)[step], sent);
    return [matched, end === 0 ? undefined : CUTS[unit](String(at), start, end)];
  });
}

describe('evidence in any unit', () => {
  const wide = '😀é zebra\ud83d한\ude00 ZEBRA 😀zebra';
  const words = ['zebra', 'ZEBRA', 'zebra'];
  const both = (found: string[]): [string, string][] => found.map((one) => [one, one]);
  const units: OffsetUnit[] = ['utf16', 'codepoints', 'bytes'];

  it('leads to what was found in a text, with emoji and lone surrogates before it', () => {
    for (const unit of units) {
      const event = { type: 'message', role: 'user', content: wide };
      assert.deepEqual(matchedIn('event', { run_id: 'r', event }, wide, unit), both(words), unit);
      const said = { messages: [{ role: 'user', content: wide }] };
      assert.deepEqual(matchedIn('session', said, wide, unit), both(words), unit);
    }
  });

  it('leads to it in JSON, in names, in JSON within strings and in the parts of a message', () => {
    const output = { é: ['😀', wide], deep: { note: '"\u00e9" zebra' }, raw: JSON.stringify({ é: '😀\n zebra' }) };
    const message = {
      role: 'assistant',
      content: [
        { type: 'text', text: '😀' },
        { type: 'text', text: `é ${wide}` },
      ],
      tool_calls: [{ id: 'c', type: 'function', function: { name: 'f', arguments: '{"q":"é zebra"}' } }],
    };
    for (const unit of units) {
      const events = [{ type: 'tool', event_id: 't', output }];
      assert.deepEqual(matchedIn('events', { run_id: 'r', events }, output, unit), both([...words, 'zebra', 'zebra']));
      assert.deepEqual(matchedIn('session', { messages: [message] }, message, unit), both([...words, 'zebra']));
    }
    const named = { '😀 zebra': 1 };
    const [[matched] = []] = matchedIn(
      'event',
      { run_id: 'r', event: { type: 'tool', output: named } },
      named,
      'bytes',
    );
    assert.equal(matched, 'zebra', 'a name that the path may not have');
  });

  it('has what was found across several strings, for each of them, and in one piece where there are many', () => {
    const parted = compilePlan(sketch({ policies: [{ detect: { regex: { patterns: ['z(.|\\n)*a'] } } }] }), 1);
    const of = (output: unknown): (string | undefined)[] => {
      const entry = entryOf('event', { run_id: 'r', event: { type: 'tool', output } });
      const read = decodeRecord(evaluateEntry(parted, entry).record);
      const text = contentTexts('event', Buffer.from(entry.body), [1]).get(1);
      const item = viewedItem(
        storedItem(read, read.items[0]!),
        { explain: true, flaggedOnly: true, matched: true },
        text,
      );
      const { evidence = [] } = (JSON.parse(item.policies) as Record<string, PolicyResult>)[id(0)]!;
      return evidence.map(({ matched }) => matched);
    };
    assert.deepEqual(of(['é z', 'b', 'ra']), ['z', 'b', 'ra']);
    assert.deepEqual(of(['z', ...Array(9).fill('b'), 'a']), [`z\n${'b\n'.repeat(9)}a`]);
  });

  it('is cut out of the content that history keeps, too, which is the text of a chat and the JSON of an event', () => {
    const keeps = (kind: WorkHeader['kind'], body: unknown, content: string): boolean =>
      evaluateEntry(plan, entryOf(kind, body)).rows.includes(Buffer.from(content));
    const output = { é: ['😀', '한 zebra'] };
    const kept = JSON.stringify(output);
    assert.ok(keeps('event', { run_id: 'r', event: { type: 'tool', output } }, kept));
    assert.equal(textOf(kept), 'é\n😀\n한 zebra');
    const parts = ['😀', 'zebra'].map((text) => ({ type: 'text', text }));
    assert.ok(keeps('session', { messages: [{ role: 'user', content: parts }] }, '😀\nzebra'));
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

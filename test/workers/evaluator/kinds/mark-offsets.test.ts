/** What `redact=true` adds: the content as it was sent, with marks, from the evaluation to the item of an answer. */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { decodeRecord, type RecordItem } from '#weir/shared/api/results/record';
import { mayPass, redactedRecord } from '#weir/shared/api/results/redaction';
import { renderEvent, renderSession, storedItem } from '#weir/shared/api/results/render';
import { compilePlan } from '#weir/shared/policy/compile';
import type { Plan } from '#weir/shared/policy/plan';
import type { WorkHeader } from '#weir/shared/streams/work';
import { evaluateEntry, failedEntry } from '#weir/workers/evaluator/outcome';
import { sketch } from '../../../shared/policy/support.ts';
import { answerText } from '../../../support/api/answer-text.ts';
import { entryOf } from '../support.ts';

const CARD = '4111 1111 1111 1111';
const MAIL = 'anna@example.org';
const KEY = 'ghp_016C7e1f0aB9dE2kLmN8pQrStUvWxYz35HjK';
const planOf = (...policies: Record<string, unknown>[]): Plan => compilePlan(sketch({ policies }), 1);
const pii = { detect: { pii: { entities: ['CREDIT_CARD', 'EMAIL_ADDRESS', 'URL', 'IP_ADDRESS'] } } };
const PLAN = planOf(
  pii,
  { detect: { secrets: {} } },
  { detect: { terms: { list: ['zebra'], views: ['folded', 'leetspeak', 'decoded'] } } },
);

function checked(kind: WorkHeader['kind'], body: unknown, plan = PLAN, more: Partial<WorkHeader> = {}) {
  const json = typeof body === 'string' ? body : JSON.stringify(body);
  const { record, rows } = evaluateEntry(plan, entryOf(kind, json, { redact: true, ...more }));
  const stored = decodeRecord(record);
  return { stored, rows, made: redactedRecord(stored, Buffer.from(json)), text: record.toString() };
}

const event = (fields: object): object => ({ run_id: 'r', event: { event_id: 'e', ...fields } });
const said = (content: unknown, plan?: Plan): unknown => {
  const { made } = checked('event', event({ type: 'tool', output: content }), plan);
  const [item] = made.items;
  return JSON.parse(textOf(item!) ?? JSON.stringify(item!.note));
};
/** JSON of its redacted content. */
const textOf = ({ redacted }: Pick<RecordItem, 'redacted'>): string | undefined => redacted?.('utf8');
const chat = (message: object, plan?: Plan) => {
  const { made, stored } = checked('session', { messages: [{ role: 'user', content: CARD }, message] }, plan);
  return { item: made.items[0]!, pass: mayPass(stored.items[0]!, stored) };
};

describe('a redacted text', () => {
  it('has the entity of personal data, and words for credentials and terms', () => {
    assert.equal(
      said(`é 😀 ${CARD}, ${MAIL}; zebra\nkey ${KEY}`),
      'é 😀 [CREDIT_CARD], [EMAIL_ADDRESS]; [TERM]\nkey [SECRET]',
    );
  });

  it('of a number or a boolean is a string where there is a find, else as it was sent [event.scalar-content]', () => {
    assert.equal(said(4111111111111111), '[CREDIT_CARD]');
    assert.equal(said(12), 12);
    const yes = planOf({ detect: { terms: { list: ['true'] } } });
    assert.equal(said(true, yes), '[TERM]');
    assert.equal(said(false, yes), false);
    assert.deepEqual(said([true, { a: 'true' }], yes), [true, { a: '[TERM]' }]);
  });

  it('is as it was sent where no policy is violated, and where none applies', () => {
    assert.equal(said('good "day"\n'), 'good "day"\n');
    const none = compilePlan(sketch({ policies: [pii], conditions: [] }), 1);
    assert.equal(said(CARD, none), CARD);
  });

  it('has every find, however many there are', () => {
    const many = (text: string): string => Array.from({ length: 2000 }, (_, i) => `${i} ${text}`).join('\n');
    assert.equal(said(many(CARD)), many('[CREDIT_CARD]'));
    assert.equal(said(many('zebra é')), many('[TERM] é'));
  });

  it('has one mark where finds overlap, named by the longest', () => {
    assert.equal(said(`see https://host.example/?q=zebra&ip=10.1.2.3 now`), 'see [URL] now');
  });

  it('has marks over what is disguised or encoded', () => {
    const encoded = Buffer.from('the zebra is here today').toString('base64');
    assert.equal(said(`a z3br@ and ${encoded} end`), 'a [TERM] and [TERM] end');
    assert.equal(said('card ４１１１ １１１１ １１１１ １１１１ end'), 'card [CREDIT_CARD] end');
  });

  it('has marks of policies that are violated alone', () => {
    const both = { all: [{ terms: { list: ['zebra'] } }, pii.detect] };
    assert.equal(said(`zebra, ${MAIL}`, planOf({ detect: both })), '[TERM], [EMAIL_ADDRESS]');
    assert.equal(said('zebra', planOf({ detect: both })), 'zebra');
    assert.equal(
      said(
        'zebra nine',
        planOf({ detect: { any: [{ terms: { list: ['zebra'] } }, { regex: { patterns: ['nine'] } }] } }),
      ),
      '[TERM] nine',
    );
  });

  it('has no marks of earlier texts, and that part of a find which lies in it', () => {
    const plan = planOf({ detect: { terms: { list: ['purple zebra'], context: 2 } } });
    const conversations = ['r:r'];
    const body = {
      run_id: 'r',
      events: ['purple', 'zebra crossing', 'purple zebra'].map((content, i) => ({
        type: 'reasoning',
        event_id: `e${i}`,
        content,
      })),
    };
    const { made } = checked('events', body, plan, { conversations, contextDepth: 2 });
    assert.deepEqual(made.items.map(textOf), ['"purple"', '"[TERM] crossing"', '"[TERM]"']);
  });
});

describe('redacted JSON', () => {
  it('has marks in its strings, names and numbers, also within strings that are JSON', () => {
    const output = {
      pay: [`now ${CARD}`, 4111111111111111, 12],
      [MAIL]: { 'bob@example.org': true },
      args: JSON.stringify({ to: MAIL, text: `line\n"${CARD}"`, n: 4111111111111111 }),
    };
    assert.deepEqual(said(output), {
      pay: ['now [CREDIT_CARD]', '[CREDIT_CARD]', 12],
      '[EMAIL_ADDRESS]': { '[EMAIL_ADDRESS_2]': true },
      args: JSON.stringify({ to: '[EMAIL_ADDRESS]', text: 'line\n"[CREDIT_CARD]"', n: '[CREDIT_CARD]' }),
    });
  });

  it('is otherwise as it was written', () => {
    const json = `{"run_id":"r", "event":{"event_id":"é","type":"tool","output": [ 1.0, 12345678901234567890, "\\u00e9 ${CARD}" ]}}`;
    const { made } = checked('event', json.replace('"é"', '"e"').replace('"r",', '"r", "é":"😀",'));
    assert.equal(textOf(made.items[0]!), '[ 1.0, 12345678901234567890, "\\u00e9 [CREDIT_CARD]" ]');
  });

  it('is that of each event of a batch, and of no reference and no image', () => {
    const events = [
      { type: 'message', role: 'user', event_id: 'a', content: `é ${MAIL}` },
      { type: 'message', event_id: 'a' },
      { type: 'artifact', event_id: 'i', content: { kind: 'image', data: 'AAAA' } },
      { type: 'reasoning', event_id: 'b', content: 'fîne 😀' },
    ];
    const { made } = checked('events', { run_id: 'r', events });
    assert.deepEqual(made.items.map(textOf), ['"é [EMAIL_ADDRESS]"', undefined, undefined, '"fîne 😀"']);
    assert.equal(made.items[1]!.note, '');
    const { results } = JSON.parse(answerText(made));
    assert.equal(results.message.a.redacted, undefined, 'the reference has the slot');
    assert.equal(results.reasoning.b.redacted, 'fîne 😀');
  });
});

describe('the redacted message of a chat', () => {
  it('is its content in the shape in which it was sent', () => {
    assert.equal(textOf(chat({ role: 'user', content: `my ${CARD}` }).item), '"my [CREDIT_CARD]"');
    const content = [
      { type: 'text', text: 'plain' },
      { type: 'refusal', text: 'no', refusal: `no ${MAIL}` },
      { type: 'tool_use', id: 'c', name: 'pay', input: { 'a card': CARD, n: [4111111111111111] } },
      { type: 'text', cache: 1, text: `zebra ${KEY}` },
    ];
    assert.deepEqual(JSON.parse(textOf(chat({ role: 'assistant', content }).item)!), [
      content[0],
      { ...content[1], refusal: 'no [EMAIL_ADDRESS]' },
      { ...content[2], input: { 'a card': '[CREDIT_CARD]', n: ['[CREDIT_CARD]'] } },
      { ...content[3], text: '[TERM] [SECRET]' },
    ]);
  });

  it('is the whole message too where something is found beside its content [session.redacted-beside]', () => {
    const calls = (text: string) => [
      { id: 'c', type: 'function', function: { name: 'f', arguments: JSON.stringify({ text }) } },
    ];
    const clean = chat({ role: 'assistant', content: `to ${MAIL}`, tool_calls: calls('fine') }).item;
    assert.equal(textOf(clean), '"to [EMAIL_ADDRESS]"');
    assert.equal(clean.redactedMessage, undefined);
    const said = {
      name: MAIL,
      role: 'assistant',
      content: [{ type: 'text', text: `é ${MAIL}`, citations: [{ cited_text: CARD }] }],
      tool_calls: calls(CARD),
      [CARD]: 1,
      [`${CARD} `]: { n: 4111111111111111, nested: [`😀 ${KEY}`] },
      annotations: [],
      metadata: { card: CARD },
    };
    const { redacted, redactedMessage, note } = chat(said).item;
    const content = [{ type: 'text', text: 'é [EMAIL_ADDRESS]', citations: [{ cited_text: '[CREDIT_CARD]' }] }];
    assert.deepEqual(JSON.parse(redacted!('utf8')), content);
    assert.deepEqual(JSON.parse(redactedMessage!('utf8')), {
      name: '[EMAIL_ADDRESS]',
      role: 'assistant',
      content,
      tool_calls: calls('[CREDIT_CARD]'),
      '[CREDIT_CARD]': 1,
      '[CREDIT_CARD_2] ': { n: '[CREDIT_CARD]', nested: ['😀 [SECRET]'] },
      annotations: [],
      metadata: { card: CARD },
    });
    assert.equal(note, '');
    const alone = chat({ role: 'assistant', tool_calls: calls(CARD) }).item;
    assert.deepEqual([alone.redacted, alone.note], [undefined, '']);
    assert.deepEqual(JSON.parse(alone.redactedMessage!('utf8')), {
      role: 'assistant',
      tool_calls: calls('[CREDIT_CARD]'),
    });
    const { made } = checked('session', { messages: [{ role: 'assistant', content: 'x', tool_calls: calls(CARD) }] });
    const answer = JSON.parse(renderSession(storedItem(made, made.items[0]!)));
    assert.deepEqual([answer.redacted, answer.redacted_message.tool_calls], ['x', calls('[CREDIT_CARD]')]);
    assert.equal(textOf(chat({ role: 'assistant', content: null, tool_calls: calls('fine') }).item), 'null');
    assert.match(chat({ role: 'assistant', tool_calls: calls('fine') }).item.note, /not redacted: there is no content/);
  });
});

describe('what cannot be redacted', () => {
  it('is told and not given: too many finds, in one event or in all of them together', () => {
    const cards = (n: number): string => Array(n).fill(CARD).join('\n');
    assert.match(said(cards(10_001)) as string, /not redacted: it has more than 10000 findings/);
    const plans = planOf(
      ...Array.from({ length: 8 }, (_, i) => ({
        detect: { pii: { entities: ['CREDIT_CARD'], threshold: 0.3 + i / 100 } },
      })),
    );
    assert.match(said(cards(9000), plans) as string, /not redacted: it has more/);
    const events = Array.from({ length: 3 }, (_, i) => ({
      type: 'reasoning',
      event_id: `e${i}`,
      content: cards(4000),
    }));
    const { made, text } = checked('events', { run_id: 'r', events });
    assert.deepEqual(
      made.items.map(({ redacted }) => redacted !== undefined),
      [true, true, false],
    );
    assert.ok(text.length < 100_000, String(text.length));
  });

  it('is told where a detector could not run, and where nothing was evaluated', () => {
    const plan = planOf(pii);
    const team = plan.teams.get('t')!;
    const broken = { ...team, engine: { ...team.engine, scan: () => ({ evidence: new Map(), failed: new Set([0]) }) } };
    const lost = { ...plan, teams: new Map([['t', broken]]) };
    assert.match(
      said(CARD, lost) as string,
      /1 policy could not be evaluated; not redacted: it could not be evaluated/,
    );
    const body = JSON.stringify(event({ type: 'reasoning', content: CARD }));
    const { record } = failedEntry(entryOf('event', body, { redact: true }), 'given up');
    const [item] = redactedRecord(decodeRecord(record), Buffer.from(body)).items;
    assert.deepEqual([item!.redacted, item!.note], [undefined, 'given up; not redacted: it could not be evaluated']);
  });

  it('is told where the check was begun without being asked', () => {
    const body = event({ type: 'reasoning', content: CARD });
    const { stored } = checked('event', body, PLAN, { redact: undefined as never });
    const [item] = redactedRecord(stored, Buffer.from(JSON.stringify(body))).items;
    assert.match(item!.note, /^not redacted: the check was begun without redact=true/);
    assert.equal(item!.redacted, undefined);
  });
});

describe('a record', () => {
  it('has marks and no content, and is without them as it was', () => {
    const body = event({ type: 'tool', output: { [MAIL]: CARD } });
    const { stored, text, rows } = checked('event', body);
    for (const secret of ['4111', 'anna']) assert.equal(text.includes(secret), false);
    const plain = checked('event', body, PLAN, { redact: undefined as never });
    assert.equal(plain.text.includes('marks'), false);
    assert.deepEqual(rows.length, plain.rows.length);
    const json = renderEvent(storedItem(stored, stored.items[0]!), { runId: true });
    assert.equal(json.includes('redacted'), false, 'marks alone change no answer');
    assert.deepEqual({ ...stored.items[0], marks: 0 }, { ...plain.stored.items[0], marks: 0 });
  });

  it('gives the answer its content last', () => {
    const { made } = checked('session', { messages: [{ role: 'user', content: MAIL }] });
    const json = renderSession(storedItem(made, made.items[0]!));
    assert.ok(json.endsWith(',"redacted":"[EMAIL_ADDRESS]"}'), json);
  });
});

describe('content that violates a policy', () => {
  const redact = { action: 'redact', ...pii };
  const passes = (content: unknown, ...policies: Record<string, unknown>[]): boolean =>
    chat({ role: 'user', content }, planOf(...policies)).pass;

  it('may pass with its marks where every violated policy says so', () => {
    assert.equal(passes(CARD, redact), true);
    assert.equal(passes(CARD, redact, { detect: { terms: { list: ['zebra'] } } }), true);
    assert.equal(passes(`zebra ${CARD}`, redact, { detect: { terms: { list: ['zebra'] } } }), false);
    assert.equal(passes(CARD, pii), false);
  });

  it('may not where a policy would be violated without what is marked, too', () => {
    const any = (...more: object[]): Record<string, unknown> => ({
      action: 'redact',
      detect: { any: [pii.detect, ...more] },
    });
    assert.equal(passes(`nine ${CARD}`, any({ regex: { patterns: ['nine'] } })), false);
    assert.equal(passes(`ten ${CARD}`, any({ regex: { patterns: ['nine'] } })), true);
    assert.equal(passes(CARD, any({ not: { terms: { list: ['zebra'] } } })), false);
    const all = { action: 'redact', detect: { all: [pii.detect, { regex: { patterns: ['nine'] } }] } };
    assert.equal(passes(`nine ${CARD}`, all), true);
  });
});

/** What `redact=reversible` adds, from the evaluation to the item of an answer: put back, the values give the content as it was sent. */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { restoredTexts } from '#weir/ingress/seals/restore';
import { decodeRecord, type RecordItem } from '#weir/shared/api/results/record';
import { redactedRecord } from '#weir/shared/api/results/redaction';
import { compilePlan } from '#weir/shared/policy/compile';
import { evaluateEntry } from '#weir/workers/evaluator/outcome';
import { sketch } from '../../../shared/policy/support.ts';
import { entryOf } from '../support.ts';

const CARD = '4111 1111 1111 1111';
const OTHER_CARD = '5555 5555 5555 4444';
const [ANNA, BERT] = ['anna@example.org', 'bert@example.org'];
const POLICIES = [
  { detect: { pii: { entities: ['CREDIT_CARD', 'EMAIL_ADDRESS', 'URL', 'IP_ADDRESS'] } } },
  { detect: { secrets: {} } },
  { detect: { terms: { list: ['zebra', 'zebra crossing'], views: ['folded', 'leetspeak', 'decoded'] } } },
];
const PLAN = compilePlan(sketch({ policies: POLICIES }), 1);

type Values = Record<string, string>;

/** The items of a body, with what their seals have. */
function checked(kind: 'event' | 'events' | 'session', body: unknown, most = Number.MAX_SAFE_INTEGER) {
  const json = typeof body === 'string' ? body : JSON.stringify(body);
  const { record } = evaluateEntry(PLAN, entryOf(kind, json, { redact: true }));
  const seal = (values: ReadonlyMap<string, string>): string | undefined => {
    const text = JSON.stringify(Object.fromEntries(values));
    return text.length > most ? undefined : text;
  };
  return redactedRecord(decodeRecord(record), Buffer.from(json), seal).items;
}

const valuesOf = ({ sealed }: RecordItem): Values => JSON.parse(sealed ?? '{}') as Values;
const tool = (output: unknown): object => ({ run_id: 'r', event: { event_id: 'e', type: 'tool', output } });

function said(output: unknown): { redacted: unknown; values: Values; json: string } {
  const [item] = checked('event', tool(output));
  const json = item!.redacted!('utf8');
  return { redacted: JSON.parse(json), values: valuesOf(item!), json };
}

/** Restores each string and name of a value. */
function restored(value: unknown, marks: ReadonlyMap<string, string>): unknown {
  const text = (written: string): string => restoredTexts([written], marks, 1 << 24)![0]!;
  if (typeof value === 'string') return text(value);
  if (Array.isArray(value)) return value.map((each) => restored(each, marks));
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([name, of]) => [text(name), restored(of, marks)]));
}

function assertGivesBack(content: unknown): void {
  const { redacted, values } = said(content);
  assert.notDeepEqual(redacted, content);
  assert.deepEqual(restored(redacted, new Map(Object.entries(values))), content);
}

describe('content with numbered marks', () => {
  it('tells values apart, and is restored to the last character [masks.exact]', () => {
    const text = `é 😀 ${CARD}, ${ANNA}, ${BERT}; ${ANNA} or ${OTHER_CARD}. zebra Zebra`;
    const { redacted, values } = said(text);
    assert.equal(
      redacted,
      'é 😀 [CREDIT_CARD_1], [EMAIL_ADDRESS_1], [EMAIL_ADDRESS_2]; [EMAIL_ADDRESS_1] or [CREDIT_CARD_2]. [TERM_1] [TERM_2]',
    );
    assert.deepEqual(values, {
      CREDIT_CARD_1: CARD,
      EMAIL_ADDRESS_1: ANNA,
      EMAIL_ADDRESS_2: BERT,
      CREDIT_CARD_2: OTHER_CARD,
      TERM_1: 'zebra',
      TERM_2: 'Zebra',
    });
    assertGivesBack(text);
  });

  it('has what was folded, encoded or nested as it stood there', () => {
    assertGivesBack('ｚｅｂｒａ z3br4 ZEBRA');
    assertGivesBack(`see ${Buffer.from('the zebra crossing there').toString('base64')}!`);
    assertGivesBack({ [ANNA]: 1, [BERT]: { [`to ${ANNA}`]: [CARD, 'zebra crossing'] } });
    assertGivesBack(JSON.stringify({ to: ANNA, note: `"${CARD}"\n\\u0061`, deep: JSON.stringify({ to: BERT }) }));
    assertGivesBack(`${ANNA}\ttabs "quotes" \\ and ${CARD}\u2028`);
  });

  it('is restored whatever stands around the finds', () => {
    // No find that may be a number of JSON in a string, such as `[10.1.2.3]`: that comes back as a string.
    const piece = fc.constantFrom(
      ...[CARD, OTHER_CARD, ANNA, BERT, 'zebra', 'z3bra', 'https://example.org/a?b=c'],
      ...[
        '[EMAIL_ADDRESS_1]',
        '[TERM_2]',
        '[TERM_',
        '_1]',
        '[',
        ']',
        ' ',
        '\n',
        '"',
        '\\',
        '\\u0041',
        '{"a":"',
        '"}',
        'é',
        '😀',
        '\ud800',
      ],
      Buffer.from('a zebra crossing').toString('base64'),
    );
    const text = fc.array(piece, { maxLength: 12 }).map((pieces) => pieces.join(''));
    const nested = fc
      .dictionary(text, text, { maxKeys: 3, noNullPrototype: true })
      .map((value) => JSON.stringify(value));
    const content = fc.oneof(
      text,
      nested,
      fc.array(fc.oneof(text, nested), { maxLength: 3 }),
      fc.dictionary(text, text, { maxKeys: 4, noNullPrototype: true }),
    );
    fc.assert(
      fc.property(content, (sent) => {
        const [item] = checked('event', tool(sent));
        if (item!.redacted === undefined) {
          // Nothing of it is given back then, and the note says why.
          assert.match(item!.note, /not redacted: /);
          return;
        }
        const redacted: unknown = JSON.parse(item!.redacted('utf8'));
        assert.deepEqual(restored(redacted, new Map(Object.entries(valuesOf(item!)))), sent);
      }),
      { numRuns: 400 },
    );
  });

  it('has a number as a text of its digits', () => {
    const { redacted, values } = said({ card: 4111111111111111, inner: '{"card":4111111111111111}' });
    assert.deepEqual(redacted, { card: '[CREDIT_CARD_1]', inner: '{"card":"[CREDIT_CARD_1]"}' });
    assert.deepEqual(values, { CREDIT_CARD_1: '4111111111111111' });
  });

  it('leaves numbers out that the caller has written, so that these texts stay as they are [masks.own-texts]', () => {
    const text = `[EMAIL_ADDRESS_1] is not ${ANNA} and [EMAIL_ADDRESS_2] is not ${BERT}`;
    assert.equal(
      said(text).redacted,
      '[EMAIL_ADDRESS_1] is not [EMAIL_ADDRESS_3] and [EMAIL_ADDRESS_2] is not [EMAIL_ADDRESS_4]',
    );
    assertGivesBack(text);
  });

  it('has a seal where it has a mark, and none where it has not', () => {
    const [clean] = checked('event', tool('fine'));
    assert.deepEqual([clean!.redacted!('utf8'), clean!.sealed, clean!.note], ['"fine"', undefined, '']);
  });

  it('of a batch has the same number for the same value, and a seal of what stands in it', () => {
    const event = (event_id: string, output: unknown) => ({ type: 'tool', event_id, run_id: 'r', output });
    const events = [event('a', `${ANNA} ${CARD}`), event('b', 'fine'), event('c', [BERT, ANNA])];
    const items = checked('events', { environment_id: 'prod', events });
    assert.deepEqual(
      items.map((item) => [item.redacted!('utf8'), valuesOf(item)]),
      [
        ['"[EMAIL_ADDRESS_1] [CREDIT_CARD_1]"', { EMAIL_ADDRESS_1: ANNA, CREDIT_CARD_1: CARD }],
        ['"fine"', {}],
        ['["[EMAIL_ADDRESS_2]","[EMAIL_ADDRESS_1]"]', { EMAIL_ADDRESS_2: BERT, EMAIL_ADDRESS_1: ANNA }],
      ],
    );
  });

  it('of a chat goes on behind the marks of earlier messages, and has one numbering for content and message', () => {
    const earlier = { role: 'user', content: 'I am [EMAIL_ADDRESS_1].' };
    const calls = [{ id: 'c', type: 'function', function: { name: 'mail', arguments: `{"to":"${BERT}"}` } }];
    const last = { role: 'assistant', content: `to ${ANNA}`, tool_calls: calls };
    const [item] = checked('session', { messages: [earlier, last] });
    const message = JSON.parse(item!.redactedMessage!('utf8')) as typeof last;
    assert.equal(item!.redacted!('utf8'), `"${message.content}"`);
    assert.deepEqual(restored(message, new Map(Object.entries(valuesOf(item!)))), last);
    assert.deepEqual(Object.keys(valuesOf(item!)).sort(), ['EMAIL_ADDRESS_2', 'EMAIL_ADDRESS_3']);
  });

  it('is the same each time, which a retry needs', () => {
    const body = tool([ANNA, CARD, { zebra: BERT }]);
    assert.deepEqual(
      checked('event', body).map((item) => [item.redacted!('utf8'), item.sealed]),
      checked('event', body).map((item) => [item.redacted!('utf8'), item.sealed]),
    );
  });

  it('is not given where it cannot be sealed, which is told', () => {
    const [large] = checked('event', tool(ANNA), 10);
    assert.deepEqual(
      [large!.redacted, large!.sealed, large!.note],
      [undefined, undefined, 'not redacted: what would be sealed is too large'],
    );
    const [own] = checked('event', tool(`${'[TERM_1] '.repeat(100_001)}${ANNA}`));
    assert.deepEqual([own!.redacted, own!.sealed], [undefined, undefined]);
    assert.match(own!.note, /^not redacted: the request itself has too many texts like marks/);
  });
});

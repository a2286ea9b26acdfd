/** Finds replaced as Presidio does it, held against its rules as they are told there: one find compared with all others. */
import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { it } from 'node:test';
import { type Anonymizing, anonymized } from '#weir/ingress/dialects/anonymized';
import type { PresidioAnonymized, PresidioOperator, PresidioSpan } from '#weir/shared/api/types';
import { randomFrom } from '../../support/images/images.ts';

const MIB = 1024 * 1024;
const at = (entity_type: string, start: number, end: number, score = 0.8): PresidioSpan => ({
  entity_type,
  start,
  end,
  score,
});
function replaced(text: string, spans: PresidioSpan[], operators: Anonymizing['operators'] = {}): PresidioAnonymized {
  const made = anonymized({ text, spans, operators }, 4 * MIB);
  assert.ok(made);
  const points = [...made.text];
  for (const { start, end, text: part } of made.items) assert.equal(points.slice(start, end).join(''), part);
  return made;
}
const textOf = (...asked: Parameters<typeof replaced>): string => replaced(...asked).text;

it('replaces each find by the operator of its entity, and says where it stands now, the last first [adapter.presidio-anonymize]', () => {
  const text = 'hello, I am Jane Doe 😀. My number is: 034453334';
  const spans = [at('PERSON', 12, 20), at('PHONE_NUMBER', 38, 47, 0.95)];
  assert.deepEqual(replaced(text, spans), {
    text: 'hello, I am <PERSON> 😀. My number is: <PHONE_NUMBER>',
    items: [
      { start: 38, end: 52, entity_type: 'PHONE_NUMBER', text: '<PHONE_NUMBER>', operator: 'replace' },
      { start: 12, end: 20, entity_type: 'PERSON', text: '<PERSON>', operator: 'replace' },
    ],
  });
  assert.deepEqual(
    replaced(text, spans, { PERSON: { type: 'redact' }, DEFAULT: { type: 'replace', new_value: '😀!' } }),
    {
      text: 'hello, I am  😀. My number is: 😀!',
      items: [
        { start: 30, end: 32, entity_type: 'PHONE_NUMBER', text: '😀!', operator: 'replace' },
        { start: 12, end: 12, entity_type: 'PERSON', text: '', operator: 'redact' },
      ],
    },
  );
  assert.deepEqual(replaced('as it is', []), { text: 'as it is', items: [] });
});

it('masks and hashes characters, not their units [adapter.presidio-anonymize]', () => {
  const mask = (chars_to_mask: number, from_end: boolean): PresidioOperator => ({
    type: 'mask',
    masking_char: '😀',
    chars_to_mask,
    from_end,
  });
  const masked = (...how: Parameters<typeof mask>): string => textOf('a😃bc', [at('X', 0, 4)], { X: mask(...how) });
  assert.deepEqual(
    [masked(2, false), masked(2, true), masked(9, true), masked(-1, false)],
    ['😀😀bc', 'a😃😀😀', '😀😀😀😀', 'a😃bc'],
  );
  const hash = (more: Partial<PresidioOperator>): string =>
    textOf('😃 né', [at('X', 0, 4)], { DEFAULT: { type: 'hash', ...more } });
  const salt = 'sixteen bytes or more';
  const digest = (type: string): string => createHash(type).update(`😃 né${salt}`).digest('hex');
  assert.equal(hash({ salt }), digest('sha256'));
  assert.equal(hash({ salt, hash_type: 'sha512' }), digest('sha512'));
  assert.notEqual(hash({}), hash({}), 'without a salt each has a random one');
  assert.equal(textOf('as is', [at('X', 0, 2)], { X: { type: 'keep' } }), 'as is');
});

it('knows no operator but those of the request', () => {
  for (const name of ['__proto__', 'constructor', 'toString']) {
    assert.equal(textOf('one', [at(name, 0, 3)]), `<${name}>`);
  }
});

it('has one of finds that overlap [adapter.presidio-conflicts]', () => {
  for (const [spans, expected] of [
    [[at('A', 0, 4), at('B', 0, 4, 0.9)], '<B>456789'],
    [[at('A', 0, 4), at('B', 0, 4)], '<B>456789'],
    [[at('A', 0, 6, 0.1), at('B', 2, 4, 0.9)], '<A>6789'],
    [[at('A', 0, 4), at('B', 2, 6)], '<A><B>6789'],
    [[at('A', 0, 4), at('A', 2, 6)], '<A>6789'],
    [[at('A', 0, 3), at('A', 3, 6)], '<A><A>6789'],
    [[at('A', 5, 9), at('A', 0, 4), at('A', 3, 6)], '<A>9'],
  ] as const) {
    assert.equal(textOf('0123456789', [...spans]), expected, JSON.stringify(spans));
  }
  const names = (text: string): string => textOf(text, [at('A', 0, 2), at('A', text.length - 2, text.length)]);
  assert.deepEqual(['ab  cd', 'ab\tcd', 'ab \ncd', 'ab\n cd'].map(names), ['<A>', '<A>\t<A>', '<A>', '<A>\n <A>']);
});

it('does for any finds what the rules of Presidio say [adapter.presidio-conflicts]', () => {
  const random = randomFrom(1);
  const below = (most: number): number => Math.floor(random() * most);
  for (let round = 0; round < 3000; round++) {
    const points = Array.from({ length: 3 + below(12) }, () => ['a', ' ', '😀', ' ', '\n'][below(5)]!);
    const spans = Array.from({ length: below(7) }, () => {
      const [one, two] = [below(points.length + 1), below(points.length + 1)];
      return at(['A', 'B', 'C'][below(3)]!, Math.min(one, two), Math.max(one, two), below(3) / 2);
    });
    const expected = byTheRules(points, spans);
    assert.equal(textOf(points.join(''), spans), expected, JSON.stringify([points.join(''), spans]));
  }
});

/** The rules of Presidio, each find against all others. */
function byTheRules(points: readonly string[], given: readonly PresidioSpan[]): string {
  const spans = given.map((span) => ({ ...span })).sort((a, b) => a.start - b.start || a.end - b.end);
  const one: PresidioSpan[] = [];
  const others = [...spans];
  for (const span of spans) {
    others.splice(others.indexOf(span), 1);
    const same = others.find(
      (other) =>
        other.entity_type === span.entity_type && Math.min(span.end, other.end) - Math.max(span.start, other.start) > 0,
    );
    if (same) {
      same.start = Math.min(same.start, span.start);
      same.end = Math.max(same.end, span.end);
      same.score = Math.max(same.score, span.score);
    } else {
      others.push(span);
      one.push(span);
    }
  }
  const kept: PresidioSpan[] = [];
  const rest = [...one];
  for (const span of one) {
    rest.splice(rest.indexOf(span), 1);
    const lost = rest.some((other) =>
      other.start === span.start && other.end === span.end
        ? span.score <= other.score
        : other.start <= span.start && other.end >= span.end,
    );
    if (lost) continue;
    rest.push(span);
    kept.push(span);
  }
  const joined: PresidioSpan[] = [];
  for (const span of kept) {
    const before = joined.at(-1);
    const gap = before ? points.slice(before.end, span.start).join('') : '';
    if (before?.entity_type === span.entity_type && /^ +\n?$/.test(gap)) {
      joined.pop();
      span.start = before.start;
    }
    joined.push(span);
  }
  joined.sort((a, b) => a.start - b.start || a.end - b.end).reverse();
  let made = [...points];
  let last = points.length;
  for (const { start, end, entity_type } of joined) {
    made = [...made.slice(0, start), `<${entity_type}>`, ...made.slice(Math.min(end, last))];
    last = start;
  }
  return made.join('');
}

it('makes no more of a text than is allowed, nor does it read more of it', () => {
  const text = 'x'.repeat(1000);
  const long = { DEFAULT: { type: 'replace', new_value: 'y'.repeat(500) } };
  const each = Array.from({ length: 10 }, (_, i) => at('A', i * 2, i * 2 + 1));
  assert.equal(anonymized({ text, spans: each, operators: long }, 5000), undefined);
  assert.ok(anonymized({ text, spans: each, operators: long }, 7000));
  const stairs = Array.from({ length: 100 }, (_, i) => at(`A${i}`, i, 900 + i));
  assert.equal(anonymized({ text, spans: stairs, operators: { DEFAULT: { type: 'hash' } } }, 50_000), undefined);
});

it('takes time that grows with the text and its finds alone', () => {
  const text = '😀'.repeat(250_000);
  const spans = Array.from({ length: 10_000 }, (_, i) => at(`E${i % 7}`, i * 20, i * 20 + 15 + (i % 11)));
  const started = performance.now();
  assert.equal(replaced(text, spans).items.length > 5000, true);
  assert.ok(performance.now() - started < 5000);
});

import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { RE2JS } from 're2js';
import { compilePlan } from '#weir/shared/policy/compile';
import { buildEngine } from '#weir/shared/policy/engine/engine';
import type { Find, Interest, NumberLook, PlaceLook } from '#weir/shared/policy/engine/probes/probe';
import { spend } from '#weir/shared/policy/engine/steps';
import { evaluateText } from '#weir/shared/policy/evaluate';
import { assertBounded } from '../../../support/effort.ts';
import { evidenceOf, SCOPE, sketch } from '../support.ts';

describe('the engine', () => {
  it('finds a pattern exactly where the pattern itself matches', () => {
    const patterns = [
      'abc',
      'a+b+c',
      '(?:abc|cab)\\d',
      '\\bcab\\b',
      '(?:ab){2,}',
      'b\\s?c1',
      '^abc',
      'cab$',
      '[ab]c{1,2}1',
      'bc.{0,3}ab',
    ];
    const text = fc.string({ unit: fc.constantFrom('a', 'b', 'c', '1', ' ', 'é', 'A'), maxLength: 24 });
    fc.assert(
      fc.property(text, fc.constantFrom(...patterns), fc.constantFrom('', 'i'), (searched, pattern, flags) => {
        const expected = RE2JS.compile(pattern, flags === 'i' ? RE2JS.CASE_INSENSITIVE : 0)
          .matcher(searched)
          .find();
        assert.equal(evidenceOf({ regex: { patterns: [pattern], flags } }, searched).length > 0, expected);
      }),
      { numRuns: 1500 },
    );
  });

  it('finds with many policies what it finds with each alone', () => {
    const detects = [
      { terms: { list: ['abc', 'ab c'] } },
      { terms: { list: ['bc'], match: 'substring' } },
      { regex: { patterns: ['a\\d'] } },
      { regex: { patterns: ['abc1'], flags: 'i' } },
      { pii: { entities: ['US_SSN'], threshold: 0.1 } },
      { pii: { entities: ['US_SSN'], threshold: 0.5 } },
      { pii: { entities: ['EMAIL_ADDRESS'] } },
      { not: { terms: { list: ['abc'] } } },
    ];
    const plan = compilePlan(sketch({ policies: detects.map((detect) => ({ detect })) }), 1);
    const piece = fc.constantFrom(
      'abc',
      'ab c',
      ' ',
      'A',
      'b',
      '1',
      '536-90-4399',
      '536904399',
      'a@b.io',
      'é',
      '\u200b',
      '.',
    );
    fc.assert(
      fc.property(fc.array(piece, { maxLength: 10 }), (parts) => {
        const text = parts.join('');
        const together = new Map(
          evaluateText(plan, SCOPE, text).violations.map(({ name, evidence }) => [name, evidence]),
        );
        detects.forEach((detect, n) => {
          if ('not' in detect) return;
          assert.deepEqual(
            together.get(`P${n}`) ?? [],
            evidenceOf(detect, text),
            `${JSON.stringify(detect)} on ${text}`,
          );
        });
      }),
      { numRuns: 500 },
    );
  });

  describe('takes a bounded time for hostile text', () => {
    const plan = compilePlan(
      sketch({
        policies: [
          {
            detect: {
              any: [
                {
                  pii: {
                    entities: ['CREDIT_CARD', 'IBAN_CODE', 'EMAIL_ADDRESS', 'PHONE_NUMBER', 'IP_ADDRESS', 'US_SSN'],
                  },
                },
                { secrets: {} },
                { terms: { list: ['card dump', 'a b'] } },
                { regex: { patterns: ['\\b[a-z]+\\d+[a-z]+\\b', '(a|aa)+$', '(?:x+x+)+y', '.{0,100}b.{0,100}q'] } },
              ],
            },
          },
        ],
      }),
      1,
    );
    const units = [
      'a',
      'x',
      '@',
      'a@',
      '1:',
      '1',
      '1 ',
      '4 ',
      '4111-',
      '536904399 ',
      '+44',
      '(2',
      'eyJ-',
      'eyJaaaaaaaaaaaa.',
    ];
    const more = [
      '-----BEGIN ',
      'sk-proj-',
      'SKa',
      'discord',
      'card  ',
      'DE89 3',
      'xoxb-',
      '\u0301',
      '\ufdfa',
      'a\u200b',
      'а',
      'b',
    ];
    for (const unit of [...units, ...more]) {
      it(`of ${JSON.stringify(unit)}`, () => {
        const text = unit.repeat(Math.ceil((128 * 1024) / unit.length));
        assertBounded(() => evaluateText(plan, SCOPE, text));
      });
    }
  });
});

/** Finds of one detector that asks for `interests`, in `text` behind `earlier` texts. */
function found(interests: Interest[], text: string, earlier = ''): [label: string, start: number, end: number][] {
  const engine = buildEngine([interests]);
  const finds = engine.scan(earlier + text, engine.wanted([0]), earlier.length);
  return (finds?.evidence.get(0) ?? []).map(({ detector, start, end }) => [detector, start, end]);
}

describe('a probe that judges whole texts', () => {
  /** Scores a text by its exclamation marks. */
  const shouting = (threshold: number): Interest => ({
    key: 'shouting',
    probe: () => ({
      kind: 'whole',
      label: 'shouting',
      views: ['raw'],
      look: (text): Find | undefined => {
        const marks = text.split('!').length - 1;
        return marks === 0 ? undefined : { start: 0, end: text.length, score: marks / 10 };
      },
    }),
    accepts: ({ score }) => score >= threshold,
  });

  it('finds the text where its score is high enough', () => {
    assert.deepEqual(found([shouting(0.2)], 'no!!'), [['shouting', 0, 4]]);
    assert.deepEqual(found([shouting(0.2)], 'no!'), []);
  });

  it('with earlier texts, fires where all together do and the earlier ones alone do not', () => {
    assert.deepEqual(found([shouting(0.2)], 'b!', 'a!\n'), [['shouting', 0, 2]]);
    assert.deepEqual(found([shouting(0.2)], 'b!', 'a!!\n'), []);
    assert.deepEqual(found([shouting(0.2)], 'b', 'a!!\n'), []);
  });

  it('is asked once for all detectors, whatever their thresholds', () => {
    const looks: string[] = [];
    const counting: Interest = {
      ...shouting(0.1),
      probe: () => ({ kind: 'whole', label: 'counted', views: ['raw'], look: (text) => void looks.push(text) }),
    };
    const engine = buildEngine([[counting], [{ ...counting, accepts: () => true }]]);
    engine.scan('hello', engine.wanted([0, 1]), 0);
    assert.deepEqual(looks, ['hello']);
  });
});

describe('a probe of numbers', () => {
  const numbers = (look: PlaceLook): Interest => ({
    key: 'numbers',
    probe: () => ({
      kind: 'number',
      label: 'number',
      views: ['raw'],
      lookFor: () => ({ digits: 4, look: lookIn(look) }),
    }),
  });
  const lookIn =
    (look: PlaceLook): NumberLook['look'] =>
    (text) =>
    ({ at }) =>
      look(text, at);

  it('may find several things at a place, each with a label of its own', () => {
    const look: PlaceLook = (_, at) => [
      { start: at, end: at + 4, score: 1, label: 'year' },
      { start: at, end: at + 5, score: 1 },
    ];
    const expected = [
      ['year', 3, 7],
      ['number', 3, 8],
    ];
    assert.deepEqual(found([numbers(look)], 'in 20261'), expected);
  });

  it('is asked once for what all detectors want that are wanted', () => {
    const asked: unknown[] = [];
    const asking = (what: string): Interest => ({
      key: 'numbers',
      probe: () => ({
        kind: 'number',
        label: 'number',
        views: ['raw'],
        lookFor(all) {
          return { digits: 1, look: () => () => void asked.push(all) };
        },
      }),
      asked: what,
    });
    const engine = buildEngine([[asking('cards')], [asking('phones')], [asking('dates')]]);
    engine.scan('in 2026', engine.wanted([0, 2]), 0);
    assert.deepEqual(asked, [['cards', 'dates']]);
  });

  it('could not run where it takes more steps than the text may', () => {
    const costly: Interest = {
      ...numbers(() => undefined),
      probe: () => ({
        kind: 'number',
        label: 'number',
        views: ['raw'],
        lookFor: () => ({ digits: 1, look: (_, steps) => () => void spend(steps, 200_000) }),
      }),
    };
    const engine = buildEngine([[costly], [numbers(() => undefined)]]);
    const failedBy = (chunks: number): unknown => {
      const finds = engine.scan('2026 is a year, '.repeat(chunks), engine.wanted([0, 1]), 0);
      return finds && [...finds.failed];
    };
    assert.equal(failedBy(4), undefined);
    assert.deepEqual(failedBy(40), [0, 1]);
  });
});

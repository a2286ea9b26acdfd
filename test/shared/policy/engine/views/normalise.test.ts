import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { foldTerm } from '#weir/shared/policy/engine/views/normalise';
import { KINDS, passOf, viewOf, viewsOf } from '#weir/shared/policy/engine/views/views';
import { assertBounded } from '../../../../support/effort.ts';

/** undefined: it needs no pass of its own */
const nfkc = (text: string): string | undefined => {
  const views = viewsOf(text);
  return passOf(views, KINDS.nfkc) === KINDS.nfkc ? viewOf(views, KINDS.nfkc).text : undefined;
};
const folded = (text: string): string => viewOf(viewsOf(text), KINDS.folded).text;

describe('the compatibility view', () => {
  it('is absent where it is the text itself', () => assert.equal(nfkc('caf\u00e9'), undefined));
  it('has plain forms of letters, digits and signs', () => assert.equal(nfkc('Ｆｕｌｌ ① ﬁ ＠'), 'Full 1 fi @'));
  it('has no invisible characters', () => {
    assert.equal(nfkc('a\u200bb\u00adc\u2060d\ufeffe\u202ef\u2066g\u{e0041}h\ufe0fi\u180ej'), 'abcdefghij');
  });
  it('keeps joiners in emoji and in scripts that are spelt with them', () => {
    assert.equal(nfkc('\u{1f468}\u200d\u{1f469}'), undefined);
    assert.equal(nfkc('\u0645\u06cc\u200c\u062e'), undefined);
    assert.equal(nfkc('\u0915\u094d\u200d\u0937'), undefined);
    assert.equal(nfkc('a\u200db'), 'ab');
  });
});

describe('runs of the character that stands for eighteen', () => {
  const blessing = nfkc('\ufdfa')!;

  it('are cut behind the third', () => {
    assert.equal(blessing.length, 18);
    for (const times of [1, 2, 3]) assert.equal(nfkc('\ufdfa'.repeat(times)), blessing.repeat(times));
    for (const times of [4, 5, 1000]) assert.equal(nfkc(`a${'\ufdfa'.repeat(times)}b`), `a${blessing.repeat(3)}b`);
  });

  it('belong to a find in them as a whole', () => {
    const text = `a\ufdfa b${'\ufdfa'.repeat(9)}c`;
    const view = viewOf(viewsOf(text), KINDS.folded);
    const at = view.text.indexOf('b') + 7;
    assert.deepEqual([view.toRaw(3), view.endToRaw(5)], [1, 2]);
    assert.deepEqual([view.toRaw(at), view.endToRaw(at + 4)], [4, 13]);
    assert.equal(view.toRaw(view.text.length - 1), 13);
  });
});

describe('offsets of a view', () => {
  const PIECES = [
    ...[
      'a',
      'B',
      '1',
      ' ',
      '\n',
      '.',
      '\uff41',
      '\ufb01',
      '\u00e9',
      '\u0439',
      '\u03c2',
      '\u0130',
      '\u6771',
      '\u337f',
      '\ufdfa',
      '\uac00',
    ],
    ...[
      '\u1100\u1161\u11a8',
      '\uff76\uff9e',
      '\u304b\u3099',
      '\u0915\u093c',
      '\u0627\u0653',
      '\u{1d4f8}',
      '\u{1f600}',
      '\u{1f1e9}\u{1f1ea}',
      '\u{1f170}',
    ],
    ...[
      '\u0301',
      '\u0323',
      '\u0341',
      '\u200b',
      '\u200d',
      '\ufe0f',
      '\u{e0041}',
      '\u{e0101}',
      '\u064b',
      '\u05b0',
      '\ud800',
      '\u20f6',
    ],
  ];

  it('are those of what stands before each character of ASCII, whatever is beside it', () => {
    const text = fc.array(fc.constantFrom(...PIECES), { maxLength: 40 }).map((pieces) => pieces.join(''));
    fc.assert(
      fc.property(text, (raw) => {
        for (const kind of [KINDS.nfkc, KINDS.folded]) {
          const view = viewOf(viewsOf(raw), kind);
          for (let i = 0; i < raw.length; i++) {
            if (raw.charCodeAt(i) > 127) continue;
            const before = viewOf(viewsOf(raw.slice(0, i)), kind).text.length;
            assert.equal(view.toRaw(before), i, `${kind.name} ${i}`);
          }
          for (let at = 0; at < view.text.length; at++) {
            assert.ok(view.toRaw(at) <= view.toRaw(at + 1), `${kind.name} ${at}`);
            assert.ok(view.endToRaw(at + 1) >= view.toRaw(at), `${kind.name} ${at}`);
          }
        }
      }),
      { numRuns: 1000 },
    );
  });
});

describe('the folded view', () => {
  it('needs no pass of its own where folding changes nothing', () => {
    for (const [text, pass] of [
      ['\u6771\u4eac', 'raw'],
      ['\uff14\u6771', 'nfkc'],
      ['\u0439', 'folded'],
      ['\uff21', 'folded'],
    ] as const) {
      assert.equal(passOf(viewsOf(text), KINDS.folded).name, pass, text);
    }
  });

  const rows: [string, string][] = [
    ['Caf\u00e9', 'cafe'],
    ['cafe\u0301', 'cafe'],
    ['\u0130stanbul', 'istanbul'],
    ['\u03a3\u0391\u03a3', '\u03c3\u03b1\u03c3'],
    ['p\u0430yp\u0430l', 'paypal'],
    ['\u0440ayment', 'payment'],
    ['\u043f\u0440\u0438\u0432\u0435\u0442', '\u043f\u0440\u0438\u0432\u0435\u0442'],
    ['\u03b1bc', 'abc'],
    ['\u03b1\u0441\u0435', 'ace'],
    ['\u03bc\u0430\u03c1 \u0431\u043e\u0442', 'uap \u0431\u043e\u0442'],
    ['\u{1f170}\u{1f151}\u{1f152}', 'abc'],
    ['\u{1f1e6}\u{1f1e7}\u{1f1e8}', 'abc'],
    ['\u{1f1e6} \u{1f1e7}', 'a b'],
    ['\u{1f1eb}\u{1f1fa}\u{1f1e8}\u{1f1f0}', 'fuck'],
    ['\u{1f1eb}\u{1f1f7}', '\u{1f1eb}\u{1f1f7}'],
    [
      '\u{1f1e9}\u{1f1ea}\u{1f1eb}\u{1f1f7}\u{1f1ec}\u{1f1e7}',
      '\u{1f1e9}\u{1f1ea}\u{1f1eb}\u{1f1f7}\u{1f1ec}\u{1f1e7}',
    ],
    ['\u{1f1ea}\u{1f1fa}\u{1f1fa}\u{1f1f3}', '\u{1f1ea}\u{1f1fa}\u{1f1fa}\u{1f1f3}'],
    ['\u{1f17f}\ufe0f 2 \u{1f198}', 'p 2 \u{1f198}'],
    ['h\u0435llo \u043c\u0438\u0440', 'hello \u043c\u0438\u0440'],
    ['\u0939\u093f\u0928\u094d\u0926\u0940', '\u0939\u093f\u0928\u094d\u0926\u0940'],
  ];
  for (const [text, expected] of rows) it(`of ${text} is ${expected}`, () => assert.equal(folded(text), expected));
  it('is made of terms as of texts', () => assert.equal(foldTerm('  Caf\u00e9\t Cr\u00e8me '), 'cafe creme'));
});

describe('offsets', () => {
  it('lead back to the text as sent', () => {
    const text = '\ufb01\u200bx e\u0301y \u{1d4b3}z';
    const view = viewOf(viewsOf(text), KINDS.folded);
    assert.equal(view.text, 'fix ey xz');
    const raw = (piece: string): number => view.toRaw(view.text.indexOf(piece));
    assert.deepEqual([raw('fi'), raw('x '), raw('ey'), raw('y'), raw('xz'), raw('z')], [0, 2, 4, 6, 8, 10]);
    assert.equal(view.toRaw(view.text.length), text.length);
  });
  const behind: [string, string][] = [
    ['joiners of emoji', '\u{1f468}\u200d\u{1f469}\u200d\u{1f467}'],
    ['non-joiners of Persian', '\u0645\u06cc\u200c\u062e\u0648\u0627\u0647\u0645'],
    ['joiners of Devanagari', '\u0915\u094d\u200d\u0937'],
    ['half-width kana with voice marks', '\uff76\uff9e\uff77\uff9e'],
    ['Korean letters that make a syllable', '\u314b\u3160\u314b\u3160'],
    ['a syllable and a final consonant', '\ub098\u11a8'],
    ['flags', '\u{1f1e9}\u{1f1ea}\u{1f1eb}\u{1f1f7} \u{1f1e6}\u{1f1f9}'],
    ['letters in pictures', '\u{1f1eb}\u{1f1fa}\u{1f1e8}\u{1f1f0} \u{1f170}\u{1f151}'],
    ['more marks than a letter has', `${'x'.repeat(3000)} \u05d0${'\u05b0'.repeat(50)}`],
  ];
  for (const [name, before] of behind) {
    it(`are exact behind ${name}`, () => {
      const text = `${before} caf\u00e9 \ufb01n`;
      const view = viewOf(viewsOf(text), KINDS.folded);
      const start = view.text.indexOf('cafe fin');
      assert.deepEqual([view.toRaw(start), view.endToRaw(start + 8)], [before.length + 1, text.length]);
    });
  }
  it('take the whole of a character that a find is a part of', () => {
    const view = viewOf(viewsOf('x\u33afy'), KINDS.nfkc);
    assert.equal(view.text, 'xrad\u2215s2y');
    assert.deepEqual([view.toRaw(1), view.endToRaw(4)], [1, 2]);
  });
  it('tell the syllables of decomposed Korean apart', () => {
    const text = '\ub098\uc05c\ub9d0'.normalize('NFD');
    const view = viewOf(viewsOf(text), KINDS.nfkc);
    assert.deepEqual([0, 1, 2].map(view.toRaw), [0, 2, 5]);
    assert.deepEqual([1, 2, 3].map(view.endToRaw), [2, 5, 8]);
  });
  it('never leave the text', () => {
    const text = '\u1100\u1161\ufdfa'.repeat(5);
    const view = viewOf(viewsOf(text), KINDS.nfkc);
    for (let i = 0; i <= view.text.length; i++) assert.ok(view.toRaw(i) >= 0 && view.toRaw(i) <= text.length);
  });
});

describe('hostile text', () => {
  it('of combining marks alone is normalised in bounded time', () => {
    const text = `a${'\u0301'.repeat(60_000)}${'\u0316'.repeat(60_000)}`;
    assertBounded(() => {
      viewOf(viewsOf(text), KINDS.folded);
    });
  });
});

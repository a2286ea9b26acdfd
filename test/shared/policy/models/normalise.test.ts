import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { prepareCharacters } from '#weir/shared/policy/models/characters';
import { nextHash, startHash } from '#weir/shared/policy/models/lexicon';
import {
  codes,
  MAX_CODES,
  normalise,
  WINDOW,
  wordEnds,
  wordHashes,
  wordStarts,
} from '#weir/shared/policy/models/normalise';
import { readPage } from '#weir/shared/policy/models/page';

prepareCharacters();

const SIGNS: Record<number, string> = { 0: ' ', 37: '!', 38: '?', 39: '"', 40: '@', 41: 'URL', 42: '#' };
const shown = (code: number): string => {
  if (code > 0 && code <= 26) return String.fromCharCode(96 + code);
  if (code >= 27 && code <= 36) return String(code - 27);
  return SIGNS[code] ?? '~';
};
/** What is written of a text, the separators at its ends aside. */
const written = (text: string, from: number, to: number): Uint8Array => {
  readPage(text, from, to, false);
  const words = normalise(from, to);
  return codes.slice(1, words === 0 ? 1 : wordEnds[words - 1]);
};
const read = (text: string): string => Array.from(written(text, 0, text.length), shown).join('');

describe('a text in the alphabet of models', () => {
  const rows: [what: string, text: string, expected: string][] = [
    ['lower case, words apart by one separator', 'Hello,   WORLD.', 'hello world'],
    ['no accents and no apostrophes', 'Café don’t naïve', 'cafe dont naive'],
    ['full-width, mathematical and squared letters', 'ｈｅｙ 𝕙𝕖𝕪 🅷🅴🆈', 'hey hey hey'],
    ['look-alikes in words that have Latin letters', 'hаtе', 'hate'],
    ['no look-alikes in words of another script', 'кот', '~~~'],
    ['no invisible characters', 'ha\u200bte h\u00adate', 'hate hate'],
    ['digits as letters in words only', 'k1ll 5ex h4t3 1984 7', 'kill sex hate 1984 7'],
    ['signs as letters in words', 'b!tch a$s f*ck', 'bitch ass fck'],
    ['long numbers as one sign', '123456789', '#'],
    ['two of a run of one letter', 'nooooooo way', 'noo way'],
    ['runs of single letters as a word', 'k i l l them', 'kill them'],
    ['runs of single letters at the end', 'go d-i-e', 'go die'],
    ['words of single letters, apart by more', 'go  k i l l   t h e m', 'go kill them'],
    ['one word where all are as far apart', 'k . i . l . l', 'kill'],
    ['no word of two single letters', 'I a man', 'i a man'],
    ['signs of their own for quotes, questions and calls', '"no"?!', '" no " ? !'],
    ['a sign for a mention', '@some_one hi', '@ hi'],
    ['a sign for a link', 'see https://a.example/b?c=d now', 'see URL now'],
    ['words of a query of a link', 'https://a.example/b?q=go+to%20bed&r=1 now', 'URL q go to bed r 1 now'],
    ['no words of the rest of a link', 'https://a.example/go+there?c=d%2Fe now', 'URL now'],
    ['apostrophes that are written as entities', 'don&#39;t isn&#x27;t won&apos;t', 'dont isnt wont'],
    ['letters that are written as entities', 'k&#105;ll &#x6d;e', 'kill me'],
    ['nothing of other entities', 'a&nbsp;man &amp; &quot;you&quot; R&D &no', 'a man you r d no'],
    ['no entity that is none', 'AT&T; &#; &#x; 5%20 100%', 'at t 5 #'],
    ['an emoji as a word', 'hi🔪you', 'hi ~ you'],
    ['a skin tone as nothing', '👍🏿', '~'],
  ];
  for (const [what, text, expected] of rows) it(`has ${what}`, () => assert.equal(read(text), expected));

  it('has the words of it, and the hash of each', () => {
    const more: string[] = [
      '',
      '...',
      'a b c d'.repeat(30),
      'x'.repeat(90),
      `a b c ${'abcde'.repeat(20)} d`,
      'see: a:b http:/',
    ];
    for (const text of [...rows.map(([, row]) => row), ...more]) {
      const all = read(text);
      readPage(text, 0, text.length, false);
      const words = Array.from({ length: normalise(0, text.length) }, (_, i) => {
        const word = codes.slice(wordStarts[i], wordEnds[i]);
        assert.equal(wordHashes[i], word.reduce(nextHash, startHash()), text);
        return Array.from(word, shown).join('');
      });
      assert.equal(words.join(' '), all);
    }
  });

  it('reads a window of a page as it reads it by itself', () => {
    const text = 'Pay at https://a.example/b now! Or k i l l, he said: 5ex 🔪 '.repeat(40);
    const windows = [1, 9, 10, 60, 240, 400, 700, 1000, 1020, 1023, 1024, 1025, 1300, text.length].map(
      (to) => [Math.max(0, to - 200), to] as const,
    );
    const alone = windows.map(([from, to]) => written(text, from, to));
    for (const [i, [from, to]] of windows.entries()) {
      readPage(text, from, to, i > 0);
      normalise(from, to);
      assert.deepEqual(codes.subarray(1, 1 + alone[i]!.length), alone[i], `${from} to ${to}`);
    }
  });

  it('never outgrows its memory', () => {
    for (const piece of [
      'a',
      'a ',
      '🔪',
      '!',
      'é',
      '漢',
      'a!',
      '@a',
      '\ud835\udd59',
      '1',
      '?"',
      'аb',
      '*',
      '$',
      ' . ',
    ]) {
      const text = piece.repeat(WINDOW).slice(0, WINDOW);
      assert.ok(written(text, 0, WINDOW).length + 2 <= MAX_CODES, piece);
    }
  });
});

import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { readModelFile } from '#weir/shared/model-file';
import { pii } from '#weir/shared/policy/detectors/pii';
import { newTokens, readTokens } from '#weir/shared/policy/detectors/pii/names/tokens';
import { evidenceOf, pieces } from '../../support.ts';

const NAMES = ['PERSON', 'LOCATION', 'ORGANIZATION', 'POSTAL_ADDRESS'];
const ALL = { pii: { entities: NAMES } };
const SENTENCE = 'Hello, I am Margaret Hollis from Chicago and I work for Siemens.';
const UNSURE = 'Is Whelan there? Obuya was. Ask Iriarte, or Bronwyn. Thx, Gus! The Dravniks called.';

function wordsOf(text: string): string[] {
  const tokens = newTokens();
  const words: string[] = [];
  for (let at = 0; at < text.length; ) {
    at = readTokens(text, at, tokens);
    for (let i = 0; i < tokens.count; i++) words.push(text.slice(tokens.start[i], tokens.end[i]));
  }
  return words;
}

describe('names', () => {
  it('are found as what they are, with a score', () => {
    const found = evidenceOf(ALL, SENTENCE);
    assert.deepEqual(
      found.map(({ detector, start, end }) => [detector, SENTENCE.slice(start, end)]),
      [
        ['pii:PERSON', 'Margaret Hollis'],
        ['pii:LOCATION', 'Chicago'],
        ['pii:ORGANIZATION', 'Siemens'],
      ],
    );
    for (const { score = 1 } of found) assert.ok(score >= 0.5 && score <= 1);
    assert.equal(pii.text?.mark?.('pii:PERSON'), 'PERSON');
  });

  it('are looked for only where a policy names them', () => {
    assert.deepEqual(evidenceOf({ pii: { entities: 'all' } }, SENTENCE), []);
    assert.deepEqual(evidenceOf({ pii: { entities: ['generic', 'contact'] } }, SENTENCE), []);
    assert.deepEqual(pieces({ pii: { entities: ['LOCATION'] } }, SENTENCE), ['Chicago']);
  });

  it('count from the threshold of their entity', () => {
    const all = evidenceOf({ pii: { entities: ['PERSON'], threshold: 0 } }, UNSURE);
    const unsure = all.find(({ score = 1 }) => score < 0.99);
    assert.ok(unsure?.score !== undefined);
    const found = (limits: object): number => evidenceOf({ pii: { entities: ['PERSON'], ...limits } }, UNSURE).length;
    const above = unsure.score + 0.005;
    assert.ok(found({ threshold: above }) < all.length);
    assert.equal(found({ threshold: above, thresholds: { PERSON: 0 } }), all.length);
  });

  it('have offsets in UTF-16 units, also behind characters of two', () => {
    assert.deepEqual(pieces(ALL, '👋🏽🎉 My name is Björn Lindström.'), ['Björn Lindström']);
    assert.deepEqual(pieces(ALL, 'My name is Ｊｏｈｎ Ｓｍｉｔｈ.'), ['Ｊｏｈｎ Ｓｍｉｔｈ']);
  });

  it('are found in all of a long text', () => {
    const filler = 'The order was late and the parcel is broken.\n'.repeat(8000);
    const text = `${filler}My name is Margaret Hollis.\n${filler}I live in Chicago.`;
    assert.deepEqual(pieces(ALL, text), ['Margaret Hollis', 'Chicago']);
  });

  it('are none of e-mail addresses, files and names of programs', () => {
    for (const text of ['mail john.smith@example.com now', 'see john_smith.txt', 'call getJohnSmith() there']) {
      assert.deepEqual(pieces(ALL, text), [], text);
    }
  });
});

describe('tokens', () => {
  it('are words, numbers and signs', () => {
    assert.deepEqual(wordsOf("Mr. O'Brien's car, No. 12a."), [
      'Mr',
      '.',
      "O'Brien",
      "'",
      's',
      'car',
      ',',
      'No',
      '.',
      '12a',
      '.',
    ]);
    assert.deepEqual(wordsOf("l'avenue Jean-Paul"), ['l', "'", 'avenue', 'Jean-Paul']);
  });

  it('take code as one', () => {
    assert.deepEqual(wordsOf('ask a.b_c@d.org: "http://x.y/z", C:\\a\\b'), [
      'ask',
      'a.b_c@d.org',
      ':',
      '"',
      'http://x.y/z',
      '"',
      ',',
      'C:\\a\\b',
    ]);
  });

  it('cover a text of any length, in passages', () => {
    for (const text of [
      'a '.repeat(5000),
      'a.'.repeat(5000),
      'a'.repeat(5000),
      '@'.repeat(999),
      '\n'.repeat(999),
      '_a'.repeat(999),
    ]) {
      assert.equal(wordsOf(text).join('').replaceAll('\n', ''), text.replaceAll(/\s/g, ''));
    }
  });
});

describe('the file of names', () => {
  it('has at most 1.5 MB', () => assert.ok(readModelFile('names').length <= 1_500_000));
});

import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { dataLines } from '#weir/shared/data-file';
import { firstOf, LANGUAGES, languagesOf } from '#weir/shared/policy/languages/words';

const LINES = dataLines('policy/languages/words').map((line) => line.split(': ') as [heading: string, words: string]);

/** The codes of the languages of a word. */
function codesOf(word: string): string[] {
  const codes: string[] = [];
  for (let bits = languagesOf(word); bits !== 0; bits &= bits - 1) codes.push(LANGUAGES[firstOf(bits)]!.code);
  return codes;
}

describe('the words that tell languages', () => {
  it('are known by the language of their line, English first', () => {
    assert.deepEqual(
      LINES.map(([heading]) => heading),
      LANGUAGES.map(({ name, code }) => `${name} ${code}`),
    );
    assert.equal(LANGUAGES[0]!.name, 'English');
    for (const [i, [heading, words]] of LINES.entries())
      for (const word of words.split(' ')) assert.ok(codesOf(word).includes(LANGUAGES[i]!.code), `${heading}: ${word}`);
  });

  it('may be of several languages, with and without apostrophes', () => {
    assert.deepEqual(codesOf('und'), ['de']);
    assert.deepEqual(codesOf('inte'), ['sv']);
    assert.deepEqual(codesOf('ikke'), ['da', 'no']);
    assert.deepEqual([codesOf("don't"), codesOf('dont')], [['en'], ['en']]);
    for (const word of ['', 'x', 'keyboard', 'undx', 'Und', '鍵']) assert.deepEqual(codesOf(word), [], word);
  });

  it('stand there once in small letters', () => {
    for (const [heading, words] of LINES) {
      const list = words.split(' ');
      assert.deepEqual(
        list.filter(
          (word, i) => list.indexOf(word) !== i || word !== word.toLowerCase().normalize('NFC') || word === '',
        ),
        [],
        heading,
      );
    }
  });
});

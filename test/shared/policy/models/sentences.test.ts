import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { endOfSentence } from '#weir/shared/policy/models/sentences';

const MOST = 200;

function sentencesOf(text: string): string[] {
  const found: string[] = [];
  for (let from = 0; from < text.length; ) {
    const to = endOfSentence(text, from, MOST);
    assert.ok(to > from && to - from <= MOST, `${from} ${to}`);
    found.push(text.slice(from, to));
    from = to;
  }
  assert.equal(found.join(''), text);
  return found;
}

describe('the sentences that a model scores', () => {
  const cases: [what: string, sentences: string[]][] = [
    ['prose', ['The first one is here.', ' Is the second one here?', ' Yes, so it is!', ' And the last']],
    ['lines of code', ['const a = f(b);\n', 'if (a > 2) return b;\n', '  // a comment of it\n', '}\n']],
    ['wrapped lines', ['This sentence goes on\nin the next line, and\nthen it ends.', '\nThis is the next one.']],
    ['values of JSON', ['{"name":"A value of it"', ',"other":"A second value"', ',"list":[1,2,3]}']],
    ['lines in a value of JSON', ['{"text":"The first line\\n', 'The second line"', '}']],
    ['initials', ['It is by J. R. Smith, e.g. this one.', ' A second sentence.']],
    ['scripts without spaces', ['これは最初の文章ですよね、そう。', 'これは次の文章です。']],
    ['a short beginning', ['No. 5 is alive in here.', ' What is short ends late.']],
  ];
  for (const [what, sentences] of cases) {
    it(`are those of ${what}`, () => assert.deepEqual(sentencesOf(sentences.join('')), sentences));
  }

  it('are cut between words where they do not end, and move on where there are none', () => {
    const words = sentencesOf('word '.repeat(200));
    assert.ok(words.every((sentence) => /^( ?word)*( word| )$/.test(sentence)));
    assert.deepEqual(
      sentencesOf('x'.repeat(450)).map(({ length }) => length),
      [200, 200, 50],
    );
  });

  it('hold any text of signs that end one', () => {
    for (const sign of ['.', '\n', '"', '\\n', '。', '",', '\ud800']) sentencesOf(sign.repeat(300));
  });
});

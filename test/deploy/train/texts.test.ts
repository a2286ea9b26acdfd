/** What is made of the phrases and words of `deploy/train`, and what their reader says of mistakes. */
import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import { buildEntries } from '#weir/deploy/train/lexicon/build';
import { parsePhrases } from '#weir/deploy/train/phrases';
import { makeExamples } from '#weir/deploy/train/templates/examples';
import { readTexts } from '#weir/deploy/train/texts';
import { packageRoot } from '#weir/shared/paths';

/** A new phrase or word changes these on purpose. The shipped weights are of what these were when they were trained. */
const EXAMPLES = '8163cca86567444bf2ed6889de6c04941559ee5b11e8210c29d7cf4a6f6dc780';
const LEXICON = 'd4e5f6087a31c2aa34e69b9506ad83448aaa87bb30bb9db32e7ef4db94898769';

describe('what the shipped models learn from', () => {
  const texts = readTexts();

  it('is made of phrases in the same way, to the letter', () => {
    const talk = Array.from(
      { length: 300 },
      (_, i) => `They said that ${i} is late. A user came by on day ${i}, and they left.`,
    );
    const terms = ['bonker', 'bonkers'].map((text) => ({ text, class: 'slur' as const, severity: 3 }));
    const hash = createHash('sha256');
    for (const { text, targets, source, group } of makeExamples(1, texts, terms, {
      carriers: talk,
      talk,
      plain: talk,
    })) {
      const lanes = targets.map(({ lane, value, weight }) => `${lane} ${value} ${weight}`).sort();
      hash.update(`${[text, source, group, ...lanes].join('\0')}\n`);
    }
    assert.equal(hash.digest('hex'), EXAMPLES);
  });

  it('has the same words in the same classes', () => {
    const terms = new Map([['bonker', 'slur' as const]]);
    const { hashes, packed } = buildEntries(texts.words, terms, new Map([['carpet', 20]]));
    assert.equal(createHash('sha256').update(hashes).update(packed).digest('hex'), LEXICON);
  });

  it('is of all files that are there', () => {
    for (const [topic, { files }] of Object.entries(texts.topics)) {
      const found = readdirSync(join(packageRoot, 'deploy/train/corpus', topic));
      assert.deepEqual([...files.keys()].map((name) => `${name}.txt`).sort(), found.sort());
    }
  });
});

describe('the reader of phrases', () => {
  it('reads lists, sections and comments', () => {
    const { lists, sections } = parsePhrases(
      '# A comment.\nname: -, one,\n  two words,\n  {other}\nother: three\n\n[kind:1] 40 each, 10% misspelt\na [b|c|] {name:1}\n\\# no comment\n\\[x] y\n\n[rest]\nd: e\n',
      'file',
    );
    assert.deepEqual(Object.fromEntries([...lists].map(([name, { words }]) => [name, words])), {
      name: ['', 'one', 'two words', '{other}'],
      other: ['three'],
    });
    assert.deepEqual(sections, [
      { name: 'kind:1', each: 40, misspelt: 10, phrases: ['a [b|c|] {name:1}', '# no comment', '[x] y'], at: 'file:7' },
      { name: 'rest', each: 0, misspelt: 0, phrases: ['d: e'], at: 'file:12' },
    ]);
  });

  const wrong: [what: string, text: string, expected: RegExp][] = [
    ['a line that is no list', 'one, two', /^file:1: expected a list such as "name: one, two"/],
    ['a list without a word', 'name:', /^file:1: expected a list such as/],
    ['two commas in a row', 'name: one,, two', /^file:1: the list "name": expected a word at each side of a comma/],
    ['a comma at the end', 'name: one,\n  two,', /^file:1: the list "name": expected a word at each side/],
    ['a list twice', 'name: one\nname: two', /^file:2: the list "name" stands in this file twice/],
    ['an indent before all lists', '  one', /^file:1: expected a line without an indent/],
    ['an indent in a section', '[a]\nb: c,\n  d', /^file:3: expected a line without an indent/],
    ['a section twice', '[a]\nb\n[a]\nc', /^file:3: \[a\] stands in this file twice/],
    ['a section without a phrase', '[a]\n# b\n[c]\nd', /^file:1: \[a\]: expected a phrase below/],
    ['numbers in other words', '[a] 40 times\nb', /^file:1: expected \[name\] or \[name\] 40 each, 10% misspelt/],
    ['a heading that does not end', '[a\nb', /^file:1: expected \[name\]/],
    ['a slot that does not end', '[a]\nb {c', /^file:2: expected slots as \{name\} or \{name:1\}, got "b \{c"/],
    ['a bracket that does not end', '[a]\nb [c|d', /^file:2: expected a "\]" for each "\[", got "b \[c\|d"/],
    ['a choice with a comma in a list', 'name: a [b|c, d]', /^file:1: expected a "\]" for each "\["/],
  ];
  for (const [what, text, expected] of wrong) {
    it(`refuses ${what}`, () => {
      assert.throws(() => parsePhrases(text, 'file'), { message: expected });
    });
  }
});

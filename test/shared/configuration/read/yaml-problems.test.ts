import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { readSource } from '#weir/shared/configuration/read/source';

const problemsOf = (text: string): string[] =>
  readSource(text).errors.map(({ message, position }) => `${position.line}:${position.column}: ${message}`);

const COLUMN = 'expected keys of one object in the same column: this line is indented otherwise than the one before it';
const TAB = 'expected spaces, found a tab: YAML is indented by spaces alone, in every line of the file';

/** Each is what somebody sees who wrote this. */
const WRONG: [name: string, text: string, problems: string[]][] = [
  [
    'a colon in a value',
    'policies:\n- name: Cards: all\n  x: 1\n',
    ['2:9: expected one value, found a colon in it: put it in quotes, "Cards: all"'],
  ],
  [
    'colons in two values, each by itself',
    'a: b: c: d\ne: f: g\n',
    [
      '1:4: expected one value, found a colon in it: put it in quotes, "b: c: d"',
      '2:4: expected one value, found a colon in it: put it in quotes, "f: g"',
    ],
  ],
  ['tabs in many lines, once', 'teams:\n\t- id: acme\n\t  tags: []\n\t- id: b\n', [`2:1: ${TAB}`]],
  ['a tab below an item', 'teams:\n- id: acme\n\ttags: []\n\tx: y\n', [`3:1: ${TAB}`]],
  [
    'a key twice',
    'version: 1\nteams: []\nversion: 1\n',
    ['3:1: the key version stands twice in one object, first in line 1: keep one of them'],
  ],
  [
    'keys twice, each by itself',
    'a: 1\na: 2\nb: {c: 1, "c": 2}\n',
    [
      '2:1: the key a stands twice in one object, first in line 1: keep one of them',
      '3:11: the key "c" stands twice in one object, first in line 3: keep one of them',
    ],
  ],
  ['a line that is indented too far', 'teams:\n- id: acme\n   fail_closed: true\n', [`3:4: ${COLUMN}`]],
  ['an item that is indented too little', 'teams:\n  - id: acme\n - id: b\n', [`3:1: ${COLUMN}`]],
  ['an object that is not closed', 'teams: [{id: acme]\n', ['1:18: expected }, which closes {']],
  ['a list that is not closed', 'teams: [{id: acme}\nkeys: []\n', ['2:1: expected ], which closes [']],
  [
    'quotes that are not closed',
    'version: 1\nname: "abc\nteams: []\n',
    ['2:7: expected a closing ": the text in quotes that begins here has no end'],
  ],
  [
    'a quote within quotes',
    "name: 'it's'\n",
    ["1:11: expected the end of the line behind the closing quote; within single quotes write '' for one"],
  ],
  ['a text that begins with @', 'name: @all\n', ['1:7: expected a value; a text that begins with @ needs quotes']],
  [
    'a text that begins with *',
    'a: 1\nb: *.com\n',
    ['2:4: there is no &.com before it; a text that begins with * needs quotes'],
  ],
  [
    'a text that begins with !',
    'when: !has(metadata.user)\n',
    ['1:7: expected a value; a text that begins with ! needs quotes'],
  ],
  ['no space behind a colon', 'version:1\nteams: []\n', ['1:1: expected a space behind the colon: version: …']],
  ['no space behind a colon of a list', 'version: 1\nteams:[]\n', ['2:1: expected a space behind the colon: teams: …']],
  ['no space behind a dash', 'tags:\n-b\n-c\n', ['2:1: expected a space behind the - of an item']],
  ['a line of text', 'version: 1\nfoo\n', ['2:1: expected "key: value" or "- item", found "foo"']],
  [
    'a backslash in double quotes',
    'p: "\\d+"\n',
    ['1:5: \\d has no meaning within double quotes: use single quotes, or write \\\\d'],
  ],
  [
    'a colon within brackets',
    'a: {when: x == "x" ? true : false}\n',
    ['1:11: expected a comma or a closing bracket; a value with a colon needs quotes within { } and [ ]'],
  ],
  ['an item without a value', 'a: [a,, b]\n', ['1:7: expected a value before the comma']],
  ['two documents', 'a: 1\n---\nb: 2\n', ['2:1: expected one document, found a second one behind ---']],
];

describe('a text that is no YAML is told in words:', () => {
  for (const [name, text, problems] of WRONG) {
    it(name, () => assert.deepEqual(problemsOf(text), problems));
  }

  it('whatever it is, with a place in it and in one line', () => {
    const piece = fc.constantFrom(
      'a',
      ': ',
      ':',
      '- ',
      '-',
      '\n',
      '\n  ',
      '\t',
      '"',
      "'",
      '{',
      '}',
      '[',
      ']',
      ',',
      '*x',
      '&x ',
      '!t ',
      '#',
      '|',
      '>',
      '%',
      '@',
      '\\',
    );
    fc.assert(
      fc.property(fc.array(piece, { maxLength: 20 }), (pieces) => {
        const text = pieces.join('');
        for (const { message, position } of readSource(text).errors) {
          assert.ok(message.length > 0 && message.length < 300 && !message.includes('\n'), message);
          const lines = text.split('\n');
          assert.ok(
            position.line >= 1 && position.line <= lines.length + 1,
            `${JSON.stringify(text)} ${position.line}`,
          );
        }
      }),
      { numRuns: 2000 },
    );
  });
});

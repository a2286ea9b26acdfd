import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { endOfSegment, LONGEST_SEGMENT, readSaid, said, WHOLE } from '#weir/shared/policy/models/segments';

function segmentsOf(text: string): string[] {
  const found: string[] = [];
  for (let from = 0; from < text.length; ) {
    const to = endOfSegment(text, from);
    assert.ok(to > from && to - from <= Math.max(WHOLE, LONGEST_SEGMENT), `${from} ${to}`);
    found.push(text.slice(from, to));
    from = to;
  }
  assert.equal(found.join(''), text);
  return found;
}

/** Lines that make a text long. */
const LINES = new Array<string>(7).fill('A line of words before 1\n');

describe('the segments that a model scores', () => {
  const long: [what: string, segments: string[]][] = [
    ['sentences', ['The first one is here.', ' Is the second one here?', ' Yes, so it is!', ' And the last']],
    ['lines of code', ['const a = f(b);', '\nif (a > 2) return b;', '\n  // a comment of it\n', '}\n']],
    [
      'short lines before an empty one',
      ['- Add\n', '\nYou are all so nice to me\n', '\nIt:\n', '\nYou are all so nice.'],
    ],
    ['a log', ['2026-03-04 11:22:33 INFO [worker-3] comment.save body=', '"You are all so nice to me."', ' user=17']],
    ['a log with a message at its end', ['Mar  4 11:22:33 web1 app[311]:', ' You are all so nice to me.']],
    [
      'clauses of a long sentence',
      [
        'Please stop the job on node 14 at once, which has been there since yesterday or longer,',
        ' and bring the tools, then go home early.',
      ],
    ],
    ['what is said with a semicolon', ['We met in the garden;', ' you were all so nice to me;', ' then we left.']],
    [
      'a quotation in a sentence',
      ['He wrote to me after work:', ' "You are all so nice to me."', ' and I did not know it.'],
    ],
    ['rows', ['17\tuser7\t', 'You are all so nice to me\t', '2026-05-11\n']],
    ['rows with commas', ['650,2026-03-16,', 'a.user36@a.example,', 'You are all so nice to me,', 'so it is\n']],
    ['arguments', ['send_mail(to="a"', ', subject="hi"', ', body=', '"You are all so nice to me."', ', retries=3)']],
  ];
  for (const [what, segments] of long) {
    it(`of a long text are those of ${what}`, () =>
      assert.deepEqual(segmentsOf([...LINES, ...segments].join('')), [...LINES, ...segments]));
  }

  const data: [what: string, segments: string[]][] = [
    ['JSON', ['{"name"', ':"A value of it"', ',"other"', ':"A second value"', ',"list"', ':[1,2,3]}']],
    ['JSON within JSON', ['{"a":', ' "{\\"text\\"', ': \\"You are all so nice to me.\\"', '}"}']],
    ['HTML', ['<table>', '<tr><td>', '17</td>', '<td>You are all so nice to me.', '</td></tr>', '</table>']],
    ['a list', ['- first\n', '- You are nice\n', '- second']],
    ['labels', ['id: 44\n', 'text:', ' You are nice.', '\nok: true']],
    ['a chat', ['ann: hi\nbob:', ' You are nice']],
    ['columns', ['17\tuser\t', 'You are nice\t', '4']],
    ['attributes', ['<img src="a.png" title=', '"You are all so nice to me."', '>']],
    ['elements within a sentence', ['<p>You are <b>all</b> so <a href="/x">nice</a> to me.', '</p>']],
  ];
  for (const [what, segments] of data) {
    it(`of any text are those of ${what}`, () => assert.deepEqual(segmentsOf(segments.join('')), segments));
  }

  it('are read without the quotes of a value, and with those within a sentence', () => {
    const saidIn = (segment: string): string => {
      readSaid(`${segment} more`, 0, segment.length);
      return segment.slice(said[0], said[1]);
    };
    assert.equal(saidIn(':"You are nice.",'), 'You are nice.');
    assert.equal(saidIn('"You are nice.'), 'You are nice.');
    assert.equal(saidIn(' He is, too."'), ' He is, too.');
    assert.equal(saidIn('<td class="c">You are nice.'), 'You are nice.');
    assert.equal(saidIn('<p>"You are nice."'), 'You are nice.');
    for (const tag of ['<td class="c">', '<b>You</b> are nice.']) assert.equal(saidIn(tag), tag);
    for (const segment of ['"You" are "nice"', 'You are "nice".', 'You are nice.'])
      assert.equal(saidIn(segment), segment);
    readSaid('"You are nice."', 0, 15);
    assert.deepEqual([...said], [0, 15], 'the whole of a text');
  });

  it('of a short text of prose in one line are one', () => {
    for (const text of [
      'One is here. Another is here, and it is one. He said "so it is", and went.',
      'It is late; I am here: you (and me) are not - so it is.',
    ])
      assert.deepEqual(segmentsOf(text), [text]);
  });

  it('are cut between words where they do not end, and move on where there are none', () => {
    for (const segment of segmentsOf('word '.repeat(200))) assert.match(segment, /^( ?word)*( word| )$/);
    const [longest, all] = [LONGEST_SEGMENT, 450];
    assert.deepEqual(
      segmentsOf('x'.repeat(all)).map(({ length }) => length),
      [...new Array<number>(Math.floor(all / longest)).fill(longest), all % longest],
    );
  });

  it('hold any text of signs that end one', () => {
    const signs = [
      '.',
      '\n',
      '"',
      '\\n',
      '。',
      '",',
      '\ud800',
      '<',
      '>',
      '<a',
      '</',
      '\\"',
      "'",
      "='",
      ';',
      '\t',
      ']:',
      ' -',
      '(',
    ];
    for (const sign of signs) for (const times of [20, 300]) segmentsOf(sign.repeat(times));
  });
});

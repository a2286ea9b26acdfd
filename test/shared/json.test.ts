import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import {
  compact,
  eachElement,
  eachMember,
  looksLikeJson,
  memberAt,
  readTokens,
  skipValue,
  sourceAt,
  unescaped,
} from '#weir/shared/json';

type Token = [text: string, kind: string, written: string];

function tokensOf(json: string): Token[] | undefined {
  const tokens: Token[] = [];
  const whole = readTokens(json, (text, kind, start, end) => tokens.push([text, kind, json.slice(start, end)]));
  return whole ? tokens : undefined;
}

/** Names, strings and numbers of a value in order, as JSON.parse has them. */
function walk(value: unknown): string[] {
  if (typeof value === 'string') return [value];
  if (typeof value === 'number') return [JSON.stringify(value)];
  if (Array.isArray(value)) return value.flatMap(walk);
  if (typeof value !== 'object' || value === null) return [];
  return Object.entries(value).flatMap(([name, inner]) => [name, ...walk(inner)]);
}

describe('JSON as it is written', () => {
  it('is read token by token, numbers as they stand, strings decoded', () => {
    assert.deepEqual(tokensOf(' {"a\\u0062" : [1e400, -0.50, "x\\n\\"y"], "t":true,"n":null} '), [
      ['ab', 'name', 'a\\u0062'],
      ['1e400', 'number', '1e400'],
      ['-0.50', 'number', '-0.50'],
      ['x\n"y', 'string', 'x\\n\\"y'],
      ['t', 'name', 't'],
      ['n', 'name', 'n'],
    ]);
    assert.deepEqual(tokensOf('{"a":1,"a":2}')?.length, 4, 'both of two members of one name');
    assert.deepEqual(tokensOf('[[],{},[{}]]'), []);
  });

  it('is told from other text', () => {
    for (const text of [
      '',
      '[',
      '{',
      '[1',
      '[1,]',
      '{"a":1,}',
      '{a:1}',
      '{"a" 1}',
      '{"a":}',
      '[1]]',
      '[1] x',
      '["x]',
      '[tru]',
    ])
      assert.equal(tokensOf(text), undefined, text);
    for (const text of ['[note] see above', '{ x }', '[x', 'plain', '"[1]"', '']) {
      assert.equal(looksLikeJson(text) && tokensOf(text) !== undefined, false, text);
    }
    assert.ok(looksLikeJson('\n{"a":1} '));
  });

  it('has the tokens that JSON.parse finds, however it is spaced, and so has its compact form', () => {
    fc.assert(
      fc.property(fc.jsonValue(), fc.constantFrom(undefined, 1, '\t'), (value, space) => {
        const json = JSON.stringify(value, null, space);
        const texts = tokensOf(json)?.map(([text]) => text);
        // A boolean counts where it is all there is.
        assert.deepEqual(texts, typeof value === 'boolean' ? [String(value)] : walk(JSON.parse(json)));
        assert.equal(compact(json), JSON.stringify(value));
        assert.equal(skipValue(json, 0), json.length);
      }),
    );
  });

  it('is decoded like JSON.parse does, and unknown escapes stay', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary' }), (text) =>
        assert.equal(unescaped(JSON.stringify(text).slice(1, -1)), text),
      ),
    );
    assert.equal(unescaped('\\u00f6\\ud83d\\ude00\\/\\x\\u12'), 'ö😀/xu12');
  });

  it('gives positions of members and elements, the last of a name, and skips what is not an object', () => {
    const json = '{"a":{"x":1},"list":[1, {"y":2} ,3],"a" : 12345678901234567890 }';
    assert.equal(sourceAt(json, memberAt(json, 0, 'a')), '12345678901234567890');
    const seen: string[] = [];
    eachElement(json, memberAt(json, 0, 'list'), (index, start) => {
      const end = skipValue(json, start);
      seen.push(`${index} ${json.slice(start, end)}`);
      return end;
    });
    assert.deepEqual(seen, ['0 1', '1 {"y":2}', '2 3']);
    for (const text of ['5', 'null', '"{"', '[{"a":1}]']) assert.equal(memberAt(text, 0, 'a'), -1);
    const end = eachMember('7 ', 0, () => assert.fail());
    assert.equal(end, 1);
  });

  it('takes time linear in its length, whatever is in it', () => {
    const many = 200_000;
    for (const text of ['['.repeat(many), '\\'.repeat(many), `["${'\\\\'.repeat(many)}"]`, `[${'"x",'.repeat(many)}1]`])
      tokensOf(text);
  });
});

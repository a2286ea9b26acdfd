import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { type ContentReading, createReader, placeOf } from '#weir/shared/policy/content/content';

const ofJson = (json: string): ContentReading => {
  const reader = createReader();
  reader.json(json);
  return reader.done();
};
const ofString = (text: string): ContentReading => {
  const reader = createReader();
  reader.string(text);
  return reader.done();
};

describe('the text of a content field', () => {
  it('is the names, strings and numbers of JSON as they are written, in order [event.json-content]', () => {
    const made = ofJson('{"q":"find","list":["a",4111111111111111,1e400,null,{"deep":"b"}],"flag":true}').text;
    assert.equal(made, 'q\nfind\nlist\na\n4111111111111111\n1e400\ndeep\nb\nflag');
    assert.equal(ofJson('[12345678901234567890, 1.0]').text, '12345678901234567890\n1.0');
  });

  it('includes names that every object has, and both of two members of one name', () => {
    assert.equal(ofJson('{"__proto__":"x","constructor":"y"}').text, '__proto__\nx\nconstructor\ny');
    assert.equal(ofJson('{"a":"x","a":"y"}').text, 'a\nx\na\ny');
  });

  it('is read at any depth', () => {
    const deep = 100_000;
    assert.equal(ofJson(`${'['.repeat(deep)}"x"${']'.repeat(deep)}`).text, 'x');
  });
});

describe('a number of JSON', () => {
  const plainOf = (json: string): string | undefined => ofJson(json).decoded?.text;

  it('is checked in its plain form, too, where it has an exponent or a fraction of zeros [event.plain-number]', () => {
    const rows: [written: string, plain: string][] = [
      ['4111111111111111e0', '4111111111111111'],
      ['4.111111111111111e15', '4111111111111111'],
      ['4.111111111111111E+15', '4111111111111111'],
      ['0.4111111111111111e16', '4111111111111111'],
      ['4111111111111111000e-3', '4111111111111111'],
      ['4111111111111111.0', '4111111111111111'],
      ['4111111111111111.000', '4111111111111111'],
      ['-4111111111111111.0', '-4111111111111111'],
      ['4111111111111111e000000000', '4111111111111111'],
      [`4.111111111111111e+${'0'.repeat(99)}15`, '4111111111111111'],
      ['41111e3', '41111000'],
      ['1e33', `1${'0'.repeat(33)}`],
    ];
    for (const [written, plain] of rows) {
      const { text, decoded } = ofJson(`{"n":[${written}]}`);
      assert.equal(text, `n\n${written}`);
      assert.equal(decoded?.text, plain, written);
    }
  });

  it('has no other form where it is no whole number of up to 34 digits', () => {
    const others = ['4111111111111111', '41.5', '4111111111111111e-1', '1e34', '1e400', '1e-400', '0.0', '0e9', '12.0'];
    for (const written of [...others, '1e99999999999', `1.${'0'.repeat(1000)}1e3`])
      assert.equal(plainOf(`[${written}]`), undefined, written);
  });

  it('is where it is written, also in JSON within strings', () => {
    const inner = '{"a":"b","n":4.111111111111111e15}';
    for (const text of ['[4111111111111111e0, "x"]', JSON.stringify({ arguments: inner })]) {
      const made = ofJson(text);
      const { decoded } = made;
      const at = decoded!.text.indexOf('4111111111111111', decoded!.text.indexOf('e15') + 1);
      const { start, end } = placeOf(decoded!, { start: at, end: at + 16 });
      assert.match(made.text.slice(start, end), /^4[.1]*e\d+$/);
    }
  });
});

describe('JSON in a string', () => {
  it('is decoded beside the string as it stands, and is what the object would be [event.json-string]', () => {
    const { text, decoded } = ofString('{"q":"zz\\u00f6","n":1e400}');
    assert.equal(text, '{"q":"zz\\u00f6","n":1e400}');
    assert.equal(decoded?.text, ofJson('{"q":"zz\\u00f6","n":1e400}').text);
  });

  it('is decoded at every level, and where it stands in other JSON', () => {
    let text = JSON.stringify({ q: 'zzgrößer' }).replaceAll('ö', '\\u00f6');
    for (let level = 0; level < 8; level++) {
      assert.match(ofString(text).decoded!.text, /zzgrößer/, `level ${level}`);
      text = JSON.stringify([text]);
    }
    assert.match(ofJson('{"args":"[\\"\\\\u00f6\\"]"}').decoded!.text, /^ö$/);
  });

  it('is no more than some times as long as the string, however deep it is', () => {
    let text = JSON.stringify(['x'.repeat(100_000)]);
    for (let level = 0; level < 10; level++) text = JSON.stringify([text]);
    assert.ok(ofString(text).decoded!.text.length < 4 * text.length);
  });

  it('is known to have a name twice, at every level; both of its values are read', () => {
    let text = '{"a":[{"q":"one","\\u0071":"two"}]}';
    for (let level = 0; level < 6; level++) {
      const reading = ofString(text);
      assert.equal(reading.repeats, true, `level ${level}`);
      assert.match(reading.decoded!.text, /one\n(.*\n)?two/, `level ${level}`);
      assert.equal(ofJson(JSON.stringify({ text })).repeats, true);
      text = JSON.stringify([text]);
    }
    for (const once of ['{"a":{"a":1},"b":[{"a":1},{"a":1}]}', '["a","a"]', '{"a":"a\\n"}', '{"a":1,"a":2} and more'])
      assert.equal(ofString(once).repeats, undefined, once);
    // Looser than JSON.parse is.
    for (const name of ['a\\u0041\t', '\u0001\\n', '\\x\\u12\t'])
      assert.deepEqual(
        [ofString(`{"${name}":1}`).repeats, ofString(`{"${name}":1,"${name}":2}`).repeats],
        [undefined, true],
      );
    assert.equal(ofString(`${'{"a":['.repeat(50_000)}${']}'.repeat(50_000)}`).repeats, undefined);
  });

  it('is read without an error, whatever the string is', () => {
    const sign = fc.constantFrom(
      '{',
      '}',
      '[',
      ']',
      '"',
      ':',
      ',',
      '\\',
      '\\u00',
      '\\ud83d',
      'a',
      '\t',
      '1',
      '-',
      'e',
      'true',
      '😀',
      '"a":1',
      '"\\u0061":2',
    );
    let repeated = 0;
    fc.assert(
      fc.property(fc.array(sign, { maxLength: 12 }), (signs) => {
        for (const text of [`{${signs.join('')}}`, `{"a":1,${signs.join('')}}`]) if (ofString(text).repeats) repeated++;
      }),
      { numRuns: 5000 },
    );
    assert.ok(repeated > 10, `${repeated} have a name twice`);
  });

  it('is not looked for where the string is no JSON', () => {
    for (const text of ['[note] see', '{x}', 'plain', '["a"', '{"a":"b"} and more'])
      assert.equal(ofString(text).decoded, undefined, text);
  });

  it('is found in the string where it stands, to the letter, at every level', () => {
    const { text, decoded } = ofJson(JSON.stringify({ first: 'x', args: '{"card":"4111 1111","t":"zz\\u00f6 y"}' }));
    const at = (find: string): string => {
      const start = decoded!.text.indexOf(find);
      const { start: from, end } = placeOf(decoded!, { start, end: start + find.length });
      return text.slice(from, end);
    };
    assert.equal(at('111 1111'), '111 1111');
    assert.equal(at('zzö'), 'zz\\u00f6');
    assert.equal(at('4111 1111\nt'), '4111 1111","t');
    let said = 'a "b" zz\u00f6 c';
    for (let level = 1; level <= 6; level++) {
      said = JSON.stringify([1, said]).replaceAll('\u00f6', '\\u00f6');
      const reading = ofString(said);
      const found = reading.decoded!.text.lastIndexOf('b" zz\u00f6');
      const place = placeOf(reading.decoded!, { start: found, end: found + 'b" zz\u00f6'.length });
      const cut = reading.text.slice(place.start, place.end);
      assert.equal(cut, said.slice(said.indexOf('b'), said.indexOf(' c')), said);
    }
  });

  it('is decoded in a part of a text, as often as it is escaped, and its place is known to the letter', () => {
    let said = 'a "b" zz\u00f6 c';
    for (let level = 1; level <= 6; level++) {
      said = JSON.stringify(said).replaceAll('\u00f6', '\\u00f6').slice(1, -1);
      const text = `see: ${said} and more`;
      const { decoded } = ofString(text);
      const start = decoded!.text.indexOf('zz\u00f6 c and');
      assert.ok(start >= 0, text);
      const place = placeOf(decoded!, { start, end: start + 'zz\u00f6 c and'.length });
      assert.equal(text.slice(place.start, place.end), text.slice(text.indexOf('zz'), -' more'.length), text);
    }
    assert.equal(ofString('\\').decoded?.text, '');
    assert.equal(ofString('50 % \\ \\x41 \\u12 \\').decoded?.text.split('\n')[0], '50 %  x41 u12 ');
  });

  it('costs no more where a text is escapes alone, however deep', () => {
    for (const text of [
      '\\'.repeat(2 ** 18),
      '\\u005c'.repeat(2 ** 15),
      `a${'\\n'.repeat(2 ** 17)}`,
      'a\\n'.repeat(2 ** 16),
    ]) {
      const { decoded } = ofString(text);
      assert.ok(decoded!.text.length <= 3 * text.length);
      assert.ok(decoded!.pieces.length <= 3, 'one for each time that it is taken for what it says');
    }
  });
});

import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { createReader, placeOf } from '#weir/shared/policy/content/content';
import { splicesOf } from '#weir/shared/policy/content/splices';
import { assertBounded } from '../../../support/effort.ts';

/** `json` with every place where one of `words` stands in the text that is checked replaced, as `[WORD]` in capitals. */
function redacted(json: string, words: readonly string[]): string {
  const reader = createReader();
  reader.json(json);
  const { text, decoded } = reader.done();
  const found = words.flatMap((word) => {
    const label = word.toUpperCase().replaceAll(/[^A-Z]/g, '') || 'NUMBER';
    const plain = [...text.matchAll(new RegExp(word, 'g'))].map(({ index }) => ({
      start: index,
      end: index + word.length,
    }));
    const inner = [...(decoded?.text ?? '').matchAll(new RegExp(word, 'g'))].map(({ index }) =>
      placeOf(decoded!, { start: index, end: index + word.length }),
    );
    return [...plain, ...inner].map((place) => ({ ...place, label }));
  });
  found.sort((a, b) => a.start - b.start || a.end - b.end);
  const marks = found.filter((mark, i) => i === 0 || mark.start >= found[i - 1]!.end);
  let made = '';
  let at = 0;
  for (const { start, end, text: put } of splicesOf(json, [0], marks)) {
    assert.ok(start >= at && end > start, 'ascending and apart');
    made += json.slice(at, start) + put;
    at = end;
  }
  return made + json.slice(at);
}

/** The kinds of all values, and how many members and elements there are. */
function shapeOf(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(shapeOf);
  if (typeof value === 'object' && value !== null) return Object.values(value).map(shapeOf);
  return null;
}

describe('JSON with marks', () => {
  it('has them within strings and names, and in place of numbers', () => {
    const json = '{ "to": ["a dog, a dog\\n", 4111, -12.5e3], "dog house": {"x": true} }';
    const made = redacted(json, ['dog', '4111']);
    assert.equal(made, '{ "to": ["a [DOG], a [DOG]\\n", "[NUMBER]", -12.5e3], "[DOG] house": {"x": true} }');
  });

  it('has them in place of numbers that are found in their plain form [event.plain-number]', () => {
    const json = '{"n": [4.111e3, 7], "of": "{\\"m\\": 4111.0}"}';
    assert.equal(redacted(json, ['4111']), '{"n": ["[NUMBER]", 7], "of": "{\\"m\\": \\"[NUMBER]\\"}"}');
  });

  it('keeps everything else as it was written, escapes and numbers with them', () => {
    const json = '["\\u00e9\\t\\"dog\\" \\ud83d\\ude00 \\/", 12345678901234567890, 1.0]';
    assert.equal(redacted(json, ['dog']), json.replace('dog', '[DOG]'));
    assert.equal(redacted('["a d\\u006fg"]', ['dog']), '["a [DOG]"]');
    assert.equal(redacted(json, []), json);
  });

  it('is JSON within strings where these were, at every level', () => {
    const inner = { card: 4111, list: ['say "dog"\n', { dog: [1] }] };
    let json = JSON.stringify(inner);
    for (let level = 1; level <= 3; level++) {
      json = JSON.stringify({ args: json, n: level });
      let value = JSON.parse(redacted(json, ['dog', '4111']));
      for (let i = 0; i < level; i++) value = JSON.parse(value.args);
      if (level === 1) assert.deepEqual(value, { card: '[NUMBER]', list: ['say "[DOG]"\n', { '[DOG]': [1] }] });
      assert.equal(JSON.stringify(value).includes('dog'), false);
      assert.equal(value.card, '[NUMBER]');
    }
  });

  it('has marks in strings that only look like JSON', () => {
    assert.equal(redacted('["[dog]", "{dog}", "[1, dog"]', ['dog']), '["[[DOG]]", "{[DOG]}", "[1, [DOG]"]');
  });

  it('keeps members apart, whatever they are called', () => {
    assert.equal(redacted('{"dog":1,"cat":2,"dog":3}', ['dog', 'cat']), '{"[DOG]":1,"[CAT_2]":2,"[DOG]":3}');
    const names = { 'dog [DOG_2]': 1, '[DOG] cat': 2, 'cat dog': 3, '[DOG]': 4 };
    const made = JSON.parse(redacted(JSON.stringify(names), ['dog', 'cat']));
    assert.equal(Object.keys(made).length, 4, JSON.stringify(made));
  });

  it('has a mark in each string of a find that spans several, and no half of a character', () => {
    const marks = [{ start: 1, end: 5, label: 'A' }];
    const cut = (json: string) =>
      splicesOf(json, [0], marks).map(({ start, end, text }) => [json.slice(start, end), text]);
    assert.deepEqual(cut('["ab","cd","ef"]'), [
      ['b', '[A]'],
      ['cd', '[A]'],
    ]);
    assert.deepEqual(cut('["😀bc😀"]'), [['😀bc😀', '[A]']]);
    assert.deepEqual(cut('["\\ud83d\\ude00bc😀"]'), [['\\ud83d\\ude00bc😀', '[A]']]);
  });

  it('parses to the same shape, with marks at any place', () => {
    let seed = 7;
    const random = (below: number): number => {
      seed = (seed * 1103515245 + 12345) % 2147483648;
      return seed % below;
    };
    const words = ['a"b', '\\', '😀', 'x\ny', '[1,"z"]', '{"k":"v\\u00e9","n":12}', '{"[A]":"[A_2]"}', 'é', '', '[A]'];
    const make = (depth: number): unknown => {
      const kind = random(depth > 2 ? 3 : 6);
      if (kind === 0) return words[random(words.length)]! + words[random(words.length)]!;
      if (kind === 1) return random(1000) - 500.5;
      if (kind === 2) return JSON.stringify([words[random(words.length)], { [words[random(words.length)]!]: 1 }]);
      if (kind === 3) return JSON.stringify(make(depth + 1));
      if (kind === 4) return Array.from({ length: random(4) }, () => make(depth + 1));
      return Object.fromEntries(
        Array.from({ length: random(4) }, (_, i) => [`${words[random(words.length)]}${i}`, make(depth + 1)]),
      );
    };
    for (let run = 0; run < 500; run++) {
      const json = JSON.stringify([make(0), make(0)]);
      const reader = createReader();
      reader.json(json);
      const { length } = reader.done().text;
      const marks = [];
      for (let at = random(4); at < length; at += random(12)) {
        const end = Math.min(length, at + 1 + random(6));
        marks.push({ start: at, end, label: random(2) === 0 ? 'A' : 'B' });
        at = end;
      }
      let made = '';
      let at = 0;
      for (const splice of splicesOf(json, [0], marks)) {
        made += json.slice(at, splice.start) + splice.text;
        at = splice.end;
      }
      made += json.slice(at);
      assert.equal(Buffer.from(made).toString(), made, 'no half of a character');
      assert.deepEqual(
        shapeOf(JSON.parse(made)),
        shapeOf(JSON.parse(json)),
        `${json}\n${made}\n${JSON.stringify(marks)}`,
      );
    }
  });

  it('takes time in proportion to its length', () => {
    const words = Array.from({ length: 10_000 }, (_, i) => `dog ${i}`);
    const json = JSON.stringify({ list: words, again: JSON.stringify({ words, text: words.join('\n') }) });
    let made = '';
    assertBounded(() => {
      made = redacted(json, ['dog']);
    });
    assert.equal(made.includes('dog'), false);
    assert.equal(JSON.parse(JSON.parse(made).again).words.length, 10_000);
  });
});

import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { createReader } from '#weir/shared/policy/content/content';
import { createPlacingReader, type FindPlace } from '#weir/shared/policy/content/places';
import type { Evidence } from '#weir/shared/policy/types';

function textOf(json: string): string {
  const reader = createReader();
  reader.json(json);
  return reader.done().text;
}

/** Where each of `words`, as it stands in the text that is checked, is in the JSON. */
function placesOf(json: string, ...words: string[]): FindPlace[][] {
  const text = textOf(json);
  return placed(
    json,
    words.map((word) => {
      const start = text.indexOf(word);
      assert.ok(start >= 0, `${word} in ${JSON.stringify(text)}`);
      return [start, start + word.length] as const;
    }),
  ).map((places) => places.map(inJson));
}

/** A place without where it is in the text, and in other units. */
const inJson = ({ counted, within, ...place }: FindPlace): FindPlace => place;

function placed(json: string, ranges: readonly (readonly [number, number])[]): FindPlace[][] {
  const evidence = ranges.map(([start, end]): Evidence => ({ detector: 'd', view: 'raw', source: 'text', start, end }));
  const placing = createPlacingReader(evidence);
  placing.json(json);
  return placing.places();
}

/** What a caller finds at a place. */
function cut(value: unknown, { path, index, start, end }: FindPlace): string {
  let at = value;
  for (const step of path.split('/').slice(1)) {
    at = (at as Record<string, unknown>)[step.replaceAll('~1', '/').replaceAll('~0', '~')];
  }
  return String(index === undefined ? at : Object.keys(at as object)[index]).slice(start, end);
}

describe('a find in JSON', () => {
  const JSON_OF = '{"to":[{"name":"Zo\\u00eb \\"Z\\" 😀 secret!"},-12.50e3,"x"],"a/b~c":{"deep":"my secret2"},"":""}';

  it('has a pointer to its string or number, and offsets in what that says', () => {
    const value = JSON.parse(JSON_OF);
    for (const [word, path] of [
      ['secret!', '/to/0/name'],
      ['"Z" 😀', '/to/0/name'],
      ['x', '/to/2'],
    ] as const) {
      const [[place]] = placesOf(JSON_OF, word) as [[FindPlace]];
      assert.equal(place.path, path);
      assert.equal(cut(value, place), word);
    }
    assert.deepEqual(placesOf(JSON_OF, '12.50'), [[{ path: '/to/1', start: 1, end: 6 }]]);
  });

  it('is in the text that is checked where its pieces are, and counted in code points and bytes of its string', () => {
    const text = textOf(JSON_OF);
    const [start, end] = [text.indexOf('😀 secret!'), text.indexOf('.50')];
    const [places] = placed(JSON_OF, [[start, end]]);
    const pieces = places!.map(({ within, start, end }) => text.slice(...(within ?? ([start, end] as const))));
    assert.equal(pieces.join('\n'), text.slice(start, end));
    assert.deepEqual(
      places!.map(({ counted }) => counted),
      [[8, 17, 9, 21], undefined],
    );
    const first = placed('["é x","x"]', [[2, 3]]);
    assert.deepEqual(first, [[{ path: '/0', start: 2, end: 3, counted: [2, 3, 3, 4], within: undefined }]]);
  });

  it('is in the order in which it was asked for, whatever the order in the text', () => {
    const paths = placesOf('{"a":"one","b":"two","c":"three"}', 'three', 'one', 'two').map(([place]) => place!.path);
    assert.deepEqual(paths, ['/c', '/a', '/b']);
  });

  it('that spans strings has a place in each, and in none that it only touches', () => {
    assert.deepEqual(placesOf('["ab","cd","ef","gh"]', 'b\ncd\ne'), [
      [
        { path: '/0', start: 1, end: 2 },
        { path: '/1', start: 0, end: 2 },
        { path: '/2', start: 0, end: 1 },
      ],
    ]);
    assert.deepEqual(placesOf('["ab","cd"]', 'ab\n'), [[{ path: '/0', start: 0, end: 2 }]]);
  });

  it('that spans too many has one place, all of it', () => {
    const nine = JSON.stringify(Array(9).fill('a'));
    const all = placed(nine, [[0, 17]]);
    assert.deepEqual(all, [[{ path: '', start: 0, end: 0, within: [0, 17] }]]);
    assert.equal(placed(nine, [[0, 15]])[0]!.length, 8);
  });

  it('in a name has the object and the number of the member, and that name is in no path', () => {
    const json = '{"a":{"plain":1,"secret":"and a secret value"}}';
    assert.deepEqual(placesOf(json, 'secret', 'value'), [
      [{ path: '/a', index: 1, start: 0, end: 6 }],
      [{ path: '/a', start: 0, end: 0 }],
    ]);
    assert.equal(cut(JSON.parse(json), { path: '/a', index: 1, start: 0, end: 6 }), 'secret');
  });

  it('has no path through names that do not look like those of fields', () => {
    for (const name of ['Anna Schmidt', '4111111111111111', 'a@example.org', 'x'.repeat(65), 'order-2024-1', '']) {
      assert.deepEqual(placesOf(`{"list":[{${JSON.stringify(name)}:{"b":"found"}}]}`, 'found'), [
        [{ path: '/list/0', start: 0, end: 0 }],
      ]);
    }
    for (const name of ['x-api-key', '$ref', '@type', 'größe', 'user.id', 'v2']) {
      assert.equal(placesOf(`{"${name}":"found"}`, 'found')[0]![0]!.path, `/${name}`);
    }
  });

  it('has no path of more than 256 characters', () => {
    const [outer, inner] = ['o'.repeat(64), 'i'.repeat(64)];
    const deep = `{"${outer}":{"${inner}":{"${outer}":[{"${inner}":"found"}]}}}`;
    assert.deepEqual(placesOf(deep, 'found'), [[{ path: `/${outer}/${inner}/${outer}/0`, start: 0, end: 0 }]]);
  });

  it('is in the right one of two members of a name, and in JSON of one string', () => {
    assert.deepEqual(placesOf('{"a":"one","a":"two"}', 'two'), [[{ path: '/a', start: 0, end: 3 }]]);
    assert.deepEqual(placesOf('"just text"', 'text'), [[{ path: '', start: 5, end: 9 }]]);
  });

  it('is placed among very many strings, as are hundreds of others', () => {
    const words = Array.from({ length: 20_000 }, (_, i) => ({ a: `word ${i}` }));
    const ranges = Array.from({ length: 400 }, (_, i) => [i * 100, i % 2 === 0 ? i * 100 + 3 : 150_000] as const);
    const found = placed(JSON.stringify(words), ranges);
    assert.equal(found.length, 400);
    for (const [i, places] of found.entries()) assert.equal(places[0]!.path === '', i % 2 === 1);
  });
});

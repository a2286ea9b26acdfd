import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { buildAutomaton, digitPlaces, MAX_BYTES, MAX_CELLS } from '#weir/shared/policy/engine/automaton';

/** [literal, start] of every hit, sorted. */
function hits(literals: string[], text: string): string[] {
  const found: string[] = [];
  buildAutomaton(literals).scan(text, (literal, start) => found.push(`${literals[literal]}@${start}`));
  return found.sort();
}

function naive(literals: string[], text: string): string[] {
  const lower = text.toLowerCase();
  return literals
    .flatMap((literal) =>
      Array.from({ length: text.length }, (_, at) => at)
        .filter((at) => lower.startsWith(literal, at))
        .map((at) => `${literal}@${at}`),
    )
    .sort();
}

describe('the automaton', () => {
  it('finds what a search for each literal finds', () => {
    const word = fc.string({ unit: fc.constantFrom('a', 'b', 'c', 'é'), minLength: 1, maxLength: 6 });
    const text = fc.string({ unit: fc.constantFrom('a', 'b', 'c', 'A', 'B', 'é', 'x'), maxLength: 60 });
    fc.assert(
      fc.property(fc.uniqueArray(word, { minLength: 1, maxLength: 8 }), text, (literals, searched) => {
        assert.deepEqual(hits(literals, searched), naive(literals, searched));
      }),
      { numRuns: 100 },
    );
  });

  it('finds the same in the bytes of a text of ASCII', () => {
    const word = fc.string({ unit: fc.constantFrom('a', 'b', '1', ' ', 'é'), minLength: 1, maxLength: 6 });
    // Long texts are read from their middle on, too. The last literal is long enough to be entered by its beginning.
    const text = fc.string({
      unit: fc.constantFrom('a', 'b', 'A', '1', '9', '\t', ' ', 'x'),
      maxLength: 200,
      size: 'max',
    });
    fc.assert(
      fc.property(fc.uniqueArray(word, { maxLength: 8 }), text, fc.nat(200), (words, searched, most) => {
        const literals = [...words, searched.slice(searched.length >> 1).toLowerCase() || 'x'];
        const automaton = buildAutomaton(literals);
        const until = Math.min(searched.length, most);
        const [inText, inBytes]: [number[][], number[][]] = [[], []];
        const digits = automaton.scan(searched, (...hit) => inText.push(hit), until);
        assert.equal(
          automaton.scanBytes({ bytes: Buffer.from(`1${searched}1`), at: 1 }, (...hit) => inBytes.push(hit), until),
          digits,
        );
        assert.deepEqual(inBytes, inText);
        const places = [...searched.slice(0, until).matchAll(/\d/g)].map(({ index }) => index);
        assert.deepEqual([...digitPlaces.subarray(0, digits)], places);
      }),
      { numRuns: 300 },
    );
  });

  it('finds a literal wherever it stands in bytes, once', () => {
    const literal = 'abcdefghijkl';
    const automaton = buildAutomaton([literal]);
    for (const length of [...Array.from({ length: 40 }, (_, i) => 12 + i), 100, 101, 102, MAX_BYTES]) {
      const step = length === MAX_BYTES ? 101 : 1;
      for (let at = 0; at + literal.length <= length; at += step) {
        const text = `${'x'.repeat(at)}${literal}${'x'.repeat(length - at - literal.length)}`;
        const found: number[] = [];
        automaton.scanBytes({ bytes: Buffer.from(text), at: 0 }, (_, start) => found.push(start), length);
        assert.deepEqual(found, [at]);
      }
    }
  });

  it('finds what states beyond 16 bits stand for', () => {
    const literals = Array.from({ length: 40_000 }, (_, i) => `w${i}`);
    const found: string[] = [];
    const automaton = buildAutomaton(literals);
    assert.ok(automaton.states > 0x8000);
    automaton.scan('w39999', (literal) => found.push(literals[literal]!));
    assert.deepEqual(found, ['w3', 'w39', 'w399', 'w3999', 'w39999']);
  });

  it('takes every kind of white space for a space, and the Kelvin sign for a k', () => {
    assert.deepEqual(hits(['a b', 'ks'], 'a\tb a\u00a0b \u212a\u017f'), ['a b@0', 'a b@4', 'ks@8']);
  });

  it('takes any unit for the same as it does where literals are not ASCII, too', () => {
    const units = Array.from({ length: 0x10000 }, (_, unit) => String.fromCharCode(unit)).join('');
    const letters = [...'abcdefghijklmnopqrstuvwxyz 0'];
    const ascii = hits(letters, units);
    assert.deepEqual(
      ascii,
      hits([...letters, 'é'], units).filter((hit) => !hit.startsWith('é')),
    );
    assert.ok(ascii.length > 70);
  });

  it('enters long literals by their beginning', () => {
    assert.deepEqual(hits(['abcdefghijklmnop'], 'abcdefghijklxxxx'), ['abcdefghijklmnop@0']);
  });

  it('counts digits, and takes nothing else for one, however many characters share a class', () => {
    const ascii = Array.from({ length: 95 }, (_, i) => String.fromCharCode(32 + i)).join('');
    const many = Array.from({ length: 200 }, (_, i) => String.fromCharCode(0x400 + i));
    for (const literals of [[], ['x'], ['7'], [...many, ...'0123456789~^|']]) {
      const automaton = buildAutomaton(literals);
      const none = (): undefined => undefined;
      assert.equal(automaton.scan(`${ascii}22\uff11`, none), 12);
      assert.equal(automaton.scanBytes({ bytes: Buffer.from(ascii), at: 0 }, none, ascii.length), 10);
      assert.deepEqual([...digitPlaces.subarray(0, 10)], [16, 17, 18, 19, 20, 21, 22, 23, 24, 25]);
    }
  });

  it('has room for a text of digits', () => {
    const bytes = Buffer.alloc(MAX_BYTES, '7');
    let hits = 0;
    assert.equal(
      buildAutomaton(['77']).scanBytes({ bytes, at: 0 }, () => hits++, MAX_BYTES),
      MAX_BYTES,
    );
    assert.equal(hits, MAX_BYTES - 1);
    assert.equal(digitPlaces[MAX_BYTES - 1], MAX_BYTES - 1);
  });

  it('works without literals and without text', () => {
    assert.deepEqual(hits([], 'abc'), []);
    assert.deepEqual(hits(['a'], ''), []);
  });

  it('keeps its table within bounds, whatever the literals', () => {
    const letters = 'abcdefghijklmnopqrstuvwxyz';
    let state = 1;
    const next = (): number => {
      state = (Math.imul(state, 1103515245) + 12345) & 0x7fffffff;
      return state >> 8;
    };
    const literals = Array.from({ length: 32_000 }, () =>
      Array.from({ length: 12 }, () => letters[next() % 26]).join(''),
    );
    const automaton = buildAutomaton(literals);
    assert.ok(automaton.states * 27 <= MAX_CELLS, String(automaton.states));
    let found = false;
    automaton.scan(`xx ${literals[31_999]} yy`, (literal) => {
      if (literal === 31_999) found = true;
    });
    assert.ok(found);
  });

  it('gives clean text no more to look at for a thousand literals than for ten', () => {
    const text = 'the quick brown fox jumps over the lazy dog '.repeat(6);
    const looks = (n: number): number => {
      let count = 0;
      buildAutomaton(Array.from({ length: n }, (_, i) => `zq${i}word`)).scan(text, () => count++);
      return count;
    };
    assert.equal(looks(10), 0);
    assert.equal(looks(1000), 0);
  });
});

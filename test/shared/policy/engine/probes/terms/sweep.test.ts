import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { bundleTerms, loadBundles } from '#weir/shared/policy/detectors/terms/bundles';
import { AT_WORD, KIND_OF } from '#weir/shared/policy/engine/probes/terms/kinds';
import {
  buildLexicon,
  READINGS,
  readingBit,
  type Sweep,
  type SweepFind,
} from '#weir/shared/policy/engine/probes/terms/lexicon';
import { createScout, MOST_STATES, ROW_SHIFT } from '#weir/shared/policy/engine/probes/terms/scout';
import { createSweep, sweepOf, thoroughSweepOf } from '#weir/shared/policy/engine/probes/terms/sweep';

const show = (sweep: Sweep, text: string): string[] => finds(sweep, text).map(shown);

const shown = ({ start, end, reading, term }: SweepFind): string => `${start} ${end} ${reading} ${term.text}`;

function finds(sweep: Sweep, text: string, asked?: Uint8Array): SweepFind[] {
  const found: SweepFind[] = [];
  const take = (find: SweepFind): boolean => found.push(find) > 0;
  sweep(text, take, { terms: asked });
  return found;
}

/** What `look` gives, unless it takes more steps than it may. */
function within<T>(look: () => T): T | undefined {
  try {
    return look();
  } catch (error) {
    assert.match(String(error), /too many steps/);
    return undefined;
  }
}

const LOOKS: Readonly<Record<string, string>> = { a: '4', e: '3', i: '!', o: '0', s: '$', t: '7' };
const HOW = [
  (letter: string) => letter,
  (letter: string) => letter,
  (letter: string) => letter,
  (letter: string) => letter + letter,
  (letter: string) => LOOKS[letter] ?? letter,
  () => '*',
  () => '#',
  (letter: string) => `${letter}.`,
  (letter: string) => `${letter} `,
  (letter: string) => letter.toUpperCase(),
];

/** Texts of terms that are disguised, of words that begin as terms do, and of what may be a disguise. */
function texts(terms: readonly string[]): fc.Arbitrary<string> {
  const disguised = fc
    .tuple(fc.constantFrom(...terms), fc.infiniteStream(fc.constantFrom(...HOW)))
    .map(([term, how]) => Array.from(term, (letter) => how.next().value!(letter)).join(''));
  const begun = fc
    .tuple(fc.constantFrom(...terms), fc.nat(4), fc.stringMatching(/^[a-z]{0,3}$/))
    .map(([term, less, more]) => term.slice(0, term.length - less) + more);
  const noise = fc.stringMatching(/^[a-z0-9@$!*#.,\-_ 'ß字]{1,6}$/);
  const piece = fc.tuple(fc.oneof(disguised, begun, noise), fc.constantFrom('', ' ', ' ', ', ', '-', '*', '@', '1'));
  return fc.array(piece, { minLength: 1, maxLength: 6 }).map((pieces) => pieces.flat().join(''));
}

/** Makes texts of random letters, always the same. */
function lettersOf(alphabet: string): (length: number) => string {
  let state = 1;
  const letter = (): string => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return alphabet[Math.floor((state / 2 ** 32) * alphabet.length)]!;
  };
  return (length) => Array.from({ length }, letter).join('');
}

describe('the automaton that says where a term may be', () => {
  const roots = bundleTerms().map(({ root }) => root);

  it('misses nothing that walks from everywhere find, of the bundles', () => {
    const { lexicon } = loadBundles();
    const [quick, thorough] = [sweepOf(lexicon), thoroughSweepOf(lexicon)];
    let tooMany = 0;
    fc.assert(
      fc.property(texts(roots), (text) => {
        const all = within(() => show(thorough, text));
        if (all) assert.deepEqual(show(quick, text), all, text);
        else tooMany++;
      }),
      { numRuns: 1500 },
    );
    assert.ok(tooMany < 60, `${tooMany} texts have too many ways to go them all`);
  });

  it('nor of short terms and phrases, whole and within words', () => {
    const terms = ['a b', 'ab', 'x', 'off it', 'aab', 'hello world go'];
    const forms = ['whole', 'within'] as const;
    const lexicon = buildLexicon({ terms: terms.map((text, id) => ({ id, text, form: forms[id % 2]! })) });
    const [quick, thorough] = [sweepOf(lexicon), thoroughSweepOf(lexicon)];
    fc.assert(
      fc.property(texts(terms), (text) => assert.deepEqual(show(quick, text), show(thorough, text), text)),
      { numRuns: 500 },
    );
  });

  it('nor of what is asked for alone, with the same ends', () => {
    const { lexicon, terms } = loadBundles();
    const [sweep, thorough] = [sweepOf(lexicon), thoroughSweepOf(lexicon)];
    const readings = fc.subarray([...READINGS], { minLength: 1 });
    const asking = fc.tuple(fc.nat(7), readings).map(([n, names]) => {
      const bits = names.reduce((all, name) => all | readingBit(name), 0);
      const bundle = terms[Math.floor((terms.length * n) / 8)]!.bundle;
      return Uint8Array.from(terms, (term) => (term.bundle === bundle ? bits : 0));
    });
    fc.assert(
      fc.property(texts(roots), asking, (text, asked) => {
        const counts = ({ term, reading }: SweepFind): boolean => (asked[term.id]! & readingBit(reading)) !== 0;
        const all = within(() => finds(thorough, text));
        if (all)
          assert.deepEqual(finds(sweep, text, asked).filter(counts).map(shown), all.filter(counts).map(shown), text);
      }),
      { numRuns: 1500 },
    );
  });

  it('nor where halves of long texts meet, or blocks, of units as of bytes', () => {
    const { lexicon } = loadBundles();
    const [quick, thorough] = [sweepOf(lexicon), thoroughSweepOf(lexicon)];
    const filling = fc.tuple(
      fc.constantFrom('and so on ', 'word, ', 'x', 'they go '),
      fc.constantFrom(1, 5, 40, 300, 2040),
    );
    const pieces = fc.array(fc.tuple(texts(roots), filling), { minLength: 2, maxLength: 3 });
    let long = 0;
    fc.assert(
      fc.property(pieces, (all) => {
        const text = all.map(([some, [fill, most]]) => some + fill.repeat(most / fill.length)).join('');
        const found = within(() => show(thorough, text));
        if (!found) return;
        if (text.length > 2048) long++;
        assert.deepEqual(show(quick, text), found, text);
        if (/[^ -~]/.test(text)) return;
        const inBytes = { bytes: Buffer.from(`##${text}##`), at: 2 };
        const read: string[] = [];
        quick(text, (find) => read.push(shown(find)) > 0, { inBytes });
        assert.deepEqual(read, found, text);
      }),
      { numRuns: 600 },
    );
    assert.ok(long > 100, `${long} texts are longer than a block`);
  });

  it('while what is allowed is looked for beside', () => {
    const terms = ['bad word', 'worse'].map((text, id) => ({ id, text, form: 'whole' as const }));
    const sweep = createSweep(buildLexicon({ terms, allowed: ['no bad word'] }));
    for (let shift = 0; shift < 60; shift++) {
      const text = `${'some words '.repeat(8)}n0 b4d word, b4d word, ${'so '.repeat(shift)}${'some words '.repeat(9)}w0rse, then go on`;
      assert.deepEqual(
        finds(sweep, text).map(({ start, end }) => text.slice(start, end)),
        ['b4d word', 'w0rse'],
        text,
      );
    }
  });

  it('ends where no more is of use', () => {
    const { lexicon } = loadBundles();
    const sweep = createSweep(lexicon);
    let told = 0;
    sweep('f**k '.repeat(100), () => ++told < 8);
    assert.equal(told, 8);
  });

  it('makes few states for one text, however many it would have', () => {
    const random = lettersOf('abcdef');
    const terms = Array.from({ length: 4000 }, (_, id) => ({ id, text: random(8), form: 'within' as const }));
    const scout = createScout(buildLexicon({ terms }));
    scout.begin(3200);
    const text = random(3200);
    let state: number = AT_WORD;
    for (let i = 0; i < text.length; i++) {
      const kind = KIND_OF[text.charCodeAt(i)]!;
      state = Math.abs(scout.table[(state << ROW_SHIFT) | kind]! || scout.learn(state, kind));
    }
    assert.ok(scout.states() > 50 && scout.states() < 250, `${scout.states()} states`);
  });

  it('has a bound of states, at which it begins anew with the next text', () => {
    const random = lettersOf('abcdef');
    const terms = Array.from({ length: 4000 }, (_, id) => ({ id, text: random(8), form: 'within' as const }));
    const lexicon = buildLexicon({ terms });
    const scout = createScout(lexicon);
    scout.begin(Number.POSITIVE_INFINITY);
    const text = random(60_000);
    let state: number = AT_WORD;
    for (let i = 0; i < text.length; i++) {
      const kind = KIND_OF[text.charCodeAt(i)]!;
      state = Math.abs(scout.table[(state << ROW_SHIFT) | kind]! || scout.learn(state, kind));
    }
    assert.equal(scout.states(), MOST_STATES);
    scout.begin(0);
    assert.ok(scout.states() < 10, `${scout.states()} states`);

    const [quick, thorough] = [sweepOf(lexicon), thoroughSweepOf(lexicon)];
    for (let n = 0; n < 3; n++) {
      const some = random(20_000);
      assert.deepEqual(show(quick, some), show(thorough, some));
    }
  });
});

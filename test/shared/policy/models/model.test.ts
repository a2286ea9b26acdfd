import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { describe, it } from 'node:test';
import { prepareCharacters } from '#weir/shared/policy/models/characters';
import {
  BUCKETS,
  buckets,
  extract,
  extractSentences,
  FEATURES_VERSION,
  featureEnds,
  textEnds,
} from '#weir/shared/policy/models/features';
import { readModel, writeModel } from '#weir/shared/policy/models/format';
import { buildLexicon, classesOf, nextHash, startHash } from '#weir/shared/policy/models/lexicon';
import { chanceOf, LANES, rootOf, scoreInSteps, scoreText, TOGETHER } from '#weir/shared/policy/models/model';
import { WINDOW } from '#weir/shared/policy/models/normalise';
import { isCode } from '#weir/shared/policy/models/prose';
import { endOfSegment, WHOLE } from '#weir/shared/policy/models/segments';
import { shippedModel } from '#weir/shared/policy/models/shipped';
import { textModel } from '../../../support/models/text-model.ts';

prepareCharacters();

const EMPTY = buildLexicon([], []);

/** A model of random weights; `byte(bucket, lane)` is one of them, plus 128. */
function randomModel(lanes = LANES) {
  const weights = new Uint8Array(BUCKETS * LANES);
  let state = 7;
  for (let i = 0; i < weights.length; i++) {
    state = (Math.imul(state, 1103515245) + 12345) >>> 0;
    weights[i] = i % LANES < lanes ? (state >>> 16) & 0xff || 1 : 128;
  }
  const labels = Array.from({ length: LANES }, (_, i) => ({
    name: `l${i}`,
    scale: 0.001 * (i + 1),
    bias: 0.1 * i,
    threshold: 0.5,
  }));
  const header = { name: 'test', version: 1, features: FEATURES_VERSION, labels, words: 1, seed: 1, data: {} };
  const bytes = writeModel({ header, hashes: Int32Array.of(5), packed: Uint16Array.of(9), weights });
  return { bytes, weights, labels };
}

describe('a linear model', () => {
  const { bytes, weights, labels } = randomModel();
  const { model } = readModel(bytes);

  it('scores as the plain sum of its weights does, also with many features', () => {
    for (const text of ['a', 'A few words, in a row!', 'x y z 漢字 🔪 '.repeat(20).slice(0, WHOLE)]) {
      const n = extract(model.lexicon, text, 0, text.length);
      const used = Array.from(buckets.subarray(0, n));
      const scores = Array.from(scoreText(model, text));
      labels.forEach(({ scale, bias }, lane) => {
        const sum = used.reduce((total, bucket) => total + weights[bucket * LANES + lane]! - 128, 0);
        const expected = 1 / (1 + Math.exp(-(sum * rootOf(n) * scale + bias)));
        assert.ok(Math.abs(scores[lane]! - expected) < 1e-9, `${text.slice(0, 10)} ${lane}`);
      });
    }
  });

  it('gives a short text with lines the score of all of it, where that is higher than those of its lines', () => {
    let higher = 0;
    for (let i = 0; i < 200; i++) {
      const lines = [0, 1, 2, 3, 4].map((n) => `Line ${'abcdefghij'[(i + n) % 10]} has ${i * n} words`);
      const both = [lines.join(' '), lines.join('\n')].map((text) => scoreText(model, text)[i % LANES]!);
      assert.ok(both[1]! >= both[0]! - 1e-9, `${both}`);
      if (both[1]! > both[0]! + 1e-9) higher++;
    }
    assert.ok(higher > 0, 'of some texts a line has a higher one');
  });

  it('gives 0 to a text without words', () => {
    for (const text of ['', ' ', '...', '\u200b'])
      assert.deepEqual(Array.from(scoreText(model, text)), Array(LANES).fill(0));
  });

  it('gives a long text the score of its highest segment, or of up to three in a row, less for each one more', () => {
    const sentences = Array.from({ length: 30 }, (_, i) => `Sentence ${'abcdefghij'[i % 10]} says ${i} of ${i * i}. `);
    const text = sentences.join('');
    const highest = new Float64Array(LANES);
    const parts: string[] = [];
    for (let from = 0; from < text.length; ) {
      const to = endOfSegment(text, from);
      parts.push(text.slice(from, to));
      from = to;
    }
    assert.deepEqual([parts.length, parts.at(-1)], [31, ' ']);
    const own = parts.slice(0, -1).map((part) => {
      const n = extract(model.lexicon, part, 0, part.length);
      const used = Array.from(buckets.subarray(0, n));
      return { n, sums: labels.map((_, lane) => used.reduce((sum, at) => sum + weights[at * LANES + lane]! - 128, 0)) };
    });
    own.forEach((_, i) => {
      for (let from = Math.max(0, i + 1 - TOGETHER); from <= i; from++) {
        const window = own.slice(from, i + 1);
        const n = window.reduce((sum, part) => sum + part.n, 0);
        labels.forEach(({ scale, bias }, lane) => {
          const sum = window.reduce((total, { sums }) => total + sums[lane]!, 0);
          const value = sum * rootOf(n) * scale + bias - chanceOf(text.length);
          highest[lane] = Math.max(highest[lane]!, 1 / (1 + Math.exp(-value)));
        });
      }
    });
    for (const [lane, score] of scoreText(model, text).entries())
      assert.ok(Math.abs(score - highest[lane]!) < 1e-9, `${lane}`);
  });

  it('lets code count up to a half of a score, and as any text together with prose before it', () => {
    const one = randomModel(1);
    const scale = one.labels[0]!.scale;
    const { model } = readModel(one.bytes);
    const partOf = (text: string, from: number, to: number) => {
      const used = Array.from(buckets.subarray(0, extract(model.lexicon, text, from, to)));
      return { from, n: used.length, sum: used.reduce((sum, at) => sum + one.weights[at * LANES]! - 128, 0) };
    };
    for (let n = 0; n < 100; n++) {
      const code = Array.from({ length: 8 }, (_, i) => `set_user(items${n}[${i}]);\n`).join('');
      const text = `Say it${n} to them again now.\n${code}`;
      const parts: ReturnType<typeof partOf>[] = [];
      let highest = Number.NEGATIVE_INFINITY;
      for (let from = 0, to = 0; from < text.length; from = to) {
        to = endOfSegment(text, from);
        const part = partOf(text, from, to);
        if (part.n === 0) continue;
        parts.push(part);
        for (let first = Math.max(0, parts.length - TOGETHER); first < parts.length; first++) {
          const window = parts.slice(first);
          const features = window.reduce((all, each) => all + each.n, 0);
          const value = window.reduce((all, { sum }) => all + sum, 0) * rootOf(features) * scale;
          highest = Math.max(highest, isCode(text, window[0]!.from, to) ? Math.min(value, 0) : value);
        }
      }
      const score = scoreText(model, text)[0]!;
      assert.ok(Math.abs(Math.log(score / (1 - score)) + chanceOf(text.length) - highest) < 1e-9, `${n}`);
    }
  });

  it('gives a text that says the same many times less than one that says it a few times', () => {
    const said = 'This is a sentence of a text that goes on and on, as it is here. ';
    const logits = (text: string) => Array.from(scoreText(model, text), (score) => Math.log(score / (1 - score)));
    const few = logits(said.repeat(4));
    const many = logits(said.repeat(400));
    const chances = [4, 400].map((times) => chanceOf(said.length * times)) as [number, number];
    assert.ok(chances[1] > chances[0] && chances[0] > 0 && chanceOf(WHOLE) === 0);
    for (const [lane, logit] of many.entries())
      assert.ok(Math.abs(few[lane]! - logit - (chances[1] - chances[0])) < 1e-6, `${lane}`);
  });

  it('asks one word alone for more than a sentence', () => {
    assert.equal(rootOf(6), rootOf(1));
    assert.ok(rootOf(6) < 1 / Math.sqrt(6));
    assert.equal(rootOf(400), 1 / 20);
  });

  it('gives a text the same scores in steps, whatever is scored between them', () => {
    for (const length of [0, 10, 65_536, 200_000]) {
      const text = Array.from({ length: length / 8 }, (_, i) => `w${i % 977} a `)
        .join('')
        .slice(0, length);
      const expected = Array.from(scoreText(model, text));
      const steps = scoreInSteps(model, text);
      let step = steps.next();
      let count = 1;
      for (; !step.done; count++) {
        scoreText(model, 'other words in between');
        step = steps.next();
      }
      assert.deepEqual(Array.from(step.value), expected);
      assert.equal(count > 2, length > 150_000, `${count} steps`);
    }
  });

  it('refuses a header without what a score is made of, and weights of other features', () => {
    const label = { name: 'spam', scale: 1, bias: 0, threshold: 0.5 };
    const broken: [more: object, expected: RegExp][] = [
      [{ features: 1 }, /trained for version 1 of the features.*has version 4; train it again by weir train/],
      [{ words: -1 }, /damaged: expected words from 0/],
      [{ words: 1e9 }, /damaged: expected words from 0/],
      [{ words: '1' }, /damaged: expected words from 0/],
      [{ words: 2 }, /is cut off/],
      [{ labels: [] }, /damaged: expected 1 to 8 labels/],
      [{ labels: Array(9).fill(label) }, /damaged: expected 1 to 8 labels/],
      [{ labels: [{ ...label, scale: 'x' }] }, /damaged: expected 1 to 8 labels/],
      [{ labels: [{ ...label, threshold: -0.1 }] }, /damaged: .*and a threshold from 0 to 1/],
      [{ labels: [{ ...label, threshold: 1.1 }] }, /damaged: .*and a threshold from 0 to 1/],
      [{ labels: [{ ...label, bias: Number.NaN }] }, /damaged: expected 1 to 8 labels/],
      [{ labels: null }, /damaged: expected 1 to 8 labels/],
    ];
    for (const [more, expected] of broken) {
      assert.throws(() => readModel(textModel({ spam: 'x' }, more).bytes), expected, JSON.stringify(more));
    }
  });

  it('stays within the memory of its features for any window', () => {
    for (const piece of ['a ', 'ab', '! ', '🔪', '漢', 'hate you all not ', 'ignore the rules ', 'killthemall']) {
      const text = piece.repeat(WINDOW).slice(0, WINDOW);
      assert.ok(extract(shippedModel().lexicon, text, 0, WINDOW) < buckets.length, piece);
    }
  });

  it('shares its lexicon with the next model of the same words, and the features of a text', () => {
    const [a, b] = [{ spam: 'lottery' }, { spam: 'voucher' }].map((words) => readModel(textModel(words).bytes).model);
    assert.equal(a!.lexicon, b!.lexicon);
    assert.notEqual(a!.lexicon, readModel(randomModel().bytes).model.lexicon);
    const score = (of: typeof a, text: string): number => scoreText(of!, text)[0]!;
    for (const text of ['a lottery', 'a voucher', '?', 'a lottery and a voucher '.repeat(40)]) {
      const [first, second] = [score(a, text), score(b, text)];
      extract(EMPTY, 'something else', 0, 14);
      assert.deepEqual([score(b, text), score(b, text), score(a, text)], [second, second, first], text.slice(0, 20));
    }
    assert.ok(score(a, 'a lottery') > 0.5 && score(b, 'a lottery') < 0.5);
  });

  it('reads several segments at once as it reads each alone', () => {
    const chat = 'Kill it! I said so, a b c d. ';
    const page = `They wrote ${'a long way, '.repeat(40)}and 12345 🔪 more.\n`;
    let most = 0;
    for (const text of [chat, page, chat.repeat(40), page.repeat(9), `${chat}${page}`.repeat(7), '. '.repeat(400)]) {
      for (let from = 0; from < text.length; ) {
        const many = extractSentences(EMPTY, text, from, text.length);
        most = Math.max(most, many);
        const [all, ends, stops] = [buckets.slice(), featureEnds.slice(), textEnds.slice()];
        for (let i = 0; i < many; i++) {
          assert.equal(stops[i], endOfSegment(text, from));
          const n = extract(EMPTY, text, from, stops[i]!);
          assert.deepEqual(
            buckets.slice(0, n),
            all.slice(i === 0 ? 0 : ends[i - 1], ends[i]),
            text.slice(from, stops[i]),
          );
          from = stops[i]!;
        }
      }
    }
    assert.ok(most > 4);
  });

  it('reads no sentence that begins where it is to stop', () => {
    const text = 'One of them stood there. Two of them left. '.repeat(8);
    for (const [until, many] of [
      [10, 1],
      [30, 2],
      [10, 1],
    ] as const)
      assert.equal(extractSentences(EMPTY, text, 0, until), many);
  });

  it('reads a text the same way again', () => {
    const text = 'What a lovely day, not like yesterday';
    const once = Array.from(buckets.subarray(0, extract(EMPTY, text, 0, text.length)));
    extract(EMPTY, 'something else entirely', 0, 20);
    assert.deepEqual(Array.from(buckets.subarray(0, extract(EMPTY, text, 0, text.length))), once);
  });
});

describe('the features of a text', () => {
  const PIECES = [
    'you hate women ',
    'not stupid or kill ',
    'ignore all ',
    'killthemstupid ',
    'k i l l ',
    'k1ll b!tch f*ck $hit ',
    "don't looool ",
    'http://a.b/c ',
    '@me a@b.c ',
    '漢字',
    'Привет раypal ',
    '🔪',
    '𝓱𝓲 🅰 ',
    '\ud800',
    'e\u0301\u200b',
    '12345 12 ',
    '"!?" ',
    'don&#39;t &amp;',
    'https://a.b/?q=go+to%20',
    '\n',
  ];
  const CLASSED = {
    hate: 14,
    women: 4,
    not: 20,
    stupid: 11,
    kill: 15 | (1 << 11),
    you: 21 | (9 << 11),
    ignore: 1 | (1 << 6),
    or: 1,
    all: 1,
  };

  it('are those of FEATURES_VERSION: weights of another version fit no others', () => {
    const words = Object.keys(CLASSED);
    const hash = (word: string): number =>
      [...word].reduce((sum, char) => nextHash(sum, char.charCodeAt(0) - 96), startHash());
    const lexicon = buildLexicon(words.map(hash), Object.values(CLASSED));
    const digest = createHash('sha256');
    let state = 3;
    const random = (limit: number): number => {
      state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
      return Math.floor((state / 2 ** 32) * limit);
    };
    for (let i = 0; i < 2000; i++) {
      let text = '';
      for (let left = random(40); left >= 0; left--) {
        const code = random(3) > 0 ? 32 + random(95) : random(65_536);
        text += random(3) > 0 ? PIECES[random(PIECES.length)] : String.fromCharCode(code);
      }
      const n = extract(lexicon, text, 0, Math.min(text.length, WINDOW));
      digest.update(Int32Array.of(n, ...buckets.subarray(0, n)));
    }
    assert.deepEqual([FEATURES_VERSION, digest.digest('hex').slice(0, 16)], [4, '830ec6e6c726d081']);
  });
});

describe('the lexicon', () => {
  it('finds what was put in, the first of equal hashes, and nothing else', () => {
    const hashes = Array.from({ length: 500 }, (_, i) => Math.imul(i + 1, 0x9e3779b1));
    const lexicon = buildLexicon([...hashes, hashes[3]!], [...hashes.map((_, i) => i + 1), 9999]);
    for (const [i, hash] of hashes.entries()) assert.equal(classesOf(lexicon, hash), i + 1);
    for (let i = 0; i < 500; i++) assert.equal(classesOf(lexicon, Math.imul(i + 1, 0x7f4a7c15) ^ 1), 0);
  });
});

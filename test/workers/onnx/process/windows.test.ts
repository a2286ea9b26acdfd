/** Tokenizers that operators supply, and texts in windows of their tokens. */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { readTokenizer } from '#weir/workers/onnx/process/tokenizer';
import { type TokenWindow, windowsOf } from '#weir/workers/onnx/process/windows';
import { BAD, BPE, PAD, UNIGRAM, WORDPIECE } from '../../../support/models/tokenizers.ts';

const KINDS = { WORDPIECE, BPE, UNIGRAM };
const encoderOf = (file: string) => readTokenizer(Buffer.from(file)).encoder;
const LIMITS = { max_tokens: 16, stride: 4, max_windows: 64 };

/** Texts that are long, in words, without spaces, in other scripts, and in halves of pairs. */
const LONG = [
  'a few good words, and then more of them! '.repeat(8),
  'x'.repeat(300),
  ` \n\t${'words '.repeat(20)}${' '.repeat(200)}end`,
  '漢字かな'.repeat(20),
  `${'😀'.repeat(20)}\ud83d and \ude00`,
];

describe('a text in windows', () => {
  for (const [kind, file] of Object.entries(KINDS)) {
    const encoder = encoderOf(file);

    it(`is one window where its tokens fit (${kind})`, () => {
      const [window, ...more] = windowsOf('bad', encoder, LIMITS)!;
      assert.deepEqual([window!.start, window!.end, more], [0, 3, []]);
      assert.deepEqual(window!.ids, [2, BAD, 3]);
    });

    it(`is wholly in windows that fit, and that have something in common (${kind})`, () => {
      for (const text of LONG) {
        const windows = windowsOf(text, encoder, LIMITS)!;
        assert.deepEqual([windows[0]!.start, windows.at(-1)!.end], [0, text.length]);
        let before: TokenWindow | undefined;
        for (const window of windows) {
          const { start, end, ids } = window;
          assert.ok(ids.length <= LIMITS.max_tokens, `${ids.length} tokens`);
          assert.deepEqual(ids, encoder.encode(text.slice(start, end)));
          if (before) assert.ok(start > before.start && start <= before.end && end > before.end, text);
          before = window;
        }
      }
      const words = windowsOf(LONG[0]!, encoder, LIMITS)!;
      assert.ok(words.some(({ start }, i) => i > 0 && start < words[i - 1]!.end));
      const apart = windowsOf(LONG[0]!, encoder, { ...LIMITS, stride: 0 })!;
      assert.ok(apart.every(({ start }, i) => start === (apart[i - 1]?.end ?? 0)));
      assert.ok(apart.length <= words.length);
    });

    it(`has none where it needs too many (${kind})`, () => {
      const text = LONG[0]!;
      const needed = windowsOf(text, encoder, LIMITS)!.length;
      assert.equal(windowsOf(text, encoder, { ...LIMITS, max_windows: needed })?.length, needed);
      assert.equal(windowsOf(text, encoder, { ...LIMITS, max_windows: needed - 1 }), undefined);
    });
  }

  it('of tokens that depend on what is beside them still fits', () => {
    // Each piece has one token by itself, and together they have three each.
    const ids = (text: string): number[] => Array.from({ length: text.split(' ').length * 3 }, () => 9);
    const encoder = { encode: ids, count: () => 1 };
    const text = Array.from({ length: 60 }, () => 'word').join(' ');
    const windows = windowsOf(text, encoder, { max_tokens: 12, stride: 0, max_windows: 64 })!;
    assert.ok(windows.every((window) => window.ids.length <= 12));
    assert.equal(windows.at(-1)!.end, text.length);
  });

  it('cannot be looked at where a character does not fit', () => {
    const encoder = { encode: (text: string) => Array.from({ length: 20 * text.length }, () => 9), count: () => 20 };
    assert.throws(
      () => windowsOf('xy', encoder, LIMITS),
      /a character of the text takes more tokens than a window has/,
    );
  });
});

describe('a tokenizer', () => {
  it('takes the marks between texts for text where they are in one', () => {
    for (const [kind, file] of Object.entries(KINDS)) {
      const { encode } = encoderOf(file);
      const within = encode('good [SEP] [PAD] [sep] bad').slice(1, -1);
      assert.ok(!within.some((id) => id === PAD || id === 2 || id === 3), `${kind}: ${within}`);
    }
  });

  it('has a number for padding', () => {
    const other = JSON.stringify({ ...JSON.parse(WORDPIECE), padding: { pad_id: 7 } });
    assert.deepEqual(
      [readTokenizer(Buffer.from(WORDPIECE)).padding, readTokenizer(Buffer.from(other)).padding],
      [0, 7],
    );
  });

  it('that cannot be read is refused', () => {
    for (const file of ['{', '{}', '[]', JSON.stringify({ ...JSON.parse(WORDPIECE), model: { type: 'Other' } })])
      assert.throws(() => readTokenizer(Buffer.from(file)), /its tokenizer cannot be loaded: ./);
  });
});

import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { asBlock, onOneLine } from '#weir/shared/printable';

const UNSEEN =
  '\u0000\u0007\b\t\n\v\f\r\u001b\u007f\u0085\u009b\u00ad\u034f\u061c\u115f\u180e\u200b\u200d\u200e\u2028\u2029\u202e\u2066\u2069\ufeff\u{e0041}';

describe('texts that people read', () => {
  it('hold no character that acts on a terminal, ends a line or is not seen', () => {
    const shown = onOneLine(UNSEEN);
    assert.match(shown, /^[\x20-\x7e]+$/);
    assert.ok(shown.startsWith('\\u0000\\u0007\\u0008\\t\\n\\u000b\\u000c\\r\\u001b'), shown);
    assert.ok(shown.endsWith('\\u202e\\u2066\\u2069\\ufeff\\udb40\\udc41'), shown);
  });
  it('keep letters, marks, emoji and spaces of all languages', () => {
    const text = 'naïve Ünïcödé שלום नमस्ते 漢字 ❤️ 👍🏽 \\u001b 1\u00a0000';
    assert.equal(onOneLine(text), text);
    assert.equal(asBlock(text), text);
  });
  it('keep their line ends and tabs as a block, and no carriage return that would go back in a line', () => {
    assert.equal(asBlock('a\tb\r\nc\nd\re\u001b[2K\r\r\n'), 'a\tb\r\nc\nd\\re\\u001b[2K\\r\r\n');
  });
  it('mean the same where they are JSON', () => {
    const texts = fc.array(
      fc.oneof(fc.string({ unit: 'binary' }), fc.constantFrom(...UNSEEN, '❤️')).map((part) => `a${part}`),
    );
    fc.assert(
      fc.property(texts, (parts) => {
        const value = { [parts.join('')]: parts };
        assert.deepEqual(JSON.parse(onOneLine(JSON.stringify(value))), value);
        assert.deepEqual(JSON.parse(asBlock(JSON.stringify(value, null, 2))), value);
      }),
    );
  });
});

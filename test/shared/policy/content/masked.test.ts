/** Content with marks, as it is kept where it is kept with marks alone. */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { maskJson, maskString, maskText } from '#weir/shared/policy/content/masked';

const marks = (text: string, ...found: [string, string][]) =>
  found.map(([what, label]) => {
    const start = text.indexOf(what);
    return { start, end: start + what.length, label };
  });

describe('a masked text', () => {
  const text = 'to jane@example.com: 4111 1111, bye';
  const masked = maskText(text, marks(text, ['jane@example.com', 'EMAIL_ADDRESS'], ['4111 1111', 'CREDIT_CARD']));

  it('has the marks and all else', () => {
    assert.equal(masked.text, 'to [EMAIL_ADDRESS]: [CREDIT_CARD], bye');
    assert.equal(maskText('nothing', []).text, 'nothing');
  });

  it('tells where a range of the text is in it, and all of a mark for a part of what it replaces', () => {
    const at = (what: string): string => {
      const start = text.indexOf(what);
      return masked.text.slice(...masked.rangeOf(start, start + what.length));
    };
    for (const same of ['to ', 'to', ': ', ', bye', 'bye', ' ']) assert.equal(at(same), same);
    for (const part of ['jane', 'jane@example.com', 'example.com', '@'])
      assert.equal(at(part), '[EMAIL_ADDRESS]', part);
    assert.equal(at('4111'), '[CREDIT_CARD]');
    assert.equal(at('o jane'), 'o [EMAIL_ADDRESS]');
    assert.equal(at('com: 4'), '[EMAIL_ADDRESS]: [CREDIT_CARD]');
    assert.equal(at('1111, b'), '[CREDIT_CARD], b');
  });
});

it('JSON stays JSON: of its own, and in a string', () => {
  const text = 'card\n4111111111111111\nnote\njane@example.com';
  const found = marks(text, ['4111111111111111', 'CREDIT_CARD'], ['jane@example.com', 'EMAIL_ADDRESS']);
  const json = '{"card":4111111111111111,"note":"jane@example.com"}';
  assert.deepEqual(JSON.parse(maskJson(json, found)), { card: '[CREDIT_CARD]', note: '[EMAIL_ADDRESS]' });
  const own = marks(json, ['4111111111111111', 'CREDIT_CARD'], ['jane@example.com', 'EMAIL_ADDRESS']);
  assert.deepEqual(JSON.parse(maskString(json, own)), { card: '[CREDIT_CARD]', note: '[EMAIL_ADDRESS]' });
  assert.equal(maskString('{not JSON 1}', marks('{not JSON 1}', ['1', 'X'])), '{not JSON [X]}');
  assert.equal(maskString(json, []), json);
});

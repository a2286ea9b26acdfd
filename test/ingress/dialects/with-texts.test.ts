import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { withTexts } from '#weir/ingress/dialects/with-texts';

describe('JSON with other texts', () => {
  it('is as it was written in all else', () => {
    const json =
      '{"2":1,"seed":12345678901234567890,"m":[{"c":"\\u0061 card","n":1.0},{"c":[{"t":"card"},{"t":"é"}]}],"1":1e400}';
    const ways = [
      ['m', 0, 'c'],
      ['m', 1, 'c', 0, 't'],
      ['m', 1, 'c', 1, 't'],
    ];
    assert.equal(withTexts(json, ways, ['a card', 'card', 'é']), json, 'nothing has changed');
    assert.equal(
      withTexts(json, ways, ['a [CARD]', '[CARD]', 'é']),
      json.replace('\\u0061 card', 'a [CARD]').replace('"card"', '"[CARD]"'),
    );
  });

  it('may be one text, or have names that objects have of themselves', () => {
    assert.equal(withTexts('"card"', [[]], ['[C]']), '"[C]"');
    const json = '{"__proto__":{"constructor":"x"}}';
    assert.equal(withTexts(json, [['__proto__', 'constructor']], ['y']), '{"__proto__":{"constructor":"y"}}');
  });

  it('takes time that grows with its length', () => {
    const count = 10_000;
    const json = JSON.stringify(Array.from({ length: count }, () => ({ t: 'x' })));
    const ways = Array.from({ length: count }, (_, i) => [i, 't']);
    const made = JSON.parse(withTexts(json, ways, new Array(count).fill('y'))) as { t: string }[];
    assert.ok(made.length === count && made.every(({ t }) => t === 'y'));
  });
});

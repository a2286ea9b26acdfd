import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { complexityOf } from '#weir/ingress/parse/complexity';

const MOST = { marks: 1000, depth: 64 };

describe('what a body has to be parsed', () => {
  it('is the same in whatever pieces it comes', () => {
    const texts = [
      '{"a":[1,2,{"b":"c,d:[{"}],"e\\"{":"\\\\"}',
      '["\\\\","\\\\\\"[",[[]]]',
      '"ends within \\',
      '"ends within',
      '[["',
      `["${'x'.repeat(66)}\\\\\\"[,\\\\",["`,
    ];
    for (const text of texts) {
      const body = Buffer.from(text);
      const whole = complexityOf([body], MOST);
      for (let one = 0; one <= body.length; one++) {
        for (let two = one; two <= body.length; two++) {
          const pieces = [body.subarray(0, one), body.subarray(one, two), body.subarray(two)];
          assert.deepEqual(complexityOf(pieces, MOST), whole, `${text} at ${one} and ${two}`);
        }
      }
    }
    assert.deepEqual(complexityOf([Buffer.from(texts[0]!)], MOST), { marks: 9, depth: 3 });
    assert.deepEqual(complexityOf([Buffer.from(texts[1]!)], MOST), { marks: 5, depth: 3 });
    assert.deepEqual(complexityOf([Buffer.from(texts[5]!)], MOST), { marks: 3, depth: 2 });
  });

  it('is not measured further than it may go', () => {
    const many = Buffer.from('{},'.repeat(10_000));
    assert.equal(complexityOf([many, many], MOST).marks, 1001);
    assert.equal(complexityOf([Buffer.from('['.repeat(10_000))], MOST).depth, 65);
  });
});

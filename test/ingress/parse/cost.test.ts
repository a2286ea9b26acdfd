import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { type CheckLoad, laneOf } from '#weir/ingress/admission/lane';
import { costOf } from '#weir/ingress/parse/cost';

const KIB = 1024;
/** A batch of texts that repeat `unit`, with so many bytes or a few more. */
function batch(unit: string, bytes: number): Buffer {
  const each = Math.ceil(bytes / 50);
  const content = unit.repeat(Math.ceil(each / Buffer.byteLength(unit)));
  const events = Array.from({ length: 50 }, (_, i) => ({ type: 'message', role: 'user', event_id: `e${i}`, content }));
  return Buffer.from(JSON.stringify({ environment_id: 'prod', run_id: 'r', events }));
}
const loadOf = (body: Buffer): CheckLoad => ({ images: 0, bytes: body.length, values: 250, cost: costOf(body) });

const LOG = '2026-11-26T12:31:11.271Z INFO a request has ended path=/api/orders id=58211 status=200 ms=12\n';

describe('the cost of a body', () => {
  it('is one for each letter and space, and more for what is looked at more closely', () => {
    assert.equal(costOf(Buffer.from('a text of letters')), 17);
    for (const unit of ['1', '*', '-', 'é']) assert.ok(costOf(Buffer.from(unit)) > unit.length, unit);
    assert.equal(costOf(Buffer.from('11')), 2 * costOf(Buffer.from('1')));
    assert.equal(costOf(Buffer.alloc(0)), 0);
  });

  it('leaves ordinary bodies in the fast lane', () => {
    const ordinary = {
      English: 'She said that they would meet in town, and he agreed. ',
      log: LOG,
      code: 'const a = b(c[1], d);\n',
    };
    for (const [name, unit] of Object.entries(ordinary)) {
      const bytes = (name === 'English' ? 240 : 100) * KIB;
      assert.equal(laneOf(loadOf(batch(unit, bytes))), 'fast', name);
    }
  });

  it('takes bodies to the slow lane that cost far more than their bytes say, however these are arranged', () => {
    const hostile = {
      matrix: '1 2 3\t4\n5',
      run: '4111111111111111',
      dates: '1/1/1 ',
      escaped: '\\u0031',
      masks: '****',
      groups: '+1 23-',
    };
    for (const [name, unit] of Object.entries(hostile)) {
      assert.equal(laneOf(loadOf(batch(unit, 160 * KIB))), 'slow', name);
    }
    assert.equal(laneOf(loadOf(batch('12345', 66 * KIB))), 'slow', 'digits alone');
  });
});

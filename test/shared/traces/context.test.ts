/** The header `traceparent`. */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { isSampled, isTraceparent, spanIdOf, traceIdOf } from '#weir/shared/traces/context';

const [TRACE, SPAN] = ['4bf92f3577b34da6a3ce929d0e0e4736', '00f067aa0ba902b7'];
const header = (flags: string): string => `00-${TRACE}-${SPAN}-${flags}`;

describe('a trace context', () => {
  it('is recorded by the last bit of its flags, whatever the others are', () => {
    for (let flags = 0; flags < 256; flags++) {
      const text = header(flags.toString(16).padStart(2, '0'));
      assert.ok(isTraceparent(text));
      assert.equal(isSampled(text), flags % 2 === 1, text);
    }
    assert.equal(isSampled(''), false);
    assert.equal(isSampled(undefined), false);
  });

  it('has the ids of its trace and of its span', () => {
    assert.equal(traceIdOf(header('01')), TRACE);
    assert.equal(spanIdOf(header('01')), SPAN);
  });

  it('is none where it is not as W3C says', () => {
    const zeros = `00-${'0'.repeat(32)}-${SPAN}-01`;
    for (const text of [
      '',
      header('1'),
      header('0g'),
      `ff${header('01').slice(2)}`,
      zeros,
      header('01').toUpperCase(),
    ]) {
      assert.equal(isTraceparent(text), false, text);
    }
  });
});

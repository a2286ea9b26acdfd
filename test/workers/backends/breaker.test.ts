import assert from 'node:assert/strict';
import { beforeEach, describe, it } from 'node:test';
import { type BackendBreaker, createBreaker } from '#weir/workers/backends/breaker';

describe('a breaker', () => {
  let now: number;
  let breaker: BackendBreaker;
  const fail = (times: number): void => {
    for (let i = 0; i < times; i++) {
      assert.ok(breaker.admits());
      breaker.ended(false);
    }
  };
  beforeEach(() => {
    now = 0;
    breaker = createBreaker(() => now);
  });

  it('opens after five failures in a row', () => {
    fail(4);
    breaker.ended(true);
    fail(4);
    breaker.ended(undefined);
    assert.equal(breaker.isOpen(), false);
    fail(1);
    assert.deepEqual([breaker.isOpen(), breaker.refuses(), breaker.admits()], [true, true, false]);
  });

  it('lets one call through after ten seconds, which closes it', () => {
    fail(5);
    now = 9999;
    assert.equal(breaker.admits(), false);
    now = 10_000;
    assert.deepEqual([breaker.admits(), breaker.admits()], [true, false]);
    breaker.ended(true);
    assert.deepEqual([breaker.isOpen(), breaker.admits(), breaker.admits()], [false, true, true]);
  });

  it('stays open where that call fails, and lets the next through where it says nothing', () => {
    fail(5);
    now = 10_000;
    assert.ok(breaker.admits());
    breaker.ended(false);
    assert.equal(breaker.admits(), false);
    now = 20_000;
    assert.ok(breaker.admits());
    breaker.ended(undefined);
    assert.ok(breaker.admits());
  });
});

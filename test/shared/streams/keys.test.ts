import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { itemId, newRequestId } from '#weir/shared/ids';
import { slotOf } from '#weir/shared/streams/cluster/slots';
import { keys } from '#weir/shared/streams/keys';

describe('keys', () => {
  it('keep the tag of hostile callers’ ids whole', () => {
    const key = keys.run('acme', 'prod', 'a}{b,c');
    assert.equal(key.indexOf('}'), key.length - 1);
    assert.notEqual(keys.run('t', 'a,b', 'c'), keys.run('t', 'a', 'b,c'));
  });

  it('put all of a request in one slot', () => {
    const id = newRequestId(9);
    for (const key of [keys.result(9, id), keys.await(9, itemId(id, 0)), keys.checks(9), keys.results(9)]) {
      assert.equal(slotOf(key), slotOf(keys.checks(9)), key);
      assert.match(key, /\{9-[0-9a-z]+\}/);
    }
  });
});

import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import {
  generatedId,
  hash32,
  internalOf,
  isUuid,
  itemId,
  MAX_ITEM,
  MAX_PARTITIONS,
  newRequestId,
  partsOf,
  regionOf,
  requestOfRun,
  sequenceOf,
} from '#weir/shared/ids';
import { MAX_REGION, NO_REGION, useRegion } from '#weir/shared/region';

describe('internal ids', () => {
  it('are version 7 UUIDs that say their time, partition and item', () => {
    const now = 1_790_000_000_123;
    for (const partition of [0, 1, 15, MAX_PARTITIONS - 1]) {
      const id = newRequestId(partition, now);
      assert.ok(isUuid(id));
      assert.equal(id[14], '7');
      assert.deepEqual(partsOf(id), { requestId: id, partition, item: 0, time: now });
      for (const item of [1, 50, MAX_ITEM]) {
        assert.deepEqual(partsOf(itemId(id, item)), { requestId: id, partition, item, time: now });
        assert.equal(itemId(itemId(id, item), 0), id);
      }
    }
  });

  it('are found in upper case too', () => {
    const id = newRequestId(3);
    assert.equal(partsOf(id.toUpperCase())?.requestId, id);
  });

  it('are not mistaken for other UUIDs or for other text', () => {
    assert.equal(partsOf('0b9f3c1e-7a2d-4c5b-8e6f-1a2b3c4d5e6f'), undefined);
    assert.equal(partsOf('not-an-id'), undefined);
    assert.equal(isUuid('0b9f3c1e-7a2d-4c5b-8e6f-1a2b3c4d5e6'), false);
  });

  it('keep four bits behind the variant for the region, which are 0 where there is none [regions.ids]', () => {
    for (let i = 0; i < 300; i++) {
      assert.match(newRequestId(i), /^.{14}7.{3}-[8][0-3]/);
      assert.equal(regionOf(newRequestId(i)), 0);
    }
    try {
      for (let number = 1; number <= MAX_REGION; number++) {
        useRegion({ number, name: 'a' });
        const id = newRequestId(MAX_PARTITIONS - 1, 1_790_000_000_123);
        assert.equal(regionOf(id), number);
        assert.equal(regionOf(itemId(id.toUpperCase(), 7)), number);
        assert.equal(regionOf(internalOf(generatedId('evt', id))!), number);
        const parts = { requestId: id, partition: MAX_PARTITIONS - 1, item: 0, time: 1_790_000_000_123 };
        assert.deepEqual(partsOf(id), parts);
      }
    } finally {
      useRegion(NO_REGION);
    }
  });

  it('do not repeat, also beyond one draw of random numbers', () => {
    const ids = new Set(Array.from({ length: 5000 }, () => newRequestId(1, 1_790_000_000_000)));
    assert.equal(ids.size, 5000);
  });

  it('follow from run ids that were generated from them, and from no others', () => {
    const id = newRequestId(37);
    assert.deepEqual(requestOfRun(generatedId('run', id)), partsOf(id));
    const others = ['', 'run_', 'run_1', generatedId('evt', id), id, `run_${'f'.repeat(32)}`];
    for (const other of others) assert.equal(requestOfRun(other), undefined, other);
  });

  it('give generated event ids of allowed characters only', () => {
    assert.match(generatedId('evt', newRequestId(0)), /^evt_[0-9a-f]{32}$/);
  });
});

describe('hash32', () => {
  it('is FNV-1a, so that keys stay in their partitions across releases', () => {
    assert.equal(hash32(''), 0x811c9dc5);
    assert.equal(hash32('a'), 0xe40c292c);
    assert.equal(hash32('foobar'), 0xbf9cf968);
  });
});

describe('sequenceOf', () => {
  it('orders entries as their stream does', () => {
    assert.ok(sequenceOf('1790000000000-1') < sequenceOf('1790000000000-2'));
    assert.ok(sequenceOf('1790000000000-4095') < sequenceOf('1790000000001-0'));
    assert.ok(Number.isSafeInteger(sequenceOf('1790000000001-4095')));
  });
});

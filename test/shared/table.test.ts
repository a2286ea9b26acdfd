import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { seeded } from '#weir/bench/workloads/random';
import { newRequestId } from '#weir/shared/ids';
import { add, type Placed, remove } from '#weir/shared/places';
import { createReusedTable } from '#weir/shared/table';

describe('a table', () => {
  it('holds what a Map would, whatever comes and goes', () => {
    const random = seeded(7).next;
    const table = createReusedTable<number>();
    const map = new Map<string, number>();
    const keys = Array.from({ length: 3000 }, (_, i) =>
      i % 2 === 0 ? newRequestId(i % 8) : `${i % 3} 17642715${i}-${i % 7}`,
    );
    for (let step = 0; step < 60_000; step++) {
      // More come at first, and more go later.
      const key = keys[Math.floor(random() * keys.length)]!;
      if (random() < (step < 30_000 ? 0.7 : 0.2)) {
        table.set(key, step);
        map.set(key, step);
      } else assert.equal(table.delete(key), map.delete(key));
      assert.equal(table.size, map.size);
      const other = keys[Math.floor(random() * keys.length)]!;
      assert.equal(table.get(other), map.get(other));
      assert.equal(table.has(other), map.has(other));
    }
    const ascending = (a: number, b: number): number => a - b;
    assert.deepEqual(table.values().sort(ascending), [...map.values()].sort(ascending));
  });
});

describe('members that know their place', () => {
  it('are added and removed, also when they are not there', () => {
    const members: Placed[] = [];
    const [a, b, c] = [{ place: 0 }, { place: 0 }, { place: 0 }];
    for (const one of [a, b, c]) add(members, one);
    remove(members, a);
    remove(members, a);
    assert.deepEqual(new Set(members), new Set([b, c]));
    remove(members, b);
    add(members, a);
    remove(members, c);
    assert.deepEqual(members, [a]);
    remove(members, a);
    assert.deepEqual(members, []);
  });
});

import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { Worker } from 'node:worker_threads';
import {
  buildHashIndex,
  type HashIndex,
  hashIndex,
  type LayoutName,
  type Match,
  readHash,
  words,
  writeHash,
} from '#weir/shared/policy/hash-index';
import { randomFrom as random } from '../../support/images.ts';
import { distanceOf } from '../../support/pictures.ts';

const LAYOUTS: readonly LayoutName[] = ['scan', 'even', 'mixed'];

function randomHashes(seed: number, count: number): Uint32Array {
  const next = random(seed);
  return words(8 * count).map(() => next() * 2 ** 32);
}

/** Turns `distance` bits over. */
function near(hash: Uint8Array, distance: number, next: () => number): Uint8Array {
  const bits = new Set<number>();
  while (bits.size < distance) bits.add(Math.floor(next() * 256));
  const result = hash.slice();
  for (const bit of bits) result[bit >> 3]! ^= 1 << (bit & 7);
  return result;
}

/** What a comparison with every entry finds. */
function bruteForce(hashes: Uint32Array, query: Uint8Array, maxDistance: number): Match | undefined {
  let best: Match | undefined;
  for (let entry = 0; entry < hashes.length / 8; entry++) {
    const distance = distanceOf(readHash(hashes, entry), query);
    if (distance <= (best ? best.distance - 1 : maxDistance)) best = { distance, entry };
  }
  return best;
}

describe('an index of hashes', () => {
  const count = 3_000;
  const hashes = randomHashes(1, count);
  const indexes = new Map<LayoutName, HashIndex>(
    LAYOUTS.map((layout) => [layout, hashIndex(buildHashIndex(hashes, { layout }))]),
  );

  for (const [layout, index] of indexes) {
    it(`finds a hash at every distance from 0 to 31, however it is cut (${layout})`, () => {
      const next = random(2);
      for (let distance = 0; distance <= 31; distance++) {
        for (let i = 0; i < 40; i++) {
          const entry = Math.floor(next() * count);
          const query = near(readHash(hashes, entry), distance, next);
          assert.deepEqual(index.nearest(query), { distance, entry });
          assert.deepEqual(index.nearest(query, distance), { distance, entry });
          if (distance > 0) assert.equal(index.nearest(query, distance - 1), undefined);
        }
      }
    });

    it(`finds a hash whose differing bits lie as evenly as they can (${layout})`, () => {
      for (let shift = 0; shift < 8; shift++) {
        const query = readHash(hashes, 7);
        for (let i = 0; i < 31; i++) query[i]! ^= 1 << shift;
        assert.deepEqual(index.nearest(query), { distance: 31, entry: 7 });
      }
    });

    it(`finds nothing where nothing is near (${layout})`, () => {
      const next = random(3);
      for (let i = 0; i < 50; i++) {
        assert.equal(index.nearest(Uint8Array.from({ length: 32 }, () => next() * 256)), undefined);
      }
    });
  }

  it('finds what comparing with every hash finds, also among look-alikes', () => {
    const next = random(4);
    const clustered = randomHashes(5, 1_500);
    // Clusters of up to 20 hashes, so that several are within the distance and some are equally near.
    for (let entry = 0; entry < 1_500; entry++) {
      if (entry % 20 > 0)
        writeHash(near(readHash(clustered, entry - (entry % 20)), entry % 12, next), clustered, entry);
    }
    for (const layout of LAYOUTS) {
      const index = hashIndex(buildHashIndex(clustered, { layout }));
      for (let i = 0; i < 60; i++) {
        const query = near(readHash(clustered, Math.floor(next() * 1_500)), Math.floor(next() * 36), next);
        const maxDistance = Math.floor(next() * 32);
        assert.deepEqual(index.nearest(query, maxDistance), bruteForce(clustered, query, maxDistance));
      }
    }
  });

  it('stays exact when all hashes share most of their bits', () => {
    const next = random(6);
    const alike = words(8 * 2_000);
    for (let entry = 0; entry < 2_000; entry++) writeHash(near(new Uint8Array(32), entry % 40, next), alike, entry);
    for (const layout of LAYOUTS) {
      const index = hashIndex(buildHashIndex(alike, { layout }));
      for (let i = 0; i < 10; i++) {
        const query = near(new Uint8Array(32), i * 4, next);
        assert.deepEqual(index.nearest(query), bruteForce(alike, query, 31));
      }
    }
  });

  it('finds the nearest to any of several hashes, and says to which', () => {
    const next = random(8);
    const far = Uint8Array.from({ length: 32 }, () => next() * 256);
    const index = indexes.get('even')!;
    const queries = [far, near(readHash(hashes, 5), 20, next), near(readHash(hashes, 9), 6, next), readHash(hashes, 9)];
    assert.deepEqual(index.nearestOf(queries.slice(0, 2)), { distance: 20, entry: 5, of: 1 });
    assert.deepEqual(index.nearestOf(queries.slice(0, 3)), { distance: 6, entry: 9, of: 2 });
    assert.deepEqual(index.nearestOf(queries), { distance: 0, entry: 9, of: 3 });
    assert.deepEqual(index.nearestOf([readHash(hashes, 9), readHash(hashes, 5)]), { distance: 0, entry: 9, of: 0 });
    assert.equal(index.nearestOf([far]), undefined);
    assert.equal(index.nearestOf(queries.slice(0, 2), 19), undefined);
  });

  it('of several entries that are as near takes the first', () => {
    const equal = randomHashes(9, 300);
    const query = readHash(equal, 299);
    const next = random(10);
    for (const entry of [70, 71, 200]) writeHash(near(query, 17, next), equal, entry);
    writeHash(near(query, 100, next), equal, 299);
    const same = words(8 * 6_000).fill(7);
    for (const layout of LAYOUTS) {
      const index = hashIndex(buildHashIndex(equal, { layout }));
      assert.deepEqual(index.nearest(query), { distance: 17, entry: 70 });
      const identical = hashIndex(buildHashIndex(same, { layout }));
      assert.deepEqual(identical.nearest(readHash(same, 0)), { distance: 0, entry: 0 });
    }
  });

  it('may be empty', () => {
    const index = hashIndex(buildHashIndex(words(0)));
    assert.equal(index.size, 0);
    assert.equal(index.nearest(new Uint8Array(32)), undefined);
  });

  it('chooses how to cut by the number of hashes', () => {
    assert.equal(buildHashIndex(words(8 * 100)).layout, 'scan');
    assert.equal(buildHashIndex(randomHashes(1, 5_000)).layout, 'even');
    assert.equal(buildHashIndex(randomHashes(1, 200_000)).layout, 'mixed');
  });

  it('is refused queries that are no hashes and distances that it is not made for', () => {
    const index = indexes.get('scan')!;
    assert.throws(() => index.nearest(new Uint8Array(31)), /expected a hash of 32 bytes, got 31/);
    for (const distance of [-1, 32, 1.5, Number.NaN]) {
      assert.throws(() => index.nearest(new Uint8Array(32), distance), /expected a distance of 0 to 31/);
    }
    assert.throws(() => buildHashIndex(new Uint32Array(9)), /expected 8 words a hash/);
  });

  it('can be searched by another thread without a copy', async () => {
    const shared = words(hashes.length, { shared: true });
    shared.set(hashes);
    const data = buildHashIndex(shared, { layout: 'even', shared: true });
    for (const part of [data.hashes, ...data.starts, ...data.postings]) {
      assert.ok(part.buffer instanceof SharedArrayBuffer);
    }
    const module = import.meta.resolve('#weir/shared/policy/hash-index');
    const code = `import { workerData, parentPort } from 'node:worker_threads';
      const { hashIndex } = await import(workerData.module);
      parentPort.postMessage(hashIndex(workerData.data).nearest(workerData.query));
      workerData.data.hashes[0] = 42;`;
    const worker = new Worker(new URL(`data:text/javascript,${encodeURIComponent(code)}`), {
      workerData: { module, data, query: readHash(hashes, 1_234) },
    });
    const exited = new Promise((done) => worker.once('exit', done));
    const answer = await new Promise((done, failed) => worker.once('message', done).once('error', failed));
    await exited;
    assert.deepEqual(answer, { distance: 0, entry: 1_234 });
    assert.equal(shared[0], 42);
  });
});

import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { Worker } from 'node:worker_threads';
import {
  buildHashIndex,
  type HashIndex,
  type HashIndexData,
  hashIndex,
  type Match,
  readHash,
  words,
  writeHash,
} from '#weir/shared/pdq/hash-index';
import { randomFrom as random } from '../../support/images/images.ts';
import { distanceOf } from '../../support/images/pictures.ts';

/** Numbers of hashes to cut for. The first compares with all; the others have shorter or longer segments and more or fewer columns. */
const CUTS = [0, 1_000, 20_000, 300_000, 1_000_000];

function randomHashes(seed: number, count: number): Uint32Array {
  const next = random(seed);
  return words(8 * count).map(() => next() * 2 ** 32);
}

/** Flips `distance` bits. */
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
  const indexes = new Map<number, HashIndex>(
    CUTS.map((cutAs) => [cutAs, hashIndex(buildHashIndex(hashes, { cutAs }))]),
  );

  for (const [cutAs, index] of indexes) {
    it(`finds a hash at every distance from 0 to 31, however it is cut (cut for ${cutAs})`, () => {
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

    it(`finds a hash whose differing bits are spread evenly (cut for ${cutAs})`, () => {
      for (let shift = 0; shift < 8; shift++) {
        const query = readHash(hashes, 7);
        for (let i = 0; i < 31; i++) query[i]! ^= 1 << shift;
        assert.deepEqual(index.nearest(query), { distance: 31, entry: 7 });
      }
      // One bit flipped in each of 31 of the 32 bytes: hardly any segment is within its radius.
      const next = random(11);
      for (let i = 0; i < 500; i++) {
        const entry = Math.floor(next() * count);
        const left = i % 32;
        const query = readHash(hashes, entry).map((byte, at) => (at === left ? byte : byte ^ (1 << (next() * 8))));
        assert.deepEqual(index.nearest(query), { distance: 31, entry });
      }
    });

    it(`finds nothing when nothing is near (cut for ${cutAs})`, () => {
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
    const cuts = CUTS.map((cutAs) => hashIndex(buildHashIndex(clustered, { cutAs })));
    for (let i = 0; i < 60; i++) {
      const query = near(readHash(clustered, Math.floor(next() * 1_500)), Math.floor(next() * 36), next);
      const maxDistance = Math.floor(next() * 32);
      const expected = bruteForce(clustered, query, maxDistance);
      for (const index of cuts) assert.deepEqual(index.nearest(query, maxDistance), expected);
    }
  });

  it('finds what comparing each of eight hashes with every hash finds, at each distance, the first of the eight and of the list on a tie', () => {
    const next = random(12);
    const alike = randomHashes(13, 600);
    for (let entry = 0; entry < 600; entry++) {
      if (entry % 3 > 0) writeHash(near(readHash(alike, entry - (entry % 3)), 6, next), alike, entry);
    }
    const cuts = CUTS.map((cutAs) => hashIndex(buildHashIndex(alike, { cutAs })));
    let some = 0;
    for (let i = 0; i < 64; i++) {
      const maxDistance = i % 32;
      const apart = 3 * Math.floor(next() * (1 + maxDistance / 2));
      const queries = Array.from({ length: 8 }, () =>
        near(readHash(alike, Math.floor(next() * 600)), Math.min(35, apart + Math.floor(next() * 3)), next),
      );
      let best: (Match & { of: number }) | undefined;
      for (const [of, query] of queries.entries()) {
        const match = bruteForce(alike, query, best ? best.distance - 1 : maxDistance);
        if (match) best = { ...match, of };
      }
      for (const index of cuts) assert.deepEqual(index.nearestOf(queries, maxDistance), best);
      if (best) some++;
    }
    assert.ok(some > 16 && some < 60, `${some} of 64 found something`);
  });

  it('stays exact when all hashes share most of their bits', () => {
    const next = random(6);
    const alike = words(8 * 2_000);
    for (let entry = 0; entry < 2_000; entry++) writeHash(near(new Uint8Array(32), entry % 40, next), alike, entry);
    for (const cutAs of CUTS) {
      const index = hashIndex(buildHashIndex(alike, { cutAs }));
      for (let i = 0; i < 10; i++) {
        const query = near(new Uint8Array(32), i * 4, next);
        assert.deepEqual(index.nearest(query), bruteForce(alike, query, 31));
      }
    }
  });

  it('takes the first of several entries that are as near', () => {
    const equal = randomHashes(9, 300);
    const query = readHash(equal, 299);
    const next = random(10);
    for (const entry of [70, 71, 200]) writeHash(near(query, 17, next), equal, entry);
    writeHash(near(query, 100, next), equal, 299);
    const same = words(8 * 6_000).fill(7);
    for (const cutAs of CUTS) {
      const index = hashIndex(buildHashIndex(equal, { cutAs }));
      assert.deepEqual(index.nearest(query), { distance: 17, entry: 70 });
      const identical = hashIndex(buildHashIndex(same, { cutAs }));
      assert.deepEqual(identical.nearest(readHash(same, 0)), { distance: 0, entry: 0 });
    }
  });

  it('may be empty', () => {
    const index = hashIndex(buildHashIndex(words(0)));
    assert.equal(index.size, 0);
    assert.equal(index.nearest(new Uint8Array(32)), undefined);
  });

  it('takes memory in proportion to the hashes, and none for a small list', () => {
    const bytesOf = (data: HashIndexData) =>
      [...data.rows, ...data.postings].reduce((sum, part) => sum + part.byteLength, 0);
    assert.equal(bytesOf(buildHashIndex(randomHashes(1, 999))), 0);
    for (const count of [1_000, 16_384, 16_385, 100_000]) {
      const each = bytesOf(buildHashIndex(randomHashes(1, count))) / count;
      assert.ok(each > 44 && each < 135, `${count} hashes: ${each} bytes each`);
    }
  });

  it('refuses queries that are not hashes, and distances out of range', () => {
    const index = indexes.get(0)!;
    assert.throws(() => index.nearest(new Uint8Array(31)), /expected a hash of 32 bytes, got 31/);
    for (const distance of [-1, 32, 1.5, Number.NaN]) {
      assert.throws(() => index.nearest(new Uint8Array(32), distance), /expected a distance of 0 to 31/);
    }
    assert.throws(() => buildHashIndex(new Uint32Array(9)), /expected 8 words a hash/);
  });

  it('can be searched by another thread without a copy', async () => {
    const shared = words(hashes.length, { shared: true });
    shared.set(hashes);
    const data = buildHashIndex(shared, { cutAs: 1_000, shared: true });
    for (const part of [data.hashes, ...data.rows, ...data.postings]) {
      assert.ok(part.buffer instanceof SharedArrayBuffer);
    }
    const module = import.meta.resolve('#weir/shared/pdq/hash-index');
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

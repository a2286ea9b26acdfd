import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { createBacklog } from '#weir/workers/consumer/backlog';
import type { RawEntry } from '#weir/workers/consumer/entry';

let added = 0;
const entry = (team: string, partition: number, bytes = 1): RawEntry => ({
  partition,
  lane: 'fast',
  id: `${++added}-0`,
  header: Buffer.from(JSON.stringify({ team })),
  body: Buffer.alloc(bytes),
  segments: '',
  attempt: 1,
});

/** Partitions of which two share a Redis. */
const redisOf = (partition: number): string => `redis ${partition >> 1}`;
const partitionsOf = (chunk: readonly RawEntry[]): number[] => chunk.map(({ partition }) => partition);

/** Chunks of the keys of `entries`, in their order, until nothing is left. */
function chunksOf(entries: readonly RawEntry[], { chunk = 8, free = 0 } = {}): number[][] {
  const backlog = createBacklog({ chunk, redisOf });
  const keys = backlog.add(entries).map(({ key }) => key);
  return keys.map((key) => partitionsOf(backlog.take(key, free))).filter(({ length }) => length > 0);
}

describe('the backlog of a consumer', () => {
  it('makes chunks of partitions of one Redis, and of one team', () => {
    const four = [0, 1, 2, 3].map((p) => entry('a', p));
    assert.deepEqual(chunksOf([...four, entry('b', 0)]), [[0, 1], [2, 3], [0]]);
  });

  it('has the entries of a partition together, however they came', () => {
    const mixed = [0, 1, 0, 1].map((p) => entry('a', p));
    assert.deepEqual(chunksOf(mixed), [[0, 0, 1, 1]]);
    assert.deepEqual(chunksOf(mixed, { chunk: 3 }), [[0, 0, 1], [1]]);
  });

  it('leaves partitions to slots that are free, and does not divide one', () => {
    const both = [0, 0, 0, 1].map((p) => entry('a', p));
    assert.deepEqual(chunksOf(both, { free: 1 }), [[0, 0, 0], [1]]);
    assert.deepEqual(chunksOf(both.slice(0, 3), { free: 7 }), [[0, 0, 0]]);
  });

  it('ends a chunk at its bytes, but has one entry in any case', () => {
    const large = 100 * 1024;
    const entries = [entry('a', 0, 2 * large), entry('a', 0, large), entry('a', 1, large), entry('a', 1, 1)];
    assert.deepEqual(chunksOf(entries), [[0], [1, 1], [0]]);
  });

  it('gives each partition its turn while one has always more', () => {
    const backlog = createBacklog({ chunk: 4, redisOf });
    const { key } = backlog.add(Array.from({ length: 6 }, () => entry('a', 0)))[0]!;
    backlog.add([entry('a', 1)]);
    const chunks = [backlog.take(key, 0)];
    backlog.add(Array.from({ length: 4 }, () => entry('a', 0)));
    chunks.push(backlog.take(key, 0));
    assert.deepEqual(chunks.map(partitionsOf), [
      [0, 0, 0, 0],
      [1, 0, 0, 0],
    ]);
  });

  it('is empty once earlier chunks have taken all', () => {
    const backlog = createBacklog({ chunk: 4, redisOf });
    const { key } = backlog.add([entry('a', 0)])[0]!;
    backlog.take(key, 0);
    assert.deepEqual(backlog.take(key, 0), []);
  });
});

import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { crc32 } from 'node:zlib';
import fc from 'fast-check';
import { configOf, readRows, teamOf } from '#weir/workers/rows/read-rows';
import type { RowItem } from '#weir/workers/rows/row-types';
import { checkRows, DamagedRows, unpackRows } from '#weir/workers/rows/unpack-rows';
import { encodeRows } from '../../support/stores/encoded.ts';
import { rowItem, rowRequest, violating } from '../../support/stores/history.ts';

const request = rowRequest();

const mapped = (item: number, policies: string): RowItem => rowItem(item, { verdict: { ...violating, policies } });

/** Rows of the items with each map, encoded by themselves: nothing stands before them. */
function oneByOne(items: readonly RowItem[]): Buffer {
  const groups = new Map<string, RowItem[]>();
  for (const item of items) {
    const { policies } = item.verdict;
    groups.set(policies, [...(groups.get(policies) ?? []), item]);
  }
  return Buffer.concat([...groups.values()].map((group) => unpackRows('1', encodeRows(request, group)).bytes));
}

const policy = (id: number, flagged: boolean, name = 'Ünique name of a policy'): string =>
  `"00000000-0000-4000-8000-00000000000${id}":{"flagged":${flagged},"name":"${name}"}`;
const map = (...policies: string[]): string => `{${policies.join(',')}}`;

const MAPS = [
  map(policy(1, false), policy(2, false), policy(3, false)),
  map(policy(1, false), policy(2, true), policy(3, false)),
  map(policy(1, false), policy(2, false)),
  map(policy(3, true)),
  '{}',
];

/** A packed entry with another table of repeats, and the checksum that fits. */
function changed(packed: Buffer, change: (copy: Buffer) => void): Buffer {
  const copy = Buffer.from(packed);
  change(copy);
  copy.writeUInt32LE(crc32(copy.subarray(4)), 0);
  return copy;
}

describe('packed rows that repeat each other', () => {
  const items = MAPS.map((policies, i) => mapped(i + 1, policies));
  const packed = encodeRows(request, items);

  it('are the rows of each map, one behind the other, when they are unpacked', () => {
    assert.deepEqual(unpackRows('1', packed), { rows: items.length, bytes: oneByOne(items) });
    assert.ok(packed.length < 0.8 * oneByOne(items).length);
  });

  it('are the same whatever is in the maps, and in what order', () => {
    const piece = fc.constantFrom(...MAPS, 'é'.repeat(40), 'ab'.repeat(30), 'ab', 'é');
    const text = fc.array(piece, { maxLength: 6 }).map((pieces) => pieces.join(''));
    fc.assert(
      fc.property(fc.array(text, { minLength: 1, maxLength: 40 }), (maps) => {
        const some = maps.map((policies, i) => mapped(i + 1, policies));
        assert.deepEqual(unpackRows('1', encodeRows(request, some)).bytes, oneByOne(some));
      }),
    );
  });

  it('are written into a larger buffer where they are to stand', () => {
    const target = Buffer.alloc(100_000, 0xee);
    const rows = checkRows('1', packed);
    const end = rows.write(target, 1000);
    assert.equal(end - 1000, rows.length);
    assert.deepEqual(target.subarray(1000, end), oneByOne(items));
    assert.ok(target.subarray(0, 1000).every((byte) => byte === 0xee));
    assert.ok(target.subarray(end).every((byte) => byte === 0xee));
  });

  it('say their team and configuration without being unpacked', () => {
    assert.equal(teamOf(packed), request.team);
    assert.equal(configOf(packed), request.config);
    const read = readRows('1', packed, new Set(['team', 'policies']));
    assert.deepEqual(
      read,
      MAPS.map((policies) => ({ team: request.team, policies })),
    );
  });

  it('have no repeats where there is one map', () => {
    const one = encodeRows(request, [mapped(1, MAPS[0]!), mapped(2, MAPS[0]!)]);
    assert.equal(one.readUInt32LE(4), 2);
    const before = Buffer.concat([Buffer.alloc(8), oneByOne(items)]);
    before.writeUInt32LE(items.length, 4);
    const earlier = changed(before, () => {});
    assert.deepEqual(unpackRows('1', earlier).bytes, oneByOne(items));
  });

  it('are refused where the repeats cannot be right', () => {
    const count = packed.length - 4;
    const first = count - 4 - 12 * packed.readUInt32LE(count);
    for (const change of [
      (copy: Buffer) => copy.writeUInt32LE(copy.readUInt32LE(count) + 1, count),
      (copy: Buffer) => copy.writeUInt32LE(0xffff_ffff, count),
      (copy: Buffer) => copy.writeUInt32LE(copy.readUInt32LE(count - 4) + 1, count - 4),
      (copy: Buffer) => copy.writeUInt32LE(0xffff_ffff, first),
      (copy: Buffer) => copy.writeUInt32LE(copy.readUInt32LE(first) - 1, first + 4),
      (copy: Buffer) => copy.writeUInt32LE(0xffff_ffff, first + 8),
    ]) {
      assert.throws(() => checkRows('1', changed(packed, change)), DamagedRows);
    }
    const short = changed(Buffer.from([0, 0, 0, 0, 1, 0, 0, 0x80, 1]), () => {});
    assert.throws(() => checkRows('1', short), DamagedRows);
  });
});

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { itemId } from '#weir/shared/ids';
import { COLUMNS_OF, type RowFormat } from '#weir/workers/rows/columns';
import { leaveOut, type RowIdentity } from '#weir/workers/rows/leave-out';
import { rowFormatOf } from '#weir/workers/rows/pack-rows';
import { readRows } from '#weir/workers/rows/read-rows';
import type { RowItem } from '#weir/workers/rows/row-types';
import { checkRows, DamagedRows } from '#weir/workers/rows/unpack-rows';
import { encodeRows } from '../../support/stores/encoded.ts';
import { rowImage, rowItem, rowRequest } from '../../support/stores/history.ts';

const request = rowRequest();
const NO_VERDICT = rowItem(1).verdict;

/** Items of every format: with other policies, images, and policies in the shadow. */
const several: RowItem[] = [
  rowItem(1, { userId: 'u1', content: 'one' }),
  rowItem(2, { userEmail: 'a@example.com', content: 'two', verdict: { ...NO_VERDICT, policies: '{"other":{}}' } }),
  rowItem(3, { runId: 'r', externalSessionId: 's', content: 'three', image: rowImage() }),
  rowItem(4, { content: 'four' }),
];

/** Rows have an order of their own, by the policies that come first. */
const rowsOf = (format: RowFormat, packed: Buffer): string[] =>
  readRows(format, packed, new Set(COLUMNS_OF[format].map(({ name }) => name)))
    .map((row) => JSON.stringify(row))
    .sort();

/** All ways to take items out end in what would have been packed without them. */
test('what is left are the rows of the other items, in every format', () => {
  const shadow = { evaluated: [], notEvaluated: 1, violations: [], detectors: [] } as unknown as NonNullable<
    RowItem['verdict']['shadow']
  >;
  for (const list of [several.map(({ image, ...item }) => item), several]) {
    for (const shadowed of [false, true]) {
      const items = list.map((item) => (shadowed ? { ...item, verdict: { ...item.verdict, shadow } } : item));
      const format = rowFormatOf(items);
      for (let taken = 1; taken < 1 << items.length; taken++) {
        const gone = new Set(items.filter((_, i) => taken & (1 << i)).map(({ item }) => itemId(request.id, item)));
        const left = leaveOut(format, encodeRows(request, items, format), () => gone);
        const rest = items.filter(({ item }) => !gone.has(itemId(request.id, item)));
        assert.equal(left?.taken, gone.size);
        const expected = encodeRows(request, rest, format);
        assert.deepEqual(rowsOf(format, left!.packed), rowsOf(format, expected), `${format} ${taken}`);
        assert.equal(checkRows(format, left!.packed).rows, rest.length);
      }
    }
  }
});

test('it says of each item what tells whose it is, and leaves rows as they are where none goes', () => {
  let told: readonly RowIdentity[] = [];
  const format = rowFormatOf(several);
  const packed = encodeRows(request, several, format);
  const same = leaveOut(format, packed, (items) => {
    told = items;
    return new Set();
  });
  assert.equal(same, undefined);
  const byId = new Map(told.map((item) => [item.id, item]));
  const third = byId.get(itemId(request.id, 3))!;
  assert.deepEqual(
    [third.runId, third.externalSessionId, third.scope, third.team],
    ['r', 's', request.scope, request.team],
  );
  assert.equal(third.sequence, request.sequence);
  assert.equal(byId.get(itemId(request.id, 1))!.userId, 'u1');
  assert.equal(byId.get(itemId(request.id, 2))!.userEmail, 'a@example.com');
});

test('rows that are damaged are refused, not read', () => {
  const packed = encodeRows(request, several);
  packed[20]! ^= 1;
  assert.throws(() => leaveOut(rowFormatOf(several), packed, () => new Set()), DamagedRows);
});

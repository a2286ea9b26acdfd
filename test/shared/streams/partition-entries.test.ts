import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import {
  type EntryPlace,
  type EntryQuestion,
  pageOfAll,
  placeFrom,
  placeText,
} from '#weir/shared/streams/partition-entries';

/** Three partitions: many entries in the first, none in the second; ids that both others have. */
const IDS: readonly (readonly string[])[] = [
  Array.from({ length: 75 }, (_, n) => `${1000 + 3 * n}-0`),
  [],
  ['999-7', ...Array.from({ length: 40 }, (_, n) => `${1000 + 6 * n}-${n % 2}`), '9000-11', '9000-2'],
];

const numbers = (id: string): number[] => id.split('-').map(Number);
const compare = (a: string, b: string): number => numbers(a)[0]! - numbers(b)[0]! || numbers(a)[1]! - numbers(b)[1]!;

/** Reads as XRANGE and XREVRANGE do. */
function reader(order: EntryQuestion['order']) {
  const asked: number[] = [];
  const sign = order === 'oldest first' ? 1 : -1;
  const read = async (partition: number, from: string, most: number): Promise<EntryPlace[]> => {
    asked.push(most);
    const bare = from.replace('(', '');
    return IDS[partition]!.filter((id) => {
      const at = bare === '' ? 1 : sign * compare(id, bare);
      return from.startsWith('(') ? at > 0 : at >= 0;
    })
      .sort((a, b) => sign * compare(a, b))
      .slice(0, most)
      .map((id) => ({ partition, id }));
  };
  return { read, asked };
}

describe('entries of all partitions', () => {
  for (const order of ['newest first', 'oldest first'] as const) {
    for (const limit of [1, 7, 50, 1000]) {
      it(`come once each, ${order}, in pages of ${limit}`, async () => {
        const { read } = reader(order);
        const all: EntryPlace[] = [];
        let after: EntryPlace | undefined;
        do {
          const page = await pageOfAll({ partitions: [0, 1, 2], order, after, limit }, read);
          assert.ok(page.entries.length <= limit);
          assert.equal(page.next !== undefined && page.entries.length < limit, false);
          all.push(...page.entries);
          assert.ok(all.length <= IDS.flat().length, 'an entry comes twice');
          after = page.next;
        } while (after);
        const sign = order === 'oldest first' ? 1 : -1;
        const expected = IDS.flatMap((ids, partition) => ids.map((id) => ({ partition, id }))).sort(
          (a, b) => sign * compare(a.id, b.id) || a.partition - b.partition,
        );
        assert.deepEqual(all.map(placeText), expected.map(placeText));
      });
    }
  }

  it('are read a few at a time, and more only where they are taken', async () => {
    const { read, asked } = reader('oldest first');
    await pageOfAll({ partitions: [0, 1, 2], order: 'oldest first', after: undefined, limit: 5 }, read);
    assert.deepEqual(asked, [6, 6, 6]);
    asked.length = 0;
    await pageOfAll({ partitions: [0, 1, 2], order: 'oldest first', after: undefined, limit: 60 }, read);
    assert.ok(asked.every((most) => most === 20) && asked.length <= 6, String(asked));
  });

  it('have places that are read as they are written, and no others', () => {
    const place = { partition: 12, id: '1790000000000-3' };
    assert.deepEqual(placeFrom(placeText(place)), place);
    for (const text of ['', '1', '1/2', '-1/2-3', '1/2-3 ', '10000/1-1', '1/1234567890123456-1', 'x/1-1', '1/1-x'])
      assert.equal(placeFrom(text), undefined, text);
  });
});

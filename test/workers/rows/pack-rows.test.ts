import assert from 'node:assert/strict';
import { test } from 'node:test';
import { rowFormatOf } from '#weir/workers/rows/pack-rows';
import { DamagedRows, unpackRows } from '#weir/workers/rows/unpack-rows';
import { encodeRows } from '../../support/stores/encoded.ts';
import { rowImage, rowItem, rowRequest, violating } from '../../support/stores/history.ts';

const packed = encodeRows(rowRequest(), [rowItem(1), rowItem(2, { verdict: violating, flagged: true })]);

test('packed rows say how many items they hold', () => {
  const alike = encodeRows(rowRequest(), [rowItem(1), rowItem(2)]);
  const { rows, bytes } = unpackRows('1', alike);
  assert.equal(rows, 2);
  assert.equal(bytes.length, alike.length - 8);
  assert.equal(unpackRows('1', packed).rows, 2);
});

test('a request whose items are all references has no rows', () => {
  assert.deepEqual(unpackRows('1', encodeRows(rowRequest(), [])), { rows: 0, bytes: Buffer.alloc(0) });
});

test('packed rows that were cut off or changed anywhere are refused', () => {
  for (let length = 0; length < packed.length; length += 7) {
    assert.throws(() => unpackRows('1', packed.subarray(0, length)), DamagedRows);
  }
  for (let at = 0; at < packed.length; at += 5) {
    const changed = Buffer.from(packed);
    changed[at] = changed[at]! ^ 0x10;
    assert.throws(() => unpackRows('1', changed), DamagedRows);
  }
});

test('rows of an unknown format are refused', () => {
  assert.throws(() => unpackRows('7', packed), /unknown/);
});

test('requests with images have a format of their own, and the others pay nothing for it', () => {
  const text = rowItem(1);
  const image = rowItem(2, { type: 'artifact', image: rowImage() });
  assert.deepEqual([rowFormatOf([]), rowFormatOf([text]), rowFormatOf([text, image])], ['1', '1', '2']);
  const with4 = encodeRows(rowRequest(), [text, image]);
  assert.equal(unpackRows('4', with4).rows, 2);
  const { image: _, ...bare } = image;
  // One length and, for two items, at least the bytes of the numbers, for each of the nine columns.
  assert.ok(with4.length > encodeRows(rowRequest(), [text, bare]).length + 9 + 64);
});

test('requests with a verdict of policies in the shadow have formats of their own, and the others are as before', () => {
  const text = rowItem(1);
  const verdict = {
    ...text.verdict,
    shadow: { evaluated: [violating.violations[0]!.id], violations: [], notEvaluated: 0 },
  };
  const shaded = rowItem(1, { verdict });
  const image = rowItem(2, { type: 'artifact', image: rowImage() });
  assert.deepEqual([rowFormatOf([shaded, text]), rowFormatOf([shaded, image])], ['3', '4']);
  const request = rowRequest();
  const [plain, more] = [encodeRows(request, [text]), encodeRows(request, [shaded])].map((packed) =>
    packed.subarray(8),
  );
  assert.deepEqual(more!.subarray(0, plain!.length), plain);
  // Seven columns of one item: their lengths, one id, a number, and five empty arrays.
  assert.equal(more!.length - plain!.length, 7 + 1 + 16 + 2 + 5);
});

test('items that share a policies map write it once', () => {
  const items = Array.from({ length: 50 }, (_, i) => rowItem(i + 1));
  const once = encodeRows(rowRequest(), items.slice(0, 1)).length;
  const all = encodeRows(rowRequest(), items).length;
  assert.ok(all < once * 25, `${all} bytes for 50 items, ${once} for one`);
});

test('an id that is not one of ours is a bug and throws', () => {
  assert.throws(() => encodeRows(rowRequest({ id: 'nonsense' }), [rowItem(1)]), /not one of ours/);
  const policy = { ...violating, violations: [{ ...violating.violations[0]!, id: 'nonsense' }] };
  assert.throws(() => encodeRows(rowRequest(), [rowItem(1, { verdict: policy })]), /no UUID/);
});

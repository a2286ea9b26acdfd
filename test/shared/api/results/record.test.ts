import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { answerOf } from '#weir/shared/api/results/answer';
import { FRAGMENT_BYTES, StoredRecord } from '#weir/shared/api/results/layout';
import { type DeclaredLink, decodeHead, decodeRecord } from '#weir/shared/api/results/record';
import { newRequestId } from '#weir/shared/ids';
import { record, recordItem } from '../../../ingress/support.ts';
import { pluck } from '../../../support/pluck.ts';
import { encodeRecord } from '../../../support/stores/encoded.ts';

const links: DeclaredLink[] = [
  { kind: 'parent', relation: '', runId: 'run-1', eventId: 'a', internalId: '' },
  { kind: 'link', relation: 'é\n"', runId: 'other', eventId: 'b', internalId: '' },
  { kind: 'link', relation: '', runId: '', eventId: '', internalId: '01890000-0000-7000-8000-000000000001' },
];

describe('the record', () => {
  it('keeps the roles and declared causes of its items', () => {
    const items = [
      recordItem(1, { role: 'user' }),
      recordItem(2, { role: 'assistant', links }),
      recordItem(3, { type: 'tool', links }),
    ];
    const decoded = decodeRecord(encodeRecord(record({ items, version: 3 })));
    const said = decoded.items.map(({ role, links: declared }) => [role, declared]);
    assert.deepEqual(said, [
      ['user', undefined],
      ['assistant', links],
      [undefined, links],
    ]);
    assert.equal(decoded.version, 3);
  });

  it('keeps what few items have', () => {
    const target = { id: newRequestId(2), created: 1, completed: 2, failed: true as const };
    const items = [
      recordItem(1, { target }),
      recordItem(2, { marks: 3 }),
      recordItem(3, { marks: [1, 20] }),
      recordItem(4),
    ];
    const error = { status: 500, code: 'internal_error', message: 'größer', param: 'events[0]' };
    const { items: decoded, ...rest } = decodeRecord(encodeRecord(record({ items, error, late: true, version: 300 })));
    assert.deepEqual(pluck(decoded, 'target', 'marks'), [
      [target, undefined],
      [null, 3],
      [null, [1, 20]],
      [null, undefined],
    ]);
    assert.deepEqual([rest.error, rest.late, rest.version], [error, true, 300]);
  });

  it('keeps the ids of an artifact and its session', () => {
    const artifact = { external: 'é"', session: '01890000-0000-7000-8000-000000000001' };
    const items = [recordItem(1, { type: 'artifact', artifact }), recordItem(2, { role: 'user', links, artifact })];
    const decoded = decodeRecord(encodeRecord(record({ kind: 'artifact', items }))).items;
    assert.deepEqual(pluck(decoded, 'role', 'links', 'artifact'), [
      [undefined, undefined, artifact],
      ['user', links, artifact],
    ]);
  });

  it('keeps whatever is in its texts', () => {
    const text = fc.oneof(
      fc.string({ maxLength: 80 }),
      fc.string({ unit: 'binary', maxLength: 80 }),
      fc.constant('\ud800'),
    );
    const item = fc.record({ eventId: text, runId: text, externalSessionId: text, note: text });
    fc.assert(
      fc.property(fc.array(item, { maxLength: 63 }), text, (some, fragment) => {
        const items = some.map((change, i) => recordItem(i + 1, { ...change, role: 'user', links }));
        const whole = record({ items, fragments: [JSON.stringify(fragment)] });
        const decoded = decodeRecord(encodeRecord(whole));
        assert.deepEqual(
          decoded.items,
          items.map((each) => ({ ...each, artifact: undefined })),
        );
        assert.deepEqual(decoded.fragments, whole.fragments);
      }),
    );
  });

  it('has once what its maps have in common, but for other fragments and maps that are not ASCII', () => {
    const policy = '"00000000-0000-4000-8000-000000000001":{"flagged":true,"name":"Cards"}';
    const map = (more: string): string => `{${policy}${more}}`;
    const fragments = [map(''), map(',"b":1'), map(',"b":2'), map(',"b":{}'), map(',"ü":1'), map(',"ü":2'), policy];
    const items = [0, 1, 2, 4, 5].map((policies, i) => recordItem(i + 1, { policies, metadata: 3 }));
    const bytes = encodeRecord(record({ items, fragments }));
    const stored = new StoredRecord(bytes);
    const known = fragments.map((_, i) => [stored.base(i), stored.baseStart(i), stored.baseEnd(i)]);
    const length = policy.length + 1;
    const whole = [-1, 0, 0];
    assert.deepEqual(known, [whole, [0, length, 1], [0, length, 1], whole, whole, whole, whole]);
    assert.deepEqual(decodeRecord(bytes).fragments, fragments);
  });

  it('is refused where a shortened map is damaged', () => {
    const maps = [
      '{"a":"something that is long enough to be there once"}',
      '{"a":"something that is long enough to be there twice"}',
    ];
    const items = maps.map((_, i) => recordItem(i + 1, { policies: i }));
    const bytes = encodeRecord(record({ items, fragments: maps }));
    const second = bytes.length - FRAGMENT_BYTES;
    for (const [at, value] of [
      [second + 4, 2],
      [second + 4, 9],
      [second + 6, 200],
      [second + 10, 200],
    ] as const) {
      const damaged = Buffer.from(bytes);
      damaged[at] = value;
      assert.throws(() => decodeRecord(damaged), /damaged/);
      assert.throws(() => answerOf(damaged), /damaged/);
    }
  });

  it('can be read by its head, without fragments', () => {
    const whole = record({ items: [recordItem(1, { links })], fragments: ['{"a":1}', '{}'] });
    const bytes = encodeRecord(whole);
    const { fragments, ...rest } = decodeRecord(bytes);
    assert.deepEqual(fragments, whole.fragments);
    assert.deepEqual(decodeHead(bytes.subarray(0, bytes.readUInt32LE(4))), rest);
  });
});

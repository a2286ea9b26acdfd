import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { type DeclaredLink, decodeHead, decodeRecord, encodeRecord } from '#weir/shared/api/results/record';
import { record, recordItem } from '../../../ingress/support.ts';
import { pluck } from '../../../support/pluck.ts';

const links: DeclaredLink[] = [
  { kind: 'parent', relation: '', runId: 'run-1', eventId: 'a', internalId: '' },
  { kind: 'link', relation: 'é\n"', runId: 'other', eventId: 'b', internalId: '' },
  { kind: 'link', relation: '', runId: '', eventId: '', internalId: '01890000-0000-7000-8000-000000000001' },
];

/** Items of the head as they are stored. */
const wire = (text: string): unknown[][] => JSON.parse(text.split('\n')[0]!).items;

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

  it('leaves out absent roles and causes, and reads records without them', () => {
    const text = encodeRecord(record({ items: [recordItem(1, { type: 'tool' })] }));
    assert.equal(wire(text)[0]!.length, 11);
    assert.equal(text.includes('version'), false);
    const { role, links: declared, artifact, ...rest } = decodeRecord(text).items[0]!;
    assert.deepEqual([role, declared, artifact], [undefined, undefined, undefined]);
    assert.deepEqual(rest, recordItem(1, { type: 'tool' }));
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

  it('can be read by its first line, without fragments', () => {
    const whole = record({ items: [recordItem(1, { links })], fragments: ['{"a":1}', '{}'] });
    const { fragments, ...rest } = decodeRecord(encodeRecord(whole));
    assert.deepEqual(fragments, whole.fragments);
    assert.deepEqual(decodeHead(encodeRecord(whole).split('\n')[0]!), rest);
  });
});

import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { type DeclaredLink, decodeHead, decodeRecord } from '#weir/shared/api/results/record';
import { record, recordItem } from '../../../ingress/support.ts';
import { recordText } from '../../../support/api/record-text.ts';
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
    const decoded = decodeRecord(recordText(record({ items, version: 3 })));
    const said = decoded.items.map(({ role, links: declared }) => [role, declared]);
    assert.deepEqual(said, [
      ['user', undefined],
      ['assistant', links],
      [undefined, links],
    ]);
    assert.equal(decoded.version, 3);
  });

  it('leaves out absent roles and causes, and reads records without them', () => {
    const text = recordText(record({ items: [recordItem(1, { type: 'tool' })] }));
    assert.equal(wire(text)[0]!.length, 11);
    assert.equal(text.includes('version'), false);
    const { role, links: declared, artifact, ...rest } = decodeRecord(text).items[0]!;
    assert.deepEqual([role, declared, artifact], [undefined, undefined, undefined]);
    assert.deepEqual(rest, recordItem(1, { type: 'tool' }));
  });

  it('keeps the ids of an artifact and its session', () => {
    const artifact = { external: 'é"', session: '01890000-0000-7000-8000-000000000001' };
    const items = [recordItem(1, { type: 'artifact', artifact }), recordItem(2, { role: 'user', links, artifact })];
    const decoded = decodeRecord(recordText(record({ kind: 'artifact', items }))).items;
    assert.deepEqual(pluck(decoded, 'role', 'links', 'artifact'), [
      [undefined, undefined, artifact],
      ['user', links, artifact],
    ]);
  });

  it('is written as JSON.stringify writes it, whatever is in it', () => {
    const text = fc.oneof(fc.string({ maxLength: 80 }), fc.string({ unit: 'binary', maxLength: 80 }));
    const item = fc.record({ eventId: text, runId: text, externalSessionId: text, note: text });
    fc.assert(
      fc.property(fc.array(item, { maxLength: 5 }), text, (some, fragment) => {
        const items = some.map((change, i) => recordItem(i + 1, { ...change, role: 'user', links }));
        const [head, ...fragments] = recordText(record({ items, fragments: [JSON.stringify(fragment)] })).split('\n');
        assert.equal(head, JSON.stringify(JSON.parse(head!)));
        assert.deepEqual(
          decodeHead(head!).items,
          items.map((each) => ({ ...each, artifact: undefined })),
        );
        assert.deepEqual(fragments, [JSON.stringify(fragment)]);
      }),
    );
  });

  it('has once what its maps have in common, but for other fragments and maps that are not ASCII', () => {
    const policy = '"00000000-0000-4000-8000-000000000001":{"flagged":true,"name":"Cards"}';
    const map = (more: string): string => `{${policy}${more}}`;
    const fragments = [map(''), map(',"b":1'), map(',"b":2'), map(',"b":{}'), map(',"ü":1'), map(',"ü":2'), policy];
    const items = [0, 1, 2, 4, 5].map((policies, i) => recordItem(i + 1, { policies, metadata: 3 }));
    const text = recordText(record({ items, fragments }));
    const rest = `${policy.length + 1}`;
    assert.deepEqual(text.split('\n').slice(1), [
      fragments[0],
      `~0 ${rest} 1 ,"b":1`,
      `~0 ${rest} 1 ,"b":2`,
      ...fragments.slice(3),
    ]);
    assert.deepEqual(decodeRecord(text).fragments, fragments);
  });

  it('is refused where a shortened map is damaged', () => {
    const text = recordText(record({ items: [recordItem(1)], fragments: ['{"a":1}'] }));
    assert.deepEqual(decodeRecord(`${text}\n~0 5 1 22`).fragments, ['{"a":1}', '{"a":22}']);
    for (const line of ['~1 1 1 x', '~0 5 3 x', '~0 5 1', '~0 -1 1 x', '~']) {
      assert.throws(() => decodeRecord(`${text}\n${line}`), /damaged/);
    }
  });

  it('can be read by its first line, without fragments', () => {
    const whole = record({ items: [recordItem(1, { links })], fragments: ['{"a":1}', '{}'] });
    const { fragments, ...rest } = decodeRecord(recordText(whole));
    assert.deepEqual(fragments, whole.fragments);
    assert.deepEqual(decodeHead(recordText(whole).split('\n')[0]!), rest);
  });
});

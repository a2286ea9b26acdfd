/** The answer of a batch from the bytes of its record, beside what `renderEvents` makes of the record. */

import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { pasteEvents } from '#weir/shared/api/results/paste-events';
import { decodeRecord, type RecordItem, type ResultRecord } from '#weir/shared/api/results/record';
import { renderEvents } from '#weir/shared/api/results/render-events';
import { EVENT_TYPES } from '#weir/shared/api/types';
import { itemId, newRequestId } from '#weir/shared/ids';
import { recordItem, record as resultRecord } from '../../../ingress/support.ts';
import { recordText } from '../../../support/api/record-text.ts';

const rendered = (record: ResultRecord): string =>
  Buffer.from(renderEvents(decodeRecord(recordText(record)))).toString();

function pasted(record: ResultRecord): string | undefined {
  const bytes = pasteEvents(Buffer.from(recordText(record)));
  return bytes && Buffer.from(bytes).toString();
}

const batch = (items: RecordItem[], more: Partial<ResultRecord> = {}): ResultRecord =>
  resultRecord({ id: newRequestId(5), items, ...more });

const MAPS = ['{"a":{"flagged":false,"name":"größer ☂"}}', '{}', `{"b":{"name":"${'x'.repeat(2000)}"}}`, '{"c":1}'];

const policyOf = (id: number, flagged: boolean): string =>
  `"00000000-0000-4000-8000-00000000000${id}":{"flagged":${flagged},"name":"A policy"}`;

const parent = { kind: 'parent' as const, relation: '', runId: 'run-1', eventId: 'm1', internalId: '' };

/** What nearly every event is. */
const plainItem = fc.record({
  type: fc.constantFrom(...EVENT_TYPES),
  runId: fc.constantFrom('run-1', 'run-1', 'run-2', 'run.long:_'),
  externalSessionId: fc.constantFrom('', '', 's-1', 'sé ☂ s'),
  flagged: fc.constantFrom(true, false, false, null),
  policies: fc.integer({ min: 0, max: MAPS.length - 1 }),
  metadata: fc.constantFrom(-1, 2, 1023),
  explained: fc.constantFrom(-1, 3),
  role: fc.constantFrom(undefined, 'user' as const, 'assistant' as const),
  links: fc.constantFrom(
    undefined,
    undefined,
    [parent],
    [parent, { ...parent, kind: 'link' as const, relation: 'ü [2],]' }],
  ),
});

const target = { id: itemId(newRequestId(1), 7), created: 1_780_000_000_000, completed: 1_780_000_000_001 };

/** What makes an event, and so its batch, another one. */
const changes: readonly Partial<RecordItem>[] = [
  { status: 'failed', flagged: null, note: 'it could not be evaluated' },
  { status: 'referenced', target },
  { status: 'not_found', note: 'no such event' },
  { note: 'a "note"' },
  { externalSessionId: 'a "session"' },
  { externalSessionId: 'a \\ session' },
  { eventId: 'm1' },
  { links: [{ ...parent, relation: 'a "relation"' }] },
  { policies: 5000 },
  { artifact: { external: 'a', session: '' } },
];

describe('the answer of a batch from the bytes of its record', () => {
  it('is the answer that is made of the record', () => {
    const items = fc.array(plainItem, { minLength: 1, maxLength: 63 });
    fc.assert(
      fc.property(items, fc.integer({ min: 0, max: 1023 }), (some, partition) => {
        const one = batch(
          some.map((change, i) => recordItem(i + 1, change)),
          { id: newRequestId(partition), fragments: MAPS },
        );
        assert.equal(pasted(one), rendered(one));
      }),
    );
  });

  it('is the answer that is made of the record where its maps are shortened', () => {
    const policy = fc.constantFrom(...[1, 2, 3].flatMap((id) => [true, false].map((flag) => policyOf(id, flag))));
    const map = fc.array(policy, { maxLength: 6 }).map((policies) => `{${policies.join(',')}}`);
    fc.assert(
      fc.property(fc.array(map, { minLength: 1, maxLength: 40 }), (maps) => {
        const items = maps.map((_, i) => recordItem(i + 1, { policies: i }));
        const one = batch(items, { fragments: maps });
        const text = recordText(one);
        assert.deepEqual(decodeRecord(text).fragments, maps);
        assert.equal(pasted(one), rendered(one));
        // As earlier releases wrote it.
        const whole = [text.slice(0, text.indexOf('\n')), ...maps].join('\n');
        assert.deepEqual(decodeRecord(whole), decodeRecord(text));
        assert.equal(Buffer.from(pasteEvents(Buffer.from(whole))!).toString(), rendered(one));
      }),
    );
  });

  it('is left to others where a map is not shortened as it can be', () => {
    const maps = [`{${policyOf(1, true)}}`, `{${policyOf(1, false)}}`];
    const text = recordText(batch([recordItem(1, { policies: 1 })], { fragments: maps }));
    const lines = text.split('\n').slice(0, 2).join('\n');
    const whole = `${lines}\n${maps[1]}`;
    assert.ok(pasteEvents(Buffer.from(whole)));
    for (const line of [
      '~',
      '~0',
      '~0 1',
      '~0 1 1',
      '~1 1 1 x',
      '~9 1 1 x',
      `~0 ${maps[0]!.length} 1 x`,
      '~0 4294967295 1 x',
    ]) {
      assert.equal(pasteEvents(Buffer.from(`${lines}\n${line}`)), undefined, line);
    }
  });

  for (const change of changes) {
    it(`is left to others where an item has ${JSON.stringify(change)}`, () => {
      const items = [recordItem(1), recordItem(2), recordItem(3)];
      for (let i = 0; i < items.length; i++) {
        const changed = items.with(i, { ...items[i]!, ...change });
        const made = pasted(batch(changed));
        // Nothing is changed of the first item by the id that it has anyway.
        if (change.eventId !== items[i]!.eventId) assert.equal(made, undefined);
      }
    });
  }

  it('is left to others for records of other kinds, replayed, late, failed or empty ones', () => {
    const error = { status: 500, code: 'internal_error', message: 'given up' };
    const others: Partial<ResultRecord>[] = [{ kind: 'event' }, { kind: 'session' }, { version: 2 }, { late: true }];
    for (const more of [...others, { error }, { items: [] }, { fragments: [] }, { team: 'a"b' }, { scope: '\\' }]) {
      assert.equal(pasted(batch([recordItem(1)], more)), undefined, JSON.stringify(more));
    }
  });

  it('is never made of a part of a head', () => {
    const bytes = Buffer.from(recordText(batch([recordItem(1), recordItem(2)])));
    for (let end = 0; end < bytes.indexOf('\n'); end++) assert.equal(pasteEvents(bytes.subarray(0, end)), undefined);
  });

  it('grows beyond its buffer, and comes back to it', () => {
    const fragments = Array.from({ length: 50 }, (_, i) => JSON.stringify({ [`p${i}`]: { name: 'ü'.repeat(50_000) } }));
    const large = batch(
      fragments.map((_, i) => recordItem(i + 1, { policies: i })),
      { fragments },
    );
    const small = batch([recordItem(1)]);
    for (const one of [small, large, small]) assert.equal(pasted(one), rendered(one));
  });
});

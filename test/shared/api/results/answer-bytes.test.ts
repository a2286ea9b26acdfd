/** The answer of a batch from the bytes of its record, beside one that is made of objects. */

import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { answerOf } from '#weir/shared/api/results/answer';
import { decodeRecord, type RecordItem, type ResultRecord } from '#weir/shared/api/results/record';
import { EVENT_TYPES } from '#weir/shared/api/types';
import { itemId, newRequestId } from '#weir/shared/ids';
import { recordItem, record as resultRecord } from '../../../ingress/support.ts';
import { modelAnswer } from '../../../support/model/events-answer.ts';
import { encodeRecord } from '../../../support/stores/encoded.ts';

const answer = (record: ResultRecord): string => Buffer.from(answerOf(encodeRecord(record))).toString();

const batch = (items: RecordItem[], more: Partial<ResultRecord> = {}): ResultRecord =>
  resultRecord({ id: newRequestId(5), items, ...more });

const MAPS = ['{"a":{"flagged":false,"name":"größer ☂"}}', '{}', `{"b":{"name":"${'x'.repeat(2000)}"}}`, '{"c":1}'];

const policyOf = (id: number, flagged: boolean): string =>
  `"00000000-0000-4000-8000-00000000000${id}":{"flagged":${flagged},"name":"A policy"}`;

const parent = { kind: 'parent' as const, relation: '', runId: 'run-1', eventId: 'm1', internalId: '' };
const target = { id: itemId(newRequestId(1), 7), created: 1_780_000_000_000, completed: 1_780_000_000_001 };

/** What few events are. */
const rarely = fc.constantFrom<Partial<RecordItem>>(
  { status: 'failed', flagged: null, note: 'it could not be evaluated' },
  { status: 'referenced', target },
  { status: 'referenced', target: { ...target, failed: true }, note: 'a "note"' },
  { status: 'not_found', note: 'no such event' },
  { status: 'not_found', externalSessionId: 's-1' },
  { note: 'a "note" ü' },
  { externalSessionId: 'a "session"' },
  { externalSessionId: 'a \\ \ud800 session' },
  { eventId: 'm1' },
  { eventId: 'm2', type: 'tool' },
  { policies: 5000 },
  { artifact: { external: 'a', session: '' } },
);

/** What nearly every event is. */
const item = fc.record({
  type: fc.constantFrom(...EVENT_TYPES),
  runId: fc.constantFrom('run-1', 'run-1', 'run-2', 'run.long:_'),
  externalSessionId: fc.constantFrom('', '', 's-1', 'sé ☂ s'),
  flagged: fc.constantFrom(true, false, false, null),
  policies: fc.integer({ min: 0, max: MAPS.length - 1 }),
  metadata: fc.constantFrom(-1, 2, 1023),
  explained: fc.constantFrom(-1, 3),
  role: fc.constantFrom(undefined, 'user' as const, 'assistant' as const),
  links: fc.constantFrom(undefined, [parent], [parent, { ...parent, kind: 'link' as const, relation: 'ü [2],]' }]),
});

const changed = fc.tuple(item, fc.oneof({ weight: 4, arbitrary: fc.constant({}) }, { weight: 1, arbitrary: rarely }));

describe('the answer of a batch from the bytes of its record', () => {
  it('is the one that is made of objects', () => {
    const items = fc.array(changed, { minLength: 1, maxLength: 63 });
    fc.assert(
      fc.property(items, fc.integer({ min: 0, max: 1023 }), (some, partition) => {
        const one = batch(
          some.map(([change, rare], i) => recordItem(i + 1, { ...change, ...rare })),
          { id: newRequestId(partition), fragments: MAPS },
        );
        assert.equal(answer(one), modelAnswer(one));
      }),
    );
  });

  it('is the same where maps are shortened', () => {
    const policy = fc.constantFrom(...[1, 2, 3].flatMap((id) => [true, false].map((flag) => policyOf(id, flag))));
    const map = fc.array(policy, { maxLength: 6 }).map((policies) => `{${policies.join(',')}}`);
    fc.assert(
      fc.property(fc.array(map, { minLength: 1, maxLength: 40 }), (maps) => {
        const one = batch(
          maps.map((_, i) => recordItem(i + 1, { policies: i })),
          { fragments: maps },
        );
        assert.deepEqual(decodeRecord(encodeRecord(one)).fragments, maps);
        assert.equal(answer(one), modelAnswer(one));
      }),
    );
  });

  it('has the redacted content of an item at its end, wherever the item is shown', () => {
    const items = [recordItem(1, { eventId: 'x' }), recordItem(2, { eventId: 'x' }), recordItem(3), recordItem(4)];
    const redacted = items.map((_, i) => (i === 3 ? undefined : () => `"content ${i}"`));
    const one = batch(items);
    const made = Buffer.from(answerOf(encodeRecord(one), redacted)).toString();
    assert.equal(made, modelAnswer({ ...one, items: items.map((each, i) => ({ ...each, redacted: redacted[i] })) }));
  });

  it('is refused where the record is a part of one, or of another format', () => {
    const bytes = encodeRecord(batch([recordItem(1), recordItem(2)]));
    for (let end = 0; end < bytes.length; end++) {
      // A head alone is whole by itself, and has no maps.
      if (end !== bytes.readUInt32LE(4)) assert.throws(() => answerOf(bytes.subarray(0, end)), /result record/);
    }
    assert.throws(
      () => answerOf(Buffer.from('{"format":1,"kind":"events"}\n{}')),
      /a stored result has format 123, which no release has/,
    );
  });

  it('grows beyond its buffer, and comes back to it', () => {
    const fragments = Array.from({ length: 50 }, (_, i) => JSON.stringify({ [`p${i}`]: { name: 'ü'.repeat(50_000) } }));
    const large = batch(
      fragments.map((_, i) => recordItem(i + 1, { policies: i })),
      { fragments },
    );
    const small = batch([recordItem(1)]);
    for (const one of [small, large, small]) assert.equal(answer(one), modelAnswer(one));
  });
});

import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { answerOf } from '#weir/shared/api/results/answer';
import type { RecordItem, ResultRecord } from '#weir/shared/api/results/record';
import type { EventsResponse } from '#weir/shared/api/types';
import { itemId, newRequestId } from '#weir/shared/ids';
import { recordItem, record as resultRecord } from '../../../ingress/support.ts';
import { pluck } from '../../../support/pluck.ts';
import { encodeRecord } from '../../../support/stores/encoded.ts';

const received = Date.parse('2026-06-01T10:00:00.000Z');
const id = newRequestId(3, received);

const record = (items: RecordItem[], fragments: string[] = ['{}']): ResultRecord =>
  resultRecord({ id, config: 1, received, completed: received + 5, items, fragments });

const answer = (one: ResultRecord): EventsResponse => JSON.parse(Buffer.from(answerOf(encodeRecord(one))).toString());

describe('the answer of a batch', () => {
  it('has every bucket, even if empty, and the order of the request [batch.answer] [batch.buckets]', () => {
    const made = answer(record([recordItem(1, { type: 'tool' }), recordItem(2), recordItem(3, { type: 'tool' })]));
    assert.deepEqual(Object.keys(made.results), ['message', 'artifact', 'tool', 'function', 'agent', 'reasoning']);
    assert.deepEqual(Object.keys(made.results.tool), ['m1', 'm3']);
    assert.deepEqual(pluck(made.order, 'index', 'type', 'event_id', 'internal_event_id'), [
      [0, 'tool', 'm1', itemId(id, 1)],
      [1, 'message', 'm2', itemId(id, 2)],
      [2, 'tool', 'm3', itemId(id, 3)],
    ]);
  });

  it('is an event result (2.8) for each event', () => {
    const policies = '{"p":{"flagged":true,"name":"Zahlungsdaten – größer ☂","enabled_by_conditions":[]}}';
    const made = answer(
      record([recordItem(1, { flagged: true, externalSessionId: 'sé"1', note: 'a "note"' })], [policies]),
    );
    assert.deepEqual(made.results.message.m1, {
      flagged: true,
      policies: JSON.parse(policies),
      event: {
        type: 'message',
        status: 'completed',
        updated_at: '2026-06-01T10:00:00.005Z',
        created_at: '2026-06-01T10:00:00.000Z',
        event_id: 'm1',
        external_session_id: 'sé"1',
        internal_event_id: itemId(id, 1),
        run_id: 'run-1',
      },
      note: 'a "note"',
    });
    assert.equal(made.flagged, true);
    assert.equal(made.run_id, 'run-1');
  });

  it('repeats a policies map for each event that has it', () => {
    const fragments = ['{"a":{"flagged":false,"name":"ä"}}', '{"b":{"flagged":false,"name":"b"}}'];
    const items = Array.from({ length: 50 }, (_, i) => recordItem(i + 1, { policies: i % 2 }));
    const made = answer(record(items, fragments));
    for (let i = 0; i < 50; i++) {
      assert.deepEqual(made.results.message[`m${i + 1}`]?.policies, JSON.parse(fragments[i % 2]!));
    }
  });

  it('shows two events with the same type and id: the last in its bucket, the first in `order` [batch.duplicates]', () => {
    const made = answer(
      record([
        recordItem(1, { eventId: 'x', flagged: true }),
        recordItem(2, { eventId: 'x' }),
        recordItem(3, { eventId: 'x', type: 'tool' }),
      ]),
    );
    assert.equal(made.results.message.x?.event.internal_event_id, itemId(id, 2));
    assert.equal(made.order[0]?.result?.event.internal_event_id, itemId(id, 1));
    assert.equal(made.order[0]?.result?.flagged, true);
    assert.equal(made.order[1]?.result, undefined);
    assert.equal(made.order[2]?.result, undefined);
  });

  it('gives a resolved reference the ids and times of its event, and an unresolved one none [event.referenced] [event.not_found] [2.8.created_at]', () => {
    const target = { id: itemId(newRequestId(1), 7), created: received - 1000, completed: received - 900 };
    const made = answer(
      record([
        recordItem(1, { status: 'referenced', target }),
        recordItem(2, { status: 'not_found', note: 'no such event' }),
      ]),
    );
    assert.deepEqual(made.results.message.m1?.event, {
      type: 'message',
      status: 'referenced',
      updated_at: '2026-06-01T09:59:59.100Z',
      created_at: '2026-06-01T09:59:59.000Z',
      event_id: 'm1',
      internal_event_id: target.id,
      run_id: 'run-1',
    });
    assert.deepEqual(made.results.message.m2?.event, {
      type: 'message',
      status: 'not_found',
      updated_at: null,
      event_id: 'm2',
      run_id: 'run-1',
    });
    assert.equal(made.order[0]?.internal_event_id, target.id);
    assert.equal(made.order[1] && 'internal_event_id' in made.order[1], false);
  });

  it('names no run at the top if its events have several [batch.mixed-runs]', () => {
    assert.equal('run_id' in answer(record([recordItem(1), recordItem(2, { runId: 'run-2' })])), false);
  });

  it('grows beyond its buffer', () => {
    const fragments = Array.from({ length: 50 }, (_, i) => JSON.stringify({ [`p${i}`]: { name: 'ü'.repeat(20_000) } }));
    const made = answer(
      record(
        fragments.map((_, i) => recordItem(i + 1, { policies: i })),
        fragments,
      ),
    );
    assert.equal(Object.keys(made.results.message).length, 50);
    assert.deepEqual(made.results.message.m50?.policies, JSON.parse(fragments[49]!));
  });
});

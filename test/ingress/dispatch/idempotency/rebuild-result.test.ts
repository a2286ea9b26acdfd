/** Answers rebuilt from ClickHouse, with a real Redis and the real engine. */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { createRecall, PartlyThere } from '#weir/ingress/dispatch/idempotency/rebuild-result';
import type { CheckRequest, Retry } from '#weir/ingress/dispatch/types';
import type { ResultRecord } from '#weir/shared/api/results/record';
import { HistoryUnavailable } from '#weir/shared/history/read/breaker';
import { generatedId, itemId, partsOf } from '#weir/shared/ids';
import { rowFormatOf } from '#weir/workers/rows/pack-rows';
import { unpackRows } from '#weir/workers/rows/unpack-rows';
import { answerText } from '../../../support/api/answer-text.ts';
import { sharedHistory } from '../../../support/stores/clickhouse.ts';
import { encodeRows } from '../../../support/stores/encoded.ts';
import { rowItem, rowRequest, violating } from '../../../support/stores/history.ts';
import { insertRows } from '../../../support/stores/insert.ts';
import { sharedRedis } from '../../../support/stores/redis.js';

const { client, queries, away } = await sharedHistory();
const { redis } = await sharedRedis();

function recordOf(made: ResultRecord | 'erased' | undefined): ResultRecord | undefined {
  assert.notEqual(made, 'erased');
  return made as ResultRecord | undefined;
}

describe('a record that is made again from history', () => {
  it('has what a reference names now, also where it could not be looked up then, and never what came later', async () => {
    const now = Date.now();
    const store = (at: number, id: string, ...items: ReturnType<typeof rowItem>[]) =>
      insertRows(client, unpackRows(rowFormatOf(items), encodeRows(rowRequest({ id }, at), items)).bytes);
    const ids = [now - 3000, now - 2000, now - 1000].map((at) => rowRequest({}, at).id) as [string, string, string];
    await store(now - 3000, ids[0], rowItem(1, { eventId: 'x', runId: 'r', verdict: violating, flagged: true }));
    // The request: a checked event, and a reference that failed, which is not stored.
    await store(now - 2000, ids[1], rowItem(1, { eventId: 'own', runId: 'r' }));
    await store(now - 1000, ids[2], rowItem(1, { eventId: 'x', runId: 'r' }));
    const reference = { index: 1, type: 'message' as const, event_id: 'x', run_id: 'r', external_session_id: '' };
    const request = { kind: 'events', team: 'acme', scope: 'prod', references: [reference] } as unknown as CheckRequest;
    const retry: Retry = { key: 'k', fingerprint: 'f', eventIds: ['own', null], referred: [reference] };
    const recall = createRecall(redis, queries);
    const made = recordOf(await recall(request, retry, { requestId: ids[1], config: 7, entry: '' }));
    const told = made?.items.map(({ status, flagged, target }) => [status, flagged, target?.id]);
    assert.deepEqual(told, [
      ['completed', false, undefined],
      ['referenced', true, itemId(ids[0], 1)],
    ]);
    const declaring: Retry = { ...retry, referred: [{ ...reference, declares: true }] };
    const again = recordOf(await recall(request, declaring, { requestId: ids[1], config: 7, entry: '' }));
    assert.equal(again?.items[1]?.note, 'parent and links are kept out of a reference');
  });

  it('has references of the run that was generated for it, and counts those to what failed', async () => {
    const { id } = rowRequest();
    const run = generatedId('run', id);
    const items = [
      rowItem(1, { eventId: 'a', runId: run }),
      rowItem(2, { eventId: 'b', runId: run, status: 'failed', flagged: null }),
    ];
    await insertRows(client, unpackRows(rowFormatOf(items), encodeRows(rowRequest({ id }), items)).bytes);
    const referred = ['a', 'b', 'c'].map((event_id, i) => {
      return { index: 2 + i, type: 'message' as const, event_id, run_id: '', external_session_id: '' };
    });
    const request = { kind: 'events', team: 'acme', scope: 'prod', references: [] } as unknown as CheckRequest;
    const retry: Retry = { key: 'k', fingerprint: 'f', eventIds: ['a', 'b', null, null, null], referred };
    const made = recordOf(await createRecall(redis, queries)(request, retry, { requestId: id, config: 7, entry: '' }));
    const told = made?.items.map(({ status, runId, target }) => [status, runId, target?.id, target?.failed]);
    assert.deepEqual(told, [
      ['completed', run, undefined, undefined],
      ['failed', run, undefined, undefined],
      ['referenced', run, itemId(id, 1), undefined],
      ['referenced', run, itemId(id, 2), true],
      ['not_found', run, undefined, undefined],
    ]);
    assert.equal(JSON.parse(answerText(made!)).failed, 2);
  });

  it('is not made where an item was erased: of those that are left the answer would be another one [erase.again]', async () => {
    const { id } = rowRequest();
    const items = [rowItem(2, { eventId: 'b' })];
    await insertRows(client, unpackRows(rowFormatOf(items), encodeRows(rowRequest({ id }), items)).bytes);
    const request = { kind: 'events', team: 'acme', scope: 'prod', references: [] } as unknown as CheckRequest;
    const recalled = (...eventIds: string[]) =>
      createRecall(redis, queries)(
        request,
        { key: 'k', fingerprint: 'f', eventIds, referred: [] },
        { requestId: id, config: 7, entry: '' },
      );
    await assert.rejects(recalled('a', 'b'), PartlyThere);
    const ts = new Date(partsOf(id)!.time).toISOString().slice(0, -1);
    const erased = { erasure: rowRequest().id, team: 'acme', scope: 'prod', ts, id: itemId(id, 1) };
    await client.insert({ table: 'erased', values: [erased], format: 'JSONEachRow' });
    assert.equal(await recalled('a', 'b'), 'erased');
    assert.equal(await recalled('a'), 'erased');
  });

  it('is not made while history cannot be asked', async () => {
    const request = { kind: 'events', team: 'acme', scope: 'prod', references: [] } as unknown as CheckRequest;
    const retry: Retry = { key: 'k', fingerprint: 'f', eventIds: ['own'], referred: [] };
    const asked = createRecall(redis, away);
    const remembered = { requestId: rowRequest().id, config: 7, entry: '' };
    await assert.rejects(asked(request, retry, remembered), HistoryUnavailable);
  });
});

/** Artifacts and sessions that are under way, over HTTP, with real stores. The test plays the evaluator. */
import assert from 'node:assert/strict';
import { after, beforeEach, describe, it } from 'node:test';
import { createDispatcher } from '#weir/ingress/dispatch/dispatcher';
import { createRecall } from '#weir/ingress/dispatch/idempotency/rebuild-result';
import { noteAdded, noteLate } from '#weir/ingress/dispatch/note-unfinished';
import type { CheckRequest } from '#weir/ingress/dispatch/types';
import { createLookup } from '#weir/ingress/lookups/lookup';
import type { ResultRecord } from '#weir/shared/api/results/record';
import { itemId, newRequestId, partsOf, sequenceOf } from '#weir/shared/ids';
import { createLogger } from '#weir/shared/log';
import { NO_VERDICT } from '#weir/shared/policy/verdict';
import { loadSettings } from '#weir/shared/settings';
import { connectCommands } from '#weir/shared/streams/client';
import { keys } from '#weir/shared/streams/keys';
import { Registry } from '#weir/shared/telemetry';
import { unpackRows } from '#weir/workers/rows/unpack-rows';
import { assertHas } from '../../support/has.ts';
import { commitRecord, type Taken, takeEntry } from '../../support/installation/evaluator.ts';
import { sharedHistory } from '../../support/stores/clickhouse.ts';
import { encodeRows } from '../../support/stores/encoded.ts';
import { rowImage, rowItem, rowRequest } from '../../support/stores/history.ts';
import { insertAs } from '../../support/stores/insert.ts';
import { sharedRedis } from '../../support/stores/redis.ts';
import { until } from '../../support/wait.ts';
import { type Answer, type Ingress, record, recordItem, startIngress } from '../support.ts';

const IMAGE = { kind: 'image', url: 'https://images.invalid/a.png' };

after(async () => {
  await patient.server.close();
  await hasty.server.close();
  await dispatcher.close();
});
const { client, queries } = await sharedHistory();
const { server, redis } = await sharedRedis({ maxMemory: '64mb' });
const dispatcher = await createDispatcher(
  { ...loadSettings({}), redisUrl: server.url, maxAgeMs: 60_000, maxSlowAgeMs: 60_000, maxLoopLagMs: 20_000 },
  { logger: createLogger('test', 'silent'), registry: new Registry(), recall: createRecall(redis, queries) },
);
const options = { dispatcher, lookup: createLookup(redis, queries) };
const patient = await startIngress({ deadlineMs: 20_000 }, options);
const hasty = await startIngress({ deadlineMs: 300 }, options);
beforeEach(() => until('work is admitted', () => dispatcher.refusal() === undefined));

const post = (ingress: Ingress, more: object = {}, headers: Record<string, string> = {}): Promise<Answer> =>
  ingress.call({ path: '/api/artifact', body: { content: IMAGE, ...more }, headers });
const get = (query: string): Promise<Answer> =>
  patient.call({ method: 'GET', path: `/api/artifact/get_by_id?${query}` });

const take = (): Promise<Taken> => takeEntry(redis, 'slow', 1);

async function finish(taken: Taken, external: string): Promise<void> {
  const { entryId, header } = taken;
  const item = recordItem(1, {
    type: 'artifact',
    eventId: '',
    runId: '',
    externalSessionId: header.session?.external ?? '',
    artifact: { external, session: header.session?.internal ?? '' },
    flagged: true,
  });
  const { id, team, scope, kind, received } = header;
  const made = record({ id, team, scope, kind, received, sequence: sequenceOf(entryId), items: [item] });
  const index: [string, string][] = external === '' ? [] : [[keys.artifact(team, scope, external), id]];
  assert.ok(await commitRecord(redis, taken, made, index));
}

describe('an artifact', () => {
  it('can be looked up while its caller still waits, and is answered when it is finished [4.5.stored] [artifact.wait]', async () => {
    const answer = post(patient, { external_artifact_id: 'a1', external_session_id: 's1' });
    const taken = await take();
    assertHas(taken.header, { kind: 'artifact', images: 1, session: { internal: '', external: 's1' } });
    const early = await get('external_artifact_id=a1');
    assertHas(early.json, { status: 'processing', flagged: null, external_session_id: 's1' });
    await finish(taken, 'a1');
    const { json } = await answer;
    assertHas(json, { status: 'completed', flagged: true, internal_artifact_id: early.json.internal_artifact_id });
    for (const query of ['external_artifact_id=a1', `internal_artifact_id=${json.internal_artifact_id}`]) {
      assert.deepEqual((await get(query)).json, json);
    }
  });

  it('that is late is processing until it is finished, and a retry with its key comes back to it [3.artifact-transitions]', async () => {
    const headers = { 'idempotency-key': 'late-1' };
    const first = await post(hasty, { external_artifact_id: 'late' }, headers);
    assert.equal(first.status, 200);
    assert.equal(first.json.status, 'processing');
    assert.equal(first.headers['idempotency-replayed'], undefined);
    const id = first.json.internal_artifact_id;
    const again = await post(hasty, { external_artifact_id: 'late' }, headers);
    assert.deepEqual(again.json, first.json);
    assert.equal(again.headers['idempotency-replayed'], 'true');
    for (const query of ['external_artifact_id=late', `internal_artifact_id=${id}`]) {
      assert.deepEqual((await get(query)).json, first.json);
    }
    assert.equal((await post(hasty, { external_artifact_id: 'other' }, headers)).error.code, 'idempotency_mismatch');
    const taken = await take();
    assert.equal(itemId(taken.header.id, 1), id);
    assert.equal(await redis.xlen(keys.checks(0, 'slow')), 1, 'one check came of both');
    await finish(taken, 'late');
    for (const found of [
      await get('external_artifact_id=late'),
      await get(`internal_artifact_id=${id}`),
      await post(hasty, { external_artifact_id: 'late' }, headers),
    ]) {
      assertHas(found.json, { internal_artifact_id: id, status: 'completed' });
    }
  });

  it('is answered again from its row when it has left Redis, as it was answered before', async () => {
    const headers = { 'idempotency-key': 'cold-1' };
    const internal = itemId('01890000-0000-7000-8000-000000000000', 1);
    const sent = { external_artifact_id: 'cold', external_session_id: 's' };
    const answer = post(patient, sent, headers);
    const taken = await take();
    await finish(taken, 'cold');
    const first = (await answer).json;
    const { id } = taken.header;
    const row = rowItem(1, {
      type: 'artifact',
      eventId: '',
      runId: '',
      externalSessionId: 's',
      externalArtifactId: 'cold',
      image: rowImage({ internalSessionId: internal }),
      status: 'failed',
      flagged: null,
      note: 'why',
      verdict: NO_VERDICT,
    });
    const time = partsOf(id)!.time;
    const request = rowRequest({ kind: 'artifact', id, scope: 'chat', sequence: sequenceOf(taken.entryId) }, time);
    await insertAs('2', client, [unpackRows('2', encodeRows(request, [row])).bytes]);
    await redis.del(keys.result(0, id));
    const { json } = await post(patient, sent, headers);
    assert.equal(json.internal_artifact_id, first.internal_artifact_id);
    assert.deepEqual([json.status, json.flagged, json.note], ['failed', null, 'why']);
    assert.deepEqual([json.internal_session_id, json.external_session_id], [internal, 's']);
    assert.equal(json.external_artifact_id, 'cold');
  });

  it('that a full Redis refuses is not noted as under way', async () => {
    const before = await post(hasty, { external_artifact_id: 'full' });
    assert.equal(before.json.status, 'processing');
    await finish(await take(), 'full');
    await redis.config('SET', 'maxmemory', '1mb');
    const refused = await post(hasty, { external_artifact_id: 'full' });
    assert.equal(refused.status, 503);
    const found = await get('external_artifact_id=full');
    assertHas(found.json, { status: 'completed', internal_artifact_id: before.json.internal_artifact_id });
  });
});

describe('a session by the caller’s id', () => {
  const check = (session: string, headers: Record<string, string> = {}): Promise<Answer> =>
    patient.call({
      path: '/api/session/check',
      body: { messages: [{ role: 'user', content: 'hi' }], external_session_id: session },
      headers,
    });
  const look = (session: string): Promise<Answer> =>
    patient.call({ method: 'GET', path: `/api/session?external_session_id=${encodeURIComponent(session)}` });
  const takeCheck = (): Promise<Taken> => takeEntry(redis, 'fast', 1);

  async function finishCheck(taken: Taken, session: string, error: ResultRecord['error'] = null): Promise<string> {
    const { entryId, header } = taken;
    const { id, team, scope, kind, received } = header;
    const item = recordItem(1, { type: 'session', eventId: '', runId: '', externalSessionId: session });
    const made = record({ id, team, scope, kind, received, sequence: sequenceOf(entryId), items: [item], error });
    const index: [string, string][] = error && error.status !== 500 ? [] : [[keys.ext(team, scope, session), id]];
    assert.ok(await commitRecord(redis, taken, made, index));
    return itemId(id, 1);
  }

  it('is the newest check from its acceptance on: not ready, then its verdict [session.pending] [error.result_not_ready]', async () => {
    const answer = check('chat 1');
    const first = await takeCheck();
    const early = await look('chat 1');
    assert.deepEqual([early.status, early.error.code], [409, 'result_not_ready']);
    assert.equal((await look('chat 2')).status, 404, 'another session');
    const id = await finishCheck(first, 'chat 1');
    assert.equal((await answer).json.internal_session_id, id);
    assert.equal((await look('chat 1')).json.session.internal_session_id, id);
    assert.ok((await redis.ttl(keys.await(0, first.header.id))) <= 60, 'what is finished is soon forgotten');
    const later = check('chat 1', { 'idempotency-key': 'later' });
    const second = await takeCheck();
    assert.ok((await redis.ttl(keys.await(0, second.header.id))) > 3500);
    assert.equal((await look('chat 1')).status, 409, 'though there is an earlier verdict');
    const newest = await finishCheck(second, 'chat 1');
    assert.equal((await later).json.internal_session_id, newest);
    assert.equal((await look('chat 1')).json.session.internal_session_id, newest);
  });

  it('is no check that was answered without a verdict, and is one that was given up [session.pending] [session.no-verdict]', async () => {
    const flagged = check('chat 3');
    const id = await finishCheck(await takeCheck(), 'chat 3');
    await flagged;
    for (const [status, code] of [
      [400, 'validation_failed'],
      [422, 'not_evaluable'],
      [503, 'unavailable'],
    ] as const) {
      for (let i = 0; i < 3; i++) {
        const failing = check('chat 3');
        const taken = await takeCheck();
        assert.equal((await look('chat 3')).status, 409);
        await finishCheck(taken, 'chat 3', { status, code, message: 'm' });
        assert.equal((await failing).status, status);
        assert.equal((await look('chat 3')).json.session.internal_session_id, id);
      }
    }
    const pending = check('chat 3');
    const taken = await takeCheck();
    for (let i = 0; i < 6; i++) {
      const failing = check('chat 3');
      await finishCheck(await takeCheck(), 'chat 3', { status: 503, code: 'unavailable', message: 'm' });
      await failing;
    }
    assert.equal((await look('chat 3')).status, 409, 'one before those that have no verdict is under way');
    await finishCheck(taken, 'chat 3', { status: 500, code: 'internal_error', message: 'given up' });
    assert.equal((await pending).status, 500);
    assert.equal((await look('chat 3')).status, 500);
  });

  it('is no check that a full Redis refused', async () => {
    await redis.config('SET', 'maxmemory', '64mb');
    await until('work is admitted', () => dispatcher.refusal() === undefined);
    const answer = check('chat 4');
    const id = await finishCheck(await takeCheck(), 'chat 4');
    await answer;
    await redis.config('SET', 'maxmemory', '1mb');
    assert.equal((await check('chat 4')).status, 503);
    assert.equal((await look('chat 4')).json.session.internal_session_id, id);
  });
});

it('what could not be noted is in the log with the id of its answer and that of its check', async () => {
  const lines: string[] = [];
  const logger = createLogger('test', 'debug', { write: (line) => void lines.push(line) });
  // It was never connected.
  const away = connectCommands({ redisUrl: 'redis://127.0.0.1:1' }, 'test');
  const id = newRequestId(0);
  const checks: CheckRequest[] = [];
  const asked = await startIngress(
    {},
    {
      ...options,
      dispatcher: {
        ...dispatcher,
        check: async (check) => {
          checks.push(check);
          return { status: 'timeout', id };
        },
      },
    },
  );
  const answer = await post(asked);
  await noteLate(away, logger, id, checks[0]!);
  noteAdded(away, logger, id, checks[0]!);
  await until('both are said', () => lines.length === 2);
  for (const line of lines) assertHas(JSON.parse(line), { check_id: id, request_id: answer.headers['x-request-id'] });
  await asked.server.close();
  away.disconnect();
});

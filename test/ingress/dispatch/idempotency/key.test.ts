import assert from 'node:assert/strict';
import { beforeEach, describe, it } from 'node:test';
import { ApiError } from '#weir/shared/api/errors';
import { newRequestId } from '#weir/shared/ids';
import { batch, record, request, sharedIngress } from '../../support.ts';

describe('the header Idempotency-Key', () => {
  const ingress = sharedIngress();
  const { call, raw } = ingress;
  beforeEach(() => {
    ingress.checks.length = 0;
    ingress.outcome = async ({ kind }) => ({ status: 'done', record: record({ kind }) });
  });

  const send = (key: string | undefined, body: unknown = batch(), path = '/api/events') =>
    call({ path, body, headers: { 'idempotency-key': key } });
  const retry = () => ingress.checks.at(-1)!.retry;

  it('goes to the stream side as it came, with what a retry is known by', async () => {
    const body = {
      ...batch(2),
      events: [batch().events[0], { type: 'tool', event_id: 'x', external_session_id: 's' }],
    };
    assert.equal((await send('aB~!-1', body)).status, 200);
    assert.deepEqual(
      { ...retry(), fingerprint: '' },
      {
        key: 'aB~!-1',
        fingerprint: '',
        eventIds: ['m1', null],
        referred: [{ index: 1, type: 'tool', run_id: 'run-1', event_id: 'x', external_session_id: 's' }],
      },
    );
    await send(undefined);
    assert.equal(retry(), undefined, 'without the header nothing is asked for');
  });

  it('has 1 to 255 visible ASCII characters and comes once, else 400 and no check [idempotency.limits]', async () => {
    assert.equal((await send('k'.repeat(255))).status, 200);
    assert.equal(ingress.checks.length, 1);
    for (const wrong of ['k'.repeat(256), '', '   ', 'a b', 'a\tb', 'caf\xe9s', '\xff', 'a\x7fb']) {
      const answer = await send(wrong);
      assert.equal(answer.status, 400, JSON.stringify(wrong));
      assert.deepEqual([answer.error.code, answer.error.param], ['validation_failed', 'Idempotency-Key']);
      assert.ok(wrong.trim() === '' || !answer.text.includes(wrong), 'it is not repeated');
    }
    const twice = request({ path: '/api/events', body: batch(), headers: { 'idempotency-key': 'a' } }).toString();
    for (const more of ['Idempotency-Key: b', 'idempotency-key: a', 'idempotency-key:']) {
      const [answer] = await raw([twice.replace('\r\n', `\r\n${more}\r\n`)]);
      assert.deepEqual([answer?.status, answer?.error.param], [400, 'Idempotency-Key']);
    }
    assert.equal(ingress.checks.length, 1);
  });

  it('is not looked at on a GET, nor before the API key', async () => {
    const path = '/api/event?environment_id=prod&run_id=r&event_id=e';
    assert.equal((await call({ method: 'GET', path, headers: { 'idempotency-key': '' } })).status, 404);
    const headers = { authorization: 'Bearer nobody', 'idempotency-key': '' };
    assert.equal((await call({ path: '/api/events', body: batch(), headers })).status, 401);
  });

  it('does not hide that the end of a request is in doubt', async () => {
    const sent = request({ path: '/api/events', body: batch(), headers: { 'idempotency-key': 'a' } }).toString();
    const length = /content-length: \d+/.exec(sent)![0];
    const doubtful = sent
      .replace('\r\n', `\r\nauthorization: x\r\n${length}\r\n`)
      .replace('\r\n\r\n', '\r\nauthorization: y\r\nidempotency-key: b\r\n\r\n');
    const [answer] = await raw([doubtful]);
    const said = [answer?.status, answer?.error.param, answer?.headers.connection];
    assert.deepEqual(said, [400, 'content-length', 'close']);
  });

  it('stands for route, scope and body: each makes another fingerprint, the same make the same', async () => {
    const prints = new Map<string, string>();
    const note = (name: string): void => {
      prints.set(name, retry()!.fingerprint);
    };
    await send('k');
    note('batch');
    await send('other');
    assert.equal(retry()!.fingerprint, prints.get('batch'), 'the key is no part of it');
    await send('k', `${JSON.stringify(batch())} `);
    note('a space more');
    const event = { environment_id: 'prod', event: batch().events[0] };
    await send('k', event, '/api/event');
    note('route');
    const session = { messages: [{ role: 'user', content: 'hi' }] };
    await send('k', session, '/api/session/check');
    note('session');
    const large = { ...batch(), padding: 'x'.repeat(300_000) };
    await send('k', large);
    note('large');
    await send('k', large);
    assert.equal(retry()!.fingerprint, prints.get('large'), 'hashed off the loop to the same');
    await send('k', { ...large, padding: `${'x'.repeat(299_999)}y` });
    note('large, one character changed');
    assert.equal(new Set(prints.values()).size, prints.size);
    assert.ok([...prints.values()].every((print) => /^[\w-]{43}$/.test(print)));
  });

  it('is told to be replayed on the answer of a retry, also on its 504 and on a stored error, and on no other [error.idempotency_in_progress]', async () => {
    assert.equal((await send('k')).headers['idempotency-replayed'], undefined);
    ingress.outcome = async ({ kind }) => ({ status: 'done', replayed: true, record: record({ kind }) });
    assert.equal((await send('k')).headers['idempotency-replayed'], 'true');
    const id = newRequestId(0);
    ingress.outcome = async () => ({ status: 'timeout', replayed: true, id });
    const late = await send('k');
    assert.deepEqual([late.status, late.headers['idempotency-replayed']], [504, 'true']);
    assert.ok(late.error.items?.[0]?.internal_event_id.startsWith(id.slice(0, 32)));
    ingress.outcome = () => Promise.reject(new ApiError('idempotency_in_progress', 'm', { retryAfter: 3 }));
    const busy = await send('k');
    assert.deepEqual([busy.status, busy.headers['retry-after']], [409, '3']);
    assert.equal(busy.headers['idempotency-replayed'], undefined);
  });

  it('claims nothing for a request that is refused [idempotency.accepted]', async () => {
    await send('k', '{');
    await send('k', { ...batch(), environment_id: 'staging' });
    await send('k', { ...batch(), environment_id: 'nowhere' });
    ingress.refusal = new ApiError('overloaded', 'm');
    assert.equal((await send('k')).status, 503);
    ingress.refusal = undefined;
    assert.equal(ingress.checks.length, 0);
  });
});

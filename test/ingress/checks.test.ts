import assert from 'node:assert/strict';
import net from 'node:net';
import { describe, it } from 'node:test';
import { ApiError } from '#weir/shared/api/errors';
import { itemId, newRequestId } from '#weir/shared/ids';
import { createLogger } from '#weir/shared/log';
import { assertHas } from '../support/has.ts';
import { pluck } from '../support/pluck.ts';
import { gate, until } from '../support/wait.ts';
import {
  type Answer,
  assertError,
  batch,
  record,
  recordItem,
  request,
  sharedIngress,
  startIngress,
} from './support.ts';

describe('answers of checks', () => {
  const ingress = sharedIngress({ pendingBytes: 4 << 20 });
  const { call } = ingress;

  it('of one event are its verdict at the top level, with run_id [4.6.answer]', async () => {
    const made = record({ kind: 'event', items: [recordItem(1, { flagged: true })] });
    ingress.outcome = async () => ({ status: 'done', record: made });
    const answer = await call({ path: '/api/event', body: { event: batch().events[0], environment_id: 'prod' } });
    assert.equal(answer.status, 200);
    assertHas(answer.json, { flagged: true, run_id: 'run-1' });
    assert.equal(answer.json.event.internal_event_id, itemId(made.id, 1));
    assert.ok(!('metadata' in answer.json));
  });

  it('of a session are flat', async () => {
    const made = record({
      kind: 'session',
      scope: 'chat',
      items: [recordItem(1, { type: 'session', externalSessionId: 's 1' })],
    });
    ingress.outcome = async () => ({ status: 'done', record: made });
    const body = { messages: [{ role: 'user', content: 'hi' }], external_session_id: 's 1' };
    const answer = await call({ path: '/api/session/check', body });
    assert.deepEqual(answer.json, {
      flagged: false,
      internal_session_id: itemId(made.id, 1),
      external_session_id: 's 1',
      policies: {},
    });
    assertHas(ingress.checks.at(-1)!, { affinity: 's 1', conversations: ['c:s 1'] });
  });

  it('of a session that is created are the envelope that look-ups give [4.3.post] [session.post]', async () => {
    const made = record({ kind: 'session', scope: 'chat', items: [recordItem(1, { type: 'session', flagged: true })] });
    ingress.outcome = async () => ({ status: 'done', record: made });
    const body = { messages: [{ role: 'user', content: 'hi' }] };
    const answer = await call({ path: '/api/session', body });
    assert.deepEqual(answer.json, {
      session: { flagged: true, internal_session_id: itemId(made.id, 1), policies: {} },
      artifacts: [],
    });
    assertHas(ingress.checks.at(-1)!, { kind: 'session', scope: 'chat' });
    const id = newRequestId(1);
    ingress.outcome = async () => ({ status: 'timeout', id });
    const late = await call({ path: '/api/session', body });
    assert.equal(late.status, 504);
    assert.equal(late.error.result?.result_url, `/api/session/${itemId(id, 1)}?deployment_id=chat`);
    const error = { status: 503, code: 'unavailable', message: 'A policy could not be evaluated.' };
    ingress.outcome = async () => ({ status: 'done', record: record({ kind: 'session', error }) });
    assert.equal((await call({ path: '/api/session', body })).status, 503);
    for (const path of ['/api/session', '/api/session/check']) {
      const empty = await call({ path, body: { messages: [] } });
      assert.deepEqual([empty.status, empty.error.param], [400, 'messages'], path);
    }
  });

  it('of a created session wait for its other artifacts until the deadline, then leave them out [deadline.session]', async () => {
    const hasty = await startIngress({ deadlineMs: 200 });
    try {
      const artifact = { external: 'a 1', session: '' };
      const items = [
        recordItem(1, { type: 'session', flagged: true, externalSessionId: 's 1', note: 'told before' }),
        recordItem(2, { type: 'artifact', externalSessionId: 's 1', artifact }),
      ];
      const made = record({ kind: 'session', scope: 'chat', items });
      hasty.outcome = async () => ({ status: 'done', record: made });
      // A 503 would make the caller send the check again.
      for (const artifacts of [new Promise<never>(() => undefined), { status: 'unavailable' } as const]) {
        hasty.artifacts = artifacts;
        const body = { messages: [{ role: 'user', content: 'hi' }], external_session_id: 's 1' };
        const answer = await hasty.call({ path: '/api/session', body });
        assert.equal(answer.status, 200, answer.text);
        const { session, artifacts: own } = answer.json;
        assert.deepEqual([session.flagged, session.internal_session_id], [true, itemId(made.id, 1)]);
        assert.equal(session.note, 'told before; artifacts linked to the session cannot be read at the moment');
        assert.deepEqual(pluck(own, 'external_artifact_id'), ['a 1']);
      }
    } finally {
      await hasty.server.close();
    }
  });

  it('of a session without a verdict are the error that was stored [failure.session]', async () => {
    const error = { status: 503, code: 'unavailable', message: 'A policy could not be evaluated.' };
    ingress.outcome = async () => ({ status: 'done', record: record({ kind: 'session', error }) });
    const answer = await call({
      path: '/api/session/check',
      body: { messages: [{ role: 'user', content: '' }] },
    });
    assertError(answer, { status: 503, code: 'unavailable', message: error.message });
    assert.equal(answer.headers['retry-after'], '1');
  });

  it('of a session that can never be evaluated do not invite to send it again [error.not_evaluable] [failure.lasting]', async () => {
    const error = { status: 422, code: 'not_evaluable', message: '1 policy could not be evaluated' };
    ingress.outcome = async () => ({ status: 'done', record: record({ kind: 'session', error }) });
    for (const path of ['/api/session/check', '/api/session']) {
      const answer = await call({ path, body: { messages: [{ role: 'user', content: '' }] } });
      assertError(answer, { status: 422, code: 'not_evaluable', message: error.message });
      assert.equal(answer.error.type, 'invalid_request_error');
      assert.equal(answer.headers['retry-after'], undefined);
    }
  });

  it('that take too long are 504 and say where the results will be [error.evaluation_timeout] [deadline.result]', async () => {
    const id = newRequestId(5);
    ingress.outcome = async () => ({ status: 'timeout', id });
    const events = [
      { type: 'message', role: 'user', content: 'a' },
      { type: 'message', event_id: 'm9' },
      { type: 'tool', event_id: 't1', output: {} },
    ];
    const many = await call({ path: '/api/events', body: { environment_id: 'prod', run_id: 'r', events } });
    assertError(many, { status: 504, code: 'evaluation_timeout' });
    assert.deepEqual(many.error.items, [
      { index: 0, event_id: `evt_${itemId(id, 1).replaceAll('-', '')}`, internal_event_id: itemId(id, 1) },
      { index: 2, event_id: 't1', internal_event_id: itemId(id, 3) },
    ]);
    const one = await call({ path: '/api/event', body: { environment_id: 'prod', event: events[0] } });
    assert.deepEqual(one.error.result, {
      internal_event_id: itemId(id, 1),
      result_url: `/api/event/${itemId(id, 1)}?environment_id=prod`,
    });
    const body = { messages: [{ role: 'user', content: 'a' }] };
    const session = await call({ path: '/api/session/check', body });
    assert.equal(session.error.result?.internal_session_id, itemId(id, 1));
    assert.equal(session.error.result?.result_url, `/api/session/${itemId(id, 1)}?deployment_id=chat`);
  });

  it('are waited for as long as the caller prefers, in whole seconds up to the deadline [general.prefer-wait]', async () => {
    const id = newRequestId(5);
    const waits: (number | undefined)[] = [];
    let status: 'timeout' | 'done' = 'timeout';
    ingress.outcome = async (request) => {
      waits.push(request.waitMs);
      assert.equal(request.deadlineMs, 8000, 'the check has its time');
      return status === 'timeout' ? { status, id } : { status, record: record() };
    };
    const send = async (prefer: string): Promise<unknown> => {
      const answer = await call({ path: '/api/events', body: batch(), headers: { prefer } });
      assert.equal(answer.status, status === 'timeout' ? 504 : 200);
      return answer.headers['preference-applied'];
    };
    const taken = ['wait=3', 'respond-async, wait="8"; x', 'WAIT = 1', 'wait=2, wait=5'];
    for (const [i, prefer] of taken.entries()) assert.equal(await send(prefer), `wait=${[3, 8, 1, 2][i]}`, prefer);
    status = 'done';
    assert.equal(await send('wait=3'), 'wait=3');
    for (const prefer of ['wait=0', 'wait=9', 'wait=1.5', 'wait=-1', 'wait', 'handling=strict', 'wait=99999999999'])
      assert.equal(await send(prefer), undefined, prefer);
    assert.deepEqual(waits, [3000, 8000, 1000, 2000, 3000, ...Array(7).fill(undefined)]);
  });

  it('that cannot be dispatched are the reason, and a bug is not told to the caller [error.unavailable] [error.internal_error]', async () => {
    ingress.outcome = () => Promise.reject(new ApiError('unavailable', 'Redis does not answer.'));
    const known = await call({ path: '/api/events', body: batch() });
    assert.equal(known.status, 503);
    assert.equal(known.headers['retry-after'], '1');
    for (const bug of [
      () => Promise.reject(new Error('secret detail')),
      () => {
        throw new Error('secret detail');
      },
    ]) {
      ingress.outcome = bug;
      const unknown = await call({ path: '/api/events', body: batch() });
      assertError(unknown, { status: 500, code: 'internal_error', type: 'api_error' });
      assert.ok(!unknown.text.includes('secret'));
    }
    assert.match(await ingress.registry.metrics(), /weir_http_pending_bytes 0\n/);
  });

  it('that meet a bug are logged with method and path, and without other properties of the error', async () => {
    const lines: string[] = [];
    const logger = createLogger('test', 'info', { write: (line) => void lines.push(line) });
    const logging = await startIngress({}, { logger });
    const bug = Object.assign(new Error('a bug'), { command: { args: ['what was sent'] } });
    logging.outcome = () => Promise.reject(bug);
    const headers = { 'x-request-id': 'r-9' };
    assert.equal((await logging.call({ path: '/api/events', body: batch(), headers })).status, 500);
    await logging.server.close();
    const line = lines.map((text) => JSON.parse(text)).find(({ msg }) => msg === 'request failed');
    assert.deepEqual([line.route, line.request_id, line.err.message], ['POST /api/events', 'r-9', 'a bug']);
    assert.doesNotMatch(lines.join(''), /what was sent/);
  });

  it('name the references that the batch itself does not resolve', async () => {
    ingress.outcome = async (check) => ({ status: 'done', record: record({ kind: check.kind }) });
    const events = [
      { type: 'message', event_id: 'a' },
      { type: 'message', event_id: 'b', role: 'user', content: 'x' },
      { type: 'tool', event_id: 'b' },
      { type: 'message', event_id: 'b', run_id: 'other' },
      { type: 'message', event_id: 'a' },
    ];
    await call({ path: '/api/events', body: { environment_id: 'prod', run_id: 'r', events } });
    assert.deepEqual(ingress.checks.at(-1)!.references, [
      { index: 0, run_id: 'r', event_id: 'a' },
      { index: 3, run_id: 'other', event_id: 'b' },
      { index: 4, run_id: 'r', event_id: 'a' },
    ]);
    assert.deepEqual(ingress.checks.at(-1)!.conversations, ['r:r', 'r:other']);
  });

  it('fail a whole batch on one bad event, with paths and without the values [batch.all-or-nothing] [error.validation_failed] [error.no-echo] [general.path]', async () => {
    const checks = ingress.checks.length;
    const secret = 'sk-very-secret';
    const body = batch(5);
    body.events[3]!.content = 42;
    body.events[4]!.event_id = `${secret} !`;
    body.events[2]![secret] = 1;
    body.events[2]!.role = secret;
    const answer = await call({ path: '/api/events', body });
    assertError(answer, { status: 400, code: 'validation_failed', param: 'events[2].role' });
    assert.ok(!answer.text.includes(secret), answer.text);
    body.events[2]!.role = 'user';
    const second = await call({ path: '/api/events', body });
    const paths = second.error.issues?.map((issue) => issue.path);
    assert.deepEqual(paths, ['events[3].content', 'events[4].event_id']);
    assert.equal(ingress.checks.length, checks);
  });

  it('are 503 while the key holds more bytes than it may [error.overloaded]', async () => {
    const outcome = ingress.outcome;
    const { open, end } = gate();
    ingress.outcome = (check) => open.then(() => outcome(check));
    const body = { ...batch(), filler: 'x'.repeat(600_000) };
    const first = call({ path: '/api/events', body });
    await until('the first is checked', () => ingress.checks.at(-1)!.body.length >= 600_000);
    const second = await call({ path: '/api/events', body });
    assertError(second, { status: 503, code: 'overloaded' });
    assert.equal(second.headers['retry-after'], '1');
    end();
    assert.equal((await first).status, 200);
    assert.equal((await call({ path: '/api/events', body })).status, 200);
    ingress.outcome = outcome;
  });
});

describe('requests of a team that has many under way', () => {
  it('wait for their turn, and are 503 where that takes too long [error.overloaded]', async () => {
    const ingress = await startIngress({ maxAgeMs: 50 });
    const { open, end } = gate();
    const { outcome } = ingress;
    ingress.outcome = (check) => open.then(() => outcome(check));
    const body = { ...batch(), filler: 'x'.repeat(60_000) };
    const answers: Answer[] = [];
    const calls: Promise<unknown>[] = [];
    await until('one is refused', () => {
      for (let n = 0; n < 40; n++) {
        calls.push(ingress.call({ path: '/api/events', body }).then((answer) => answers.push(answer)));
      }
      return answers.length > 0;
    });
    assertError(answers[0]!, { status: 503, code: 'overloaded' });
    assert.match(answers[0]!.error.message, /^Requests of your team wait/);
    assert.equal(answers[0]!.headers['retry-after'], '1');
    end();
    await Promise.all(calls);
    assert.ok(answers.some(({ status }) => status === 200));
    for (const { status } of answers) assert.ok(status === 200 || status === 503);
    assert.equal(await ingress.figure('weir_http_waiting'), 0);
    assert.equal(await ingress.figure('weir_http_pending_bytes'), 0);
    await ingress.server.close();
  });

  it('hold nothing when their callers have left meanwhile', async () => {
    const ingress = await startIngress();
    const { open, end } = gate();
    const { outcome } = ingress;
    ingress.outcome = (check) => open.then(() => outcome(check));
    const sent = request({ path: '/api/events', body: { ...batch(), filler: 'x'.repeat(60_000) } });
    const sockets: net.Socket[] = [];
    await until('some wait', async () => {
      for (let n = 0; n < 40; n++) {
        const socket = net.connect(ingress.server.port, '127.0.0.1');
        socket.on('error', () => undefined);
        socket.write(sent);
        sockets.push(socket);
      }
      return (await ingress.figure('weir_http_waiting')) > 0;
    });
    for (const socket of sockets) socket.destroy();
    await until('none waits', async () => (await ingress.figure('weir_http_waiting')) === 0);
    end();
    await until('nothing is held', async () => (await ingress.figure('weir_http_pending_bytes')) === 0);
    await ingress.server.close();
  });
});

describe('closing', () => {
  it('answers what is in flight, refuses what is new, and closes the connections [error.shutting_down]', async () => {
    const ingress = await startIngress({ drainMs: 60_000 });
    const { call, raw } = ingress;
    const outcome = ingress.outcome;
    const { open, end } = gate();
    ingress.outcome = (check) => open.then(() => outcome(check));
    const slow = call({ path: '/api/events', body: batch() });
    await until('it is checked', () => ingress.checks.length > 0);
    // An idle connection when the drain begins.
    let send = (_: Buffer): void => undefined;
    const second = new Promise<Buffer>((resolve) => {
      send = resolve;
    });
    let kept!: Promise<Answer[]>;
    await new Promise<void>((onAnswer) => {
      kept = raw([request({ method: 'GET', path: '/readyz' }), second], { count: 2, onAnswer });
    });
    const closed = ingress.server.close();
    send(request({ path: '/api/events', body: batch() }));
    const [ready, refused] = await kept;
    assert.equal(ready?.status, 200);
    assertError(refused, { status: 503, code: 'shutting_down' });
    assertHas(refused.headers, { connection: 'close', 'retry-after': '1' });
    end();
    const answer = await slow;
    assert.equal(answer.status, 200);
    assert.equal(answer.headers.connection, 'close');
    await closed;
    await assert.rejects(call({ path: '/healthz', method: 'GET' }));
  });

  it('drops requests that do not finish in time', async () => {
    const ingress = await startIngress({ drainMs: 50 });
    ingress.outcome = () => new Promise(() => undefined);
    const hanging = ingress.raw([request({ path: '/api/events', body: batch() })]);
    await until('it is checked', () => ingress.checks.length > 0);
    await ingress.server.close();
    assert.deepEqual(await hanging, []);
  });
});

import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { assertHas } from '../support/has.ts';
import { pluck } from '../support/pluck.ts';
import { assertError, batch, HEADERS, request, sharedIngress } from './support.ts';

const PATH = '/api/events';

describe('the HTTP edge', () => {
  const ingress = sharedIngress();
  const { call, raw } = ingress;

  it('answers a check with JSON, the request id and the version [0.json] [4.json] [general.200] [general.request-id] [general.service-version]', async () => {
    const answer = await call({ path: PATH, headers: { 'x-request-id': 'abc.1' }, body: batch() });
    assert.equal(answer.status, 200);
    assertHas(answer.headers, { 'content-type': 'application/json', 'x-request-id': 'abc.1' });
    assert.equal(answer.headers['service-version'], '2026-06-01');
    assert.deepEqual(Object.keys(answer.json.results), [
      'message',
      'artifact',
      'tool',
      'function',
      'agent',
      'reasoning',
    ]);
  });

  it('makes a request id when the caller sent none or an invalid one [general.request-id]', async () => {
    for (const id of [undefined, 'a b', 'x'.repeat(129)]) {
      const answer = await call({ path: PATH, headers: { 'x-request-id': id }, body: {} });
      assert.match(answer.headers['x-request-id'] ?? '', /^[0-9a-f-]{36}$/);
      assert.equal(answer.error.request_id, answer.headers['x-request-id']);
    }
    const longest = 'x'.repeat(128);
    const kept = await call({ path: PATH, headers: { 'x-request-id': longest }, body: {} });
    assert.equal(kept.headers['x-request-id'], longest);
  });

  it('hands the received bytes to the dispatcher unchanged, with what validation found [general.traceparent]', async () => {
    const body = `  ${JSON.stringify({ ...batch(2), note: 'é€😀' })}\n`;
    const trace = '00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01';
    const answer = await call({ path: PATH, headers: { traceparent: trace }, body });
    const check = ingress.checks.at(-1)!;
    assert.equal(check.requestId, answer.headers['x-request-id'], 'for logs');
    assert.equal(check.body.toString(), body);
    assertHas(check, { kind: 'events', team: 'acme', scope: 'prod', config: 7, key: 'good', affinity: 'run-1' });
    assertHas(check, { conversations: ['r:run-1'], traceparent: trace, deadlineMs: 8000 });
  });

  it('drops an invalid trace context', async () => {
    for (const traceparent of ['x', '00-00000000000000000000000000000000-00f067aa0ba902b7-01', undefined]) {
      await call({ path: PATH, headers: { traceparent }, body: batch() });
      assert.equal(ingress.checks.at(-1)!.traceparent, '');
    }
  });

  it('reads a body that comes in pieces, whatever the pieces', async () => {
    const bytes = request({ path: PATH, body: batch(3) });
    for (const size of [40, 333]) {
      const parts = [];
      for (let i = 0; i < bytes.length; i += size) parts.push(bytes.subarray(i, i + size));
      const [answer] = await raw(parts, { pause: 1 });
      assert.equal(answer?.status, 200);
      assert.deepEqual(JSON.parse(ingress.checks.at(-1)!.body.toString()), batch(3));
    }
  });

  it('answers requests that follow one another on one connection, also after an early refusal', async () => {
    const refused = request({ path: PATH, headers: { authorization: undefined }, body: batch(20) });
    const good = request({ path: PATH, body: batch() });
    const answers = await raw([refused, good, refused, good], { count: 4, pause: 20 });
    assert.deepEqual(pluck(answers, 'status'), [401, 200, 401, 200]);
  });

  it('tells how long it keeps an idle connection, unless it closes it', async () => {
    for (const sent of [
      { path: PATH, body: batch() },
      { path: PATH, body: '[' },
      { method: 'GET', path: '/openapi.json' },
    ]) {
      const { headers } = await call(sent);
      assert.deepEqual([headers['keep-alive'], headers.connection], ['timeout=8', undefined]);
    }
    const ended = await call({ path: PATH, headers: { 'content-length': String(1 << 30) }, body: '' });
    assert.deepEqual([ended.headers['keep-alive'], ended.headers.connection], [undefined, 'close']);
  });

  it('answers requests that come together where each is answered at once', async () => {
    const probe = request({ method: 'GET', path: '/healthz' });
    const answers = await raw([Buffer.concat([probe, probe, probe])], { count: 3 });
    assert.equal(answers.length, 3);
  });

  it('refuses a request whose end is ambiguous', async () => {
    const lengths = request({ path: PATH, body: '{}' }).toString();
    const smuggled = [
      lengths.replace('content-length: 2', 'content-length: 2\r\ncontent-length: 2'),
      lengths.replace('content-length: 2', 'content-length: 2\r\ncontent-length: 40'),
      // Another repeated header must not hide it.
      lengths.replace('content-length: 2', 'content-length: 2\r\ncontent-length: 40\r\nauthorization: Bearer good'),
      request({ path: PATH, headers: { 'transfer-encoding': 'gzip, chunked' } }).toString(),
      request({ path: PATH, headers: { 'transfer-encoding': 'identity' } }).toString(),
      `${request({ path: PATH }).toString().slice(0, -2)}transfer-encoding: chunked\r\ntransfer-encoding: chunked\r\n\r\n`,
    ];
    const checks = ingress.checks.length;
    for (const text of smuggled) {
      const [answer] = await raw([text]);
      assertError(answer, { status: 400, code: 'validation_failed' }, text);
      assert.equal(answer.headers.connection, 'close');
    }
    const [both] = await raw([
      request({ path: PATH, headers: { 'transfer-encoding': 'chunked', 'content-length': '2' }, body: '{}' }),
    ]);
    assert.equal(both?.status, 400);
    assert.equal(ingress.checks.length, checks);
  });

  it('refuses a body over 32 MiB by its announced length, before it is sent [error.request_too_large]', async () => {
    const answer = await call({ path: PATH, headers: { 'content-length': String((32 << 20) + 1) }, body: '' });
    assertError(answer, { status: 413, code: 'request_too_large' });
  });

  it('refuses a body of 33 MiB while it streams in, and holds none of it afterwards [error.request_too_large]', async () => {
    const body = Buffer.alloc(33 << 20, 0x20);
    const response = await fetch(`http://127.0.0.1:${ingress.server.port}${PATH}`, {
      method: 'POST',
      headers: { ...HEADERS, host: undefined } as unknown as Record<string, string>,
      body,
    });
    assert.equal(response.status, 413);
    assert.equal(((await response.json()) as { error: { code: string } }).error.code, 'request_too_large');
    const chunk = Buffer.concat([Buffer.from('100000\r\n'), Buffer.alloc(1 << 20, 0x20), Buffer.from('\r\n')]);
    const head = request({ path: PATH, headers: { 'transfer-encoding': 'chunked' } });
    const [answer] = await raw([head, ...Array.from({ length: 33 }, () => chunk)]);
    assert.equal(answer?.status, 413);
    assert.equal(answer.headers.connection, 'close');
    assert.match(await ingress.registry.metrics(), /weir_http_pending_bytes 0\n/);
  });

  it('puts a body of digits in the slow lane, and one of English with as many bytes in the fast one', async () => {
    for (const [unit, lane] of [
      ['1 2 3 4 ', 'slow'],
      ['an answer ', 'fast'],
    ] as const) {
      const event = { type: 'message', role: 'user', content: unit.repeat(15_000) };
      const answer = await call({ path: '/api/event', body: { environment_id: 'prod', event } });
      assert.equal(answer.status, 200);
      assert.equal(ingress.checks.at(-1)!.lane, lane);
    }
  });

  it('puts a body of many values in the slow lane, however few bytes it has, and one of few in the fast one', async () => {
    const filled = (filler: unknown) => JSON.stringify({ ...batch(), filler });
    const values = Array.from({ length: 40_000 }, () => 1);
    for (const [body, lane] of [
      [filled(values), 'slow'],
      [filled(','.repeat(80_000)), 'fast'],
      [filled(1), 'fast'],
    ]) {
      assert.equal((await call({ path: PATH, body: body! })).status, 200);
      assert.equal(ingress.checks.at(-1)!.lane, lane);
    }
  });

  it('takes a body of several megabytes and parses it in its own thread', async () => {
    const body = JSON.stringify({ ...batch(), filler: 'x'.repeat(3 << 20) });
    const answer = await call({ path: PATH, body });
    assert.equal(answer.status, 200);
    assert.ok(ingress.checks.at(-1)!.body.equals(Buffer.from(body)));
    const bad = await call({ path: PATH, body: `${body}]` });
    assert.equal(bad.error.code, 'invalid_json');
    const wrong = await call({ path: PATH, body: { filler: 'x'.repeat(1 << 20), events: [3] } });
    assert.equal(wrong.error.param, 'events[0]');
  });

  it('knows its routes and their methods [error.method_not_allowed]', async () => {
    for (const path of ['/api', '/api/events/', '/api/event/', '/api/event/a/b', '/API/events', '/api/nothing']) {
      const answer = await call({ method: 'GET', path });
      assertError(answer, { status: 404, code: 'not_found', type: 'not_found_error' }, path);
    }
    const cases = [
      ['GET', '/api/events', 'POST'],
      ['DELETE', '/api/event', 'GET, HEAD, POST'],
      ['POST', '/api/event/x', 'GET, HEAD, DELETE'],
      ['GET', '/api/session/check', 'POST'],
      ['POST', '/healthz', 'GET, HEAD'],
      ['post', '/api/events', 'POST'],
    ];
    for (const [method, path, allow] of cases) {
      const answer = await call({ method: method!, path: path!, headers: { authorization: undefined } });
      assertError(answer, { status: 405, code: 'method_not_allowed' }, `${method} ${path}`);
      assert.equal(answer.headers.allow, allow);
    }
  });

  it('takes JSON only [0.json] [error.unsupported_media_type]', async () => {
    for (const type of [undefined, 'text/plain', 'application/jsonp', 'application/json; charset=latin1', '+json']) {
      const answer = await call({ path: PATH, headers: { 'content-type': type }, body: batch() });
      assertError(answer, { status: 415, code: 'unsupported_media_type', param: 'content-type' }, type);
    }
    const zipped = await call({ path: PATH, headers: { 'content-encoding': 'gzip' }, body: batch() });
    assert.equal(zipped.status, 415);
    assert.equal(zipped.error.param, 'content-encoding');
    assert.match(zipped.error.message, /Content-Encoding/);
    const types = ['application/json; charset=utf-8', 'Application/JSON;charset="UTF-8"', 'application/x+json; a=b'];
    for (const type of types) {
      const answer = await call({ path: PATH, headers: { 'content-type': type }, body: batch() });
      assert.equal(answer.status, 200, type);
    }
  });

  it('refuses what is not JSON in UTF-8, without quoting it [error.invalid_json] [error.no-echo]', async () => {
    const secret = 'hunter2';
    const bad = [
      '',
      `{"${secret}":`,
      `${secret}`,
      Buffer.from([0x22, 0xff, 0x22]),
      Buffer.concat([Buffer.from([0xef, 0xbb]), Buffer.from('{}')]),
      `{"a":1}${secret}`,
    ];
    for (const body of bad) {
      const answer = await call({ path: PATH, body });
      assertError(answer, { status: 400, code: 'invalid_json' });
      assert.ok(!answer.text.includes(secret), answer.text);
    }
    // V8's message quotes these bodies, which end with what looks like a position.
    for (const body of [
      'position 41111111',
      '[ JSON at position 41111111',
      'x JSON at position 4111',
      '"position 4111',
    ]) {
      const { error } = await call({ path: PATH, body });
      assert.match(error.message, /^The body is not valid JSON(, at character \d\d?)?\.$/, body);
    }
    const { error } = await call({ path: PATH, body: '[1 2]' });
    assert.equal(error.message, 'The body is not valid JSON, at character 3.');
  });
});

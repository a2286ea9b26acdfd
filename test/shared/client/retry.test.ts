import assert from 'node:assert/strict';
import { createServer } from 'node:net';
import { describe, it } from 'node:test';
import { type ClientOptions, createClient } from '#weir/shared/client/index';
import { parseRetryAfter, waitBefore } from '#weir/shared/client/retry';
import { errorBody, type Reaction, refusal, SECRET, sharedService } from './support.ts';

const messages = [{ role: 'user', content: 'hi' }];
const cut: Reaction = (_, res) => {
  res.destroy();
  return undefined;
};
const halfway: Reaction = (_, res) => {
  res.writeHead(200, { 'content-type': 'application/json', 'content-length': '100' });
  res.write('{"flagged":', () => res.destroy());
  return undefined;
};
const silent: Reaction = () => undefined;

describe('a call of the client', () => {
  const service = sharedService();

  const check = async (script: Reaction[], options: Partial<ClientOptions> = {}, signal?: AbortSignal) => {
    service.script.push(...script);
    return service.make(options).checkSession({ messages }, { signal });
  };

  it('is repeated, the same to the byte, while the service is busy, late or cut off', async () => {
    const options = { idempotencyKeys: true };
    const result = await check(
      [
        refusal(429, 'rate_limited'),
        refusal(503, 'overloaded'),
        refusal(409, 'idempotency_in_progress'),
        refusal(504, 'evaluation_timeout', {}),
      ],
      options,
    );
    assert.ok(result.ok);
    assert.equal(service.received.length, 5);
    const sent = service.received.map(({ headers, json }) => [headers['idempotency-key'], JSON.stringify(json)]);
    assert.deepEqual(new Set(sent.map(String)).size, 1);
    assert.match(String(sent[0]![0]), /^[0-9a-f-]{36}$/);
    const broken = await check([cut, halfway, () => ({ status: 502, body: '<html>' })], options);
    assert.ok(broken.ok);
    assert.equal(new Set(service.received.slice(5).map(({ headers }) => headers['idempotency-key'])).size, 1);
  });

  it('without a key is retried when it was refused or its fate is unknown, but not after a 504: its check goes on', async () => {
    assert.ok((await check([refusal(503, 'overloaded'), cut, refusal(429, 'rate_limited')])).ok);
    const result = { internal_session_id: 'i', result_url: '/x' };
    const late = { status: 504, headers: { 'retry-after': '0' } };
    const body = errorBody('api_error', 'evaluation_timeout', { result });
    const timeout = await check([() => ({ ...late, body })]);
    assert.ok(!timeout.ok && 'requestId' in timeout.error);
    assert.deepEqual([timeout.error.attempts, timeout.error.result], [1, result]);
    service.script.push(() => ({ ...late, body }));
    assert.ok((await service.make().getRisk({ id: '1' })).ok, 'a GET begins nothing');
    service.script.push(() => ({ ...late, body }));
    assert.ok((await service.make().checkSession({ messages }, { idempotencyKey: 'mine' })).ok);
  });

  it('is not retried when that changes nothing', async () => {
    const cases: [status: number, type: string, code: string][] = [
      [400, 'invalid_request_error', 'validation_failed'],
      [401, 'authentication_error', 'invalid_api_key'],
      [403, 'permission_error', 'permission_denied'],
      [404, 'not_found_error', 'not_found'],
      [409, 'conflict_error', 'idempotency_mismatch'],
      [413, 'invalid_request_error', 'request_too_large'],
      [422, 'invalid_request_error', 'not_evaluable'],
      [500, 'api_error', 'internal_error'],
    ];
    for (const [status, type, code] of cases) {
      const result = await check([() => ({ status, body: errorBody(type, code) })]);
      assert.ok(!result.ok && 'requestId' in result.error);
      assert.deepEqual([result.error.status, result.error.code, result.error.attempts], [status, code, 1]);
    }
    assert.equal(service.received.length, cases.length);
  });

  it('is given up after its attempts, with the last error', async () => {
    const result = await check(
      [1, 2, 3].map(() => refusal(429, 'rate_limited')),
      { retries: 2 },
    );
    assert.ok(!result.ok && result.error.type === 'rate_limit_error');
    assert.deepEqual([result.error.attempts, result.error.retryAfter], [3, 0]);
    assert.equal(service.received.length, 3);
    const late = await check(
      [() => ({ status: 504, body: errorBody('api_error', 'evaluation_timeout', { result: { result_url: '/x' } }) })],
      { retries: 0 },
    );
    assert.ok(!late.ok && 'requestId' in late.error);
    assert.deepEqual(late.error.result, { result_url: '/x' });
  });

  it('is not retried when Retry-After exceeds its time limit', async () => {
    for (const header of ['3600', '99999999999999999999', new Date(Date.now() + 3_600_000).toUTCString()]) {
      const result = await check([refusal(503, 'unavailable', { 'retry-after': header })], { timeoutMs: 20_000 });
      assert.ok(!result.ok && 'requestId' in result.error);
      assert.equal(result.error.attempts, 1);
      assert.ok(result.error.retryAfter! > 3500);
    }
  });

  it('is retried after Retry-After, in seconds or as a date', async () => {
    const date = (ms: number): string => new Date(1_790_000_000_000 + ms).toUTCString();
    const headers: Record<string, string>[] = [{ 'retry-after': '1' }, { 'retry-after': date(1000), date: date(0) }];
    for (const header of headers) {
      const started = performance.now();
      assert.ok((await check([refusal(503, 'overloaded', header)])).ok);
      assert.ok(performance.now() - started >= 999, JSON.stringify(header));
    }
  });

  it('ends when its time is over, between attempts and within one', async () => {
    const slow = await check([silent], { timeoutMs: 100, retries: 5 });
    assert.ok(!slow.ok);
    assert.equal(slow.error.type, 'timeout_error');
    const trickle: Reaction = (_, res) => {
      res.writeHead(200, { 'content-type': 'application/json' });
      const timer = setInterval(() => res.write(' '), 10);
      res.on('close', () => clearInterval(timer));
      return undefined;
    };
    const body = await check([trickle], { timeoutMs: 100, retries: 0 });
    assert.ok(!body.ok);
    assert.equal(body.error.type, 'timeout_error');
    const again = await check([silent], { attemptTimeoutMs: 100 });
    assert.ok(again.ok, 'an attempt that is too slow is repeated');
  });

  it('ends with its signal: before, during and between attempts', async () => {
    const none = await check([], {}, AbortSignal.abort());
    assert.ok(!none.ok && none.error.type === 'aborted_error');
    assert.equal(service.received.length, 0);
    for (const reaction of [silent, refusal(503, 'overloaded', { 'retry-after': '30' })]) {
      const controller = new AbortController();
      const abort: Reaction = (received, res) => {
        setTimeout(() => controller.abort(new Error(SECRET)), 30);
        return reaction(received, res);
      };
      const result = await check([abort], {}, controller.signal);
      assert.ok(!result.ok && result.error.type === 'aborted_error');
      assert.ok(!JSON.stringify(result).includes(SECRET));
    }
  });

  it('fails without the key in its error when the service cannot be reached', async () => {
    const server = createServer();
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    const { port } = server.address() as { port: number };
    await new Promise((resolve) => server.close(resolve));
    const client = createClient({ url: `http://127.0.0.1:${port}`, apiKey: SECRET, retries: 1 });
    const result = await client.checkSession({ messages });
    assert.ok(!result.ok && result.error.type === 'network_error');
    assert.deepEqual([result.error.code, result.error.attempts], ['ECONNREFUSED', 2]);
    const leaking: typeof fetch = () => Promise.reject(new TypeError(`Bearer ${SECRET} is no header`));
    const leaked = await service.make({ fetch: leaking, retries: 0 }).getRisk({ id: '1' });
    assert.ok(!leaked.ok && leaked.error.type === 'network_error');
    assert.ok(!JSON.stringify(leaked).includes(SECRET));
  });

  it('does not read an endless answer', async () => {
    let cancelled = false;
    const endless = new ReadableStream({
      pull: (controller) => controller.enqueue(new Uint8Array(8 * 1024 * 1024).fill(32)),
      cancel: () => {
        cancelled = true;
      },
    });
    const result = await service.make({ fetch: async () => new Response(endless) }).getRisk({ id: '1' });
    assert.ok(!result.ok && result.error.type === 'protocol_error');
    assert.equal(cancelled, true);
  });
});

describe('waiting', () => {
  it('reads Retry-After as a number or a date of HTTP, and nothing else', () => {
    const now = 'Sat, 21 Nov 2026 12:00:00 GMT';
    assert.equal(parseRetryAfter('7', null), 7);
    assert.equal(parseRetryAfter(' 0 ', null), 0);
    assert.equal(parseRetryAfter('Sat, 21 Nov 2026 12:00:30 GMT', now), 30);
    assert.equal(parseRetryAfter('Sat, 21 Nov 2026 11:00:00 GMT', now), 0);
    for (const none of [null, '', '-1', '1.5', 'soon', 'Saturday', '2026-11-21']) {
      assert.equal(parseRetryAfter(none, now), undefined, String(none));
    }
  });

  it('is at least as long as asked, else twice as long each time and at most 8 s', () => {
    const error = { type: 'network_error', message: '', code: '', attempts: 1 } as const;
    for (let attempt = 1; attempt <= 60; attempt++) {
      const most = Math.min(8000, 250 * 2 ** (attempt - 1));
      const wait = waitBefore(attempt, error);
      assert.ok(wait >= most / 2 && wait <= most);
      const asked = waitBefore(attempt, {
        type: 'protocol_error',
        message: '',
        status: 503,
        retryAfter: 2,
        attempts: 1,
      });
      assert.ok(asked >= 2000 && asked <= 2200);
    }
  });
});

import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { inspectorOf } from '#weir/bench/generator/answers';
import { runLoad } from '#weir/bench/generator/load';
import { addressOf, startGenerator } from '#weir/bench/generator/process';
import { makeBodies } from '#weir/bench/workloads/bodies';
import { readWorkload } from '#weir/bench/workloads/workload';
import { assertHas } from '../../support/has.ts';
import { sleep } from '../../support/wait.js';
import { answerBatch, httpServer, loadOn, smallBody, socketServer } from './server.ts';

const OK = 'HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\n{}';

describe('load generator', () => {
  it('sends requests that are all different, with their keys and lengths, and counts every answer', async () => {
    const ids = new Set<string>();
    const server = await httpServer((body, response, request) => {
      assert.equal(request.headers.authorization, 'Bearer test');
      ids.add((JSON.parse(body) as { id: string }).id);
      response.end('{}');
    });
    const result = await runLoad(loadOn(server.port, { bodies: [smallBody], mode: { kind: 'open', rate: 200 } }));
    await server.close();
    assertHas(result, { sent: 100, ok: 100, accepted: 100 });
    assert.equal(ids.size, 100);
    assertHas(result, { errors: {}, nextStamp: 101 });
  });

  it('counts latency from the time a request was due, not from when a connection became free', async () => {
    // One connection and 100 ms an answer: of 10 requests that are due within half a second, the last is answered
    // after a second. A generator that only timed the answers would report 100 ms for each.
    const server = await httpServer((_, response) => setTimeout(() => response.end('{}'), 100));
    const load = loadOn(server.port, { bodies: [smallBody], mode: { kind: 'open', rate: 20 }, connections: 1 });
    const result = await runLoad(load);
    await server.close();
    assert.equal(result.ok, 10);
    assert.ok(result.latency.max > 450, `${result.latency.max} ms`);
    assert.ok(result.latency.p50 > 250, `${result.latency.p50} ms`);
    assert.ok(result.sendDelay.max > 350, `${result.sendDelay.max} ms`);
  });

  it('drops and counts what is due beyond the number in flight', async () => {
    const server = await httpServer((_, response) => setTimeout(() => response.end('{}'), 300));
    const load = loadOn(server.port, { bodies: [smallBody], mode: { kind: 'open', rate: 100 }, connections: 2 });
    const result = await runLoad({ ...load, maxInFlight: 5 });
    await server.close();
    assert.equal(result.sent + result.dropped, 50);
    assert.ok(result.dropped >= 40, `${result.dropped}`);
    assert.equal(result.ok, result.sent);
  });

  it('keeps every connection busy in the closed model', async () => {
    let inFlight = 0;
    let most = 0;
    let received = 0;
    const server = await httpServer((_, response) => {
      received++;
      most = Math.max(most, ++inFlight);
      setTimeout(() => {
        inFlight--;
        response.end('{}');
      }, 20);
    });
    const load = loadOn(server.port, { bodies: [smallBody], mode: { kind: 'closed' }, connections: 3 });
    const result = await runLoad(load);
    await server.close();
    assert.equal(most, 3);
    // A slow machine sends fewer: at least two on each connection, and all of them are counted.
    assert.ok(result.sent >= 6, `${result.sent}`);
    assertHas(result, { sent: received, ok: result.sent });
  });

  it('counts errors by status, and the items of a 5xx as possibly stored', async () => {
    let n = 0;
    const server = await httpServer((_, response) => {
      n++;
      response.writeHead(n % 4 === 0 ? 503 : n % 4 === 1 ? 429 : 200, { 'content-length': 2 }).end('{}');
    });
    const result = await runLoad(loadOn(server.port, { bodies: [smallBody], mode: { kind: 'open', rate: 80 } }));
    await server.close();
    assertHas(result, { errors: { 429: 10, 503: 10 }, ok: 20, accepted: 20, unknown: 10 });
    assert.equal(result.latency.count, 20);
  });

  it('survives connections that are reset, counts them and goes on', async () => {
    let n = 0;
    const server = await socketServer((socket) => {
      socket.on('data', () => {
        if (++n % 5 === 0) socket.resetAndDestroy();
        else socket.write(OK);
      });
    });
    const result = await runLoad(loadOn(server.port, { bodies: [smallBody], mode: { kind: 'open', rate: 100 } }));
    await server.close();
    assert.equal(result.errors.ECONNRESET, 10);
    assertHas(result, { ok: 40, unknown: 10 });
  });

  it('reads answers that arrive in pieces, and connects again after Connection: close', async () => {
    let n = 0;
    const server = await socketServer((socket) => {
      let request = '';
      socket.on('data', async (data) => {
        // A request may arrive in pieces as well; its body ends it.
        request += data.toString();
        if (!request.endsWith('}')) return;
        request = '';
        if (++n % 3 === 0) {
          socket.end(OK.replace('\r\n\r\n', '\r\nConnection: close\r\n\r\n'));
          return;
        }
        socket.setNoDelay(true);
        for (const piece of [OK.slice(0, 20), OK.slice(20, -1), OK.slice(-1)]) {
          socket.write(piece);
          await sleep(2);
        }
      });
    });
    const result = await runLoad(loadOn(server.port, { bodies: [smallBody], mode: { kind: 'open', rate: 60 } }));
    await server.close();
    assertHas(result, { errors: {}, ok: 30, incomplete: 0 });
  });

  it('calls an answer without Content-Length malformed', async () => {
    const server = await httpServer((_, response) => {
      response.write('{');
      response.end('}');
    });
    const load = loadOn(server.port, { bodies: [smallBody], mode: { kind: 'open', rate: 10 }, seconds: 0.3 });
    const result = await runLoad(load);
    await server.close();
    assert.deepEqual(result.errors, { 'malformed answer': 3 });
  });

  it('ends in time when nothing is answered', async () => {
    const server = await socketServer(() => {});
    const started = performance.now();
    const load = loadOn(server.port, { bodies: [smallBody], mode: { kind: 'open', rate: 20 }, timeoutMs: 300 });
    const result = await runLoad(load);
    await server.close();
    assert.ok(performance.now() - started < 30_000);
    assert.equal(result.ok, 0);
    assert.equal((result.errors['time-out'] ?? 0) + result.dropped, 10);
  });

  it('fails with a sentence when nothing listens', async () => {
    const server = await httpServer(() => {});
    await server.close();
    const load = loadOn(server.port, { bodies: [smallBody], mode: { kind: 'closed' }, connectMs: 200 });
    await assert.rejects(runLoad(load), /Nothing accepts connections at 127\.0\.0\.1:\d+/);
  });

  it('counts events that refer to others as accepted, but not as rows', async () => {
    let n = 0;
    const server = await httpServer((_, response) => {
      response.writeHead(++n % 2 === 0 ? 503 : 200, { 'content-length': 2 }).end('{}');
    });
    const bodies = [{ ...smallBody, items: 50, references: 3 }];
    const result = await runLoad(loadOn(server.port, { bodies, mode: { kind: 'open', rate: 20 } }));
    await server.close();
    assertHas(result, { ok: 5, accepted: 250, rows: 235, unknown: 235, bodyBytes: smallBody.bytes.length });
  });

  it('checks sampled answers in full and counts what is flagged', async () => {
    const workload = { ...readWorkload('events-50'), bodies: 4 };
    const kinds = { ...workload.flagged, kinds: { secret: 1 } };
    const bodies = makeBodies({ ...workload, flagged: kinds }, { environment: 'prod', deployment: 'chat' }, 't');
    let n = 0;
    const server = await httpServer((body, response) => {
      const answer = answerBatch(body);
      response.end(++n === 1 ? answer.replace('"completed"', '"failed"') : answer);
    });
    const mode = { kind: 'open', rate: 20 } as const;
    const inspect = inspectorOf('/api/events');
    const result = await runLoad(loadOn(server.port, { bodies, mode, inspect, sampleEvery: 2 }));
    await server.close();
    assertHas(result, { accepted: 500, sampled: 5 });
    assert.ok(result.incomplete <= 1);
    assert.equal(result.flaggedExpected, 25);
    assert.ok(result.flagged > 0 && result.flagged <= 25);
  });

  it('runs plans in a process of its own, one after another', async () => {
    const server = await httpServer((body, response) => response.end(answerBatch(body)));
    const generator = startGenerator();
    const plan = {
      workload: { ...readWorkload('events-50'), bodies: 2 },
      scope: { environment: 'prod', deployment: 'chat' },
      tag: 't',
      url: `http://127.0.0.1:${server.port}`,
      key: 'k',
      mode: { kind: 'open', rate: 20 } as const,
      connections: 2,
      maxInFlight: 100,
      seconds: 0.5,
      timeoutMs: 2000,
      sampleEvery: 1,
      firstStamp: 1,
    };
    try {
      const first = await generator.run(plan);
      assertHas(first, { accepted: 500, incomplete: 0 });
      const second = await generator.run({ ...plan, firstStamp: first.nextStamp });
      assert.equal(second.nextStamp, 21);
      await assert.rejects(generator.run({ ...plan, url: 'https://127.0.0.1' }), /plain http/);
    } finally {
      generator.close();
      await server.close();
    }
  });

  it('takes plain http addresses only', () => {
    assert.deepEqual(addressOf('http://[::1]:8080/base/', '/api/events'), {
      host: '::1',
      port: 8080,
      path: '/base/api/events',
    });
    assert.equal(addressOf('http://weir.example', '/x').port, 80);
    assert.throws(() => addressOf('https://weir.example', '/x'), /plain http/);
    assert.throws(() => addressOf('weir', '/x'), /http:\/\/host:port/);
  });
});

describe('sampled answers', () => {
  it('count as completed only if the result stands in the bucket of its type', () => {
    const inspect = inspectorOf('/api/events');
    const answer = JSON.parse(
      answerBatch('{"events":[{"type":"message","event_id":"a"},{"type":"tool","event_id":"b"}]}'),
    );
    assert.deepEqual(inspect(answer), { items: 2, completed: 2, flagged: 0 });
    answer.order[1].status = 'referenced';
    assert.equal(inspect(answer).completed, 1, 'its result says otherwise');
    answer.results.tool.b.event.status = 'referenced';
    assert.equal(inspect(answer).completed, 2);
    delete answer.results.tool.b;
    assert.equal(inspect(answer).completed, 1);
    assert.throws(() => inspect({}));
  });

  it('are read for single events and sessions, too', () => {
    const event = { flagged: true, event: { status: 'completed' } };
    assert.deepEqual(inspectorOf('/api/event')(event), { items: 1, completed: 1, flagged: 1 });
    const session = { flagged: false, internal_session_id: 'x' };
    assert.deepEqual(inspectorOf('/api/session/check')(session), { items: 1, completed: 1, flagged: 0 });
    assert.equal(inspectorOf('/api/session/check')({ error: {} }).completed, 0);
    const moderated = inspectorOf('/v1/moderations');
    assert.deepEqual(moderated({ results: [{ flagged: true }] }), { items: 1, completed: 1, flagged: 1 });
    assert.equal(moderated({ results: [{}] }).completed, 0);
    const scored = inspectorOf('/v1alpha1/comments:analyze');
    const scores = { attributeScores: { TOXICITY: { summaryScore: { value: 0, type: 'PROBABILITY' } } } };
    assert.deepEqual(scored(scores), { items: 1, completed: 1, flagged: 0 });
    assert.equal(scored({ error: {} }).completed, 0);
  });
});

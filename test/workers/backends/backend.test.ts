/** A backend that behaves in every way that a server can: each call ends in an outcome, in time. */
import assert from 'node:assert/strict';
import { rmSync, writeFileSync } from 'node:fs';
import type { ServerResponse } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, it } from 'node:test';
import type { BackendConfiguration } from '#weir/shared/configuration/backend';
import type { Answers } from '#weir/shared/policy/types';
import { Registry } from '#weir/shared/telemetry';
import type { Backends } from '#weir/workers/backends/backends';
import { type BackendAsk, MAX_CONTENT } from '#weir/workers/backends/prompt';
import { answer, BAD, guardAt, judge, say, sharedModel, testBackends } from '../../support/models/language-model.ts';
import { startBareOrigin } from '../../support/network/origin.ts';
import { until } from '../../support/wait.ts';

const POLICY = 'aaaaaaaa-0000-4000-8000-000000000001';
const FLAGGED = { flagged: true, score: 0.97 };

const model = await sharedModel();
let registry: Registry;
let backends: Backends;
beforeEach(() => {
  registry = new Registry();
  backends = testBackends(registry);
});
afterEach(() => backends.close());

const configured = (more: Partial<BackendConfiguration> = {}): BackendConfiguration => guardAt(model.url, more);
const asked = (backend: BackendConfiguration, detector = 0): BackendAsk => ({
  detector,
  policy: POLICY,
  backend,
  criteria: { flagged_content: 'x', allowed_content: 'b', examples: [] },
});
const never = new AbortController().signal;

/** Sends `text` in ten parts. */
function drip(response: ServerResponse, text: string): void {
  const size = Math.ceil(text.length / 10);
  let at = 0;
  const timer = setInterval(() => {
    response.write(text.slice(at, at + size));
    at += size;
    if (at < text.length) return;
    clearInterval(timer);
    response.end();
  }, 2);
}

interface Asking extends Partial<BackendConfiguration> {
  text?: string;
  /** ms from now */
  within?: number;
}
async function ask({
  text = 'x',
  within = 60_000,
  ...more
}: Asking = {}): Promise<{ outcome: string; answers: Answers }> {
  const limits = { until: performance.now() + within, signal: never };
  const { answers, failures } = await backends.ask({ text, of: [asked(configured(more))] }, limits);
  return { outcome: failures.get('guard') ?? 'answered', answers };
}

describe('a call of a backend', () => {
  it('is a chat completion at its address, and keeps the connection', async () => {
    const connections = model.connections();
    for (const text of ['x', 'y x']) assert.deepEqual((await ask({ text })).answers, new Map([[0, FLAGGED]]));
    assert.deepEqual((await ask({ text: 'y' })).answers, new Map([[0, { flagged: false, score: 0.02 }]]));
    const { method, url, headers } = model.requests.at(-1)!;
    assert.deepEqual([method, url, headers.authorization], ['POST', '/v1/chat/completions', undefined]);
    assert.equal(model.connections() - connections, 1);
  });

  it('is one for all questions about a text', async () => {
    const backend = configured();
    const of = [asked(backend, 4), asked(backend, 2), asked({ ...backend, id: 'other' }, 7)];
    const { answers } = await backends.ask({ text: 'x', of }, { until: performance.now() + 10_000, signal: never });
    assert.deepEqual([...answers.keys()].sort(), [2, 4, 7]);
    assert.equal(model.asked.length, 2, 'one for each backend');
  });

  it('has the key of the environment or of a file, as it is at the time', async () => {
    const file = join(tmpdir(), `weir-key-${process.pid}`);
    const sent = (): unknown => model.asked.at(-1)?.authorization;
    try {
      process.env.TEST_BACKEND_KEY = 'one';
      await ask({ api_key_env: 'TEST_BACKEND_KEY' });
      assert.equal(sent(), 'Bearer one');
      writeFileSync(file, 'two\n');
      await ask({ api_key_file: file });
      assert.equal(sent(), 'Bearer two');
      const before = model.asked.length;
      writeFileSync(file, 'two words');
      delete process.env.TEST_BACKEND_KEY;
      assert.equal((await ask({ api_key_file: file })).outcome, 'no_key');
      assert.equal((await ask({ api_key_env: 'TEST_BACKEND_KEY' })).outcome, 'no_key');
      assert.equal((await ask({ api_key_file: `${file}-gone` })).outcome, 'no_key');
      assert.equal(model.asked.length, before, 'nothing is sent without the key');
    } finally {
      rmSync(file, { force: true });
    }
  });

  it('is not made for a text that is too long to be sent whole', async () => {
    assert.equal((await ask({ text: 'x'.repeat(MAX_CONTENT) })).outcome, 'answered');
    assert.equal((await ask({ text: 'x'.repeat(MAX_CONTENT + 1) })).outcome, 'too_long');
    assert.equal(model.asked.length, 1);
  });
});

describe('a backend that behaves badly', () => {
  for (const [name, { respond, outcome }] of Object.entries(BAD)) {
    if (outcome === 'timeout') continue;
    it(`by that it ${name}: ${outcome}`, async () => {
      model.respond = respond;
      const calls = ['server_error', 'rate_limited', 'unreachable'].includes(outcome) ? 2 : 1;
      const judged = await ask();
      assert.deepEqual([judged.outcome, judged.answers.size, model.asked.length], [outcome, 0, calls]);
    });
  }

  it('by that it hangs, at once or within the answer: timeout, at its time-out or at the end of the time there is', async () => {
    const hanging = Object.values(BAD).filter(({ outcome }) => outcome === 'timeout');
    for (const { respond } of hanging) {
      model.respond = respond;
      const began = performance.now();
      assert.equal((await ask({ timeout_ms: 50 })).outcome, 'timeout');
      assert.equal((await ask({ within: 50 })).outcome, 'timeout');
      const took = performance.now() - began;
      assert.ok(took >= 95 && took < 20_000, `${took} ms`);
    }
    assert.equal(model.asked.length, 2 * hanging.length, 'a call that took its time is not made again');
  });

  it('by that nothing listens, or what does is no HTTP: unreachable', async () => {
    const bare = await startBareOrigin((socket) => void socket.end('SSH-2.0-x\r\n'));
    assert.equal((await ask({ url: `http://127.0.0.1:${bare.port}/v1` })).outcome, 'unreachable');
    await bare.close();
    assert.equal((await ask({ url: `http://127.0.0.1:${bare.port}/v1` })).outcome, 'unreachable');
  });

  it('by that it is slow, and in time: answered', async () => {
    model.respond = (response, question) => {
      const slow = { end: (text: string) => drip(response, text) } as typeof response;
      judge(slow, question);
    };
    assert.deepEqual((await ask()).answers, new Map([[0, FLAGGED]]));
  });

  it('once: the second call counts', async () => {
    model.respond = (response) => {
      model.respond = judge;
      response.writeHead(503).end();
    };
    assert.equal((await ask()).outcome, 'answered');
    assert.match(await registry.metrics(), /^weir_backend_retries_total 1$/m);
  });

  it('is not called a second time without time for it', async () => {
    model.respond = answer(500);
    const { outcome } = await ask({ within: 60 });
    // A machine that is slow for a moment may not even have the first answer in time.
    assert.ok(['server_error', 'timeout'].includes(outcome), outcome);
    assert.ok(model.asked.length <= 1);
  });

  it('is not called after five failures in a row, but is where contents are at fault', async () => {
    model.respond = answer(400);
    for (let i = 0; i < 6; i++) assert.equal((await ask()).outcome, 'refused');
    model.respond = say('no JSON');
    for (let i = 0; i < 6; i++) assert.equal((await ask()).outcome, 'malformed');
    model.respond = answer(500);
    // Two calls each; the last failure counts, not that the call after it was kept back.
    for (let i = 0; i < 3; i++) assert.equal((await ask()).outcome, 'server_error');
    model.respond = judge;
    assert.equal((await ask()).outcome, 'breaker_open');
    assert.equal((await ask({ id: 'other' })).outcome, 'answered', 'others are');
    const metrics = await registry.metrics();
    assert.match(metrics, /^weir_backends_open 1$/m);
    assert.match(metrics, /^weir_backend_questions_total\{outcome="breaker_open"\} 1$/m);
    assert.match(metrics, /^weir_backend_questions_total\{outcome="server_error"\} 3$/m);
    assert.match(metrics, /^weir_backend_call_seconds_count 18$/m);
  });
});

describe('calls of a backend', () => {
  it('wait for their turn, and no longer than there is time', async () => {
    const open: (() => void)[] = [];
    model.respond = (...call) => {
      open.push(() => judge(...call));
    };
    const first = [ask({ concurrency: 2 }), ask({ concurrency: 2 })];
    await until('two calls are under way', async () => open.length === 2);
    const third = ask({ concurrency: 2 });
    assert.equal((await ask({ concurrency: 2, within: 30 })).outcome, 'no_time');
    assert.match(await registry.metrics(), /^weir_backend_calls_under_way 2$/m);
    assert.match(await registry.metrics(), /^weir_backend_calls_waiting 1$/m);
    model.respond = judge;
    for (const end of open) end();
    for (const each of [...first, third]) assert.equal((await each).outcome, 'answered');
  });
});

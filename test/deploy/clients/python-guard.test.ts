/** `guard_stream` of the Python client against a service of which each answer is scripted, by threads and by asyncio. */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { errorBody, type Reaction, refusal, SECRET, sharedService } from '../../shared/client/support.ts';
import { type PythonCall, type PythonKind, sharedPython, skip } from './python/python.ts';

const LAG = 5;
const BAD = 'BAD';
const POLICIES = { p: { name: 'Payment data', flagged: true }, q: { name: 'Other', flagged: false } };

interface Guarded {
  told: string[];
  closed: boolean;
  raised: { class?: string; text?: string; violated?: string[]; answer?: { safe_until: number } } | null;
}

describe('guard_stream of the Python client', { skip }, () => {
  const service = sharedService();
  const ask = sharedPython();
  const both = (name: string, test: (kind: PythonKind) => Promise<void>): void => {
    for (const kind of ['sync', 'async'] as const) it(`${name} (${kind})`, () => test(kind));
  };

  /** Answers as the service does: what lags behind by some characters is safe. */
  const answering = (more: object = {}): Reaction[] => {
    let text = '';
    return Array.from({ length: 50 }, () => ({ json }) => {
      text += json.delta;
      const flagged = text.includes(BAD);
      const safe_until = json.final && !flagged ? [...text].length : Math.max(0, [...text].length - LAG);
      const policies = flagged ? POLICIES : {};
      return { body: { flagged, policies, safe_until, delayed_policies: [], final: json.final === true, ...more } };
    });
  };

  async function guard(
    kind: PythonKind,
    source: PythonCall['source'],
    script: Reaction[],
    more: Partial<PythonCall> = {},
  ): Promise<Guarded> {
    service.script.push(...script);
    const call = { url: service.url, key: SECRET, method: 'guard_stream', source, options: { retries: 0 }, ...more };
    const { value, crash } = await ask(kind, call as PythonCall);
    assert.ok(value, crash);
    return value;
  }

  const sent = (): [sequence: number, delta: string, final: boolean][] =>
    service.received.map(({ json }) => [json.sequence, json.delta, json.final === true]);
  const SENTENCES = ['One 😀. ', 'Two', ' and', ' three. ', 'Four'];
  const text = SENTENCES.join('');

  both('hands on the whole of an innocent text, and says with each piece what it belongs to', async (kind) => {
    const named = { environment_id: 'prod', run_id: 'r', role: 'assistant', metadata: { a: 1 }, stream_id: 's' };
    const { told, raised } = await guard(kind, { texts: SENTENCES }, answering(), { named });
    assert.equal(raised, null);
    assert.equal(told.join(''), text);
    const pieces = sent();
    assert.equal(pieces.map(([, delta]) => delta).join(''), text);
    assert.deepEqual(
      pieces.map(([sequence, , final]) => [sequence, final]),
      pieces.map((_, n) => [n, n === pieces.length - 1]),
    );
    for (const { json, path } of service.received) {
      const { sequence, delta, final, ...common } = json;
      assert.deepEqual([common, path], [named, '/api/stream/check?offsets=codepoints']);
    }
  });

  it('gathers small pieces up to the end of a sentence', async () => {
    await guard('sync', { texts: SENTENCES }, answering());
    assert.deepEqual(
      sent().map(([, delta]) => delta),
      ['One 😀. ', 'Two and three. ', 'Four'],
    );
  });

  it('takes what came while a request was under way as the next piece', async () => {
    await guard('async', { texts: Array.from({ length: 1000 }, () => 'word. ') }, answering());
    assert.ok(sent().length < 5, `${sent().length}`);
  });

  both('sends a long text in pieces of a bounded size', async (kind) => {
    const long = 'x'.repeat(150_000);
    const { told } = await guard(kind, { texts: [long] }, answering());
    assert.equal(told.join(''), long);
    assert.ok(sent().every(([, delta]) => delta.length <= 65_536));
  });

  both('ends with the verdict when a policy is violated, and hands on nothing more', async (kind) => {
    const source = { texts: [`It is ${BAD}. `, 'And more. ', 'And more. '] };
    const { told, raised } = await guard(kind, source, answering());
    assert.deepEqual(told, []);
    assert.deepEqual(raised?.violated, ['Payment data']);
    assert.equal(raised?.text, 'The text violates Payment data.');
    assert.equal(sent().at(-1)![2], true, 'the stream is ended');
  });

  both('closes the source and the stream when the caller stops', async (kind) => {
    const { told, closed, raised } = await guard(kind, { texts: SENTENCES, hangs: true, stop: 1 }, answering());
    assert.deepEqual([told.length, closed, raised], [1, true, null]);
    assert.deepEqual(sent().at(-1), [sent().length - 1, '', true]);
  });

  both('raises what the source raises, and ends the stream with what it has', async (kind) => {
    const { told, raised } = await guard(kind, { texts: [SENTENCES[0]], fails: true }, answering());
    assert.equal(raised?.text, 'the source fails');
    assert.ok(text.startsWith(told.join('')));
    const pieces = sent();
    if (kind === 'sync')
      assert.deepEqual(pieces, [
        [0, 'One 😀. ', false],
        [1, '', true],
      ]);
    else assert.ok(pieces.length === 0 || pieces.at(-1)![2]);
  });

  both('raises where the service has no answer, and hands on nothing', async (kind) => {
    const source = { texts: ['One. '], hangs: true };
    const failing: [Reaction, string, number][] = [
      [refusal(503, 'unavailable'), 'ServiceError', 1],
      [() => ({ body: { flagged: false } }), 'ProtocolError', 1],
      [() => ({ status: 400, body: errorBody('invalid_request_error', 'content_too_large') }), 'ServiceError', 1],
    ];
    for (const [reaction, name, requests] of failing) {
      service.received.length = 0;
      const { told, raised } = await guard(kind, source, [reaction]);
      assert.deepEqual([told, raised, service.received.length], [[], { class: name }, requests]);
    }
    const { told, raised } = await guard(kind, { texts: [7] }, []);
    assert.deepEqual([told, raised], [[], { class: 'UsageError' }]);
  });

  both('waits for policies that judge later where that is wanted', async (kind) => {
    const script = answering({ delayed_policies: ['later'] });
    const { told } = await guard(kind, { texts: SENTENCES }, script, { named: { wait_for: 'all' } });
    assert.deepEqual(told, [text]);
  });

  both('asks nothing about a source without text', async (kind) => {
    assert.deepEqual(await guard(kind, { texts: ['', ''] }, []), { told: [], closed: false, raised: null });
    assert.equal(service.received.length, 0);
  });

  it('is cancelled with its task: the piece in doubt is said again, and the stream ended', async () => {
    const script: Reaction[] = [() => undefined, ...answering()];
    const { closed } = await guard('async', { texts: ['One. '], hangs: true }, script, { cancel: 0.2 });
    assert.equal(closed, true);
    assert.deepEqual(sent(), [
      [0, 'One. ', false],
      [0, 'One. ', false],
      [1, '', true],
    ]);
  });
});

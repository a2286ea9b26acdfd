import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { dialectsIn } from '#weir/shared/api/dialects/names';
import { ApiError } from '#weir/shared/api/errors';
import type { LabelScores, RecordItem } from '#weir/shared/api/results/record';
import { validateSession } from '#weir/shared/api/validate/validate';
import { type Answer, assertError, POLICY, record, recordItem, sharedIngress, startIngress } from '../support.ts';

const PATH = '/v1/moderations';
const NO_SCORES = [{ start: 0, end: 1, of: {} }];
const MIB = 1024 * 1024;
const PIXEL = 'data:image/png;base64,iVBORw0KGgo=';

describe('the moderations of OpenAI', () => {
  const ingress = sharedIngress();
  const { call } = ingress;

  const ask = (body: unknown, headers: Record<string, string | undefined> = {}): Promise<Answer> =>
    call({ path: PATH, headers: { 'service-version': undefined, ...headers }, body });
  /** The bodies that reached the dispatcher with a call, as JSON. */
  const dispatched = async (body: unknown, headers = {}) => {
    ingress.checks.length = 0;
    const answer = await ask(body, headers);
    return { answer, bodies: ingress.checks.map(({ body: bytes }) => JSON.parse(bytes.toString())) };
  };
  /** What each check is answered, by its text. */
  function verdicts(
    of: (text: string) => { flagged?: boolean; score?: number; scores?: LabelScores | undefined; note?: string },
  ): void {
    ingress.outcome = async ({ body }) => {
      const { messages } = JSON.parse(body.toString());
      const {
        flagged = false,
        score,
        scores = { hate: { score: 0.25, least: 0.5 } },
        note = '',
      } = of(String(messages[0].content));
      const more: Partial<RecordItem> = {
        type: 'session',
        flagged,
        scores: [{ start: 0, end: 1, of: scores }],
        note,
        explained: 1,
      };
      const evidence =
        flagged && score !== undefined
          ? [{ detector: 'classifier:hate', view: 'raw', source: 'text', start: 0, end: 1, score }]
          : [];
      const explained = JSON.stringify(['h', ...(flagged ? [{ [POLICY]: evidence }] : [])]);
      const policies = JSON.stringify({ [POLICY]: { flagged, name: 'Hate', flagged_source: flagged ? ['text'] : [] } });
      return {
        status: 'done',
        record: record({ kind: 'session', items: [recordItem(1, more)], fragments: [policies, explained] }),
      };
    };
  }

  it('makes a session check of a text, with its user and its side [adapter.moderations]', async () => {
    verdicts(() => ({}));
    const { answer, bodies } = await dispatched({
      input: 'naïve "text" \ud800',
      model: 'm',
      user: 'ann',
      role: 'assistant',
      other: [1],
    });
    assert.equal(answer.status, 200, answer.text);
    const [message] = bodies[0].messages;
    assert.deepEqual(bodies, [
      { messages: [{ role: 'assistant', content: 'naïve "text" \ud800' }], metadata: { user: { id: 'ann' } } },
    ]);
    assert.ok(message);
    const [check] = ingress.checks;
    assert.deepEqual([check!.kind, check!.scope, check!.scores], ['session', 'chat', { labels: ['hate'] }]);
    assert.equal(validateSession(bodies[0], check!.body.length).ok, true);
    assert.equal(answer.json.model, 'm');
    assert.match(answer.json.id, /^modr-[0-9a-f-]{36}$/);
  });

  it('answers each text by a result of its own, in order [adapter.moderations-each]', async () => {
    verdicts((text) => ({ flagged: text === 'two', score: 0.875 }));
    const { answer, bodies } = await dispatched({ input: ['one', 'two', ''] });
    assert.deepEqual(
      bodies.map(({ messages }) => messages[0].content),
      ['one', 'two', ''],
    );
    const results = answer.json.results as Record<string, Record<string, unknown>>[];
    assert.deepEqual(
      results.map(({ flagged }) => flagged),
      [false, true, false],
    );
    assert.deepEqual(
      results.map(({ categories }) => categories!.hate),
      [false, true, false],
    );
    assert.deepEqual(
      results.map(({ category_scores }) => category_scores!.hate),
      [0.25, 0.875, 0.25],
    );
    assert.equal(new Set(results.map(({ internal_session_id: id }) => id)).size, 3);
    assert.equal(answer.json.model, 'weir');
  });

  it('has every category of OpenAI, and says of each what was looked at [adapter.moderations-categories]', async () => {
    verdicts(() => ({}));
    const { json } = await ask({ input: 'x' });
    const [result] = json.results;
    const names = [
      'harassment',
      'harassment/threatening',
      'hate',
      'hate/threatening',
      'illicit',
      'illicit/violent',
      'self-harm',
      'self-harm/instructions',
      'self-harm/intent',
      'sexual',
      'sexual/minors',
      'violence',
      'violence/graphic',
      // Policies without a category.
      'Answers',
      'Pictures',
    ];
    assert.deepEqual(Object.keys(result.categories).sort(), names.sort());
    for (const name of names) {
      assert.deepEqual(result.category_applied_input_types[name], name === 'hate' ? ['text'] : [], name);
    }
  });

  it('has a policy by its own name that the configuration does not know any more', async () => {
    ingress.outcome = async () => {
      const gone = {
        '00000000-0000-4000-8000-000000000000': { flagged: true, name: '__proto__', flagged_source: ['text'] },
      };
      const item = recordItem(1, { type: 'session', flagged: true, scores: NO_SCORES });
      return { status: 'done', record: record({ kind: 'session', items: [item], fragments: [JSON.stringify(gone)] }) };
    };
    const { json } = await ask({ input: 'x' });
    assert.equal(json.results[0].flagged, true);
    assert.deepEqual(
      Object.entries(json.results[0].categories).filter(([, flagged]) => flagged),
      [['__proto__', true]],
    );
    assert.equal(Object.entries(json.results[0].category_scores).find(([name]) => name === '__proto__')![1], 1);
  });

  it('checks the parts of one input together, images too [adapter.moderations-parts]', async () => {
    verdicts(() => ({}));
    const { answer, bodies } = await dispatched({
      input: [
        { type: 'text', text: 'look', cache_control: {} },
        { type: 'image_url', image_url: { url: 'https://example.org/a.png', detail: 'low' } },
        { type: 'image_url', image_url: { url: PIXEL } },
      ],
    });
    assert.equal(answer.status, 200, answer.text);
    const content = [
      { type: 'text', text: 'look' },
      { type: 'artifact', content: { kind: 'image', url: 'https://example.org/a.png' } },
      { type: 'artifact', content: { kind: 'image', data: PIXEL } },
    ];
    assert.deepEqual(bodies, [{ messages: [{ role: 'user', content }], metadata: {} }]);
    assert.deepEqual([ingress.checks[0]!.images, ingress.checks[0]!.lane], [2, 'slow']);
    assert.equal(validateSession(bodies[0], 100).ok, true);
  });

  it('names the part whose image is at fault', async () => {
    const error = {
      status: 400,
      code: 'validation_failed',
      message: 'messages[0].content[1].content: no image',
      param: 'messages[0].content[1].content',
    };
    ingress.outcome = async () => ({ status: 'done', record: record({ kind: 'session', items: [], error }) });
    const answer = await ask({
      input: [
        { type: 'text', text: 'x' },
        { type: 'image_url', image_url: { url: PIXEL } },
      ],
    });
    assertError(answer, { status: 400, code: 'validation_failed' });
    assert.deepEqual(
      [answer.error.param, answer.error.message],
      ['input[1].image_url', 'input[1].image_url: no image'],
    );
  });

  it('refuses what it cannot check, by its place, and never answers it as clean [adapter.moderations-refused]', async () => {
    ingress.checks.length = 0;
    const part = (of: object) => [{ type: 'text', text: 'x' }, of];
    for (const [body, path] of [
      [{}, 'input'],
      [{ input: null }, 'input'],
      [{ input: 5 }, 'input'],
      [{ input: {} }, 'input'],
      [{ input: [] }, 'input'],
      [{ input: [1, 2, 3] }, 'input[0]'],
      [{ input: [[1]] }, 'input[0]'],
      [{ input: [null] }, 'input[0]'],
      [{ input: ['a', null] }, 'input[1]'],
      [{ input: ['a', { type: 'text', text: 'b' }] }, 'input[1]'],
      [{ input: part({ type: 'text' }) }, 'input[1].text'],
      [{ input: part({ type: 'input_audio', input_audio: {} }) }, 'input[1].type'],
      [{ input: part({ type: 'image_url' }) }, 'input[1].image_url'],
      [{ input: part({ type: 'image_url', image_url: { url: 'ftp://x/y' } }) }, 'input[1].image_url.url'],
      [{ input: part({ type: 'image_url', image_url: { url: '' } }) }, 'input[1].image_url.url'],
      [{ input: Array.from({ length: 33 }, () => 'x') }, 'input'],
      [{ input: Array.from({ length: 17 }, () => ({ type: 'image_url', image_url: { url: PIXEL } })) }, 'input'],
    ] as const) {
      const answer = await ask(body);
      assertError(answer, {
        status: 400,
        code: path === 'input[1].type' ? 'unsupported_content_part' : 'validation_failed',
      });
      assert.equal(answer.error.param, path, JSON.stringify(body).slice(0, 80));
    }
    const long = await ask({ input: ['x', 'y'.repeat(MIB + 1)] });
    assertError(long, { status: 400, code: 'content_too_large' });
    assert.equal(long.error.param, 'input[1]');
    const parts = await ask({
      input: [
        { type: 'text', text: 'y'.repeat(MIB) },
        { type: 'text', text: 'y' },
      ],
    });
    assertError(parts, { status: 400, code: 'content_too_large' });
    assert.equal(ingress.checks.length, 0);
  });

  it('answers an error where one of several has no verdict [adapter.moderations-whole]', async () => {
    let n = 0;
    verdicts(() => ({}));
    const { outcome } = ingress;
    ingress.outcome = async (request) => {
      if (n++ !== 1) return outcome(request);
      throw new ApiError('overloaded', 'Too much.');
    };
    assertError(await ask({ input: ['a', 'b', 'c'] }), { status: 503, code: 'overloaded' });
    n = 0;
    ingress.outcome = async (request) =>
      n++ === 1 ? { status: 'timeout', id: '01890000-0000-7000-8000-000000000000' } : outcome(request);
    const late = await ask({ input: ['a', 'b', 'c'] });
    assertError(late, { status: 504, code: 'evaluation_timeout' });
    assert.match(late.error.result!.result_url, /^\/api\/session\//);
  });

  it('has a claim for each text of a request with an Idempotency-Key', async () => {
    verdicts(() => ({}));
    await dispatched({ input: ['a', 'a'] }, { 'idempotency-key': 'k' });
    const retries = ingress.checks.map(({ retry }) => retry!);
    assert.deepEqual(
      retries.map(({ key }) => key),
      ['k 0', 'k 1'],
    );
    assert.equal(retries[0]!.fingerprint, retries[1]!.fingerprint);
  });

  it('counts each text for the rate of the key', async () => {
    verdicts(() => ({}));
    const charged: number[] = [];
    const counting = await startIngress(
      {},
      {
        rates: {
          take: () => undefined,
          charge: (_, tokens) => charged.push(tokens),
          headers: () => ({ policy: '', limit: '' }),
        },
      },
    );
    counting.outcome = ingress.outcome;
    const headers = { 'service-version': undefined, authorization: 'Bearer many' };
    for (const input of [['a', 'b', 'c'], 'a']) {
      assert.equal((await counting.call({ path: PATH, headers, body: { input } })).status, 200);
    }
    await counting.server.close();
    assert.deepEqual(charged, [2, 0]);
  });

  it('says that the scores of a late retry are not there', async () => {
    const item = recordItem(1, { type: 'session' });
    ingress.outcome = async () => ({
      status: 'done',
      record: record({ kind: 'session', items: [item] }),
      replayed: true,
    });
    assertError(await ask({ input: 'a' }), { status: 503, code: 'unavailable' });
  });

  it('takes the key as callers send it, and asks for a default deployment', async () => {
    verdicts(() => ({}));
    assert.equal((await ask({ input: 'a' }, { authorization: undefined, 'x-api-key': 'good' })).status, 200);
    assertError(await ask({ input: 'a' }, { authorization: undefined }), { status: 401, code: 'missing_api_key' });
    assertError(await ask({ input: 'a' }, { authorization: 'Bearer bare' }), {
      status: 400,
      code: 'validation_failed',
    });
    assertError(await ask({ input: 'a' }, { authorization: 'Bearer reader' }), {
      status: 403,
      code: 'permission_denied',
    });
  });
});

describe('interfaces of other services', () => {
  const ingress = sharedIngress({ dialects: 'litellm' });

  it('are 404 where they are off, for whatever key and method [adapter.off]', async () => {
    for (const headers of [{}, { authorization: undefined }]) {
      assertError(await ingress.call({ path: PATH, headers, body: { input: 'x' } }), {
        status: 404,
        code: 'not_found',
      });
      assertError(await ingress.call({ path: PATH, method: 'GET', headers }), { status: 404, code: 'not_found' });
    }
    const on = await ingress.call({ path: '/beta/litellm_basic_guardrail_api', body: { texts: [] } });
    assert.equal(on.status, 200);
  });

  it('are those that the setting names', () => {
    assert.deepEqual([...dialectsIn('none')], []);
    assert.deepEqual([...dialectsIn('moderations , litellm')], ['litellm', 'moderations']);
    assert.ok(dialectsIn('all').size >= 2);
  });
});

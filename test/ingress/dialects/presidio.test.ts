import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { buildDirectory, type Directory } from '#weir/ingress/admission/directory';
import { USUAL_DIALECTS } from '#weir/shared/api/dialects/names';
import type { FoundInText } from '#weir/shared/api/results/record';
import { validateSession } from '#weir/shared/api/validate/validate';
import { hashKey } from '#weir/shared/configuration/api-keys';
import { loadConfiguration } from '#weir/shared/configuration/configuration';
import { type Answer, assertError, POLICY, record, recordItem, request, sharedIngress } from '../support.ts';

const CARD = '4111 1111 1111 1111';
const MIB = 1024 * 1024;

describe('Presidio', () => {
  const ingress = sharedIngress();
  const { call } = ingress;

  const post = (path: string, body: unknown, headers: Record<string, string | undefined> = {}): Promise<Answer> =>
    call({ path, headers: { 'service-version': undefined, ...headers }, body });
  const analyze = (text: unknown, more: object = {}): Promise<Answer> =>
    post('/analyze', { text, language: 'en', ...more });
  const get = (path: string, headers: Record<string, string | undefined> = {}): Promise<Answer> =>
    call({ method: 'GET', path, headers: { 'service-version': undefined, ...headers } });

  /** What the next checks find. `flagged` null: no policy has a verdict. */
  function finds(
    found: FoundInText | undefined,
    flagged: boolean | null = found ? found.of[POLICY] !== undefined : null,
  ): void {
    ingress.outcome = async () => {
      const item = recordItem(1, { type: 'session', flagged: flagged === true, ...(found ? { finds: found } : {}) });
      const result = { flagged, name: 'Hate', flagged_source: flagged ? ['text'] : [] };
      const policies = flagged === null ? {} : { [POLICY]: result };
      return {
        status: 'done',
        record: record({ kind: 'session', items: [item], fragments: [JSON.stringify(policies)] }),
      };
    };
  }
  const found = (detectors: Record<string, number[]>): FoundInText => ({ of: { [POLICY]: detectors } });
  const told = ({ json }: Answer): unknown[] =>
    (json as Record<string, unknown>[]).map(({ entity_type, start, end, score }) => [entity_type, start, end, score]);

  it('makes a session check of each text [adapter.presidio]', async () => {
    finds(found({ 'pii:CREDIT_CARD': [3, 22, 1] }));
    const text = `😀 ${CARD}`;
    const answer = await analyze(text, {
      correlation_id: 'call-1',
      trace: false,
      ad_hoc_recognizers: [],
      context: null,
    });
    assert.equal(answer.status, 200, answer.text);
    assert.deepEqual(answer.json, [
      { analysis_explanation: null, end: 21, entity_type: 'CREDIT_CARD', score: 1, start: 2 },
    ]);
    const check = ingress.checks.at(-1)!;
    const body = JSON.parse(check.body.toString());
    assert.deepEqual(body, {
      messages: [{ role: 'user', content: text }],
      metadata: { correlation_id: 'call-1' },
    });
    assert.equal(validateSession(body, check.body.length).ok, true);
    assert.deepEqual([check.scope, check.finds, check.redact], ['chat', true, undefined]);
    const count = ingress.checks.length;
    const both = await analyze([text, text]);
    assert.deepEqual(both.json, [answer.json, answer.json]);
    assert.equal(ingress.checks.length, count + 2);
    finds(found({}), false);
    assert.deepEqual((await analyze('fine')).json, []);
    assert.deepEqual((await analyze(['fine'])).json, [[]]);
  });

  it('has what any policy has found, by its name where it is no personal data [adapter.presidio-entities]', async () => {
    finds(found({ terms: [4, 6, 1], 'secrets:aws': [0, 3, 0.9], 'pii:EMAIL_ADDRESS': [4, 9, 0.5] }));
    assert.deepEqual(told(await analyze('0123456789')), [
      ['HATE', 4, 6, 1],
      ['SECRET', 0, 3, 0.9],
      ['EMAIL_ADDRESS', 4, 9, 0.5],
    ]);
    finds(found({ llm: [0, 0, 0.7] }));
    assert.deepEqual(told(await analyze('😀 12')), [['HATE', 0, 4, 0.7]], 'it is not in one place');
    finds(found({}));
    assert.deepEqual(told(await analyze('abc')), [['HATE', 0, 3, 1]], 'violated is never shown clean');
    assert.deepEqual(told(await analyze('abc', { entities: ['CREDIT_CARD'] })), [['CREDIT_CARD', 0, 3, 1]]);
  });

  it('leaves out what is not asked for [adapter.presidio-entities]', async () => {
    finds(found({ 'pii:CREDIT_CARD': [0, 2, 0.4, 4, 6, 0.9], terms: [8, 9, 1] }));
    const text = 'ab cd ef gh';
    const with_ = async (more: object): Promise<unknown[]> => told(await analyze(text, more));
    const [weak, strong, term] = [
      ['CREDIT_CARD', 0, 2, 0.4],
      ['CREDIT_CARD', 4, 6, 0.9],
      ['HATE', 8, 9, 1],
    ];
    assert.deepEqual(await with_({}), [term, strong, weak]);
    assert.deepEqual(await with_({ entities: [] }), [term, strong, weak]);
    assert.deepEqual(await with_({ entities: ['CREDIT_CARD'] }), [strong, weak]);
    assert.deepEqual(await with_({ score_threshold: 0.9 }), [term, strong]);
    assert.deepEqual(await with_({ allow_list: ['ab', 'c'] }), [term, strong]);
    assert.deepEqual(await with_({ entities: ['CREDIT_CARD'], score_threshold: 0.95 }), []);
  });

  it('says why where that is asked for', async () => {
    finds(found({ 'pii:CREDIT_CARD': [0, 2, 0.4] }));
    const { json } = await analyze('ab', { return_decision_process: true });
    const { recognizer, textual_explanation: why, score } = json[0].analysis_explanation;
    assert.deepEqual([recognizer, why, score], ['Hate', 'Found by pii:CREDIT_CARD.', 0.4]);
  });

  it('refuses an entity that no policy looks for in what users write [adapter.presidio-entities]', async () => {
    const count = ingress.checks.length;
    for (const [entity, shown] of [
      ['PERSON', 'PERSON'],
      ['US_SSN', 'US_SSN'],
      ['a secret', 'this entity'],
    ] as const) {
      const answer = await analyze('x', { entities: ['CREDIT_CARD', entity] });
      assertError(answer, { status: 400, code: 'validation_failed', param: 'entities[1]' });
      assert.match(
        answer.json.error,
        new RegExp(`^entities\\[1\\]: no policy of the deployment looks for ${shown}\\.$`),
      );
    }
    assert.equal(ingress.checks.length, count);
    assert.deepEqual((await get('/supportedentities?language=en')).json, ['CREDIT_CARD', 'HATE']);
    assertError(await get('/supportedentities', { authorization: 'Bearer bare' }), {
      status: 400,
      code: 'validation_failed',
    });
    assertError(await get('/supportedentities', { authorization: 'Bearer reader' }), {
      status: 403,
      code: 'permission_denied',
    });
  });

  it('never answers what was not looked at [adapter.presidio-unseen]', async () => {
    for (const [outcome, status, code] of [
      [undefined, 503, 'unavailable'],
      [{ of: {} }, 503, 'unavailable'],
      [{ of: {}, foreign: true }, 422, 'not_evaluable'],
      [{ of: {}, over: true }, 422, 'not_evaluable'],
    ] as const) {
      finds(outcome as FoundInText | undefined, null);
      for (const text of ['x', ['x']]) {
        const answer = await analyze(text);
        assertError(answer, { status, code });
        assert.equal(typeof answer.json.error, 'string');
      }
    }
    ingress.outcome = async () => ({ status: 'timeout', id: record().id });
    const late = await analyze('x');
    assertError(late, { status: 504, code: 'evaluation_timeout' });
    assert.match(late.json.result_url, /^\/api\/session\//);
  });

  it('refuses what it does not take, by its place [adapter.presidio-errors]', async () => {
    const count = ingress.checks.length;
    for (const [body, param, says] of [
      [{ language: 'en' }, 'text', /required/],
      [{ text: null, language: 'en' }, 'text', /./],
      [{ text: '', language: 'en' }, 'text', /No text provided/],
      [{ text: [], language: 'en' }, 'text', /No text provided/],
      [{ text: [null], language: 'en' }, 'text[0]', /./],
      [{ text: [['x']], language: 'en' }, 'text[0]', /./],
      [{ text: { a: 'x' }, language: 'en' }, 'text', /./],
      [{ text: Array.from({ length: 33 }, () => 'x'), language: 'en' }, 'text', /at most 32/],
      [{ text: 'x' }, 'language', /required/],
      [{ text: 'x', language: '' }, 'language', /No language provided/],
      [{ text: 'x', language: 'no such one' }, 'language', /code of a language/],
      [{ text: 'x', language: 'en', ad_hoc_recognizers: [{}] }, 'ad_hoc_recognizers', /not supported/],
      [{ text: 'x', language: 'en', context: ['card'] }, 'context', /not supported/],
      [{ text: 'x', language: 'en', allow_list: ['a'], allow_list_match: 'regex' }, 'allow_list_match', /exact/],
      [{ text: 'x', language: 'en', entities: 'CREDIT_CARD' }, 'entities', /./],
      [{ text: 'x', language: 'en', entities: [''] }, 'entities[0]', /./],
      [{ text: 'x', language: 'en', score_threshold: '1' }, 'score_threshold', /./],
      [{ text: 'x', language: 'en', correlation_id: 'x'.repeat(257) }, 'correlation_id', /./],
    ] as const) {
      const answer = await post('/analyze', body);
      assertError(answer, { status: 400, code: 'validation_failed', param }, JSON.stringify(body).slice(0, 80));
      assert.match(answer.json.error, says);
    }
    assertError(await analyze('x'.repeat(MIB + 1)), { status: 400, code: 'content_too_large', param: 'text' });
    assertError(await analyze(['x', 'x'.repeat(MIB + 1)]), {
      status: 400,
      code: 'content_too_large',
      param: 'text[1]',
    });
    assert.equal(ingress.checks.length, count);
  });

  it('replaces finds, and checks nothing for that [adapter.presidio-anonymize]', async () => {
    const count = ingress.checks.length;
    ingress.refusal = undefined;
    finds(found({ 'pii:CREDIT_CARD': [3, 22, 1] }));
    const text = `😀 ${CARD}.`;
    const { json } = await analyze(text);
    const answer = await post('/anonymize', { text, analyzer_results: json });
    assert.deepEqual(answer.json, {
      text: '😀 <CREDIT_CARD>.',
      items: [{ start: 2, end: 15, entity_type: 'CREDIT_CARD', text: '<CREDIT_CARD>', operator: 'replace' }],
    });
    assert.equal(ingress.checks.length, count + 1);
  });

  it('refuses finds and operators that are none [adapter.presidio-errors]', async () => {
    const span = { entity_type: 'A', start: 0, end: 1, score: 1 };
    const mask = { type: 'mask', masking_char: '*', chars_to_mask: 1, from_end: false };
    for (const [body, param] of [
      [{ text: 'x' }, 'analyzer_results'],
      [{ text: null, analyzer_results: [] }, 'text'],
      [{ text: ['x'], analyzer_results: [[]] }, 'text'],
      [{ text: '😀', analyzer_results: [{ ...span, end: 2 }] }, 'analyzer_results[0].end'],
      [{ text: 'x', analyzer_results: [{ ...span, start: -1 }] }, 'analyzer_results[0].start'],
      [{ text: 'xyz', analyzer_results: [{ ...span, start: 2 }] }, 'analyzer_results[0].start'],
      [{ text: 'x', analyzer_results: [{ ...span, start: 0.5 }] }, 'analyzer_results[0].start'],
      [{ text: 'x', analyzer_results: [{ ...span, entity_type: '' }] }, 'analyzer_results[0].entity_type'],
      [{ text: 'x', analyzer_results: [{ ...span, score: null }] }, 'analyzer_results[0].score'],
      [{ text: 'x', analyzer_results: Array.from({ length: 10_001 }, () => span) }, 'analyzer_results'],
      ...[
        [{ type: 'encrypt', key: 'WmZq4t7w!z%C&F)J' }, '.type'],
        [{ type: 'custom', lambda: 'x' }, '.type'],
        [{ type: 'toString' }, '.type'],
        [{ ...mask, masking_char: '**' }, '.masking_char'],
        [{ ...mask, masking_char: undefined }, '.masking_char'],
        [{ ...mask, chars_to_mask: 1.5 }, '.chars_to_mask'],
        [{ ...mask, from_end: null }, '.from_end'],
        [{ type: 'hash', hash_type: 'md5' }, '.hash_type'],
        [{ type: 'hash', salt: 'short' }, '.salt'],
      ].map(
        ([operator, field]) =>
          [
            { text: 'x', analyzer_results: [], anonymizers: { DEFAULT: operator } },
            `anonymizers.DEFAULT${field}`,
          ] as const,
      ),
    ] as const) {
      assertError(await post('/anonymize', body), { status: 400, code: 'validation_failed', param });
    }
    for (const name of ['a secret', 'a_secret', 'a "secret"].type', 'geheim é', '\n secret']) {
      for (const operator of [{ type: 'no' }, {}, { type: 5 }, { type: 'mask', from_end: 'x' }, 'replace']) {
        const secret = await post('/anonymize', { text: 'x', analyzer_results: [], anonymizers: { [name]: operator } });
        assert.equal(secret.status, 400, secret.text);
        assert.ok(!secret.text.includes('secret') && !secret.text.includes('geheim'), secret.text);
      }
    }
    const long = { DEFAULT: { type: 'replace', new_value: 'x'.repeat(MIB) } };
    const spans = Array.from({ length: 8 }, (_, i) => ({ ...span, start: 2 * i, end: 2 * i + 1 }));
    const large = await post('/anonymize', { text: 'x'.repeat(16), analyzer_results: spans, anonymizers: long });
    assertError(large, { status: 400, code: 'content_too_large', param: 'analyzer_results' });
    assertError(await post('/anonymize', { text: 'x'.repeat(MIB + 1), analyzer_results: [] }), {
      status: 400,
      code: 'content_too_large',
      param: 'text',
    });
  });
});

describe('Presidio, without a key', () => {
  const key = (id: string, rest: string): string =>
    `- {id: ${id}, team: acme, sha256: ${hashKey(id)}, deployments: [chat], default_deployment: chat, ${rest}}`;
  const directoryOf = (...keys: string[]): Directory => {
    const loaded = loadConfiguration(`
version: 1
teams: [{id: acme}]
keys:
${keys.join('\n')}
policies: [{id: ${POLICY}, team: acme, name: P, detect: {terms: {list: [x]}}}]
deployments: [{id: chat, team: acme, name: Chat}]
`);
    assert.ok(loaded.ok, JSON.stringify(loaded));
    return buildDirectory(loaded.configuration, { version: 1, id: '1-a@b' });
  };
  const here = 'without_key_from: [10.0.0.0/8, 127.0.0.0/8]';
  let directory = directoryOf(key('here', `scopes: [check], ${here}`));
  let allowed = true;
  const ingress = sharedIngress({}, { directory: () => directory, keyAllowed: () => allowed });
  const BODY = { text: 'x', language: 'en' };
  const status = async (headers: Record<string, string | undefined> = {}, path = '/analyze'): Promise<number> => {
    const body = path === '/anonymize' ? { text: 'x', analyzer_results: [] } : BODY;
    const asked = path === '/supportedentities' ? { method: 'GET', path } : { path, body };
    const answer = await ingress.call({ ...asked, headers: { authorization: undefined, ...headers } });
    return answer.status;
  };

  it('counts as the key that names its address [adapter.presidio-keyless]', async () => {
    assert.deepEqual(
      [await status(), await status({}, '/anonymize'), await status({}, '/supportedentities')],
      [200, 200, 200],
    );
    assert.equal(ingress.checks.at(-1)!.key, 'here');
    assert.equal(await ingress.figure('weir_http_keyless_total'), 3);
    assert.equal(await status({ authorization: 'Bearer here' }), 200);
    assert.equal(await ingress.figure('weir_http_keyless_total'), 3);
  });

  it('is a 401 with a wrong key, through a proxy, from a page, and elsewhere [adapter.presidio-keyless]', async () => {
    for (const headers of [
      { authorization: 'Bearer wrong' },
      { authorization: 'Basic YTpi' },
      { 'x-api-key': 'wrong' },
      { 'x-forwarded-for': '127.0.0.1' },
      { forwarded: 'for=10.0.0.1' },
      { via: '1.1 proxy' },
      { origin: 'http://127.0.0.1' },
    ]) {
      assert.equal(await status(headers), 401, JSON.stringify(headers));
    }
    for (const [path, body] of [
      ['/v1/moderations', { input: 'x' }],
      ['/api/session/check', { messages: [{ role: 'user', content: 'x' }] }],
    ] as const) {
      const answer = await ingress.call({ path, body, headers: { authorization: undefined } });
      assertError(answer, { status: 401, code: 'missing_api_key' });
    }
  });

  it('is a 401 where no key names its address, or that one counts no more [adapter.presidio-keyless]', async () => {
    const before = directory;
    for (const rest of [
      'without_key_from: [10.0.0.0/8, "::/0"]',
      'scopes: [check]',
      `${here}, expires_at: "2024-01-01T00:00:00Z"`,
    ]) {
      directory = directoryOf(key('other', rest));
      assert.equal(await status(), 401, rest);
    }
    directory = directoryOf(key('reader', `scopes: [read], ${here}`));
    assert.equal(await status(), 403);
    directory = before;
    allowed = false;
    assert.equal(await status(), 401, 'the public key');
    allowed = true;
    assert.equal(await status(), 200);
  });
});

describe('Presidio, where it is not named', () => {
  const ingress = sharedIngress({ dialects: USUAL_DIALECTS });

  it('is a 404 [adapter.off]', async () => {
    for (const [method, path] of [
      ['POST', '/analyze'],
      ['POST', '/anonymize'],
      ['GET', '/supportedentities'],
    ] as const) {
      const body = method === 'GET' ? {} : { body: { text: 'x', language: 'en', analyzer_results: [] } };
      const [answer] = await ingress.raw([request({ method, path, ...body })]);
      assertError(answer, { status: 404, code: 'not_found' });
    }
  });
});

import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { ApiError } from '#weir/shared/api/errors';
import { validateSession } from '#weir/shared/api/validate/validate';
import { newRequestId } from '#weir/shared/ids';
import { type Answer, assertError, record, recordItem, sharedIngress } from '../support.ts';

const PATH = '/beta/litellm_basic_guardrail_api';
const MIB = 1024 * 1024;

describe('the guardrail of LiteLLM', () => {
  const ingress = sharedIngress();
  const { call } = ingress;

  const ask = (body: unknown, headers: Record<string, string | undefined> = {}): Promise<Answer> =>
    call({ path: PATH, headers: { 'service-version': undefined, ...headers }, body });
  /** The body that reached the dispatcher, as JSON. */
  const dispatched = () => JSON.parse(ingress.checks.at(-1)!.body.toString());
  const verdict = (flagged: boolean, policies: unknown): void => {
    const fragments = [JSON.stringify(policies)];
    const made = record({ kind: 'session', items: [recordItem(1, { type: 'session', flagged })], fragments });
    ingress.outcome = async () => ({ status: 'done', record: made });
  };

  it('makes one session check of all messages and of texts that stand in none [adapter.litellm-texts]', async () => {
    verdict(false, {});
    const answer = await ask({
      texts: ['first', '', 'third "quoted" \ud800'],
      images: null,
      tools: [],
      structured_messages: [{ role: 'user', content: 'first' }],
      request_data: { user_api_key_alias: 'x' },
      input_type: 'request',
      litellm_call_id: 'call-1',
      litellm_trace_id: 'trace-1',
      additional_provider_specific_params: {},
    });
    assert.equal(answer.status, 200);
    assert.deepEqual(answer.json, { action: 'NONE' });
    const check = ingress.checks.at(-1)!;
    assert.deepEqual([check.kind, check.scope, check.affinity], ['session', 'chat', 'trace-1']);
    const beside = ['', 'third "quoted" \ud800'].map((text) => ({ type: 'text', text }));
    assert.deepEqual(dispatched(), {
      external_session_id: 'trace-1',
      messages: [
        { role: 'user', content: 'first' },
        { role: 'user', content: beside },
      ],
      metadata: { litellm_call_id: 'call-1', litellm_trace_id: 'trace-1', user_api_key_alias: 'x' },
    });
    const runs = [
      ['structured_messages', 0, 1],
      ['', 0, 1],
    ];
    assert.deepEqual(check.checked, { from: 0, runs });
    assert.equal(validateSession(dispatched(), check.body.length).ok, true);
  });

  it('sends on no context that nobody looks at', async () => {
    verdict(false, {});
    const structured_messages = [
      { role: 'system', content: 'be kind' },
      { role: 'user', content: 'first' },
      { role: 'assistant', content: 'one two' },
      { role: 'user', content: 'last' },
    ];
    const body = { texts: ['be kind', 'first', 'one ', 'two', 'last'], structured_messages };
    await ask(body, { authorization: 'Bearer internal' });
    assert.deepEqual(dispatched().messages, [{ role: 'user', content: 'last' }]);
    assert.deepEqual(ingress.checks.at(-1)!.checked, { from: 0, runs: [['structured_messages', 3, 1]] });
    const long = Array.from({ length: 500 }, () => ({ role: 'user', content: 'word '.repeat(400) }));
    await ask({ structured_messages: [...long, ...structured_messages] }, { authorization: 'Bearer internal' });
    assert.equal(ingress.checks.at(-1)!.lane, 'fast', 'nor does it choose the lane');
    await ask(body, { authorization: 'Bearer masking' });
    assert.equal(dispatched().messages.length, 6, 'policies that redact look at all of it');
    assert.equal(ingress.checks.at(-1)!.checked!.from, 5);
  });

  it('takes a response for output, and everything else for input', async () => {
    for (const [type, role] of [
      ['response', 'assistant'],
      ['request', 'user'],
      [null, 'user'],
    ]) {
      await ask({ texts: ['x'], input_type: type });
      assert.equal(dispatched().messages[0].role, role);
    }
    assert.equal((await ask({ texts: ['x'], input_type: 'both' })).error.param, 'input_type');
  });

  it('keeps no id of a call that is not a short string', async () => {
    for (const id of [42, {}, '', 'x'.repeat(257), null]) {
      assert.equal((await ask({ texts: ['x'], litellm_call_id: id, litellm_trace_id: id })).status, 200);
      assert.deepEqual(dispatched().metadata, {});
    }
  });

  it('blocks with the names of the violated policies, and without a word of the content [adapter.litellm]', async () => {
    const policy = (name: string, flagged: boolean) => ({ name, flagged, flagged_source: flagged ? ['text'] : [] });
    verdict(true, { a: policy('Payment data', true), b: policy('Clean', false), c: policy('Credentials', true) });
    const answer = await ask({ texts: ['my secret words'] });
    assert.deepEqual(answer.json, {
      action: 'BLOCKED',
      blocked_reason: 'The content violates: Payment data, Credentials.',
    });
    assert.ok(!answer.text.includes('secret'));
    const many = Array.from({ length: 25 }, (_, i) => [`p${i}`, policy(`P${i}`, true)]);
    verdict(true, Object.fromEntries(many));
    assert.match((await ask({ texts: ['x'] })).json.blocked_reason, /, P19 and 5 more\.$/);
    verdict(true, {});
    assert.deepEqual((await ask({ texts: ['x'] })).json, {
      action: 'BLOCKED',
      blocked_reason: 'The content could not be checked.',
    });
  });

  describe('of a deployment with a policy that redacts', () => {
    const SAID = 'é my card';
    const headers = { authorization: 'Bearer masking' };
    /** The check has marks over what `SAID` ends with, in its first text. */
    const marked = (more: object): void => {
      ingress.outcome = async (request) => {
        const body = request.body.toString();
        const bytesTo = (text: string, behind = 0) => Buffer.byteLength(body.slice(0, body.indexOf(text) + behind));
        const start = bytesTo('"content":', '"content":'.length);
        const cut = bytesTo('card"');
        const at = [start, bytesTo('],"tool_calls"', 1) || bytesTo('}],"metadata"')];
        const marks = { at, texts: ['[CREDIT_CARD]'], cuts: [cut - start, 4, 0], ...more };
        const fragments = ['{"a":{"name":"Cards","flagged":true,"flagged_source":["text"]}}', JSON.stringify(marks)];
        const items = [recordItem(1, { type: 'session', flagged: true, marks: 1 })];
        return { status: 'done', record: record({ kind: 'session', items, fragments }) };
      };
    };

    it('lets a call pass with its texts changed and its images as they came [adapter.litellm-redact]', async () => {
      marked({});
      const images = ['https://host.example/a.png', 'AAAA'];
      const answer = await ask({ texts: [SAID, 'and more'], images }, headers);
      const texts = ['é my [CREDIT_CARD]', 'and more'];
      assert.deepEqual(answer.json, { action: 'GUARDRAIL_INTERVENED', texts, images });
      assert.equal(ingress.checks.at(-1)!.redact, true);
      assert.deepEqual((await ask({ texts: [SAID] }, headers)).json, {
        action: 'GUARDRAIL_INTERVENED',
        texts: texts.slice(0, 1),
      });
    });

    it('blocks where a policy does not let it pass, or it cannot be redacted', async () => {
      const blocked = { action: 'BLOCKED', blocked_reason: 'The content violates: Cards.' };
      marked({ blocked: 1 });
      assert.deepEqual((await ask({ texts: [SAID] }, headers)).json, blocked);
      marked({ at: undefined, why: 'it has too many' });
      assert.deepEqual((await ask({ texts: [SAID] }, headers)).json, blocked);
      verdict(true, { a: { name: 'Cards', flagged: true, flagged_source: ['text'] } });
      assert.deepEqual((await ask({ texts: [SAID] }, headers)).json, blocked);
    });

    it('asks no other deployment for marks', async () => {
      verdict(false, {});
      await ask({ texts: [SAID] });
      assert.equal('redact' in ingress.checks.at(-1)!, false);
    });
  });

  it('makes calls and definitions of tools a part of the message, as they were written [adapter.litellm-calls]', async () => {
    verdict(false, {});
    const call = '{"id":"c","function":{"name":"pay","arguments":{"card":4111111111111111111}}}';
    const tool = '{"type":"function","function":{"name":"pay","description":"d"}}';
    const cases: [body: string, calls: string, role: string][] = [
      [`{"texts":[],"tool_calls":[${call}],"input_type":"response"}`, call, 'assistant'],
      [`{"tools": [${tool}], "texts": ["x"], "tool_calls": [${call}, ${call}]}`, `${tool},${call},${call}`, 'user'],
      [`{"texts":[],"structured_messages":[{"role":"user","content":"x"}],"tool_calls":[${call}]}`, call, 'user'],
    ];
    for (const [body, calls, role] of cases) {
      const answer = await ask(body);
      assert.deepEqual(answer.json, { action: 'NONE' });
      const sent = ingress.checks.at(-1)!.body.toString();
      assert.ok(sent.includes(`"tool_calls":[${calls}]`), sent);
      assert.equal(dispatched().messages[0].role, role);
    }
    const known = `{"structured_messages":[{"role":"assistant","tool_calls":[${call}]}],"tool_calls":[${call}]}`;
    await ask(known);
    assert.equal(dispatched().messages.length, 1, 'a call that stands in a message is none beside it');
    const long = await ask({ texts: [], tool_calls: ['x'.repeat(MIB)] });
    assert.equal(long.error.code, 'content_too_large');
  });

  it('lets a call without texts pass, and makes no check of it', async () => {
    const before = ingress.checks.length;
    for (const body of [{}, { texts: [] }, { texts: null, images: [] }, { texts: [], tool_calls: [], tools: null }]) {
      assert.deepEqual((await ask(body)).json, { action: 'NONE' });
    }
    assert.equal(ingress.checks.length, before);
    assert.match(await ingress.registry.metrics(), /weir_http_pending_bytes 0\n/);
  });

  it('refuses images that are not a list, and more images than a check may have', async () => {
    for (const [images, param] of [
      [[42], 'images[0]'],
      [new Array(50_000).fill(''), 'images'],
    ] as const) {
      const answer = await ask({ texts: ['x'], images });
      assertError(answer, { status: 400, code: 'validation_failed', param });
    }
  });

  it('takes 1,000 texts and 1 MiB of them, and not one more', async () => {
    verdict(false, {});
    const cases: [texts: unknown[], code: string][] = [
      [new Array(1000).fill('x'), ''],
      [new Array(1001).fill('x'), 'validation_failed'],
      [new Array(300_000).fill({}), 'validation_failed'],
      [['é'.repeat(MIB / 4), 'x'.repeat(MIB / 2)], ''],
      [['é'.repeat(MIB / 4), 'x'.repeat(MIB / 2), 'x'], 'content_too_large'],
    ];
    for (const [texts, code] of cases) {
      const answer = await ask({ texts });
      assert.equal(answer.error?.code ?? '', code);
      if (code !== '') assert.equal(answer.error.param, 'texts');
      else assert.equal(dispatched().messages[0].content.length, texts.length);
    }
  });

  it('refuses a body of another shape, without quoting it', async () => {
    const before = ingress.checks.length;
    const deep = `{"texts":[],"tools":${'['.repeat(70)}${']'.repeat(70)}}`;
    const cases: [body: unknown, param: string | undefined][] = [
      ['null', undefined],
      ['[]', undefined],
      ['"secret"', undefined],
      [deep, undefined],
      [{ texts: 'secret' }, 'texts'],
      [{ texts: ['x', 42] }, 'texts[1]'],
      [{ texts: ['x'], images: 'secret' }, 'images'],
      [{ text: 'secret' }, 'text'],
      [{ messages: [{ content: 'secret' }] }, 'messages'],
    ];
    for (const [body, param] of cases) {
      const answer = await ask(body);
      assertError(answer, { status: 400, code: 'validation_failed', param }, JSON.stringify(body));
      assert.ok(!answer.text.includes('secret'));
    }
    // Allowed in addition to texts.
    assert.equal((await ask({ texts: ['x'], messages: [], text: 'y' })).status, 200);
    assert.equal(ingress.checks.length, before + 1);
    assert.equal((await ask('{"texts":')).error.code, 'invalid_json');
    assert.equal((await ask('{}', { 'content-type': 'text/plain' })).status, 415);
    assert.equal(ingress.checks.length, before + 1);
  });

  it('answers as a session check does when there is no verdict, so that the gateway decides', async () => {
    const error = { status: 503, code: 'unavailable', message: 'A policy could not be evaluated.' };
    ingress.outcome = async () => ({ status: 'done', record: record({ kind: 'session', error }) });
    const failed = await ask({ texts: ['x'] });
    assert.deepEqual([failed.status, failed.error.code], [503, 'unavailable']);
    const lasting = { status: 422, code: 'not_evaluable', message: '1 policy could not be evaluated' };
    ingress.outcome = async () => ({ status: 'done', record: record({ kind: 'session', error: lasting }) });
    const never = await ask({ texts: ['x'] });
    assertError(never, { status: 422, code: 'not_evaluable', message: lasting.message });
    assert.equal(never.headers['retry-after'], undefined);
    ingress.outcome = async () => ({ status: 'timeout', id: newRequestId(0) });
    const late = await ask({ texts: ['x'] });
    assert.equal(late.status, 504);
    assert.match(late.error.result?.result_url ?? '', /^\/api\/session\/.+\?deployment_id=chat$/);
    ingress.refusal = new ApiError('overloaded', 'Too much.');
    assert.equal((await ask({ texts: ['x'] })).status, 503);
    ingress.refusal = undefined;
  });

  it('takes the key from either header, and refuses two different keys [adapter.litellm-key]', async () => {
    verdict(false, {});
    const cases: [headers: Record<string, string | undefined>, status: number][] = [
      [{ authorization: undefined, 'x-api-key': 'good' }, 200],
      [{ 'x-api-key': 'good' }, 200],
      [{ authorization: undefined }, 401],
      [{ authorization: undefined, 'x-api-key': '' }, 401],
      [{ authorization: undefined, 'x-api-key': 'unknown' }, 401],
      [{ authorization: undefined, 'x-api-key': 'expired' }, 401],
      [{ authorization: undefined, 'x-api-key': 'good\r\nx-api-key: good' }, 401],
      [{ 'x-api-key': 'writer' }, 401],
      [{ authorization: 'Bearer writer', 'x-api-key': 'good' }, 401],
      [{ authorization: 'Basic good', 'x-api-key': 'good' }, 401],
      [{ authorization: 'Bearer unknown', 'x-api-key': 'good' }, 401],
      [{ authorization: undefined, 'x-api-key': 'reader' }, 403],
    ];
    for (const [headers, status] of cases) {
      assert.equal((await ask({ texts: ['x'] }, headers)).status, status, JSON.stringify(headers));
    }
    const elsewhere = await call({
      path: '/api/session/check',
      headers: { authorization: undefined, 'x-api-key': 'good' },
      body: { messages: [{ role: 'user', content: 'x' }] },
    });
    assertError(elsewhere, { status: 401, code: 'missing_api_key' });
  });

  it('needs no version, and tells a key without a default deployment what to configure [adapter.litellm-key]', async () => {
    for (const version of ['2025-12-01', '1999-01-01', 'x']) {
      assert.equal((await ask({ texts: ['x'] }, { 'service-version': version })).status, 200);
    }
    for (const texts of [['x'], []]) {
      const answer = await ask({ texts }, { authorization: 'Bearer bare' });
      assert.equal(answer.status, 400);
      assert.match(answer.error.message, /Set default_deployment of the key/);
    }
  });
});

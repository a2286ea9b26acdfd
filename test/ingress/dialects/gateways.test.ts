import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { ApiError } from '#weir/shared/api/errors';
import { validateSession } from '#weir/shared/api/validate/validate';
import { newRequestId } from '#weir/shared/ids';
import { type Answer, record, recordItem, sharedIngress } from '../support.ts';
import { GATEWAYS, type GatewayUnderTest } from './gateways.ts';

const MIB = 1024 * 1024;
const user = (content: unknown, more: object = {}) => ({ role: 'user', content, ...more });
const assistant = (content: unknown, more: object = {}) => ({ role: 'assistant', content, ...more });

for (const gateway of GATEWAYS) describe(`a call of ${gateway.name}`, () => tests(gateway));

function tests(gateway: GatewayUnderTest): void {
  const ingress = sharedIngress();
  const key = gateway.keyHeaderOnly ? { authorization: undefined, 'x-api-key': 'good' } : {};
  const send = (body: unknown, headers: Record<string, string | undefined> = {}): Promise<Answer> =>
    ingress.call({ path: gateway.path, headers: { 'service-version': undefined, ...key, ...headers }, body });
  const ask = (messages: unknown, key = 'good', more?: object): Promise<Answer> =>
    send(gateway.prompt(messages, more), { authorization: undefined, 'x-api-key': key });
  const dispatched = () => JSON.parse(ingress.checks.at(-1)!.body.toString());
  const verdict = (flagged: boolean, policies: unknown): void => {
    const fragments = [JSON.stringify(policies)];
    const made = record({ kind: 'session', items: [recordItem(1, { type: 'session', flagged })], fragments });
    ingress.outcome = async () => ({ status: 'done', record: made });
  };
  const policy = (name: string, flagged: boolean) => ({ name, flagged, flagged_source: flagged ? ['text'] : [] });
  const assertRefused = (answer: Answer, reason: string, policies: string[], message?: string): void => {
    const told = gateway.refused(reason, policies);
    if (told !== undefined) assert.deepEqual(answer.json, told, message);
    else assert.deepEqual([answer.status, answer.error.code, answer.error.message], [403, 'content_refused', reason]);
  };
  /** Nothing was checked, and the answer lets nothing pass. */
  const assertError = (answer: Answer, code: string, param?: string): void => {
    assert.equal(answer.error?.code, code, answer.text);
    if (param !== undefined) assert.equal(answer.error.param ?? '', param);
    assert.notDeepEqual(answer.json, gateway.clean);
    if (gateway.name === 'portkey') {
      assert.deepEqual([answer.status, answer.json.verdict], [200, false], 'with another status it would let it pass');
    } else assert.equal(answer.status >= 400, true);
    if (gateway.name === 'agentgateway') assert.equal('action' in answer.json, false, 'that would let it pass');
  };

  it(`has its newest turn checked, by its roles [adapter.${gateway.name}]`, async () => {
    verdict(false, {});
    const conversation = [
      { role: 'system', content: 'be kind' },
      user('first'),
      assistant('one two'),
      { role: 'tool', content: 'from a tool', tool_call_id: 'c' },
      user('last', { unknown: 'read', metadata: { user: { id: 'somebody else' } } }),
    ];
    assert.deepEqual((await ask(conversation, 'internal')).json, gateway.clean, 'nothing else is in its answer');
    const check = ingress.checks.at(-1)!;
    assert.deepEqual([check.kind, check.scope], ['session', 'internal']);
    assert.deepEqual(dispatched().messages, [
      { role: 'tool', content: 'from a tool', tool_call_id: 'c' },
      { role: 'user', content: 'last', unknown: 'read' },
    ]);
    assert.equal(check.checked!.from, 0);
    await ask(conversation);
    assert.equal(dispatched().messages.length, 5, 'policies that look back have all of it');
    assert.equal(ingress.checks.at(-1)!.checked!.from, 3);
    assert.equal(validateSession(dispatched(), ingress.checks.at(-1)!.body.length).ok, true);
  });

  it('is told to refuse, with the names of policies and without a word of the content', async () => {
    verdict(true, { a: policy('Payment data', true) });
    const answer = await ask([user('my secret words')]);
    assertRefused(answer, 'The content violates: Payment data.', ['Payment data']);
    assert.ok(!answer.text.includes('secret'));
    verdict(true, {});
    assertRefused(await ask([user('x')]), 'The content could not be checked.', []);
  });

  it('has its images checked, and is not told to go on where one cannot be', async () => {
    verdict(false, {});
    const image = { type: 'image_url', image_url: { url: 'https://host.example/a.png' } };
    assert.deepEqual((await ask([user([{ type: 'text', text: 'look' }, image])])).json, gateway.clean);
    assert.equal(ingress.checks.at(-1)!.images, 1);
    const before = ingress.checks.length;
    const cases: [content: unknown, at: string][] = [
      [
        [
          { type: 'text', text: 'x' },
          { type: 'image_file', image_file: { file_id: 'f' } },
        ],
        '[1].content[1]',
      ],
      [[{ type: 'input_audio', input_audio: { data: 'AAAA', format: 'wav' } }], '[1].content[0]'],
      [
        [{ type: 'document', source: { type: 'base64', media_type: 'application/pdf', data: 'AAAA' } }],
        '[1].content[0]',
      ],
      ...(
        [
          { fileData: { fileUri: 'https://host.example/a' } },
          { file_data: { file_uri: 'https://host.example/a' } },
          { video_url: 'https://host.example/a' },
          { audio_url: { url: 'https://host.example/a' } },
          { type: 'text', text: 'hi', audio_url: { url: 'https://host.example/a' } },
          { type: 'input_file', file_url: 'https://host.example/a', source: { type: 'text' } },
          { type: 'input_file', file_id: 'f', media_type: 'text/plain' },
          { type: 'container_upload', file_id: 'f' },
          { type: 'image_embeds', image_embeds: 'AAAA' },
        ] as unknown[]
      ).map((part): [unknown, string] => [[part], '[1].content[0]']),
      [new Array(17).fill(image), ''],
    ];
    for (const [content, at] of cases) {
      const answer = await ask([{ role: 'system', content: 'x' }, user(content)]);
      if (at === '') assertError(answer, 'validation_failed', gateway.whole);
      else assertError(answer, 'unsupported_content_part', `${gateway.at}${at}`);
    }
    assert.equal(ingress.checks.length, before);
  });

  it('has tools, calls and what is written in unknown members checked', async () => {
    verdict(false, {});
    const call = { id: 'c', function: { name: 'pay', arguments: '{"card":"4111"}' } };
    await ask([user('x'), assistant(null, { tool_calls: [call] })]);
    const sent = ingress.checks.at(-1)!.body.toString();
    assert.ok(sent.includes(JSON.stringify(call)), sent);
    assert.equal(dispatched().messages.at(-1).role, 'assistant');
    for (const content of [null, '', [], 42, { text: 'x' }, [null, 'x', 42]]) {
      assert.deepEqual((await ask([user(content)])).json, gateway.clean, JSON.stringify(content));
      assert.equal(validateSession(dispatched(), ingress.checks.at(-1)!.body.length).ok, true);
    }
    for (const role of [null, 42, 'somebody', 'Human', 'function']) {
      assert.deepEqual((await ask([{ role, content: 'x' }])).json, gateway.clean, String(role));
    }
  });

  it('is clean where there is nothing in it, and no check is made', async () => {
    const before = ingress.checks.length;
    assert.deepEqual((await ask([])).json, gateway.clean);
    assert.equal(ingress.checks.length, before);
    assert.match(await ingress.registry.metrics(), /weir_http_pending_bytes 0\n/);
  });

  it('is answered by an error where there is no verdict, never by a clean one', async () => {
    const failed = (status: number, code: string) => {
      const error = { status, code, message: 'A policy could not be evaluated.' };
      ingress.outcome = async () => ({ status: 'done', record: record({ kind: 'session', error }) });
    };
    failed(503, 'unavailable');
    assertError(await ask([user('x')]), 'unavailable');
    failed(422, 'not_evaluable');
    assertError(await ask([user('x')]), 'not_evaluable');
    ingress.outcome = async () => ({ status: 'timeout', id: newRequestId(0) });
    const late = await ask([user('x')]);
    assertError(late, 'evaluation_timeout');
    assert.match(late.text, /\/api\/session\/.+\?deployment_id=chat/);
    ingress.refusal = new ApiError('overloaded', 'Too much.');
    assertError(await ask([user('x')]), 'overloaded');
    ingress.refusal = undefined;
  });

  it('is an error where it is too much, or of another shape, without being quoted', async () => {
    verdict(false, {});
    assert.deepEqual((await ask([user('x'.repeat(MIB))])).json, gateway.clean);
    assertError(await ask([user('x'.repeat(MIB)), user('y')]), 'content_too_large', gateway.whole);
    assertError(await ask(new Array(10_001).fill({})), 'validation_failed', gateway.whole);
    const before = ingress.checks.length;
    const deep = `{"x":${'['.repeat(70)}${']'.repeat(70)}}`;
    const misshapen = ['null', '[]', '"secret"', '{}', '42', ...gateway.misshapen];
    for (const body of [deep, ...(gateway.misshapen.length > 0 ? misshapen : [])]) {
      const answer = await send(body);
      assertError(answer, 'validation_failed');
      assert.ok(!answer.text.includes('secret'));
    }
    assertError(await send('{"body":'), 'invalid_json');
    assertError(await send('{}', { 'content-type': 'application/x-www-form-urlencoded' }), 'unsupported_media_type');
    assertError(await send('{}', { 'content-encoding': 'gzip' }), 'unsupported_media_type');
    assert.equal(ingress.checks.length, before);
  });

  it('brings its key in either header, and the key needs a default deployment', async () => {
    verdict(false, {});
    const body = gateway.prompt([user('x')]);
    assert.deepEqual((await send(body)).json, gateway.clean);
    assertError(await send(body, { authorization: undefined, 'x-api-key': undefined }), 'missing_api_key');
    const both = await send(body, { authorization: 'Bearer unknown', 'x-api-key': 'good' });
    if (gateway.keyHeaderOnly) {
      assert.deepEqual(both.json, gateway.clean, 'it is of the original request');
      assertError(await send(body, { authorization: 'Bearer good', 'x-api-key': undefined }), 'missing_api_key');
      assertError(await send(body, { authorization: 'Bearer good', 'x-api-key': 'unknown' }), 'invalid_api_key');
    } else assertError(both, 'invalid_api_key');
    assertError(await ask([user('x')], 'reader'), 'permission_denied');
    assertError(await ask([user('x')], 'bare'), 'validation_failed');
    assertError(await ask([], 'bare'), 'validation_failed');
  });

  const { marked } = gateway;
  if (!marked) return;

  it('goes on with marks where every violated policy redacts, in earlier messages too', async () => {
    const messages = [
      user([{ type: 'text', text: 'é my card' }]),
      assistant('yes'),
      user('and more'),
      user('and more'),
    ];
    /** A check with marks over `card`, wherever it stands. */
    const mark = (more: object): void => {
      ingress.outcome = async (request) => {
        const body = request.body;
        const start = body.indexOf('"messages":') + '"messages":'.length;
        const cut = body.indexOf('card');
        const at = [start, body.lastIndexOf(',"metadata":{')];
        const marks = { at, texts: ['[CARD]'], cuts: [cut - start, 4, 0], ...more };
        const fragments = [JSON.stringify({ a: policy('Cards', true) }), JSON.stringify(marks)];
        const items = [recordItem(1, { type: 'session', flagged: true, marks: 1 })];
        return { status: 'done', record: record({ kind: 'session', items, fragments }) };
      };
    };
    mark({});
    const changed = [user([{ type: 'text', text: 'é my [CARD]' }]), ...messages.slice(1)];
    assert.deepEqual((await ask(messages, 'masking')).json, marked(changed));
    assert.equal(ingress.checks.at(-1)!.redact, true);
    const refused = gateway.refused('The content violates: Cards.', ['Cards']);
    mark({ blocked: 1 });
    assert.deepEqual((await ask(messages, 'masking')).json, refused);
    mark({});
    const call = { function: { name: 'pay', arguments: 'card' } };
    const beside = await ask([assistant(null, { tool_calls: [call] })], 'masking');
    assert.deepEqual(beside.json, refused, 'what is no text cannot be changed');
    verdict(true, { a: policy('Cards', true) });
    assert.deepEqual((await ask(messages, 'masking')).json, refused, 'the marks are not there');
  });
}

describe('an answer of a model that agentgateway asks about', () => {
  const ingress = sharedIngress();
  const ask = (choices: unknown, key = 'good'): Promise<Answer> =>
    ingress.call({
      path: '/response',
      headers: { 'service-version': undefined, authorization: `Bearer ${key}` },
      body: { body: { choices } },
    });
  const dispatched = () => JSON.parse(ingress.checks.at(-1)!.body.toString());

  it('is output, whatever its role says, and all choices are checked [adapter.agentgateway-answers]', async () => {
    const roles = ['assistant', '', 'user', undefined];
    const choices = roles.map((role) => ({
      message: { ...(role === undefined ? {} : { role }), content: `by ${role}` },
    }));
    assert.equal((await ask(choices)).status, 200);
    assert.deepEqual(
      dispatched().messages,
      roles.map((role) => ({ role: 'assistant', content: `by ${role}` })),
    );
    assert.equal(ingress.checks.at(-1)!.checked!.from, 0);
  });

  it('comes back as choices where it is redacted', async () => {
    ingress.outcome = async (request) => {
      const start = request.body.indexOf('"messages":') + '"messages":'.length;
      const at = [start, request.body.indexOf(',"metadata":{}}')];
      const marks = { at, texts: ['[CARD]'], cuts: [request.body.indexOf('card') - start, 4, 0] };
      const fragments = ['{"a":{"name":"Cards","flagged":true,"flagged_source":["text"]}}', JSON.stringify(marks)];
      const items = [recordItem(1, { type: 'session', flagged: true, marks: 1 })];
      return { status: 'done', record: record({ kind: 'session', items, fragments }) };
    };
    const { json } = await ask([{ message: { role: '', content: 'my card' } }], 'masking');
    const choices = [{ message: { role: '', content: 'my [CARD]' } }];
    assert.deepEqual(json, { action: { body: { choices }, reason: 'Texts were redacted.' } });
  });

  it('is an error where a choice has no message', async () => {
    const answer = await ask([{ message: { content: 'x' } }, { text: 'secret' }]);
    assert.deepEqual([answer.status, answer.error.param], [400, 'body.choices[1].message']);
  });
});

describe('what Portkey and Envoy hand on of calls of models', () => {
  const ingress = sharedIngress();
  const ask = (side: 'request' | 'response', json: unknown, more: object = {}): Promise<Answer> =>
    ingress.call({
      path: '/portkey/webhook',
      headers: { 'service-version': undefined, authorization: 'Bearer internal' },
      body: { eventType: side === 'request' ? 'beforeRequestHook' : 'afterRequestHook', [side]: { json }, ...more },
    });
  /** Role and texts of the messages that are checked, and what is checked beside them. */
  const checked = (): [messages: unknown[], beside: unknown[]] => {
    const { messages } = JSON.parse(ingress.checks.at(-1)!.body.toString());
    const from = ingress.checks.at(-1)!.checked?.from ?? 0;
    const [own, other] = [[] as unknown[], [] as unknown[]];
    for (const { role, content, tool_calls, ...rest } of messages.slice(from)) {
      if (Array.isArray(content) && content.length === 0 && tool_calls) other.push(...tool_calls);
      else
        own.push([role, content, ...(tool_calls ? [tool_calls] : []), ...(Object.keys(rest).length > 0 ? [rest] : [])]);
    }
    return [own, other];
  };

  it('is read in the forms of several models, with what stands beside the messages [adapter.portkey] [adapter.portkey-beside]', async () => {
    const tool = { type: 'function', function: { name: 'pay', description: 'd' } };
    const cases: [json: unknown, messages: unknown[], beside: unknown[]][] = [
      [
        { model: 'm', user: 'u', temperature: 1, messages: [user('x')], tools: [tool], stop: 'end' },
        [['user', 'x']],
        [{ tools: tool }, { stop: 'end' }],
      ],
      [{ system: 'be kind', messages: [user('x')] }, [['user', 'x']], []],
      [{ messages: [user('x')], system: [{ type: 'text', text: 'be kind' }] }, [['user', 'x']], []],
      [{ input: 'x', instructions: 'be kind', metadata: { a: 'b' } }, [['user', 'x']], []],
      [
        { input: ['x', { role: 'user', content: 'y' }] },
        [
          ['user', 'x'],
          ['user', 'y'],
        ],
        [],
      ],
      [
        { prompt: ['x', 'y'], suffix: 'z' },
        [
          ['user', 'x'],
          ['user', 'y'],
        ],
        [{ suffix: 'z' }],
      ],
      [{ prompt: { id: 'p', variables: { a: 'x' } } }, [], [{ prompt: { id: 'p', variables: { a: 'x' } } }]],
      [
        { contents: [{ role: 'user', parts: [{ text: 'x' }] }], systemInstruction: { parts: [{ text: 'be kind' }] } },
        [['user', '', { parts: [{ text: 'x' }] }]],
        [],
      ],
      [{ query: 'x', documents: ['y'], top_n: 3 }, [], [{ query: 'x', documents: ['y'], top_n: 3 }]],
      ['x', [['user', 'x']], []],
      [['x', 1], [], [{ body: ['x', 1] }]],
      [4111111111111111, [], [{ body: 4111111111111111 }]],
    ];
    for (const [json, messages, beside] of cases) {
      assert.deepEqual((await ask('request', json)).json, { verdict: true, data: {} }, JSON.stringify(json));
      assert.deepEqual(checked(), [messages, beside], JSON.stringify(json));
      assert.equal(validateSession(JSON.parse(ingress.checks.at(-1)!.body.toString())).ok, true);
    }
  });

  it('hides nothing in what a model may not read: of two conversations both are checked', async () => {
    await ask('request', { prompt: 'evil', messages: [user('x'), assistant('y')] });
    assert.deepEqual(checked()[0], [
      ['user', 'evil'],
      ['user', 'x'],
      ['assistant', 'y'],
    ]);
    await ask('request', '{}');
    const before = ingress.checks.length;
    for (const json of [
      { prompt: 'x', image: 'iVBORw0KGgoAAAANSUhEUgAAAAEAAAAB' },
      { file: { file_id: 'f', file_data: 'x' } },
    ]) {
      const answer = await ask('request', json);
      assert.deepEqual([answer.json.verdict, answer.error.code], [false, 'unsupported_content_part'], answer.text);
    }
    assert.equal(ingress.checks.length, before);
  });

  it('is output where a model wrote it', async () => {
    const call = { id: 'c', type: 'function', function: { name: 'pay', arguments: '{}' } };
    const cases: [json: unknown, messages: unknown[], beside: unknown[]][] = [
      [
        {
          id: 'r',
          object: 'chat.completion',
          usage: { total_tokens: 3 },
          citations: ['c'],
          choices: [
            { index: 0, finish_reason: 'stop', message: { role: 'assistant', content: 'x', refusal: null } },
            { index: 1, message: { role: 'user', content: null, tool_calls: [call] } },
            { text: 'y', note: 'n' },
          ],
        },
        [
          ['assistant', 'x', { refusal: null }],
          ['assistant', '', [call]],
          ['assistant', 'y'],
        ],
        [{ citations: ['c'] }, { note: 'n' }],
      ],
      [
        {
          object: 'response',
          instructions: 'be kind',
          output: [{ type: 'message', role: 'assistant', content: [{ type: 'output_text', text: 'x' }] }],
        },
        [['assistant', [{ type: 'output_text', text: 'x' }], { type: 'message' }]],
        [],
      ],
      [
        { type: 'message', role: 'assistant', content: [{ type: 'text', text: 'x' }] },
        [['assistant', [{ type: 'text', text: 'x' }]]],
        [],
      ],
      [
        { candidates: [{ content: { role: 'model', parts: [{ text: 'x' }] } }] },
        [['assistant', '', { parts: [{ text: 'x' }] }]],
        [],
      ],
      [{ answer: 'x' }, [], [{ answer: 'x' }]],
      ['x', [['assistant', 'x']], []],
    ];
    for (const [json, messages, beside] of cases) {
      assert.deepEqual((await ask('response', json)).json, { verdict: true, data: {} }, JSON.stringify(json));
      assert.deepEqual(checked(), [messages, beside], JSON.stringify(json));
      const { messages: all } = JSON.parse(ingress.checks.at(-1)!.body.toString());
      assert.ok(all.every(({ role }: { role: string }) => role === 'assistant'));
    }
  });

  it('has numbers as they were written', async () => {
    const json =
      '{"messages":[{"role":"user","content":"x","n":4111111111111111222}],"more":{"n":4111111111111111333}}';
    await ingress.call({
      path: '/portkey/webhook',
      headers: { 'service-version': undefined, authorization: 'Bearer internal' },
      body: `{"eventType":"beforeRequestHook","request":{"json":${json}}}`,
    });
    const sent = ingress.checks.at(-1)!.body.toString();
    assert.ok(sent.includes('"n":4111111111111111222') && sent.includes('{"more":{"n":4111111111111111333}}'), sent);
  });

  it('says whose it is, and to which conversation it belongs', async () => {
    const metadata = { _user: 'user-1', session_id: 'chat-1', other: 'x' };
    await ask('request', { messages: [user('x')] }, { metadata, provider: 'openai', requestType: 'chatComplete' });
    const { external_session_id, metadata: kept } = JSON.parse(ingress.checks.at(-1)!.body.toString());
    assert.deepEqual(
      [external_session_id, kept],
      ['chat-1', { provider: 'openai', requestType: 'chatComplete', user: { id: 'user-1' } }],
    );
    for (const odd of [null, 'x', ['y'], { _user: 42, session_id: 'x'.repeat(257) }]) {
      await ask('request', { messages: [user('x')] }, { metadata: odd, provider: 42 });
      assert.deepEqual(JSON.parse(ingress.checks.at(-1)!.body.toString()).metadata, {});
    }
  });

  it('is refused where the side that is asked about is not there, or is empty of what was said [adapter.portkey-errors]', async () => {
    for (const json of [undefined, null]) {
      const answer = await ask('response', json, { request: { json: { messages: [user('x')] } } });
      assert.deepEqual([answer.status, answer.json.verdict, answer.error.param], [200, false, 'response.json']);
    }
    await ask(
      'request',
      { messages: [user('x')] },
      { request: { json: { messages: [user('x')] }, text: 'elsewhere' } },
    );
    assert.deepEqual(checked(), [[['user', 'x']], [{ text: 'elsewhere' }]]);
    const get = await ingress.call({ method: 'GET', path: '/portkey/webhook', headers: {} });
    assert.equal(get.status, 405);
  });
});

describe('a request that Envoy asks about', () => {
  const ingress = sharedIngress();
  const ask = (method: string, body: string | Buffer | undefined, headers: Record<string, string | undefined> = {}) =>
    ingress.call({
      method,
      path: '/envoy/authz/v1/chat/completions',
      headers: { 'service-version': undefined, authorization: undefined, 'x-api-key': 'internal', ...headers },
      ...(body === undefined ? {} : { body }),
    });
  const contents = () =>
    JSON.parse(ingress.checks.at(-1)!.body.toString()).messages.map(({ content }: { content: unknown }) => content);

  it('may have any path and method [adapter.envoy-paths]', async () => {
    const body = JSON.stringify({ messages: [user('x')] });
    for (const method of ['POST', 'PUT', 'PATCH', 'DELETE', 'GET', 'REPORT']) {
      assert.deepEqual((await ask(method, body)).json, { allowed: true }, method);
      assert.deepEqual(contents(), ['x']);
    }
    for (const path of ['/envoy/authz/', '/envoy/authz/a/b/c', '/envoy/authz/%2e%2e/x?api-key=1']) {
      const answer = await ingress.call({ path, headers: { 'service-version': undefined, 'x-api-key': 'good' }, body });
      assert.equal(answer.status, 200, path);
    }
    const elsewhere = await ingress.call({ path: '/envoy/authz', headers: { 'x-api-key': 'good' }, body });
    assert.equal(elsewhere.status, 404);
  });

  it('passes without a body only where its method has none [adapter.envoy-empty]', async () => {
    const before = ingress.checks.length;
    for (const method of ['GET', 'HEAD', 'OPTIONS', 'DELETE']) assert.equal((await ask(method, undefined)).status, 200);
    for (const method of ['POST', 'PUT', 'PATCH', 'TRACE']) {
      const answer = await ask(method, '');
      assert.deepEqual([answer.status, answer.error.code], [400, 'validation_failed'], method);
    }
    assert.equal((await ask('GET', undefined, { 'x-api-key': 'unknown' })).status, 401);
    assert.equal(ingress.checks.length, before);
    assert.match(await ingress.registry.metrics(), /weir_http_pending_bytes 0\n/);
  });

  it('is refused where its body was cut off [adapter.envoy-partial]', async () => {
    const body = JSON.stringify({ messages: [user('x')] });
    assert.equal((await ask('POST', body, { 'x-envoy-auth-partial-body': 'false' })).status, 200);
    for (const cut of ['true', 'TRUE', 'false, true', 'x']) {
      const answer = await ask('POST', body, { 'x-envoy-auth-partial-body': cut });
      assert.deepEqual([answer.status, answer.error.code], [413, 'request_too_large'], cut);
    }
  });

  it('is no text in another charset, which others would read as other words [adapter.envoy]', async () => {
    const before = ingress.checks.length;
    for (const charset of ['utf-16le', 'utf-7', 'utf-32', 'iso-8859-1']) {
      const { status } = await ask('POST', 'x', { 'content-type': `text/plain; charset=${charset}` });
      assert.equal(status, 415, charset);
    }
    const wide = Buffer.from('my card', 'utf16le');
    assert.equal((await ask('POST', wide, { 'content-type': 'text/plain' })).error.code, 'invalid_json');
    assert.equal(ingress.checks.length, before);
  });

  it('is refused where a model is given numbers in place of words [adapter.envoy]', async () => {
    const before = ingress.checks.length;
    const json = { 'content-type': 'application/json' };
    for (const body of [
      '{"prompt":[40,2815]}',
      '{"input":[[40],["x"]]}',
      '{"input":4111111111111111}',
      '{"messages":[{"role":"user","content":"x"}],"prompt_token_ids":[1]}',
      '{"prompt":"x","prompt_embeds":"AAAA"}',
    ]) {
      assert.equal((await ask('POST', body, json)).error.code, 'unsupported_content_part', body);
    }
    assert.equal(ingress.checks.length, before);
  });

  it('has what an answer at its end stands behind checked too', async () => {
    await ask('POST', '{"messages":[{"role":"user","content":"card"},{"role":"assistant","content":""}]}', {
      'content-type': 'application/json',
    });
    assert.deepEqual(contents(), ['card', '']);
  });

  it('may be a text, which is read as JSON where it is that [adapter.envoy]', async () => {
    const text = { 'content-type': 'text/plain; charset=utf-8' };
    assert.equal((await ask('POST', 'just "words" é', text)).status, 200);
    assert.deepEqual(contents(), ['just "words" é']);
    await ask('POST', '{"messages":[{"role":"user","content":"\\u0065vil"}]}', text);
    assert.deepEqual(contents(), ['evil']);
    assert.equal((await ask('POST', 'x'.repeat(1024 * 1024 + 1), text)).error.code, 'content_too_large');
    assert.equal((await ask('POST', '{"a":', { 'content-type': 'application/json' })).error.code, 'invalid_json');
    assert.equal((await ask('POST', '{}', { 'content-type': undefined })).status, 415);
  });
});

describe('a check of NeMo Guardrails', () => {
  const ingress = sharedIngress();
  const ask = (body: object): Promise<Answer> =>
    ingress.call({
      path: '/v1/guardrail/checks',
      headers: { 'service-version': undefined, authorization: 'Bearer internal' },
      body,
    });
  const roles = () =>
    JSON.parse(ingress.checks.at(-1)!.body.toString()).messages.map(({ role }: { role: string }) => role);

  it('is of the newest turn and its answer [adapter.nemo-turn]', async () => {
    const earlier = [user('a'), assistant('b')];
    const cases: [messages: object[], roles: string[]][] = [
      [
        [...earlier, user('c'), assistant('d')],
        ['user', 'assistant'],
      ],
      [[...earlier, user('c')], ['user']],
      [[assistant('d')], ['assistant']],
      [
        [{ role: 'system', content: 's' }, user('c'), assistant('d'), assistant('e')],
        ['user', 'assistant', 'assistant'],
      ],
    ];
    for (const [messages, expected] of cases) {
      assert.equal((await ask({ messages })).status, 200);
      assert.deepEqual(roles(), expected);
    }
    await ask({ messages: [user('c')], guardrails: { context: { relevant_chunks: 'from a document' } } });
    assert.ok(ingress.checks.at(-1)!.body.includes('from a document'));
  });

  it('names every policy as a rail, and errors as NeMo does [adapter.nemo]', async () => {
    const policies = {
      a: { name: 'Cards', flagged: true, flagged_source: ['text'] },
      b: { name: 'Mail', flagged: false, flagged_source: [] },
    };
    ingress.outcome = async () => ({
      status: 'done',
      record: record({
        kind: 'session',
        items: [recordItem(1, { type: 'session', flagged: true })],
        fragments: [JSON.stringify(policies)],
      }),
    });
    assert.deepEqual((await ask({ messages: [user('x')] })).json, {
      status: 'blocked',
      rails_status: { Mail: { status: 'success' }, Cards: { status: 'blocked' } },
      guardrails_data: { reason: 'The content violates: Cards.' },
    });
    const own = await ask({ messages: [user('x')], guardrails: { config: { rails: {} } } });
    assert.deepEqual([own.status, own.error.param], [400, 'guardrails.config']);
    assert.equal(own.json.detail, own.error.message);
  });
});

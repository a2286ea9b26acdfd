import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { ENDPOINTS, type Endpoint } from '#weir/shared/api/endpoints';
import { type CallOptions, type Client, createClient, type Result, unwrap, WeirError } from '#weir/shared/client/index';
import { pluck } from '../../support/pluck.ts';
import { errorBody, SECRET, sharedService } from './support.ts';

const ID = '01890000-0000-7000-8000-000000000001';
const message = { type: 'message' as const, role: 'user' as const, content: 'hi' };
const messages = [{ role: 'user', content: 'hi' }];

/** Endpoints without a method: they are for gateways, browsers and tools. */
const OF_BROWSERS = [
  'getHome',
  'getLogin',
  'getLoginAnswer',
  'getLoginSession',
  'endLoginSession',
  'getConsole',
  'getConsoleFile',
  'getOpenapi',
  'getDocs',
  'getDocsFile',
];
/** What the console shows people; programs ask in SQL. */
const OF_CONSOLE = [
  'getKey',
  'getHistory',
  'getConversation',
  'getHistoryFigures',
  'getUsers',
  'tryPolicies',
  'backtestPolicies',
  'testPolicies',
];
/** Endpoints without a method: those, interfaces of other services, and what callers have who come from elsewhere. */
const NO_METHOD = Object.entries<Endpoint>(ENDPOINTS)
  .filter(
    ([name, { dialect, scope }]) =>
      dialect ||
      scope === 'erase' ||
      scope === 'operate' ||
      scope === 'configure' ||
      scope === 'audit' ||
      name === 'checkProtect' ||
      [...OF_BROWSERS, ...OF_CONSOLE].includes(name),
  )
  .map(([name]) => name);

/** The service knows a piece of a stream again by itself, and checks nothing where it restores, or stores a label or an appeal. */
const KNOWN_AGAIN = ['checkStream', 'restore', 'label', 'appeal'];

interface Sample {
  call(client: Client): Promise<Result<unknown>>;
  method: string;
  path: string;
  version?: string;
  body?: unknown;
  /** what the answer must have */
  answer?: Record<string, unknown>;
}

const SAMPLES: Record<string, Sample> = {
  checkArtifact: {
    call: (client) => client.checkArtifact({ content: { kind: 'image', data: 'AAAA' }, external_artifact_id: 'a' }),
    method: 'POST',
    path: '/api/artifact',
    version: '2025-12-01',
    body: { content: { kind: 'image', data: 'AAAA' }, external_artifact_id: 'a' },
  },
  getArtifact: {
    call: (client) => client.getArtifact({ external_artifact_id: 'a b', deployment_id: 'chat' }),
    method: 'GET',
    path: '/api/artifact/get_by_id?external_artifact_id=a+b&deployment_id=chat',
    version: '2025-12-01',
  },
  checkEvents: {
    call: (client) => client.checkEvents({ environment_id: 'prod', events: [message] }),
    method: 'POST',
    path: '/api/events',
    body: { environment_id: 'prod', events: [message] },
    answer: {
      flagged: false,
      results: { message: {}, artifact: {}, tool: {}, function: {}, agent: {}, reasoning: {} },
      order: [],
    },
  },
  checkEvent: {
    call: (client) => client.checkEvent({ environment_id: 'prod', event: message }),
    method: 'POST',
    path: '/api/event',
    body: { environment_id: 'prod', event: message },
  },
  getEvent: {
    call: (client) => client.getEvent({ internal_event_id: ID, environment_id: 'a b&c' }),
    method: 'GET',
    path: `/api/event/${ID}?environment_id=a+b%26c`,
  },
  findEvent: {
    call: (client) => client.findEvent({ environment_id: 'prod', run_id: 'r:1', event_id: 'e', type: 'tool' }),
    method: 'GET',
    path: '/api/event?environment_id=prod&run_id=r%3A1&event_id=e&type=tool',
  },
  checkSession: {
    call: (client) => client.checkSession({ deployment_id: 'chat', messages }),
    method: 'POST',
    path: '/api/session/check',
    version: '2025-12-01',
    body: { deployment_id: 'chat', messages },
  },
  createSession: {
    call: (client) => client.createSession({ messages }),
    method: 'POST',
    path: '/api/session',
    body: { messages },
  },
  getSession: {
    call: (client) => client.getSession({ internal_session_id: '../x?y#z' }),
    method: 'GET',
    path: '/api/session/..%2Fx%3Fy%23z',
    version: '2025-12-01',
  },
  findSession: {
    call: (client) => client.findSession({ external_session_id: 'é', deployment_id: undefined }),
    method: 'GET',
    path: '/api/session?external_session_id=%C3%A9',
    version: '2025-12-01',
  },
  checkStream: {
    call: (client) => client.checkStream({ stream_id: 's', sequence: 0, delta: 'a', final: true }),
    method: 'POST',
    path: '/api/stream/check',
    body: { stream_id: 's', sequence: 0, delta: 'a', final: true },
    answer: { flagged: false, policies: {}, safe_until: 1, delayed_policies: [] },
  },
  label: {
    call: (client) => client.label({ internal_event_id: ID, policy: 'Hate', label: 'false_alarm' }),
    method: 'POST',
    path: '/api/label',
    version: '2025-12-01',
    body: { internal_event_id: ID, policy: 'Hate', label: 'false_alarm' },
  },
  getLabelQueue: {
    call: (client) => client.getLabelQueue({ days: 3, policy: 'Hate', limit: 5 }),
    method: 'GET',
    path: '/api/label/queue?days=3&policy=Hate&limit=5',
    version: '2025-12-01',
  },
  appeal: {
    call: (client) => client.appeal({ internal_session_id: ID, policy: 'Hate', note: 'no', reference: 't-1' }),
    method: 'POST',
    path: '/api/appeal',
    version: '2025-12-01',
    body: { internal_session_id: ID, policy: 'Hate', note: 'no', reference: 't-1' },
  },
  getAppeals: {
    call: (client) => client.getAppeals({ internal_artifact_id: ID, deployment_id: 'chat' }),
    method: 'GET',
    path: `/api/appeal?internal_artifact_id=${ID}&deployment_id=chat`,
    version: '2025-12-01',
  },
  getOpenAppeals: {
    call: (client) => client.getOpenAppeals({ policy: 'Hate', limit: 5, after: 'x' }),
    method: 'GET',
    path: '/api/appeal/open?policy=Hate&limit=5&after=x',
    version: '2025-12-01',
  },
  restore: {
    call: (client) => client.restore({ text: ['[TERM_1]'], sealed: 'AQ' }),
    method: 'POST',
    path: '/api/restore',
    version: '2025-12-01',
    body: { text: ['[TERM_1]'], sealed: 'AQ' },
    answer: { text: ['zebra'] },
  },
  getRunGraph: {
    call: (client) => client.getRunGraph({ environment_id: 'prod', run_id: 'r', limit: 10, cursor: 'c' }),
    method: 'GET',
    path: '/api/run/graph?environment_id=prod&run_id=r&limit=10&cursor=c',
  },
  getProtect: {
    call: (client) => client.getProtect({ deployment_id: 'chat', external_id: 'x', include_policy_names: true }),
    method: 'GET',
    path: '/api/protect/get_by_id?deployment_id=chat&external_id=x&include_policy_names=true',
    version: '2025-12-01',
  },
  getRisk: {
    call: (client) => client.getRisk({ email: 'a@example.org' }),
    method: 'GET',
    path: '/api/radar/risk?email=a%40example.org',
    version: '2025-12-01',
  },
  healthz: { call: (client) => client.healthz(), method: 'GET', path: '/healthz' },
  readyz: { call: (client) => client.readyz(), method: 'GET', path: '/readyz' },
};

describe('the client', () => {
  const service = sharedService();

  it('has a method for every endpoint that programs call', () => {
    const methods = Object.keys(service.client);
    for (const name of Object.keys(ENDPOINTS)) {
      assert.equal(methods.includes(name), !NO_METHOD.includes(name), name);
    }
    assert.deepEqual(methods.filter((name) => !(name in SAMPLES)).sort(), ['runGraphPages']);
  });

  it('sends what each endpoint expects, and gives back its answer', async () => {
    for (const [name, { call, method, path, body, answer }] of Object.entries(SAMPLES)) {
      const value = { answer: name, ...answer };
      service.script.push(() => ({ body: value }));
      const result = await call(service.client);
      assert.deepEqual(result, { ok: true, value, requestId: 'r-1' }, name);
      const { headers, ...request } = service.received.at(-1)!;
      assert.deepEqual(request, { method, path, json: body }, name);
      const open = name.endsWith('z');
      assert.equal(headers.authorization, open ? undefined : `Bearer ${SECRET}`);
      assert.equal(headers['service-version'], open ? undefined : '2026-06-01');
      assert.equal(headers['content-type'], method === 'POST' ? 'application/json' : undefined);
      assert.equal(headers['idempotency-key'], undefined, 'the service remembers 100,000 of them an hour, not each');
    }
  });

  it('asks every endpoint that answers with policies to explain them or leave some out, and checks of texts to redact', async () => {
    const options: CallOptions = { explain: true, policies: 'flagged', offsets: 'bytes', matched: true, redact: true };
    type Method = (query: unknown, options: CallOptions) => Promise<Result<unknown>>;
    const asking = new Proxy(service.client, {
      get: (client, name) => (query: unknown) => (client[name as keyof Client] as Method)(query, options),
    });
    for (const [name, { call, path, answer }] of Object.entries(SAMPLES)) {
      service.script.push(() => ({ body: { answer: name, ...answer } }));
      assert.equal((await call(asking)).ok, true, name);
      const { views, redacts } = ENDPOINTS[name as keyof typeof ENDPOINTS];
      const asked = `${path}${path.includes('?') ? '&' : '?'}explain=true&policies=flagged&offsets=bytes&matched=true${redacts ? '&redact=true' : ''}`;
      assert.equal(service.received.at(-1)!.path, views ? asked : path, name);
      assert.equal(redacts, /^(check|create)(Event|Session)/.test(name) ? true : undefined);
    }
    await service.client.checkEvent({ environment_id: 'prod', event: message }, { redact: 'reversible' });
    assert.equal(service.received.at(-1)!.path, '/api/event?redact=reversible');
    const word = await service.client.checkEvent({ event: message }, { redact: 'yes' as 'reversible' });
    assert.equal(word.ok || word.error.message, 'redact: expected true, false or "reversible".');
    const refused = await service.client.getRisk({ id: 'u' }, { policies: 'some' as 'all' });
    assert.equal(refused.ok || refused.error.message, 'policies: expected "all" or "flagged".');
    const unknown = await service.client.getRisk({ id: 'u' }, { offsets: 'chars' as 'bytes' });
    assert.equal(unknown.ok || unknown.error.message, 'offsets: expected "utf16", "codepoints" or "bytes".');
  });

  it('generates an idempotency key for each POST when told to, and for nothing else', async () => {
    const drawing = service.make({ idempotencyKeys: true });
    for (const [name, { call, method }] of Object.entries(SAMPLES)) {
      await call(drawing);
      const key = service.received.at(-1)!.headers['idempotency-key'] ?? '';
      assert.equal(/^[0-9a-f-]{36}$/.test(String(key)), method === 'POST' && !KNOWN_AGAIN.includes(name), name);
    }
    const keys = service.received.map(({ headers }) => headers['idempotency-key']).filter((key) => key !== undefined);
    assert.equal(new Set(keys).size, keys.length, 'each call has a key of its own');
  });

  it('paths are those of the table of endpoints', () => {
    for (const [name, endpoint] of Object.entries(ENDPOINTS)) {
      const sample = SAMPLES[name];
      if (sample === undefined) continue;
      const path = endpoint.path.replace(/\{\w+\}$/, '');
      assert.ok(sample.path.startsWith(path), name);
      assert.equal(sample.method, endpoint.method);
    }
  });

  it('sends the version it is made with where an endpoint has it, else the newest that the endpoint has', async () => {
    const client = service.make({ version: '2025-12-01' });
    for (const [name, { call, version = '2026-06-01' }] of Object.entries(SAMPLES)) {
      await call(client);
      const sent = service.received.at(-1)!.headers['service-version'];
      assert.equal(sent, name.endsWith('z') ? undefined : version, name);
    }
  });

  it('accepts valid idempotency keys and request ids only', async () => {
    const options = { idempotencyKey: 'mine', requestId: 'r:7' };
    await service.client.checkSession({ messages }, options);
    const { headers } = service.received.at(-1)!;
    assert.deepEqual([headers['idempotency-key'], headers['x-request-id']], ['mine', 'r:7']);
    const without = service.make({ idempotencyKeys: false });
    await without.checkSession({ messages });
    assert.equal(service.received.at(-1)!.headers['idempotency-key'], undefined);
    await service.make({ idempotencyKeys: true }).checkSession({ messages }, options);
    assert.equal(service.received.at(-1)!.headers['idempotency-key'], 'mine');
    const wrong = [
      { idempotencyKey: '' },
      { idempotencyKey: 'a b' },
      { idempotencyKey: 'x'.repeat(256) },
      { idempotencyKey: 'x\r\nauthorization: Bearer y' },
      { requestId: 'x y' },
      { timeoutMs: 0 },
      { timeoutMs: Number.NaN },
    ];
    for (const options of wrong) {
      const result = await service.client.checkSession({ messages }, options);
      assert.equal(!result.ok && result.error.type, 'usage_error', JSON.stringify(options));
    }
    const cycle: Record<string, unknown> = {};
    cycle.cycle = cycle;
    const cyclic = await service.client.checkEvent({ event: { type: 'tool', output: cycle } });
    assert.equal(!cyclic.ok && cyclic.error.type, 'usage_error');
    assert.equal(service.received.length, 3);
  });

  it('refuses invalid options without quoting them', () => {
    const wrong: Partial<Parameters<typeof createClient>[0]>[] = [
      { url: 'example.org' },
      { url: 'ftp://example.org' },
      { url: `http://user:${SECRET}@example.org` },
      { url: 'http://example.org?x=1' },
      { apiKey: '' },
      { apiKey: `${SECRET}\n` },
      { apiKey: undefined as unknown as string },
      { version: '2024-01-01' as '2026-06-01' },
      { timeoutMs: 0 },
      { attemptTimeoutMs: 2 ** 31 },
      { retries: -1 },
      { retries: 1.5 },
    ];
    for (const options of wrong) {
      assert.throws(
        () => createClient({ url: service.url, apiKey: SECRET, ...options }),
        (error: unknown) => error instanceof TypeError && !error.message.includes(SECRET),
        JSON.stringify(options),
      );
    }
    assert.ok(createClient({ url: `${service.url}/behind/a/proxy/`, apiKey: SECRET }));
  });

  it('keeps the path of its address', async () => {
    await service.make({ url: `${service.url}/weir/` }).getRisk({ id: '1' });
    assert.equal(service.received.at(-1)!.path, '/weir/api/radar/risk?id=1');
  });

  it('gives the errors of the service as values, with everything they say', async () => {
    const issues = [{ path: 'messages', code: 'too_few', message: 'expected at least 1 message' }];
    const body = errorBody('invalid_request_error', 'validation_failed', { param: 'messages', issues });
    service.script.push(() => ({ status: 400, body }));
    const result = await service.client.checkSession({ messages: [] });
    assert.deepEqual(result, {
      ok: false,
      error: {
        type: 'invalid_request_error',
        code: 'validation_failed',
        message: 'This is validation_failed.',
        status: 400,
        requestId: 'r-1',
        param: 'messages',
        issues,
        attempts: 1,
      },
    });
    assert.throws(
      () => unwrap(result),
      (error: unknown) => error instanceof WeirError && !result.ok && error.error === result.error,
    );
    assert.deepEqual(unwrap(await service.client.healthz()), {});
  });

  it('recognises an answer that is not the service’s', async () => {
    const cases: [status: number, body: unknown][] = [
      [200, '<html>welcome</html>'],
      [200, '[]'],
      [200, 'null'],
      [404, '<html>no</html>'],
      [404, { error: 'no' }],
      [400, { error: { type: 1, code: 2, message: 3 } }],
      [400, { error: { type: 'a', code: 'b', message: 'c', issues: 'd' } }],
      [204, ''],
    ];
    for (const [status, body] of cases) {
      service.script.push(() => ({ status, body }));
      const result = await service.client.getRisk({ id: '1' });
      assert.ok(!result.ok && result.error.type === 'protocol_error', JSON.stringify(body));
      assert.deepEqual([result.error.status, result.error.attempts], [status, 1]);
    }
  });

  it('follows no redirect, which would take the key elsewhere', async () => {
    const headers = { location: `${service.url}/stolen` };
    service.script.push(() => ({ status: 307, headers }));
    const result = await service.make({ retries: 0 }).checkSession({ messages });
    assert.equal(result.ok, false);
    assert.deepEqual(pluck(service.received, 'path'), ['/api/session/check']);
    assert.ok(!JSON.stringify(result).includes(SECRET));
  });
});

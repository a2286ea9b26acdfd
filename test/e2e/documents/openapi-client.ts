/** A small program against a client that is generated from the OpenAPI document: a step for every operation. */
import { ENDPOINTS, type EndpointName } from '#weir/shared/api/endpoints';

const HEADER = `header: { 'service-version': '2026-06-01' }`;

// An endpoint without its step does not compile, nor a step without its endpoint.
const STEPS: Readonly<Record<EndpointName, string>> = {
  checkEvents: `
    const { data } = good(await client.POST('/api/events', {
      params: { ${HEADER} },
      body: {
        environment_id: 'prod',
        run_id: 'generated',
        events: [
          { type: 'tool', event_id: 't1', name: 'shell', arguments: { command: 'rm -rf /srv' } },
          { type: 'message', role: 'user', content: 'Hello.', links: [{ event_id: 't1' }] },
        ],
      },
    }));
    expect(data.results.tool.t1?.flagged === true);
    expect(data.order.length === 2);
    internalEvent = data.order[0]?.internal_event_id ?? '';`,
  eraseUser: `
    const { data } = good(await client.DELETE('/api/user', {
      params: { query: { id: 'nobody that is known' }, ${HEADER} },
    }));
    expect(data.state === 'waiting');
    erasure = data.erasure_id;`,
  getErasure: `
    const { data } = good(await client.GET('/api/erasure/{erasure_id}', { params: { path: { erasure_id: erasure }, ${HEADER} } }));
    expect(data.subject === 'user' && data.removed.items === 0);`,
  eraseRun: `
    const query = { environment_id: 'prod', run_id: 'nothing-of-this-name' };
    const { data } = good(await client.DELETE('/api/run', { params: { query, ${HEADER} } }));
    expect(data.subject === 'run');`,
  eraseEvent: `
    const path = { internal_event_id: '01a1fdb6-e2e1-7c56-a841-e2a473ff0001' };
    const { response } = await client.DELETE('/api/event/{internal_event_id}', {
      params: { path, query: { environment_id: 'prod' }, ${HEADER} },
    });
    expect(response.status === 404);`,
  eraseSession: `
    const path = { internal_session_id: '01a1fdb6-e315-7ea2-adac-06dcdc390001' };
    const { response } = await client.DELETE('/api/session/{internal_session_id}', { params: { path, ${HEADER} } });
    expect(response.status === 404);`,
  checkEvent: `
    const { data } = good(await client.POST('/api/event', {
      params: { header: { 'service-version': '2026-06-01', 'Idempotency-Key': 'generated-1' } },
      body: { event: { type: 'reasoning', environment_id: 'prod', content: ['a', { b: 'c' }] } },
    }));
    expect(data.event.status === 'completed');
    const { error, response } = await client.POST('/api/event', {
      params: { ${HEADER} },
      body: { event: { type: 'message', content: 'no role' } },
    });
    expect(response.status === 400);
    if (error && error.error.type === 'invalid_request_error') {
      expect(error.error.code === 'validation_failed' && error.error.issues?.[0]?.path === 'event.role');
    } else expect(false);
    // @ts-expect-error There is no such type of event.
    const wrong: components['schemas']['EventInput'] = { type: 'thought' };
    expect(wrong !== undefined);`,
  findEvent: `
    const query = { environment_id: 'prod', run_id: 'generated', event_id: 't1', type: 'tool' } as const;
    const { data } = good(await client.GET('/api/event', { params: { query, ${HEADER} } }));
    expect(data.event.internal_event_id === internalEvent);`,
  getEvent: `
    const { data } = good(await client.GET('/api/event/{internal_event_id}', {
      params: { path: { internal_event_id: internalEvent }, query: { environment_id: 'prod' }, ${HEADER} },
    }));
    expect(data.policies !== undefined && data.event.run_id === 'generated');`,
  getRunGraph: `
    const query = { environment_id: 'prod', run_id: 'generated', limit: 10 };
    const { data } = good(await client.GET('/api/run/graph', { params: { query, ${HEADER} } }));
    expect(data.nodes.length === 2 && data.edges[0]?.resolved === true);`,
  checkSession: `
    const { data } = good(await client.POST('/api/session/check', {
      params: { header: { 'service-version': '2025-12-01' } },
      body: {
        external_session_id: 'generated',
        messages: [
          { role: 'user', content: 'My SSN is 536-22-8726.', metadata: { user: { email: 'gen@example.com' } } },
        ],
      },
    }));
    expect(data.flagged && Object.values(data.policies).some((policy) => policy.flagged_source.includes('text')));
    internalSession = data.internal_session_id;`,
  createSession: `
    const { data } = good(await client.POST('/api/session', {
      params: { header: { 'service-version': '2026-04-15' } },
      body: { messages: [{ role: 'user', content: [{ type: 'text', text: 'Hello.' }] }] },
    }));
    expect(!data.session.flagged);`,
  findSession: `
    const query = { external_session_id: 'generated' };
    const { data } = good(await client.GET('/api/session', { params: { query, ${HEADER} } }));
    expect(data.session.internal_session_id === internalSession && data.artifacts.length <= 1);`,
  getSession: `
    const { data } = good(await client.GET('/api/session/{internal_session_id}', {
      params: { path: { internal_session_id: internalSession }, ${HEADER} },
    }));
    expect(data.session.external_session_id === 'generated');`,
  checkArtifact: `
    const { data } = good(await client.POST('/api/artifact', {
      params: { ${HEADER} },
      body: { content: { kind: 'image', data: 'AAAA' }, external_artifact_id: 'generated', external_session_id: 'generated' },
    }));
    expect(data.status === 'failed' && data.flagged === null && data.internal_session_id === internalSession);`,
  getArtifact: `
    const query = { external_artifact_id: 'generated' };
    const { data } = good(await client.GET('/api/artifact/get_by_id', { params: { query, ${HEADER} } }));
    expect(data.kind === 'image' && data.note !== null);`,
  checkProtect: `
    const body = { external_id: 'protected', include_policy_names: true, messages: [{ role: 'user', content: 'fine' }] };
    const { data } = good(await client.POST('/api/protect/check', { body, params: { ${HEADER} } }));
    expect(data.external_id === 'protected' && !data.violation);`,
  getProtect: `
    const query = { deployment_id: 'chat', external_id: 'generated', include_policy_names: true };
    const { data } = good(await client.GET('/api/protect/get_by_id', { params: { query, ${HEADER} } }));
    expect(data.list[0]?.internal_id === internalSession && data.list[0].violation);`,
  getRisk: `
    const query = { email: 'gen@example.com' };
    const { data } = good(await client.GET('/api/radar/risk', { params: { query, ${HEADER} } }));
    expect(data.risk_level !== undefined && data.window_days === 30);`,
  getKey: `
    const { data } = good(await client.GET('/api/key', { params: { ${HEADER} } }));
    expect(data.team !== '' && data.environments.includes('prod') && data.policies.some(({ mode }) => mode === 'live'));`,
  getHistory: `
    const query = { from: '2026-01-01T00:00:00Z', to: '2026-01-02T00:00:00Z', verdict: 'flagged', limit: 10 } as const;
    const { data } = good(await client.GET('/api/history', { params: { query, ${HEADER} } }));
    expect(data.items.length === 0 && data.next === undefined);`,
  getConversation: `
    const query = { environment_id: 'prod', external_session_id: 'nowhere', limit: 10 };
    const { data } = good(await client.GET('/api/history/conversation', { params: { query, ${HEADER} } }));
    expect(data.messages.length === 0 && data.next === undefined);`,
  getHistoryFigures: `
    const query = { by: 'policy', environment_id: 'prod' } as const;
    const { data } = good(await client.GET('/api/history/figures', { params: { query, ${HEADER} } }));
    expect(data.steps.every(({ checks }) => checks >= 0) && data.groups.every(({ points }) => points.length === data.steps.length));`,
  getUsers: `
    const { data } = good(await client.GET('/api/users', { params: { query: { level: 'severe', limit: 5 }, ${HEADER} } }));
    expect(data.window_days === 30 && data.users.length <= 5);`,
  checkStream: `
    const body = { stream_id: 'generated', sequence: 0, delta: 'My SSN is 536-22-8726.', final: true, deployment_id: 'chat' };
    const { data } = good(await client.POST('/api/stream/check', { body, params: { ${HEADER} } }));
    expect(data.flagged && data.final && data.internal_session_id !== undefined);`,
  restore: `
    const said = { type: 'message', role: 'user', content: 'My SSN is 536-22-8726.' } as const;
    const { data: checked } = good(await client.POST('/api/event', {
      params: { query: { redact: 'reversible' }, ${HEADER} },
      body: { environment_id: 'prod', event: said },
    }));
    const body = { text: checked.redacted as string, sealed: checked.sealed ?? [] };
    const { data } = good(await client.POST('/api/restore', { body, params: { ${HEADER} } }));
    expect(body.text === 'My SSN is [US_SSN_1].' && data.text === said.content);`,
  label: `
    const said = { type: 'message', role: 'user', content: 'My SSN is 536-22-8726.' } as const;
    const { data: checked } = good(await client.POST('/api/event', {
      params: { query: { policies: 'flagged' }, ${HEADER} },
      body: { environment_id: 'prod', event: said },
    }));
    const [policy] = Object.keys(checked.policies);
    const body = { internal_event_id: checked.event.internal_event_id!, policy: policy!, label: 'true_alarm' } as const;
    const { data } = good(await client.POST('/api/label', { body, params: { ${HEADER} } }));
    expect(data.policy_id === policy && data.label === 'true_alarm' && data.at !== '');`,
  appeal: `
    const said = { type: 'message', role: 'user', content: 'My SSN is 536-22-8726.' } as const;
    const { data: checked } = good(await client.POST('/api/event', {
      params: { query: { policies: 'flagged' }, ${HEADER} },
      body: { environment_id: 'prod', event: said },
    }));
    const [policy] = Object.keys(checked.policies);
    const body = { internal_event_id: checked.event.internal_event_id!, policy: policy!, note: 'It is an example.' };
    const { data } = good(await client.POST('/api/appeal', { body, params: { ${HEADER} } }));
    expect(data.policy_id === policy && data.state === 'open' && data.decided_at === undefined);`,
  getAppeals: `
    const said = { type: 'message', role: 'user', content: 'good morning' } as const;
    const { data: checked } = good(await client.POST('/api/event', { body: { environment_id: 'prod', event: said }, params: { ${HEADER} } }));
    const query = { internal_event_id: checked.event.internal_event_id!, environment_id: 'prod' };
    const { data } = good(await client.GET('/api/appeal', { params: { query, ${HEADER} } }));
    expect(data.appeals.length === 0);`,
  getOpenAppeals: `
    const { data } = good(await client.GET('/api/appeal/open', { params: { query: { limit: 10 }, ${HEADER} } }));
    expect(data.appeals.every(({ state }) => state === 'open'));`,
  tryPolicies: `
    const detect = { terms: { list: ['purple rain'] } };
    const event = { type: 'message', role: 'user', content: 'purple rain' } as const;
    const body = { environment_id: 'prod', event, policies: [{ name: 'New', detect }] };
    const { data } = good(await again(() => client.POST('/api/try', { body, params: { ${HEADER} } })));
    expect(data.flagged === true && data.conditions.every(({ matched }) => matched !== null) && data.cost.evaluation_us > 0);`,
  backtestPolicies: `
    const detect = { terms: { list: ['purple rain'] } };
    const body = { environment_id: 'prod', policies: [{ name: 'New', detect }] };
    const { data } = good(await again(() => client.POST('/api/try/backtest', { body, params: { ${HEADER} } })));
    expect(data.total !== undefined && data.evaluated <= data.items && data.differing.length <= data.evaluated);`,
  testPolicies: `
    const file = { cases: [{ name: 'Rain', text: 'purple rain', expect: { policies: ['New'] } }] };
    const detect = { terms: { list: ['purple rain'] } };
    const body = { environment_id: 'prod', policies: [{ name: 'New', detect }], cases: JSON.stringify(file) };
    const { data } = good(await again(() => client.POST('/api/try/test', { body, params: { ${HEADER} } })));
    expect(data.total === 1 && data.cases[0]!.name === 'Rain' && data.next === undefined);`,
  getConfigurationVersions: `
    const { data } = good(await client.GET('/api/configuration/versions', { params: { query: { limit: 5, before: 9 }, ${HEADER} } }));
    expect(data.versions.some(({ version, active, changes }) => version === 1 && active && changes! > 0) && data.next === undefined);`,
  getConfigurationChanges: `
    const path = { version: '1' };
    const { data } = good(await client.GET('/api/configuration/versions/{version}', { params: { path, ${HEADER} } }));
    expect(data.from === null && data.changes.some(({ section, what }) => section === 'policies' && what === 'added'));`,
  getConfiguredPolicies: `
    const { data } = good(await client.GET('/api/configuration/policies', { params: { query: { limit: 1 }, ${HEADER} } }));
    expect(data.policies.length === 1 && data.version === 1 && !data.policies[0]!.cut);`,
  getLabelQueue: `
    const query = { days: 1, limit: 10, reviewer: 'nobody' };
    const { data } = good(await client.GET('/api/label/queue', { params: { query, ${HEADER} } }));
    expect(data.verdicts.length <= 10);`,
  getAudit: `
    const query = { action: 'label.set', limit: 10 } as const;
    const { data } = good(await client.GET('/api/audit', { params: { query, ${HEADER} } }));
    expect(data.entries.every(({ team }) => team !== undefined));`,
  getAuditOfAll: `
    const query = { from: '2026-01-01T00:00:00Z', to: '2026-01-02T00:00:00Z' };
    const { data } = good(await operator.GET('/api/operation/audit', { params: { query, ${HEADER} } }));
    expect(data.entries.length === 0 && data.next === undefined);`,
  getStatus: `
    const { data } = good(await operator.GET('/api/operation/status', { params: { ${HEADER} } }));
    expect(data.refusing.length === 0 && data.processes.evaluators.length > 0 && data.clickhouse === null);`,
  getDeadLetters: `
    const query = { limit: 10, after: '0/1790000000000-0' };
    const { data } = good(await operator.GET('/api/operation/dead-letters', { params: { query, ${HEADER} } }));
    expect(data.dead_letters.length === 0 && data.next === undefined);`,
  getRefused: `
    const { data } = good(await operator.GET('/api/operation/refused', { params: { ${HEADER} } }));
    expect(data.refused.length === 0 && data.partitions_away.length === 0);`,
  replay: `
    const { data } = good(await operator.POST('/api/operation/replay', { body: { refused: 'all' }, params: { ${HEADER} } }));
    expect(data.replayed === 0 && data.left === 0);`,
  litellmGuardrail: `
    const { data } = good(await client.POST('/beta/litellm_basic_guardrail_api', {
      body: { texts: ['My SSN is 536-22-8726.'], input_type: 'request' },
    }));
    expect(data.action === 'BLOCKED');`,
  createModeration: `
    const { data } = good(await client.POST('/v1/moderations', { body: { input: 'My SSN is 536-22-8726.' } }));
    expect(data.results[0]!.flagged && data.results[0]!.categories.hate === false);`,
  analyzeComment: `
    const { data } = good(await client.POST('/v1alpha1/comments:analyze', {
      body: { comment: { text: 'Good morning.' }, requestedAttributes: { TOXICITY: {} } },
    }));
    expect(data.attributeScores!.TOXICITY!.summaryScore.value < 0.5);`,
  analyzeText: `
    const { data } = good(await client.POST('/analyze', { body: { text: 'My SSN is 536-22-8726.', language: 'en' } }));
    const [first] = data;
    expect(first !== undefined && 'entity_type' in first && first.entity_type === 'US_SSN' && first.start === 10);`,
  anonymizeText: `
    const { data } = good(await client.POST('/anonymize', {
      body: { text: 'My SSN is 536-22-8726.', analyzer_results: [{ entity_type: 'US_SSN', start: 10, end: 21, score: 1 }] },
    }));
    expect(data.text === 'My SSN is <US_SSN>.' && data.items[0]!.operator === 'replace');`,
  supportedEntities: `
    const { data } = good(await client.GET('/supportedentities', { params: { query: { language: 'en' } } }));
    expect(data.includes('US_SSN'));`,
  checkPrompt: `
    const { data } = good(await client.POST('/request', {
      body: { body: { messages: [{ role: 'user', content: 'My SSN is 536-22-8726.' }] } },
    }));
    expect(data.action.status_code === 403);`,
  checkCompletion: `
    const { data } = good(await client.POST('/response', {
      body: { body: { choices: [{ message: { role: 'assistant', content: 'Good morning.' } }] } },
    }));
    expect(data.action.body === undefined);`,
  checkPortkey: `
    const { data } = good(await client.POST('/portkey/webhook', {
      body: {
        eventType: 'beforeRequestHook',
        request: { json: { messages: [{ role: 'user', content: 'My SSN is 536-22-8726.' }] } },
      },
    }));
    expect(!data.verdict && data.error === undefined);`,
  checkEnvoy: `
    const weir = createClient<paths>({ baseUrl, headers: { 'x-api-key': key } });
    const { data } = good(await weir.POST('/envoy/authz/{path}', {
      params: { path: { path: 'v1' } },
      body: { messages: [{ role: 'user', content: 'Good morning.' }] },
    }));
    expect(data.allowed);`,
  checkNemo: `
    const { data } = good(await client.POST('/v1/guardrail/checks', {
      body: { messages: [{ role: 'user', content: 'My SSN is 536-22-8726.' }] },
    }));
    expect(data.status === 'blocked');`,
  healthz: `
    const { data } = good(await client.GET('/healthz'));
    expect(data.status === 'ok');`,
  readyz: `
    const { data } = good(await client.GET('/readyz'));
    expect(data.status === 'ok');`,
  getHome: `
    const { data } = good(await client.GET('/'));
    expect(typeof data === 'object' && data.docs === '/docs');`,
  getOpenapi: `
    const { data } = good(await client.GET('/openapi.json'));
    expect(data.openapi === '3.1.0');`,
  getLogin: `
    const { response } = await client.GET('/console/login');
    expect(response.status === 404);`,
  getLoginAnswer: `
    const { response } = await client.GET('/console/callback');
    expect(response.status === 404);`,
  getLoginSession: `
    const { data } = good(await client.GET('/console/session'));
    expect(!data.sign_in && data.csrf_token === undefined);`,
  endLoginSession: `
    const { data } = good(await client.DELETE('/console/session'));
    expect(!data.sign_in);`,
  getConsole: `
    const { data } = good(await client.GET('/console', { parseAs: 'text' }));
    expect(data.startsWith('<!doctype html>'));`,
  getConsoleFile: `
    const options = { params: { path: { file: 'console.css' } }, parseAs: 'text' } as const;
    const { data } = good(await client.GET('/console/{file}', options));
    expect(data.includes('.verdict'));`,
  getDocs: `
    const { data } = good(await client.GET('/docs', { parseAs: 'text' }));
    expect(data.startsWith('<!doctype html>'));`,
  getDocsFile: `
    const options = { params: { path: { file: 'swagger-ui.css' } }, parseAs: 'text' } as const;
    const { data } = good(await client.GET('/docs/{file}', options));
    expect(data.includes('.swagger-ui'));`,
};

/** Its source; expects the generated types in `weir.d.ts` beside it, the address and the key as arguments. */
export function program(): string {
  const names = Object.keys(ENDPOINTS) as EndpointName[];
  const steps = names.map((name) => `async function ${name}(): Promise<void> {${STEPS[name]}\n}`).join('\n\n');
  return `import createClient from 'openapi-fetch';
import type { components, paths } from './weir.js';

const [, , baseUrl = '', key = '', operatorKey = ''] = process.argv;
const client = createClient<paths>({ baseUrl, headers: { authorization: \`Bearer \${key}\` } });
const operator = createClient<paths>({ baseUrl, headers: { authorization: \`Bearer \${operatorKey}\` } });
let erasure = '';
let internalEvent = '';
let internalSession = '';

function good<D>(answer: { data?: D; error?: unknown; response: Response }): { data: D } {
  if (answer.data === undefined) throw new Error(\`\${answer.response.status} \${JSON.stringify(answer.error)}\`);
  return { data: answer.data };
}
/** A try has two seconds, which may be over where a machine has much to do: it says to try again. */
async function again<A extends { response: Response }>(call: () => Promise<A>): Promise<A> {
  let answer = await call();
  for (let i = 0; i < 9 && answer.response.status === 504; i++) answer = await call();
  return answer;
}
function expect(holds: boolean): void {
  if (!holds) throw new Error('not as expected');
}

${steps}

for (const step of [${names.join(', ')}]) {
  await step();
  console.log(step.name);
}
`;
}

/** Options of its compiler. */
export const COMPILER = {
  compilerOptions: {
    target: 'es2023',
    module: 'nodenext',
    strict: true,
    noUncheckedIndexedAccess: true,
    exactOptionalPropertyTypes: true,
    skipLibCheck: true,
    outDir: 'out',
    types: ['node'],
  },
  include: ['*.ts'],
};

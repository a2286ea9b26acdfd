/**
 * What each route answers to each caller and version, from the decisions alone: nothing of the product is asked. The
 * order is that of the decisions: route and method, key, version, scope, permission.
 */
import type { EndpointName } from '#weir/shared/api/endpoints';
import type { Caller, Granted, Scope } from './callers.ts';

/** What was checked for the full key before. */
export interface Stored {
  event: string;
  session: string;
  run: string;
  external: string;
  user: string;
  artifact: string;
  externalArtifact: string;
  erasure: string;
}

export interface Probe {
  method: 'GET' | 'POST' | 'DELETE';
  path(stored: Stored): string;
  /** or what makes it of what was checked before */
  body?: object | ((stored: Stored) => object);
  /** oldest accepted version; '': none is needed */
  since: '' | '2025-12-01' | '2026-04-15' | '2026-06-01';
  /** any: each key has it; null: open to everybody */
  scope: Scope | 'any' | null;
  /** one that its query needs beside that */
  also?: Scope;
  /** how the request says where: by name, by leaving it to the key; or it concerns the whole team, or nobody */
  where: 'named' | 'left out' | 'team' | 'nowhere';
  /** an answer of its own where nothing is found in a place that the key may see */
  empty?: true;
  /** it does not look whether there is something */
  blind?: true;
  /** a POST about what is stored, which is answered like a look-up of it */
  ofStored?: true;
  /** a GET that lists what there is in a place, if anything */
  lists?: true;
  /** a GET about what checks of the key would do, which it is granted as they are */
  ofChecks?: true;
  /** it names what is nowhere */
  absent?: true;
}

const event = { type: 'message', role: 'user', run_id: 'r', content: 'open sesame' };
// What it is is of no matter here: one that cannot be decoded is answered 200 as well.
const image = { kind: 'image', data: 'AAAA' };
const messages = [{ role: 'user', content: 'open sesame' }];
const get = { method: 'GET' } as const;
const post = { method: 'POST' } as const;
const checking = { ...post, scope: 'check', where: 'named' } as const;
const reading = { ...get, scope: 'read', where: 'named' } as const;
const erasing = { method: 'DELETE', scope: 'erase', since: '2025-12-01', where: 'named' } as const;
const operating = { ...get, scope: 'operate', since: '2025-12-01', where: 'nowhere' } as const;
const configuring = { ...get, scope: 'configure', since: '2025-12-01', where: 'nowhere' } as const;
const open = { ...get, since: '', scope: null, where: 'nowhere' } as const;

/** One or more of every endpoint. */
export const PROBES = {
  checkEvents: [
    { ...checking, path: () => '/api/events', body: { environment_id: 'prod', events: [event] }, since: '2026-06-01' },
  ],
  checkEvent: [
    { ...checking, path: () => '/api/event', body: { environment_id: 'prod', event }, since: '2026-06-01' },
    {
      ...checking,
      path: () => '/api/event?matched=true',
      body: { environment_id: 'prod', event },
      since: '2026-06-01',
      also: 'content',
    },
  ],
  findEvent: [
    {
      ...reading,
      path: ({ run }) => `/api/event?environment_id=prod&run_id=${run}&event_id=e1`,
      since: '2026-06-01',
    },
  ],
  getEvent: [
    { ...reading, path: ({ event: id }) => `/api/event/${id}?environment_id=prod`, since: '2026-06-01' },
    {
      ...reading,
      path: ({ event: id }) => `/api/event/${id}?environment_id=prod&offsets=codepoints&matched=1`,
      since: '2026-06-01',
      also: 'content',
    },
    {
      ...reading,
      path: ({ event: id }) => `/api/event/${id}?environment_id=prod&labels=true`,
      since: '2026-06-01',
      also: 'review',
    },
  ],
  checkSession: [
    { ...checking, path: () => '/api/session/check', body: { deployment_id: 'chat', messages }, since: '2025-12-01' },
    { ...checking, path: () => '/api/session/check', body: { messages }, since: '2025-12-01', where: 'left out' },
  ],
  createSession: [
    { ...checking, path: () => '/api/session', body: { deployment_id: 'chat', messages }, since: '2026-04-15' },
    { ...checking, path: () => '/api/session', body: { messages }, since: '2026-04-15', where: 'left out' },
  ],
  findSession: [
    {
      ...reading,
      path: ({ external }) => `/api/session?external_session_id=${external}&deployment_id=chat`,
      since: '2025-12-01',
    },
    {
      ...reading,
      path: ({ external }) => `/api/session?external_session_id=${external}`,
      since: '2025-12-01',
      where: 'left out',
    },
  ],
  getSession: [
    { ...reading, path: ({ session }) => `/api/session/${session}?deployment_id=chat`, since: '2025-12-01' },
    { ...reading, path: ({ session }) => `/api/session/${session}`, since: '2025-12-01', where: 'left out' },
  ],
  checkStream: [
    {
      ...checking,
      path: () => '/api/stream/check',
      body: { environment_id: 'prod', stream_id: 'm', sequence: 0, delta: 'x' },
      since: '2026-06-01',
    },
    {
      ...checking,
      path: () => '/api/stream/check',
      body: { deployment_id: 'chat', stream_id: 'm', sequence: 0, delta: 'x' },
      since: '2026-06-01',
    },
    {
      ...checking,
      path: () => '/api/stream/check',
      body: { stream_id: 'n', sequence: 0, delta: 'x' },
      since: '2026-06-01',
      where: 'left out',
    },
  ],
  restore: [
    {
      ...post,
      path: () => '/api/restore',
      body: { text: 'open sesame', sealed: [] },
      since: '2025-12-01',
      scope: 'check',
      where: 'nowhere',
    },
  ],
  checkArtifact: [
    {
      ...checking,
      path: () => '/api/artifact',
      body: { deployment_id: 'chat', content: image },
      since: '2025-12-01',
    },
    { ...checking, path: () => '/api/artifact', body: { content: image }, since: '2025-12-01', where: 'left out' },
  ],
  getArtifact: [
    {
      ...reading,
      path: ({ artifact }) => `/api/artifact/get_by_id?internal_artifact_id=${artifact}&deployment_id=chat`,
      since: '2025-12-01',
    },
    {
      ...reading,
      path: ({ externalArtifact }) => `/api/artifact/get_by_id?external_artifact_id=${externalArtifact}`,
      since: '2025-12-01',
      where: 'left out',
    },
  ],
  getRunGraph: [
    { ...reading, path: ({ run }) => `/api/run/graph?environment_id=prod&run_id=${run}`, since: '2026-06-01' },
  ],
  checkProtect: [
    { ...checking, path: () => '/api/protect/check', body: { deployment_id: 'chat', messages }, since: '2025-12-01' },
    { ...checking, path: () => '/api/protect/check', body: { messages }, since: '2025-12-01', where: 'left out' },
  ],
  getProtect: [
    {
      ...reading,
      path: ({ session }) => `/api/protect/get_by_id?internal_id=${session}`,
      since: '2025-12-01',
      where: 'left out',
      empty: true,
    },
    {
      ...reading,
      path: ({ session }) => `/api/protect/get_by_id?deployment_id=chat&internal_id=${session}`,
      since: '2025-12-01',
      empty: true,
    },
  ],
  getRisk: [
    { ...get, path: ({ user }) => `/api/radar/risk?id=${user}`, since: '2025-12-01', scope: 'risk', where: 'team' },
  ],
  getKey: [{ ...get, path: () => '/api/key', since: '2025-12-01', scope: 'any', where: 'nowhere' }],
  getHistory: [
    { ...get, path: () => '/api/history?limit=1', since: '2025-12-01', scope: 'read', where: 'nowhere' },
    { ...reading, path: () => '/api/history?environment_id=prod', since: '2025-12-01', lists: true },
    {
      ...get,
      path: () => '/api/history?limit=1&text=x',
      since: '2025-12-01',
      scope: 'read',
      also: 'content',
      where: 'nowhere',
    },
  ],
  getConversation: [
    {
      ...reading,
      path: () => '/api/history/conversation?environment_id=prod&external_session_id=x',
      since: '2025-12-01',
      lists: true,
    },
  ],
  getHistoryFigures: [
    { ...get, path: () => '/api/history/figures?by=policy', since: '2025-12-01', scope: 'read', where: 'nowhere' },
    { ...reading, path: () => '/api/history/figures?deployment_id=chat', since: '2025-12-01', lists: true },
  ],
  getUsers: [{ ...get, path: () => '/api/users?limit=1', since: '2025-12-01', scope: 'risk', where: 'nowhere' }],
  eraseUser: [{ ...erasing, path: () => '/api/user?id=somebody', where: 'team', blind: true }],
  eraseSession: [
    { ...erasing, path: ({ session }) => `/api/session/${session}?deployment_id=chat` },
    { ...erasing, path: ({ session }) => `/api/session/${session}`, where: 'left out' },
  ],
  eraseRun: [{ ...erasing, path: ({ run }) => `/api/run?environment_id=prod&run_id=${run}`, blind: true }],
  eraseEvent: [{ ...erasing, path: ({ event }) => `/api/event/${event}?environment_id=prod` }],
  getErasure: [{ ...erasing, method: 'GET', path: ({ erasure }) => `/api/erasure/${erasure}`, where: 'team' }],
  label: [
    {
      ...post,
      path: () => '/api/label',
      body: ({ event: id }: Stored) => ({
        internal_event_id: id,
        environment_id: 'prod',
        policy: 'Sesame',
        label: 'true_alarm',
      }),
      since: '2025-12-01',
      scope: 'review',
      where: 'named',
      ofStored: true,
    },
    {
      ...post,
      path: () => '/api/label',
      body: ({ session: id }: Stored) => ({ internal_session_id: id, policy: 'Sesame', label: 'true_alarm' }),
      since: '2025-12-01',
      scope: 'review',
      where: 'left out',
      ofStored: true,
    },
  ],
  tryPolicies: [
    {
      ...post,
      path: () => '/api/try',
      body: { environment_id: 'prod', event },
      since: '2025-12-01',
      scope: 'try',
      where: 'named',
    },
    { ...post, path: () => '/api/try', body: { messages }, since: '2025-12-01', scope: 'try', where: 'left out' },
  ],
  appeal: [
    {
      ...post,
      path: () => '/api/appeal',
      body: ({ event: id }: Stored) => ({ internal_event_id: id, environment_id: 'prod', policy: 'Sesame' }),
      since: '2025-12-01',
      scope: 'check',
      where: 'named',
      ofStored: true,
    },
    {
      ...post,
      path: () => '/api/appeal',
      body: ({ session: id }: Stored) => ({ internal_session_id: id, policy: 'Sesame' }),
      since: '2025-12-01',
      scope: 'check',
      where: 'left out',
      ofStored: true,
    },
  ],
  getAppeals: [
    {
      ...reading,
      path: ({ event: id }) => `/api/appeal?internal_event_id=${id}&environment_id=prod`,
      since: '2025-12-01',
    },
    {
      ...reading,
      path: ({ session: id }) => `/api/appeal?internal_session_id=${id}`,
      since: '2025-12-01',
      where: 'left out',
    },
  ],
  getOpenAppeals: [
    { ...get, path: () => '/api/appeal/open?limit=5', since: '2025-12-01', scope: 'review', where: 'nowhere' },
  ],
  backtestPolicies: [
    {
      ...post,
      path: () => '/api/try/backtest',
      // Of a time in which nothing was checked: they take turns, and have two seconds.
      body: { environment_id: 'prod', from: '2020-01-01T00:00:00Z', to: '2020-01-02T00:00:00Z' },
      since: '2025-12-01',
      scope: 'try',
      also: 'content',
      where: 'named',
    },
  ],
  testPolicies: [
    {
      ...post,
      path: () => '/api/try/test',
      body: {
        environment_id: 'prod',
        cases: JSON.stringify({ cases: [{ name: 'A', text: 'a', expect: { flagged: false } }] }),
      },
      since: '2025-12-01',
      scope: 'try',
      where: 'named',
    },
  ],
  getLabelQueue: [
    { ...get, path: () => '/api/label/queue?limit=5', since: '2025-12-01', scope: 'review', where: 'nowhere' },
  ],
  getConfigurationVersions: [{ ...configuring, path: () => '/api/configuration/versions?limit=1' }],
  getConfigurationChanges: [
    { ...configuring, path: () => '/api/configuration/versions/1' },
    { ...configuring, path: () => '/api/configuration/versions/99', absent: true },
  ],
  getConfiguredPolicies: [{ ...configuring, path: () => '/api/configuration/policies' }],
  getAudit: [{ ...get, path: () => '/api/audit?limit=5', since: '2025-12-01', scope: 'audit', where: 'nowhere' }],
  getAuditOfAll: [{ ...operating, path: () => '/api/operation/audit?limit=5' }],
  getStatus: [{ ...operating, path: () => '/api/operation/status' }],
  getDeadLetters: [{ ...operating, path: () => '/api/operation/dead-letters?limit=5' }],
  getRefused: [{ ...operating, path: () => '/api/operation/refused' }],
  replay: [
    { ...operating, ...post, path: () => '/api/operation/replay', body: { refused: 'all' } },
    { ...operating, ...post, path: () => '/api/operation/replay', body: { dead_letter: '0/1-0' }, absent: true },
  ],
  litellmGuardrail: [
    {
      ...checking,
      path: () => '/beta/litellm_basic_guardrail_api',
      body: { texts: ['open sesame'], input_type: 'request' },
      since: '',
      where: 'left out',
    },
  ],
  createModeration: [
    { ...checking, path: () => '/v1/moderations', body: { input: 'open sesame' }, since: '', where: 'left out' },
  ],
  analyzeComment: [
    {
      ...checking,
      path: () => '/v1alpha1/comments:analyze',
      body: { comment: { text: 'open sesame' }, requestedAttributes: { TOXICITY: {} } },
      since: '',
      where: 'left out',
    },
  ],
  analyzeText: [
    {
      ...checking,
      path: () => '/analyze',
      body: { text: 'open sesame', language: 'en' },
      since: '',
      where: 'left out',
    },
  ],
  anonymizeText: [
    {
      ...post,
      path: () => '/anonymize',
      body: { text: 'open sesame', analyzer_results: [] },
      since: '',
      scope: 'check',
      where: 'nowhere',
    },
  ],
  supportedEntities: [
    { ...get, path: () => '/supportedentities', since: '', scope: 'check', where: 'left out', ofChecks: true },
  ],
  checkPrompt: [{ ...checking, path: () => '/request', body: { body: { messages } }, since: '', where: 'left out' }],
  checkCompletion: [
    {
      ...checking,
      path: () => '/response',
      body: { body: { choices: [{ message: messages[0] }] } },
      since: '',
      where: 'left out',
    },
  ],
  checkPortkey: [
    {
      ...checking,
      path: () => '/portkey/webhook',
      body: { eventType: 'beforeRequestHook', request: { json: { messages } } },
      since: '',
      where: 'left out',
    },
  ],
  checkEnvoy: [
    { ...checking, path: () => '/envoy/authz/v1/x', body: { query: 'good morning' }, since: '', where: 'left out' },
  ],
  checkNemo: [{ ...checking, path: () => '/v1/guardrail/checks', body: { messages }, since: '', where: 'left out' }],
  getHome: [{ ...open, path: () => '/' }],
  getOpenapi: [{ ...open, path: () => '/openapi.json' }],
  getLogin: [{ ...open, path: () => '/console/login', absent: true }],
  getLoginAnswer: [{ ...open, path: () => '/console/callback?code=x&state=y', absent: true }],
  getLoginSession: [{ ...open, path: () => '/console/session' }],
  endLoginSession: [{ ...open, method: 'DELETE', path: () => '/console/session' }],
  getConsole: [{ ...open, path: () => '/console' }],
  getConsoleFile: [{ ...open, path: () => '/console/console.css' }],
  getDocs: [{ ...open, path: () => '/docs' }],
  getDocsFile: [{ ...open, path: () => '/docs/swagger-ui.css' }],
  healthz: [{ ...open, path: () => '/healthz' }],
  readyz: [{ ...open, path: () => '/readyz' }],
} satisfies Record<EndpointName, Probe[]>;

/** Values of `service-version` that are sent: absent, no version at all, and each one. */
export const VERSIONS = [undefined, '', '2024-01-01', 'newest', '2025-12-01', '2026-04-15', '2026-06-01'] as const;
const REAL: readonly string[] = VERSIONS.slice(4) as string[];

/** Status, and the code of an error; 200 has none. */
export type Cell = readonly [status: number, code?: string];

/** What a request by the route's own method, or by HEAD for GET, is answered. */
export function decided(probe: Probe, caller: Caller, version: string | undefined): Cell {
  if (probe.scope === null) return probe.absent ? [404, 'not_found'] : [200];
  if (caller.is === 'missing') return [401, 'missing_api_key'];
  if (caller.is === 'invalid') return [401, 'invalid_api_key'];
  const wrong = decidedVersion(probe.since, version);
  if (wrong) return [400, wrong];
  const needed = [probe.scope, probe.also].filter((scope) => scope !== undefined && scope !== 'any');
  if (needed.some((scope) => !(caller.is as Granted).scopes.includes(scope))) return [403, 'permission_denied'];
  const { own, granted, sameNames, standing } = caller.is;
  if (probe.where === 'team' && probe.blind) return [202];
  if (probe.where === 'team') return own ? [200] : [404, 'not_found'];
  if (probe.where === 'nowhere') return probe.absent ? [404, 'not_found'] : [200];
  if (probe.where === 'left out' && !standing) return [400, 'validation_failed'];
  if ((probe.method === 'POST' && !probe.ofStored) || probe.ofChecks) {
    if (!sameNames) return [404, 'not_found'];
    return granted ? [200] : [403, 'permission_denied'];
  }
  if (probe.lists) return granted ? [200] : [404, 'not_found'];
  if (probe.method === 'DELETE') return granted && (own || probe.blind) ? [202] : [404, 'not_found'];
  if (probe.empty && granted) return [200];
  return own && granted ? [200] : [404, 'not_found'];
}

function decidedVersion(since: Probe['since'], version: string | undefined): string | undefined {
  if (since === '') return undefined;
  if (version === undefined || version === '') return 'version_required';
  if (!REAL.includes(version)) return 'unsupported_version';
  return version < since ? 'version_not_supported_for_endpoint' : undefined;
}

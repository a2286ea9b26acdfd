/**
 * Every endpoint of the interface (section 4). The HTTP edge routes by this table. The OpenAPI document and the client
 * are made from it, and tests go through it.
 */
import type { KeyScope } from '../configuration/key-scopes.js';
import { ENVELOPE_VERSIONS, EVENT_VERSIONS, EVERY_VERSION, type Version } from './versions.js';

export interface Endpoint {
  method: 'GET' | 'POST';
  /** the last segment may be a parameter: `/api/event/{internal_event_id}` */
  path: string;
  /** accepted values of `service-version`; empty: the header is not required */
  versions: readonly Version[];
  /** the scope that the API key needs; null: no key is needed */
  scope: KeyScope | null;
  /** the version that section 9, 2 names for this route; older accepted versions are deprecated */
  named?: Version;
  /** a check that does not finish in time is answered 200 `processing`, not 504 */
  late?: 'processing';
  /** the key may also come in the header `x-api-key` */
  apiKeyHeader?: true;
}

const ANY: readonly Version[] = [];

/** By the name of the operation. */
export const ENDPOINTS = {
  checkEvents: { method: 'POST', path: '/api/events', versions: EVENT_VERSIONS, scope: 'check' },
  checkEvent: { method: 'POST', path: '/api/event', versions: EVENT_VERSIONS, scope: 'check' },
  findEvent: { method: 'GET', path: '/api/event', versions: EVENT_VERSIONS, scope: 'read' },
  getEvent: { method: 'GET', path: '/api/event/{internal_event_id}', versions: EVENT_VERSIONS, scope: 'read' },
  checkSession: { method: 'POST', path: '/api/session/check', versions: EVERY_VERSION, scope: 'check' },
  checkArtifact: { method: 'POST', path: '/api/artifact', versions: EVERY_VERSION, scope: 'check', late: 'processing' },
  getArtifact: { method: 'GET', path: '/api/artifact/get_by_id', versions: EVERY_VERSION, scope: 'read' },
  getRunGraph: { method: 'GET', path: '/api/run/graph', versions: EVENT_VERSIONS, scope: 'read' },
  getProtect: { method: 'GET', path: '/api/protect/get_by_id', versions: EVERY_VERSION, scope: 'read' },
  getRisk: { method: 'GET', path: '/api/radar/risk', versions: EVERY_VERSION, scope: 'risk' },
  createSession: { method: 'POST', path: '/api/session', versions: ENVELOPE_VERSIONS, scope: 'check' },
  findSession: { method: 'GET', path: '/api/session', versions: EVERY_VERSION, scope: 'read', named: '2026-04-15' },
  getSession: {
    method: 'GET',
    path: '/api/session/{internal_session_id}',
    versions: EVERY_VERSION,
    scope: 'read',
    named: '2026-04-15',
  },
  litellmGuardrail: {
    method: 'POST',
    path: '/beta/litellm_basic_guardrail_api',
    versions: ANY,
    scope: 'check',
    apiKeyHeader: true,
  },
  healthz: { method: 'GET', path: '/healthz', versions: ANY, scope: null },
  readyz: { method: 'GET', path: '/readyz', versions: ANY, scope: null },
  getOpenapi: { method: 'GET', path: '/openapi.json', versions: ANY, scope: null },
  getDocs: { method: 'GET', path: '/docs', versions: ANY, scope: null },
  getDocsFile: { method: 'GET', path: '/docs/{file}', versions: ANY, scope: null },
} as const satisfies Record<string, Endpoint>;

export type EndpointName = keyof typeof ENDPOINTS;

/** The name of an endpoint in metrics and documents: `GET /api/event/{internal_event_id}`. */
export function endpointLabel(endpoint: Endpoint): string {
  return `${endpoint.method} ${endpoint.path}`;
}

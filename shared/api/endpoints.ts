/**
 * Every endpoint of the interface (section 4), by the name of its operation. A new resource is a module and a line here: the HTTP
 * edge, the OpenAPI document, the client and the tests know endpoints from this table alone.
 */
import { agentgatewayEndpoints } from './endpoints/agentgateway.js';
import { appealEndpoints } from './endpoints/appeals.js';
import { artifactEndpoints } from './endpoints/artifacts.js';
import { auditEndpoints } from './endpoints/audit.js';
import { configurationEndpoints } from './endpoints/configuration.js';
import { docsEndpoints } from './endpoints/docs.js';
import type { Endpoint } from './endpoints/endpoint.js';
import { envoyEndpoints } from './endpoints/envoy.js';
import { erasureEndpoints } from './endpoints/erasures.js';
import { eventEndpoints } from './endpoints/events.js';
import { graphEndpoints } from './endpoints/graph.js';
import { guardrailEndpoints } from './endpoints/guardrail.js';
import { healthEndpoints } from './endpoints/health.js';
import { historyEndpoints } from './endpoints/history.js';
import { labelEndpoints } from './endpoints/labels.js';
import { loginEndpoints } from './endpoints/logins.js';
import { moderationsEndpoints } from './endpoints/moderations.js';
import { nemoEndpoints } from './endpoints/nemo.js';
import { operationEndpoints } from './endpoints/operation.js';
import { perspectiveEndpoints } from './endpoints/perspective.js';
import { portkeyEndpoints } from './endpoints/portkey.js';
import { presidioEndpoints } from './endpoints/presidio.js';
import { protectEndpoints } from './endpoints/protect.js';
import { restoreEndpoints } from './endpoints/restore.js';
import { riskEndpoints } from './endpoints/risk.js';
import { sessionEndpoints } from './endpoints/sessions.js';
import { streamEndpoints } from './endpoints/streams.js';
import { tryEndpoints } from './endpoints/try.js';

export type { Endpoint } from './endpoints/endpoint.js';

export const ENDPOINTS = {
  ...eventEndpoints,
  ...graphEndpoints,
  ...sessionEndpoints,
  ...streamEndpoints,
  ...restoreEndpoints,
  ...protectEndpoints,
  ...artifactEndpoints,
  ...riskEndpoints,
  ...historyEndpoints,
  ...erasureEndpoints,
  ...labelEndpoints,
  ...appealEndpoints,
  ...tryEndpoints,
  ...configurationEndpoints,
  ...operationEndpoints,
  ...auditEndpoints,
  ...guardrailEndpoints,
  ...moderationsEndpoints,
  ...perspectiveEndpoints,
  ...presidioEndpoints,
  ...agentgatewayEndpoints,
  ...portkeyEndpoints,
  ...envoyEndpoints,
  ...nemoEndpoints,
  ...loginEndpoints,
  ...healthEndpoints,
  ...docsEndpoints,
};

export type EndpointName = keyof typeof ENDPOINTS;

/** The name of an endpoint in metrics and documents: `GET /api/event/{internal_event_id}`. */
export function endpointLabel(endpoint: Endpoint): string {
  return `${endpoint.method} ${endpoint.path}`;
}

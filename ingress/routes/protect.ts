/** Session checks as the protect view shows them (2.9, 4.10). */
import { LIMITS } from '../../shared/api/limits.js';
import type { StoredItem } from '../../shared/api/results/record.js';
import { storedItem } from '../../shared/api/results/render.js';
import type { PolicyResult, ProtectItem, ProtectList, ProtectViolation } from '../../shared/api/types.js';
import { askedBy } from '../../shared/api/validate/asked.js';
import { isUuid } from '../../shared/ids.js';
import { notFound } from '../http/auth.js';
import type { Edge, Exchange, RouteHandlers } from '../http/exchange.js';
import { queryError, readBoolean, readQuery, readView, requireName } from '../http/query.js';
import { requireOwnRegion } from '../http/region.js';
import { sendJson } from '../http/response.js';
import { type CheckRoute, checking } from './check.js';
import { foundItem, foundValue } from './found.js';
import { viewedStored } from './matched.js';
import { deploymentOf, sessionCheck } from './sessions.js';

async function getProtect(edge: Edge, exchange: Exchange): Promise<void> {
  const query = readQuery(exchange.query, ['deployment_id', 'internal_id', 'external_id', 'include_policy_names']);
  const { internal_id: internal, external_id: external } = query;
  const deployment = deploymentOf(exchange, query.deployment_id);
  requireName('deployment_id', deployment);
  if ((internal === '') === (external === '')) {
    throw queryError('internal_id', 'required', 'expected exactly one of internal_id and external_id');
  }
  if (internal !== '' && !isUuid(internal)) throw queryError('internal_id', 'uuid', 'expected a UUID');
  if (external !== '') requireName('external_id', external);
  const names = readBoolean('include_policy_names', query.include_policy_names);
  exchange.view = readView(exchange);
  requireOwnRegion(edge, 'internal_id', internal);
  const { key } = exchange;
  // Nothing is looked up for an absent, foreign or ungranted deployment, so all three take the same time.
  if (!key.deployments.has(deployment) || !edge.directory().deployment(key.team, deployment))
    throw notFound('deployment_id');
  const checks =
    internal === ''
      ? foundValue(await edge.lookup.sessions(key.team, deployment, external, LIMITS.protectItems), 'external_id')
      : await checkOf(edge, key.team, deployment, internal.toLowerCase());
  const viewed = await viewedStored(edge, exchange, checks);
  const list: ProtectList = { list: viewed.map((check) => protectItem(check, names)) };
  sendJson(edge, exchange, JSON.stringify(list));
}

/** The check of an internal id, or none. One without a verdict gets the error of its own look-up. */
async function checkOf(edge: Edge, team: string, deployment: string, id: string): Promise<StoredItem[]> {
  const found = await edge.lookup.byId('session', team, deployment, id);
  return found.status === 'absent'
    ? []
    : [foundItem(found, { scope: 'deployment_id', id: 'internal_id', visible: true })];
}

function protectItem(check: StoredItem, names: boolean): ProtectItem {
  const policies = JSON.parse(check.policies) as Record<string, PolicyResult>;
  const violations: Record<string, ProtectViolation> = Object.create(null);
  for (const [id, { flagged, name, flagged_source: sources, severity, evidence }] of Object.entries(policies)) {
    violations[id] = {
      violation: flagged,
      ...(names ? { name } : {}),
      violation_source: sources,
      ...(severity ? { severity } : {}),
      ...(evidence ? { evidence } : {}),
    };
  }
  return {
    ...(check.externalSessionId === '' ? {} : { external_id: check.externalSessionId }),
    internal_id: check.id,
    violation: check.flagged === true,
    violations,
  };
}

/** `POST /api/protect/check`: a session check, answered as the view shows it. */
const check: CheckRoute = {
  ...sessionCheck,
  body: () => 'protect',
  render(record, { asked }) {
    const stored = storedItem(record, record.items[0]!);
    const item = protectItem(stored, askedBy(asked, 'protect').names);
    return JSON.stringify(stored.note === '' ? item : { ...item, note: stored.note });
  },
};

export const protectRoutes = { checkProtect: checking(check), getProtect } satisfies RouteHandlers;

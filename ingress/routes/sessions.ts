/** Sessions: checks (4.1) and look-ups (4.2, 4.3). */
import { newestArtifacts, storedArtifact } from '../../shared/api/artifact.js';
import { sessionConversationOf } from '../../shared/api/conversation.js';
import { validationError } from '../../shared/api/errors.js';
import { LIMITS } from '../../shared/api/limits.js';
import { type PolicyView, viewedItem } from '../../shared/api/results/explanation.js';
import type { StoredItem } from '../../shared/api/results/record.js';
import { renderEnvelope, renderSession, storedItem } from '../../shared/api/results/render.js';
import { renaming } from '../../shared/api/session-name.js';
import type { Issue } from '../../shared/api/types.js';
import type { CheckInput, JoinedSession } from '../../shared/api/validate/issues.js';
import { within } from '../../shared/async.js';
import { isUuid, itemId } from '../../shared/ids.js';
import type { Scope } from '../admission/directory.js';
import type { CheckRequest } from '../dispatch/types.js';
import { writableScope } from '../http/auth.js';
import type { Edge, Exchange, RouteHandlers } from '../http/exchange.js';
import { queryError, readQuery, readView, requireName } from '../http/query.js';
import { requireOwnRegion } from '../http/region.js';
import { sendJson } from '../http/response.js';
import type { Artifacts, ItemAnswer } from '../lookups/types.js';
import { type CheckRoute, checking, timeoutError } from './check.js';
import { foundItem, foundValue, type RequestedItem } from './found.js';
import { labelled, readLabels } from './labelled.js';
import { noted, viewedStored } from './matched.js';

/** A session check. Other routes that make one differ in their answers. */
export const sessionCheck: CheckRoute = {
  kind: 'session',
  permit(edge, exchange, input) {
    const id = deploymentOf(exchange, input.scope);
    const deployment = writableScope(edge, exchange.key, 'deployment', id);
    checkPolicies(deployment, input);
    return deployment;
  },
  prepare: ({ joins }) => joins && ((edge, request) => joined(edge, request, joins)),
  render: (record) => renderSession(storedItem(record, record.items[0]!)),
  timeout(requestId, scope) {
    const id = itemId(requestId, 1);
    const url = `/api/session/${id}?deployment_id=${encodeURIComponent(scope)}`;
    return timeoutError({ result: { internal_session_id: id, result_url: url } });
  },
};

/** The session that a check joins. */
const JOINED: RequestedItem = { scope: 'deployment_id', id: 'internal_session_id', visible: true };

/**
 * A check that joins the session of an earlier one has its `external_session_id`. Where that had none, its internal id is the name of the
 * session from now on. Throws 404 where the deployment has no such check, 409 while one without a name is under way, and 400 where the
 * caller names another session.
 */
async function joined(
  edge: Edge,
  { team, scope, body }: CheckRequest,
  { internal, external, field }: JoinedSession,
): Promise<Partial<CheckRequest>> {
  requireOwnRegion(edge, 'internal_session_id', internal);
  const found = await edge.lookup.byId('session', team, scope, internal);
  const known =
    found.status === 'pending'
      ? // One that has a name is evaluated before this one.
        found.session || foundItem(found, JOINED).externalSessionId
      : (found.status === 'found' ? found.item : foundItem(found, JOINED)).externalSessionId;
  const name = known || internal;
  const conversations = [sessionConversationOf(name)];
  if (external === name) return { conversations };
  if (external !== '') {
    const message = 'expected the external_session_id of the session that internal_session_id is of, or none';
    throw validationError([{ path: field, code: 'conflict', message }]);
  }
  const { from, to, text } = renaming(body.toString('latin1'), name);
  const renamed = Buffer.concat([body.subarray(0, from), Buffer.from(text), body.subarray(to)]);
  return { affinity: name, conversations, body: renamed };
}

/** `POST /api/session`: the same check, answered like the look-ups (4.3). */
const create: CheckRoute = {
  ...sessionCheck,
  async renderLater(edge, exchange, record) {
    const session = storedItem(record, record.items[0]!);
    const items = record.items.slice(1).map((item) => storedArtifact(storedItem(record, item)));
    const own = newestArtifacts(items, LIMITS.envelopeArtifacts);
    // Without an id of the caller's, nobody could name this session before: all of its artifacts came with it.
    if (session.externalSessionId === '' && !exchange.replayed) return renderEnvelope(session, own);
    // The verdict is there. Artifacts that were sent for the session must neither delay it beyond the deadline nor turn it into a 503.
    const waited = exchange.wait > 0 ? exchange.wait * 1000 : edge.settings.deadlineMs;
    const left = Math.min(waited, exchange.received + waited - Date.now());
    const found = await within(artifactsOf(edge, session), { ms: left });
    if (found?.status === 'found') return envelope(session, found.value, exchange.view);
    return renderEnvelope(noted(session, 'artifacts linked to the session cannot be read at the moment'), own);
  },
};

const artifactsOf = (edge: Edge, { team, scope, id, externalSessionId: external }: StoredItem) =>
  edge.lookup.sessionArtifacts(team, scope, { internal: id, external }, LIMITS.envelopeArtifacts);

/** A session with its artifacts. When archived ones cannot be read now, its note says so: the verdict is still answered. */
function envelope(session: StoredItem, { artifacts, complete }: Artifacts, view: PolicyView): string {
  const told = complete ? session : noted(session, 'archived artifacts cannot be read at the moment');
  const viewed = artifacts.map((artifact) => viewedItem(artifact, view));
  return renderEnvelope(told, viewed);
}

/** The deployment that is named, else the default one of the key (5, 2). Throws 400. */
export function deploymentOf(exchange: Exchange, named: string): string {
  const id = named !== '' ? named : exchange.key.defaultDeployment;
  if (id !== '') return id;
  const message = 'is required, since the API key has no default deployment';
  throw queryError('deployment_id', 'required', message);
}

/** A policy that the deployment does not have would silently check less than the caller expects. Throws 400. */
function checkPolicies(deployment: Scope, input: CheckInput): void {
  const issues: Issue[] = [];
  for (let i = 0; i < input.policies.length && issues.length < LIMITS.issues; i++) {
    // Policy ids are UUIDs, in which case does not matter. The configuration has them in lower case.
    if (deployment.policies.has(input.policies[i]!.toLowerCase())) continue;
    const message = 'expected the id of a policy of the deployment';
    issues.push({ path: `${input.policiesField}[${i}]`, code: 'unknown_policy', message });
  }
  if (issues.length > 0) throw validationError(issues);
}

async function getSession(edge: Edge, exchange: Exchange): Promise<void> {
  if (!isUuid(exchange.id)) throw queryError('internal_session_id', 'uuid', 'expected a UUID');
  const query = readQuery(exchange.query, ['deployment_id']);
  exchange.view = readView(exchange);
  const labels = readLabels(exchange);
  const deployment = deploymentOf(exchange, query.deployment_id);
  requireOwnRegion(edge, 'internal_session_id', exchange.id);
  const found = await edge.lookup.byId('session', exchange.key.team, deployment, exchange.id.toLowerCase());
  await answer(edge, exchange, found, { deployment, id: 'internal_session_id', labels });
}

async function findSession(edge: Edge, exchange: Exchange): Promise<void> {
  const query = readQuery(exchange.query, ['external_session_id', 'deployment_id']);
  requireName('external_session_id', query.external_session_id);
  exchange.view = readView(exchange);
  const labels = readLabels(exchange);
  const deployment = deploymentOf(exchange, query.deployment_id);
  const found = await edge.lookup.latestSession(exchange.key.team, deployment, query.external_session_id);
  await answer(edge, exchange, found, { deployment, id: 'external_session_id', labels });
}

async function answer(
  edge: Edge,
  exchange: Exchange,
  found: ItemAnswer,
  { deployment, id, labels: wanted }: { deployment: string; id: string; labels: boolean },
): Promise<void> {
  const visible = exchange.key.deployments.has(deployment);
  const item = foundItem(found, { scope: 'deployment_id', id, visible });
  const { artifacts, complete } = foundValue(await artifactsOf(edge, item), id);
  const [viewed] = await viewedStored(edge, exchange, [item]);
  const [said] = await labelled(edge, item, { items: [viewed!], wanted });
  const images = { artifacts: await labelled(edge, item, { items: artifacts, wanted }), complete };
  sendJson(edge, exchange, envelope(said!, images, exchange.view));
}

export const sessionRoutes = {
  checkSession: checking(sessionCheck),
  createSession: checking(create),
  findSession,
  getSession,
} satisfies RouteHandlers;

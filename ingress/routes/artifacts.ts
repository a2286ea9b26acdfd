/** Artifacts: checks of single images (4.5), and look-ups of them and of images in sessions (4.4). */
import {
  type AwaitedArtifact,
  processingArtifact,
  type StoredArtifact,
  storedArtifact,
} from '../../shared/api/artifact.js';
import { viewedItem } from '../../shared/api/results/explanation.js';
import { renderArtifact, storedItem } from '../../shared/api/results/render.js';
import type { ArtifactInput } from '../../shared/api/validate/issues.js';
import { isUuid, itemId, partsOf } from '../../shared/ids.js';
import { notFound } from '../http/auth.js';
import type { Edge, Exchange, RouteHandlers } from '../http/exchange.js';
import { queryError, readQuery, readView, requireName } from '../http/query.js';
import { requireOwnRegion } from '../http/region.js';
import { sendJson } from '../http/response.js';
import type { Lookup } from '../lookups/types.js';
import { type CheckRoute, checking } from './check.js';
import { foundItem, foundValue, type RequestedItem } from './found.js';
import { labelled, readLabels } from './labelled.js';
import { deploymentOf, sessionCheck } from './sessions.js';

/** The session that an artifact is sent for. */
const LINKED: RequestedItem = { scope: 'deployment_id', id: 'internal_session_id', visible: true };
/** Item number of an artifact that came by itself. */
const ARTIFACT = 1;

const artifactCheck: CheckRoute = {
  kind: 'artifact',
  permit: sessionCheck.permit,
  prepare:
    ({ artifact }) =>
    async (edge, { team, scope }) => ({ artifact: await linked(edge, { team, deployment: scope }, artifact!) }),
  render: (record) => renderArtifact(storedArtifact(storedItem(record, record.items[0]!))),
  // Not an error (3): the caller looks it up later.
  timeout(requestId, _scope, _input, { artifact }) {
    const { time } = partsOf(requestId)!;
    return renderArtifact(processingArtifact(itemId(requestId, ARTIFACT), time, artifact!));
  },
};

interface Where {
  team: string;
  deployment: string;
}

/**
 * The session that an artifact is sent for, by both of its ids as far as they are known. Throws 404 when an internal id names no
 * session of the deployment, 503 when that cannot be found out. A session with the caller's own id may come later. One that has
 * left Redis is looked for while the image is checked.
 */
async function linked(edge: Edge, where: Where, input: ArtifactInput): Promise<AwaitedArtifact> {
  const { external, internalSession: internal, externalSession } = input;
  if (internal === '') return { external, session: await namedSession(edge.lookup.hotSession, where, externalSession) };
  requireOwnRegion(edge, 'internal_session_id', internal);
  const found = await edge.lookup.byId('session', where.team, where.deployment, internal);
  // A session that is under way, or has no verdict, counts, too.
  if (found.status === 'pending') return { external, session: { internal, external: found.session ?? '' } };
  const session = found.status === 'found' ? found.item : foundItem(found, LINKED);
  return { external, session: { internal, external: session.externalSessionId } };
}

/** Ids of the caller's session; the internal one of its latest result, if that can be found. */
async function namedSession(
  find: Lookup['latestSession'],
  where: Where,
  external: string,
): Promise<AwaitedArtifact['session']> {
  if (external === '') return { internal: '', external };
  const found = await find(where.team, where.deployment, external);
  const session = found.status === 'found' ? found.item : found.status === 'pending' ? found.earlier : undefined;
  return { internal: session?.id ?? '', external };
}

async function getArtifact(edge: Edge, exchange: Exchange): Promise<void> {
  const query = readQuery(exchange.query, ['internal_artifact_id', 'external_artifact_id', 'deployment_id']);
  const { internal_artifact_id: internal, external_artifact_id: external } = query;
  if ((internal === '') === (external === '')) {
    const message = 'expected exactly one of internal_artifact_id and external_artifact_id';
    throw queryError('internal_artifact_id', 'required', message);
  }
  if (internal !== '' && !isUuid(internal)) throw queryError('internal_artifact_id', 'uuid', 'expected a UUID');
  if (external !== '') requireName('external_artifact_id', external);
  exchange.view = readView(exchange);
  const wanted = readLabels(exchange);
  const { key } = exchange;
  const deployment = deploymentOf(exchange, query.deployment_id);
  requireOwnRegion(edge, 'internal_artifact_id', internal);
  const found =
    internal !== ''
      ? await edge.lookup.artifactById(key.team, deployment, internal.toLowerCase())
      : await edge.lookup.latestArtifact(key.team, deployment, external);
  // Looked up before this, so that it takes the same time.
  if (!key.deployments.has(deployment) && found.status !== 'unavailable') throw notFound('deployment_id');
  const artifact = foundValue(found, internal !== '' ? 'internal_artifact_id' : 'external_artifact_id');
  const linkedTo = await withSession(edge, { team: key.team, deployment }, artifact);
  const items = [viewedItem(linkedTo, exchange.view)];
  const [said] = await labelled(edge, { team: key.team, scope: deployment }, { items, wanted });
  sendJson(edge, exchange, renderArtifact(said!));
}

/** Adds the session when it came after the artifact that was sent for it. */
async function withSession(edge: Edge, where: Where, artifact: StoredArtifact): Promise<StoredArtifact> {
  if (artifact.session.internal !== '' || artifact.session.external === '') return artifact;
  return { ...artifact, session: await namedSession(edge.lookup.latestSession, where, artifact.session.external) };
}

export const artifactRoutes = { checkArtifact: checking(artifactCheck), getArtifact } satisfies RouteHandlers;

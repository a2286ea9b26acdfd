/** Events: checks (4.6, 4.7) and look-ups (4.8, 4.9). */
import { answerOf } from '../../shared/api/results/answer.js';
import type { RecordItem, Redacted } from '../../shared/api/results/record.js';
import { renderEvent, sealMember, storedItem } from '../../shared/api/results/render.js';
import { writeRecord } from '../../shared/api/results/write-record.js';
import { EVENT_TYPES } from '../../shared/api/types.js';
import { generatedId, isUuid, itemId } from '../../shared/ids.js';
import { notFound, writableScope } from '../http/auth.js';
import type { Edge, Exchange, RouteHandlers } from '../http/exchange.js';
import { queryError, readQuery, readView, requireId, requireName } from '../http/query.js';
import { requireOwnRegion } from '../http/region.js';
import { sendJson } from '../http/response.js';
import type { ItemAnswer } from '../lookups/types.js';
import { type CheckRoute, checking, timeoutError } from './check.js';
import { foundItem } from './found.js';
import { labelled, readLabels } from './labelled.js';
import { viewedStored } from './matched.js';

const batch: CheckRoute = {
  kind: 'events',
  permit: (edge, exchange, input) => writableScope(edge, exchange.key, 'environment', input.scope),
  render(record) {
    return answerOf(writeRecord(record), record.items.map(redactedMembers));
  },
  renderStored: answerOf,
  timeout(requestId, _scope, input) {
    const items = [];
    for (let index = 0; index < input.eventIds.length; index++) {
      const eventId = input.eventIds[index];
      // A reference makes no result of its own.
      if (eventId === null || eventId === undefined) continue;
      const internal = itemId(requestId, index + 1);
      items.push({ index, event_id: eventId || generatedId('evt', internal), internal_event_id: internal });
    }
    return timeoutError({ items });
  },
};

/** The redacted content of an item, with its seal behind. */
function redactedMembers({ redacted, sealed }: RecordItem): Redacted | undefined {
  return redacted && sealed !== undefined ? (encoding) => redacted(encoding) + sealMember(sealed) : redacted;
}

const single: CheckRoute = {
  kind: 'event',
  permit: batch.permit,
  render: (record) => renderEvent(storedItem(record, record.items[0]!), { runId: true }),
  timeout(requestId, scope, input) {
    if (input.eventIds[0] === null) return timeoutError({});
    const id = itemId(requestId, 1);
    const url = `/api/event/${id}?environment_id=${encodeURIComponent(scope)}`;
    return timeoutError({ result: { internal_event_id: id, result_url: url } });
  },
};

async function getEvent(edge: Edge, exchange: Exchange): Promise<void> {
  if (!isUuid(exchange.id)) throw queryError('internal_event_id', 'uuid', 'expected a UUID');
  const { environment_id: environment } = readQuery(exchange.query, ['environment_id']);
  exchange.view = readView(exchange);
  const labels = readLabels(exchange);
  requireName('environment_id', environment);
  requireOwnRegion(edge, 'internal_event_id', exchange.id);
  const found = await edge.lookup.byId('event', exchange.key.team, environment, exchange.id.toLowerCase());
  await answer(edge, exchange, { found, environment, type: '', id: 'internal_event_id', labels });
}

async function findEvent(edge: Edge, exchange: Exchange): Promise<void> {
  const query = readQuery(exchange.query, ['environment_id', 'run_id', 'event_id', 'type']);
  requireName('environment_id', query.environment_id);
  requireId('run_id', query.run_id);
  requireId('event_id', query.event_id);
  if (query.type !== '' && !(EVENT_TYPES as readonly string[]).includes(query.type)) {
    throw queryError('type', 'type', `expected one of: ${EVENT_TYPES.join(', ')}`);
  }
  exchange.view = readView(exchange);
  const labels = readLabels(exchange);
  const { environment_id: environment, run_id: run, event_id: event } = query;
  const found = await edge.lookup.latestEvent(exchange.key.team, environment, run, event);
  // A run may go on in another region, so its id does not say where its events are.
  if (found.status === 'absent' && exchange.key.environments.has(environment)) {
    requireOwnRegion(edge, 'run_id', run);
    requireOwnRegion(edge, 'event_id', event);
  }
  await answer(edge, exchange, { found, environment, type: query.type, id: 'event_id', labels });
}

interface FoundEvent {
  found: ItemAnswer;
  environment: string;
  /** '': any */
  type: string;
  /** the parameter that named it */
  id: string;
  labels: boolean;
}

async function answer(
  edge: Edge,
  exchange: Exchange,
  { found, environment, type, id, labels: wanted }: FoundEvent,
): Promise<void> {
  const item = foundItem(found, { scope: 'environment_id', id, visible: exchange.key.environments.has(environment) });
  if (type !== '' && item.type !== type) throw notFound('type');
  const items = await labelled(edge, item, { items: await viewedStored(edge, exchange, [item]), wanted });
  sendJson(edge, exchange, renderEvent(items[0]!, { metadata: true }));
}

export const eventRoutes = {
  checkEvents: checking(batch),
  checkEvent: checking(single),
  findEvent,
  getEvent,
} satisfies RouteHandlers;

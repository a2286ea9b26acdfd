/**
 * The graph of a run (4.12): its checked events, hot and archived, and the causes that they declare. A cause that was found when
 * its event was checked is pinned in the event. Other causes are looked for again, among the events before it.
 *
 * A page is bounded twice: by events, and by declared causes, since one event may declare 51 of them. Both stores are always read:
 * only then is it known whether a run has more.
 */
import type { DeclaredLink, MessageRole } from '../../shared/api/results/record.js';
import { timestamp } from '../../shared/api/results/render.js';
import type { EventType, RunGraph, RunGraphEdge, RunGraphNode } from '../../shared/api/types.js';
import { type SoughtCause, soughtKey } from '../../shared/causes.js';
import { HistoryUnavailable } from '../../shared/history/read/breaker.js';
import type { ArchivedEvent, GraphQueries, RunKey } from '../../shared/history/read/graph.js';
import { isUuid } from '../../shared/ids.js';
import { comparePlaces, type ResultPlace } from '../../shared/latest.js';
import type { Redis } from '../../shared/streams/client.js';
import { MOST_INDEX_MEMBERS } from '../../shared/streams/hot/indexes.js';
import { wholeFrom } from '../../shared/streams/hot/losses.js';
import { type HotEvent, hotCauses, hotRun } from '../../shared/streams/hot/runs.js';
import { keys } from '../../shared/streams/keys.js';
import { hasLost } from './hot/results.js';

/** Most causes of one page. One event always fits. */
const MOST_DECLARED = 2000;

export interface GraphPage extends RunKey {
  /** where the page before ended */
  after: ResultPlace | undefined;
  /** most events */
  limit: number;
}

interface PlacedNode extends ResultPlace {
  version: number;
  node: RunGraphNode;
  links: readonly DeclaredLink[];
}

/** Most index members that are read for the causes of a page: two full indexes. */
const MOST_MEMBERS = 2 * MOST_INDEX_MEMBERS;

const BEHIND = 'the archive is behind, and the run has more than Redis keeps of it';
const UNREAD = 'the archive is behind, and a cause may be in what is hot of its run and not looked through';
const CURSOR = /^1:(\d{1,16}):([0-9a-f-]{36})$/;

/** Where a page ended, as a caller gives it back. */
export function encodeCursor({ sequence, id }: ResultPlace): string {
  return Buffer.from(`1:${sequence}:${id}`).toString('base64url');
}

/** The place that a cursor names; undefined when it is not one of ours. */
export function decodeCursor(cursor: string): ResultPlace | undefined {
  const match = CURSOR.exec(Buffer.from(cursor, 'base64url').toString('latin1'));
  if (!match || !isUuid(match[2]!)) return undefined;
  const place = { sequence: Number(match[1]), id: match[2]! };
  return Number.isSafeInteger(place.sequence) && encodeCursor(place) === cursor ? place : undefined;
}

/** A page of the graph; undefined when the run has no events. Rejects when a store cannot be asked. */
export async function runGraph(redis: Redis, history: GraphQueries, page: GraphPage): Promise<RunGraph | undefined> {
  const { nodes, more } = await nodesOf(redis, history, page);
  // An empty page is beyond the end of a run, or of a run that does not exist.
  if (nodes.length === 0 && !more && (page.after === undefined || !(await exists(redis, history, page)))) {
    return undefined;
  }
  const { team, environment, run } = page;
  const causes = await causesOf(redis, history, { team, environment }, nodes);
  return {
    run_id: run,
    environment_id: environment,
    nodes: nodes.map(({ node }) => node),
    edges: nodes.flatMap((node) => node.links.map((link) => edge(link, node, causes))),
    next_cursor: more ? encodeCursor(more) : null,
  };
}

async function exists(redis: Redis, history: GraphQueries, page: GraphPage): Promise<boolean> {
  const { nodes, more } = await nodesOf(redis, history, { ...page, after: undefined, limit: 1 });
  return nodes.length > 0 || more !== undefined;
}

/** Events of the page. `more`: where it ends, when others follow. Redis is read first: what leaves it is in ClickHouse by then. */
async function nodesOf(
  redis: Redis,
  history: GraphQueries,
  page: GraphPage,
): Promise<{ nodes: PlacedNode[]; more: ResultPlace | undefined }> {
  const { after, limit } = page;
  const hot = await hotRun(redis, page, after, limit + 1);
  const index = keys.run(page.team, page.environment, page.run);
  if (await hasLost(redis, index)) throw new HistoryUnavailable(BEHIND);
  await wholeFrom(redis, index);
  const asked = { team: page.team, environment: page.environment, run: page.run, after, most: limit + 1 };
  const archived = hot.length > 0 ? await history.runEvents(asked) : await history.runEventsIfAny(asked);
  const byId = new Map<string, PlacedNode>();
  for (const event of archived.events) byId.set(event.id, archivedNode(event));
  for (const event of hot) {
    const known = byId.get(event.id);
    const node = hotNode(event);
    if (!known || known.version <= node.version) byId.set(event.id, node);
  }
  const all = [...byId.values()].sort(comparePlaces);
  // Names outlive verdicts: a page may end at an event of which only the name is left.
  const last = archived.places.length > limit ? archived.places.at(-1) : undefined;
  const nodes: PlacedNode[] = [];
  let declared = 0;
  for (const node of all) {
    if (nodes.length === limit || (nodes.length > 0 && declared + node.links.length > MOST_DECLARED)) {
      return { nodes, more: nodes.at(-1) };
    }
    // Beyond the last archived place that was asked for, archived events may stand between the hot ones.
    if (last && comparePlaces(node, last) > 0) break;
    nodes.push(node);
    declared += node.links.length;
  }
  return { nodes, more: last };
}

function hotNode({ id, head, item }: HotEvent): PlacedNode {
  const node = {
    internal_event_id: id,
    event_id: item.eventId,
    type: item.type as EventType,
    ...(item.role ? { role: item.role } : {}),
    status: item.status as RunGraphNode['status'],
    flagged: item.flagged === true,
    created_at: timestamp(head.received),
  };
  return { id, sequence: head.sequence, version: head.version ?? 1, node, links: item.links ?? [] };
}

function archivedNode(event: ArchivedEvent): PlacedNode {
  const role = event.type === 'message' ? roleOf(event.role) : undefined;
  const node = {
    internal_event_id: event.id,
    event_id: event.eventId,
    type: event.type,
    ...(role ? { role } : {}),
    status: event.status,
    flagged: event.flagged === true,
    created_at: timestamp(event.created),
  };
  return { id: event.id, sequence: event.sequence, version: event.version, node, links: event.links };
}

const roleOf = (role: string): MessageRole | undefined => (role === 'user' || role === 'assistant' ? role : undefined);

/** The cause to look for: what a link of the event at this place names. */
function soughtOf({ runId, eventId, internalId }: DeclaredLink, { sequence, id }: ResultPlace): SoughtCause {
  return { run_id: runId, event_id: eventId, internal_event_id: internalId, before: { sequence, id } };
}

/** Causes of `nodes` that are not pinned, by `soughtKey`: the latest event of that name, in either store. */
async function causesOf(
  redis: Redis,
  history: GraphQueries,
  { team, environment }: { team: string; environment: string },
  nodes: readonly PlacedNode[],
): Promise<Map<string, ResultPlace>> {
  const wanted = new Map<string, SoughtCause>();
  for (const node of nodes) {
    for (const link of node.links) {
      if (link.target !== undefined) continue;
      const sought = soughtOf(link, node);
      wanted.set(soughtKey(sought), sought);
    }
  }
  const causes = [...wanted.values()];
  if (causes.length === 0) return new Map();
  const { found, unread } = await hotCauses(redis, { team, environment, most: MOST_MEMBERS }, causes);
  // An archived cause would not do: the latest is asked for.
  if (unread.size > 0) throw new HistoryUnavailable(UNREAD);
  for (const [key, place] of await history.causes(team, environment, causes)) {
    const hot = found.get(key);
    if (!hot || comparePlaces(hot, place) < 0) found.set(key, place);
  }
  return found;
}

function edge(link: DeclaredLink, effect: PlacedNode, causes: ReadonlyMap<string, ResultPlace>): RunGraphEdge {
  const cause = link.target ?? causes.get(soughtKey(soughtOf(link, effect)))?.id;
  const named = link.eventId === '' ? link.internalId : link.eventId;
  return {
    kind: link.kind,
    source: cause ?? named,
    target: effect.id,
    ...(link.kind === 'link' ? { relation: link.relation } : {}),
    resolved: cause !== undefined,
  };
}

/**
 * Look-ups: Redis first, then ClickHouse. A result stays in Redis (hot) until a while after it is archived, so one of the two has
 * it at every moment. Hot results are newer than all that have left, unless they are `late` (`latest.ts`).
 *
 * An id of another team, environment or deployment takes exactly the steps of an absent one.
 */
import { newestArtifacts, processingArtifact, type StoredArtifact, storedArtifact } from '../../shared/api/artifact.js';
import { isOutcome, kindOf, type RecordOwner, type StoredItem } from '../../shared/api/results/record.js';
import { UnreadFormat } from '../../shared/formats.js';
import type { AppealQueries } from '../../shared/history/read/appeals.js';
import type { AuditQueries } from '../../shared/history/read/audit.js';
import { HistoryUnavailable } from '../../shared/history/read/breaker.js';
import type { ContentQueries } from '../../shared/history/read/contents.js';
import type { ConversationQueries } from '../../shared/history/read/conversation.js';
import type { FiguresQueries } from '../../shared/history/read/figures.js';
import type { FoundTextQueries } from '../../shared/history/read/found-text.js';
import type { GraphQueries } from '../../shared/history/read/graph.js';
import type { ItemKey } from '../../shared/history/read/items.js';
import type { LabelQueueQueries } from '../../shared/history/read/label-queue.js';
import type { LabelQueries } from '../../shared/history/read/labels.js';
import type { PastQueries } from '../../shared/history/read/past.js';
import type { RiskQueries } from '../../shared/history/read/risk.js';
import type { StoredPageQueries } from '../../shared/history/read/stored-page.js';
import { MAX_PARTITIONS, partsOf } from '../../shared/ids.js';
import { later, latestOf } from '../../shared/latest.js';
import { isPassing, type Redis } from '../../shared/streams/client.js';
import { wholeFrom } from '../../shared/streams/hot/losses.js';
import { hotEvents } from '../../shared/streams/hot/runs.js';
import { keys } from '../../shared/streams/keys.js';
import {
  acceptedLately,
  hotArtifact,
  hotSessionArtifacts,
  type SessionIds,
  sessionIndexesAreWhole,
} from './hot/artifacts.js';
import { lateEvents, MOST_UNFINISHED, markedSessions, readAwaited } from './hot/awaited.js';
import { hotItem, hotSession, hotSessions } from './hot/results.js';
import { runGraph } from './run-graph.js';
import type { ItemAnswer, Lookup, LookupAnswer } from './types.js';
import { riskScore } from './user-risk.js';

/** How many of the artifacts accepted last under one external id, or of the late events of a run, are looked at. */
const LATELY = 4;

/** The queries that look-ups need. They reject when ClickHouse cannot be asked. */
export interface LookupQueries
  extends ContentQueries,
    GraphQueries,
    RiskQueries,
    LabelQueries,
    LabelQueueQueries,
    AppealQueries,
    PastQueries,
    FiguresQueries,
    StoredPageQueries,
    FoundTextQueries,
    ConversationQueries,
    AuditQueries {
  itemById(query: ItemKey): Promise<StoredItem | undefined>;
  latestEvent(team: string, environment: string, run: string, event: string): Promise<StoredItem | undefined>;
  latestSession(team: string, deployment: string, external: string): Promise<StoredItem | undefined>;
  sessions(team: string, deployment: string, external: string, most: number): Promise<StoredItem[]>;
  latestArtifact(team: string, deployment: string, external: string): Promise<StoredItem | undefined>;
  sessionArtifacts(team: string, deployment: string, session: SessionIds, most: number): Promise<StoredItem[]>;
}

export function createLookup(redis: Redis, history: LookupQueries): Lookup {
  return {
    byId: (kind, team, scope, id) => orUnavailable(() => byId(redis, history, { kind, team, scope, id })),
    latestEvent: (team, environment, run, event) =>
      orUnavailable(() => latestEvent(redis, history, { team, environment, run, event })),
    latestSession: (team, deployment, external) =>
      orUnavailable(() => latestSession(redis, history, { team, scope: deployment }, external)),
    hotSession: (team, deployment, external) =>
      orUnavailable(async () => {
        const hot = await hotSession(redis, team, deployment, external);
        return asFound(hot?.late ? undefined : hot);
      }),
    sessions: (team, deployment, external, most) =>
      orUnavailable(async () => {
        const hot = await hotSessions(redis, team, deployment, external, most);
        await wholeFrom(redis, keys.ext(team, deployment, external));
        const archived = await history.sessions(team, deployment, external, most);
        return asAnswer(newest([...archived, ...hot]).slice(0, most));
      }),
    artifactById: (team, scope, id) =>
      orUnavailable(async () => asAnswer(await artifactById(redis, history, { team, scope, id }))),
    latestArtifact: (team, scope, external) =>
      orUnavailable(async () => asAnswer(await latestArtifact(redis, history, { team, scope }, external))),
    sessionArtifacts: (team, scope, session, most) =>
      orUnavailable(async () => {
        const hot = await hotSessionArtifacts(redis, { team, scope }, session, most);
        try {
          await sessionIndexesAreWhole(redis, { team, scope }, session);
          const archived = await history.sessionArtifacts(team, scope, session, most);
          const artifacts = newestArtifacts([...hot, ...archived.map(storedArtifact)], most);
          return asAnswer({ artifacts, complete: true });
        } catch (error) {
          if (!(error instanceof HistoryUnavailable)) throw error;
          // An artifact that seems under way may be finished and archived, so only finished ones are told.
          const finished = hot.filter(({ version }) => version > 0);
          return asAnswer({ artifacts: newestArtifacts(finished, most), complete: false });
        }
      }),
    contents: (team, scope, ids) => orUnavailable(async () => asAnswer(await history.contents({ team, scope }, ids))),
    labels: (team, scope, ids) => orUnavailable(async () => asAnswer(await history.labels({ team, scope }, ids))),
    stated: (team, scope, id, reviewer) =>
      orUnavailable(async () => asAnswer(await history.stated({ team, scope }, id, reviewer))),
    appeals: (team, scope, id) => orUnavailable(async () => asAnswer(await history.appeals({ team, scope }, id))),
    appealsSince: (team, since) => orUnavailable(async () => asAnswer(await history.appealsSince(team, since))),
    openAppeals: (question) => orUnavailable(async () => asAnswer(await history.openAppeals(question))),
    labelQueue: (question, now) => orUnavailable(async () => asAnswer(await history.labelQueue(question, now))),
    pastItems: (question) => orUnavailable(async () => asAnswer(await history.pastItems(question))),
    foundItems: (question) => orUnavailable(async () => asAnswer(await history.foundItems(question))),
    conversation: (question) => orUnavailable(async () => asAnswer(await history.conversation(question))),
    storedPage: (question) => orUnavailable(async () => asAnswer(await history.storedPage(question))),
    pastFigures: (question) => orUnavailable(async () => asAnswer(await history.pastFigures(question))),
    pastUsers: (question) => orUnavailable(async () => asAnswer(await history.pastUsers(question))),
    audit: (question) => orUnavailable(async () => asAnswer(await history.audit(question))),
    runGraph: (page) => orUnavailable(async () => asAnswer(await runGraph(redis, history, page))),
    riskScore: (question) => orUnavailable(async () => asAnswer(await riskScore(redis, history, question))),
  };
}

/** An item by its internal id. Rejects where a store that has to be asked is away. */
export async function byId(
  redis: Redis,
  history: Pick<LookupQueries, 'itemById'>,
  query: ItemKey,
): Promise<ItemAnswer> {
  const { kind, team, scope, id } = query;
  const parts = partsOf(id);
  if (!parts || parts.partition >= MAX_PARTITIONS || parts.item === 0) return ABSENT;
  // A deployment and an environment may have the same id.
  const isTheirs = (item: StoredItem): boolean => kindOf(item) === kind;
  const hot = await hotItem(redis, parts, query);
  if (hot.item && isTheirs(hot.item)) return { status: 'found', item: hot.item };
  const archived = await history.itemById({ kind, team, scope, id: id.toLowerCase() });
  if (archived) return { status: 'found', item: archived };
  const awaited = await readAwaited(redis, parts);
  if (awaited?.team !== team || awaited.scope !== scope || awaited.kind !== kind) return ABSENT;
  // It may have been committed since the first look. A finished request gets no more items.
  const late = await hotItem(redis, parts, query);
  if (late.item && isTheirs(late.item)) return { status: 'found', item: late.item };
  if (late.finished || hot.finished) return ABSENT;
  const { artifact, session } = awaited;
  return { status: 'pending', ...(artifact ? { artifact } : {}), ...(session === undefined ? {} : { session }) };
}

/**
 * The latest result, unless a later check is under way: a caller that comes back with its own id must not take the verdict of an earlier
 * message for that of the last one.
 */
async function latestSession(
  redis: Redis,
  history: LookupQueries,
  owner: RecordOwner,
  external: string,
): Promise<ItemAnswer> {
  const { team, scope } = owner;
  // Read before the stored results, so that a check which finishes in between is found there.
  const marked = await markedSessions(redis, owner, external, MOST_UNFINISHED);
  const hot = await hotSession(redis, team, scope, external);
  const from = await wholeFrom(redis, keys.ext(team, scope, external));
  const stored = await latestOf(hot, () => history.latestSession(team, scope, external), from);
  return await unlessPending({ redis, history, owner, kind: 'session' }, marked, stored);
}

/** The same for an event, by the caller's ids. */
async function latestEvent(
  redis: Redis,
  history: LookupQueries,
  { team, environment, run, event }: { team: string; environment: string; run: string; event: string },
): Promise<ItemAnswer> {
  const owner = { team, scope: environment };
  const late = await lateEvents(redis, owner, { run, event, most: LATELY });
  const [hot] = await hotEvents(redis, { team, environment }, [{ run_id: run, event_id: event }]);
  const stored = await latestOf(hot, () => history.latestEvent(team, environment, run, event));
  return await unlessPending({ redis, history, owner, kind: 'event' }, late, stored);
}

interface LookupStores {
  redis: Redis;
  history: LookupQueries;
  owner: RecordOwner;
  kind: 'session' | 'event';
}

/** `stored`, unless one of the checks that are `marked` (last submitted first) came after it and is not finished. */
async function unlessPending(
  { redis, history, owner, kind }: LookupStores,
  marked: readonly string[],
  stored: StoredItem | undefined,
): Promise<ItemAnswer> {
  for (const id of marked) {
    if (stored && (id === stored.id || partsOf(id)!.time < stored.created)) break;
    const found = await byId(redis, history, { ...owner, kind, id });
    if (found.status === 'pending') return stored ? { ...found, earlier: stored } : found;
    if (found.status === 'found' && isOutcomeOf(found.item)) return asFound(later(stored, found.item));
  }
  return asFound(stored);
}

/** An event carries its own failure. */
const isOutcomeOf = ({ kind, error }: StoredItem): boolean => kind !== 'session' || isOutcome(error);

type ArtifactKey = RecordOwner & { id: string };

async function artifactById(
  redis: Redis,
  history: LookupQueries,
  { team, scope, id }: ArtifactKey,
): Promise<StoredArtifact | undefined> {
  const found = await byId(redis, history, { kind: 'artifact', team, scope, id });
  if (found.status === 'found') return storedArtifact(found.item);
  // Only artifacts that came by themselves have a state of their own. Others are as far as their session.
  if (found.status !== 'pending' || !found.artifact) return undefined;
  const { time, item } = partsOf(id)!;
  return item === 1 ? processingArtifact(id, time, found.artifact) : undefined;
}

/**
 * The last created among the artifacts accepted lately (known by id in any state), the hot ones, and the archived ones where those
 * may be younger.
 */
async function latestArtifact(
  redis: Redis,
  history: LookupQueries,
  owner: RecordOwner,
  external: string,
): Promise<StoredArtifact | undefined> {
  const hot = await hotArtifact(redis, owner, external);
  const known = hot ? [hot] : [];
  const from = await wholeFrom(redis, keys.artifact(owner.team, owner.scope, external));
  for (const id of await acceptedLately(redis, owner, external, LATELY)) {
    if (hot && (id === hot.id || partsOf(id)!.time < hot.created)) break;
    const found = await artifactById(redis, history, { ...owner, id });
    if (!found) continue;
    known.push(found);
    break;
  }
  const isLatest = hot && !hot.late && hot.created * 4096 >= from;
  const archived = isLatest ? undefined : await history.latestArtifact(owner.team, owner.scope, external);
  if (archived) known.push(storedArtifact(archived));
  return newestArtifacts(known, 1)[0];
}

const ABSENT: ItemAnswer = { status: 'absent' };

/** Each item once, in its newest version, the latest first. Of equal versions the last in the list counts. */
function newest(items: readonly StoredItem[]): StoredItem[] {
  const byId = new Map<string, StoredItem>();
  for (const item of items) {
    const known = byId.get(item.id);
    if (!known || known.version <= item.version) byId.set(item.id, item);
  }
  return [...byId.values()].sort((a, b) => b.sequence - a.sequence || (a.id < b.id ? 1 : -1));
}

const asAnswer = <T>(value: T | undefined): LookupAnswer<T> =>
  value === undefined ? { status: 'absent' } : { status: 'found', value };

const asFound = (item: StoredItem | undefined): ItemAnswer => (item ? { status: 'found', item } : ABSENT);

/** Turns errors of stores that cannot be asked into `unavailable`. They are counted and logged where the store is asked. */
async function orUnavailable<T extends { status: string }>(
  ask: () => Promise<T>,
): Promise<T | { status: 'unavailable' }> {
  try {
    return await ask();
  } catch (error) {
    const left = error instanceof UnreadFormat && error.newer;
    if (error instanceof HistoryUnavailable || left || isPassing(error)) return { status: 'unavailable' };
    throw error;
  }
}

/** Look-ups, and what they find, in Redis or in ClickHouse. */
import type { AwaitedArtifact, StoredArtifact } from '../../shared/api/artifact.js';
import type { StoredItem } from '../../shared/api/results/record.js';
import type { ItemLabel, RunGraph } from '../../shared/api/types.js';
import type { OpenAppealsQuestion, StoredAppeal } from '../../shared/history/read/appeals.js';
import type { AuditedEntry, AuditQuestion } from '../../shared/history/read/audit.js';
import type { ConversationPage, ConversationQuestion } from '../../shared/history/read/conversation.js';
import type { FiguresQuestion, PastFigures } from '../../shared/history/read/figures.js';
import type { FoundItems, FoundTextQuestion } from '../../shared/history/read/found-text.js';
import type { QueuedVerdict, QueueQuestion } from '../../shared/history/read/label-queue.js';
import type { LastStatement } from '../../shared/history/read/labels.js';
import type { ItemsQuestion, PastItem, PastUser, UsersQuestion } from '../../shared/history/read/past.js';
import type { ReadPage, StoredPageQuestion } from '../../shared/history/read/stored-page.js';
import type { SessionIds } from './hot/artifacts.js';
import type { GraphPage } from './run-graph.js';
import type { RiskQuestion } from './user-risk.js';

export type ItemAnswer =
  | { status: 'found'; item: StoredItem }
  /** no such item for this team and scope */
  | { status: 'absent' }
  /**
   * Accepted, not finished: 409 `result_not_ready`; for an artifact that came by itself a state of it.
   * `session`: the caller's id of a session, if it gave one. `earlier`: the latest result, when asked for by the caller's ids.
   */
  | { status: 'pending'; artifact?: AwaitedArtifact; session?: string; earlier?: StoredItem }
  /** not in Redis, and ClickHouse cannot be asked: 503, never 404 */
  | { status: 'unavailable' };

/** What a look-up of something other than one item finds. */
export type LookupAnswer<T> = { status: 'found'; value: T } | { status: 'absent' } | { status: 'unavailable' };

export interface Artifacts {
  artifacts: StoredArtifact[];
  /** false: ClickHouse cannot be asked, so there may be more than those in Redis */
  complete: boolean;
}

export interface Lookup {
  /** by internal id; `scope` is the environment (events) or deployment (sessions) */
  byId(kind: 'event' | 'session', team: string, scope: string, id: string): Promise<ItemAnswer>;
  /** latest result of (run, event id), by sequence; pending: a later check was answered 504 and is under way */
  latestEvent(team: string, environment: string, run: string, event: string): Promise<ItemAnswer>;
  /** latest result of an external session id, by sequence; pending: a later check is under way */
  latestSession(team: string, deployment: string, external: string): Promise<ItemAnswer>;
  /** the same in Redis alone: never asks ClickHouse */
  hotSession(team: string, deployment: string, external: string): Promise<ItemAnswer>;
  /** by internal id, under way or finished; also an artifact that came in a session */
  artifactById(team: string, deployment: string, id: string): Promise<LookupAnswer<StoredArtifact>>;
  /** the last created of an external artifact id, under way or finished */
  latestArtifact(team: string, deployment: string, external: string): Promise<LookupAnswer<StoredArtifact>>;
  /** artifacts of a session by either of its ids, the last created first, at most `most` */
  sessionArtifacts(
    team: string,
    deployment: string,
    session: SessionIds,
    most: number,
  ): Promise<LookupAnswer<Artifacts>>;
  /** checks of an external session id that have a verdict, newest first, at most `most`; possibly none */
  sessions(team: string, deployment: string, external: string, most: number): Promise<LookupAnswer<StoredItem[]>>;
  /** what was checked of items, by their ids, as history keeps it; without those whose content is not there (any more) */
  contents(team: string, scope: string, ids: readonly string[]): Promise<LookupAnswer<ReadonlyMap<string, string>>>;
  /** what people said of the verdicts of items, by their ids; without those of which nothing was said */
  labels(
    team: string,
    scope: string,
    ids: readonly string[],
  ): Promise<LookupAnswer<ReadonlyMap<string, readonly ItemLabel[]>>>;
  /** when a reviewer spoke last of the verdict of each policy on an item, also to take a label back */
  stated(team: string, scope: string, id: string, reviewer: string): Promise<LookupAnswer<readonly LastStatement[]>>;
  /** appeals of an item, the newest first */
  appeals(team: string, scope: string, id: string): Promise<LookupAnswer<readonly StoredAppeal[]>>;
  /** how many a team has made since `since` (Unix ms) */
  appealsSince(team: string, since: number): Promise<LookupAnswer<number>>;
  /** open ones, the oldest first */
  openAppeals(question: OpenAppealsQuestion): Promise<LookupAnswer<readonly StoredAppeal[]>>;
  /** flagged verdicts without a label, those first of which a label says most; `now`: Unix ms */
  labelQueue(question: QueueQuestion, now: number): Promise<LookupAnswer<QueuedVerdict[]>>;
  /** archived items, the newest first; `next`: there may be more before this one */
  pastItems(question: ItemsQuestion): Promise<LookupAnswer<{ items: PastItem[]; next: string | undefined }>>;
  /** archived items in which a policy has found a text, the newest first */
  foundItems(question: FoundTextQuestion): Promise<LookupAnswer<FoundItems>>;
  /** archived items of a session, the oldest first */
  conversation(question: ConversationQuestion): Promise<LookupAnswer<ConversationPage>>;
  /** a page of archived items with what was checked, the newest first */
  storedPage(question: StoredPageQuestion): Promise<LookupAnswer<ReadPage>>;
  /** figures of archived items over time */
  pastFigures(question: FiguresQuestion): Promise<LookupAnswer<PastFigures>>;
  /** users with violations that are archived, those with the highest score first */
  pastUsers(question: UsersQuestion): Promise<LookupAnswer<PastUser[]>>;
  /** entries of the audit log that are archived, the newest first; `next`: there are more before this one */
  audit(question: AuditQuestion): Promise<LookupAnswer<{ entries: AuditedEntry[]; next: string | undefined }>>;
  /** a page of a run's graph; absent: the run has no events */
  runGraph(page: GraphPage): Promise<LookupAnswer<RunGraph>>;
  /** the score of a user; absent: the user was never seen */
  riskScore(question: RiskQuestion): Promise<LookupAnswer<number>>;
}

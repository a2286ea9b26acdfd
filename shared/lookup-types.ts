/** What a look-up finds, wherever the item is kept. */
import type { StoredItem } from './api/record.js';
import type { RunGraph } from './api/types.js';
import type { GraphPage } from './run-graph.js';
import type { RiskQuestion } from './user-risk.js';

export type Found =
  | { status: 'found'; item: StoredItem }
  /** no such item for this team and scope */
  | { status: 'absent' }
  /** accepted, not finished: 409 `result_not_ready` */
  | { status: 'pending' }
  /** not in Redis, and ClickHouse cannot be asked: 503, never 404 */
  | { status: 'unavailable' };

/** What a look-up of something other than one item finds. */
export type Answer<T> = { status: 'found'; value: T } | { status: 'absent' } | { status: 'unavailable' };

export interface Lookup {
  /** by internal id; `scope` is the environment (events) or deployment (sessions) */
  byId(kind: 'event' | 'session', team: string, scope: string, id: string): Promise<Found>;
  /** latest result of (run, event id), by sequence */
  latestEvent(team: string, environment: string, run: string, event: string): Promise<Found>;
  /** latest result of an external session id, by sequence */
  latestSession(team: string, deployment: string, external: string): Promise<Found>;
  /** checks of an external session id that have a verdict, newest first, at most `most`; possibly none */
  sessions(team: string, deployment: string, external: string, most: number): Promise<Answer<StoredItem[]>>;
  /** a page of a run's graph; absent: the run has no events */
  runGraph(page: GraphPage): Promise<Answer<RunGraph>>;
  /** the score of a user; absent: he was never seen */
  riskScore(question: RiskQuestion): Promise<Answer<number>>;
}

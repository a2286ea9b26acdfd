/** What a look-up finds, wherever the item is kept. */
import type { StoredItem } from './api/record.js';

export type Found =
  | { status: 'found'; item: StoredItem }
  /** no such item for this team and scope */
  | { status: 'absent' }
  /** accepted, not finished: 409 `result_not_ready` */
  | { status: 'pending' }
  /** not in Redis, and ClickHouse cannot be asked: 503, never 404 */
  | { status: 'unavailable' };

export interface Lookup {
  /** by internal id; `scope` is the environment (events) or deployment (sessions) */
  byId(kind: 'event' | 'session', team: string, scope: string, id: string): Promise<Found>;
  /** latest result of (run, event id), by sequence */
  latestEvent(team: string, environment: string, run: string, event: string): Promise<Found>;
  /** latest result of an external session id, by sequence */
  latestSession(team: string, deployment: string, external: string): Promise<Found>;
}

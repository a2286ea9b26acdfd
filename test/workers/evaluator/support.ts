/** Work entries as an evaluation finds them: read, with what was gathered for them. */
import { newRequestId } from '#weir/shared/ids';
import type { WorkHeader } from '#weir/shared/streams/work';
import type { Entry } from '#weir/workers/evaluator/draft';

/** An entry of team `t`, in its environment `e` or deployment `d`. `body`: a value, or JSON as text. */
export function entryOf(kind: WorkHeader['kind'], body: unknown = '', more: Partial<WorkHeader> = {}): Entry {
  const header: WorkHeader = {
    id: newRequestId(0),
    kind,
    team: 't',
    scope: kind === 'events' || kind === 'event' ? 'e' : 'd',
    config: 1,
    key: 'k',
    received: 1,
    deadline: 2,
    reply: '',
    ...more,
  };
  return {
    id: '1-0',
    header,
    body: Buffer.from(typeof body === 'string' ? body : JSON.stringify(body)),
    gathered: { references: {}, context: {} },
    indexes: new Map(),
    late: false,
    completed: 3,
  };
}

/** The declared causes of an event: its parent and its links. */
import type { RecordItem } from '../../../../shared/api/results/record.js';
import type { EventInput, EventReference } from '../../../../shared/api/types.js';
import { causeKey } from '../../../../shared/api/validate/issues.js';
import { itemId } from '../../../../shared/ids.js';
import type { RowItem, RowLink } from '../../../rows/row-types.js';
import type { Entry } from '../../draft.js';

const DEFAULT_RELATION = 'caused_by';

/** The causes as the caller named them. Where no run is named it is `runId`, that of the event. */
export function linksOf(event: Pick<EventInput, 'parent' | 'links'>, runId: string): RowLink[] {
  const links: RowLink[] = [];
  const add = (kind: RowLink['kind'], relation: string, target: NonNullable<EventInput['parent']>): void => {
    const to: EventReference = typeof target === 'string' ? { event_id: target } : target;
    const internalId = to.internal_event_id?.toLowerCase() ?? '';
    links.push({
      kind,
      relation,
      runId: internalId === '' ? (to.run_id ?? runId) : '',
      eventId: to.event_id ?? '',
      internalId,
    });
  };
  if (event.parent != null) add('parent', '', event.parent);
  for (const link of event.links ?? []) {
    add('link', (typeof link === 'object' ? link.relation : undefined) ?? DEFAULT_RELATION, link);
  }
  return links;
}

/**
 * Gives the links of a row their targets: events of the batch before it (`latest`), or events that were gathered. Returns the note of
 * the row, completed with how many causes did not resolve (2.7). Those are kept, and looked for again when the run graph is read.
 */
export function resolveCauses(row: RowItem, entry: Entry, latest: ReadonlyMap<string, RecordItem> | undefined): string {
  let absent = 0;
  let unknown = 0;
  for (const link of row.links) {
    const key = causeKey(link.runId, link.eventId, link.internalId);
    const inBatch = latest?.get(key);
    const state = inBatch ? { id: itemId(entry.header.id, inBatch.item) } : entry.gathered.causes?.[key];
    if (state === undefined) absent++;
    else if (state === 'unavailable') unknown++;
    else link.target = state.id;
  }
  const of = (count: number): string => `${count} of ${row.links.length} declared causes`;
  const notes = row.note === '' ? [] : [row.note];
  if (absent > 0) notes.push(`${of(absent)} did not resolve`);
  if (unknown > 0) notes.push(`${of(unknown)} could not be looked up`);
  return notes.join('; ');
}

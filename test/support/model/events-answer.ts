/** The answer of a batch, made of objects: what the one that is made of bytes is held against. */
import type { RecordItem, ResultRecord } from '#weir/shared/api/results/record';
import { renderEvent, storedItem } from '#weir/shared/api/results/render';
import { EVENT_TYPES } from '#weir/shared/api/types';

export function modelAnswer(record: ResultRecord): string {
  const { items } = record;
  const slot = ({ type, eventId }: RecordItem): string => `${type} ${eventId}`;
  const holders = new Map(items.map((item) => [slot(item), item]));
  const result = (item: RecordItem): string => renderEvent(storedItem(record, item));
  const inBucket = (type: string): string =>
    items
      .filter((item) => item.type === type && holders.get(slot(item)) === item)
      .map((item) => `"${item.eventId}":${result(item)}`)
      .join();
  const place = (item: RecordItem, index: number): string => {
    const { type, eventId, runId, status, flagged } = item;
    const { id } = storedItem(record, item);
    const internal = status === 'not_found' ? '' : `"internal_event_id":"${id}",`;
    const named = `"index":${index},"type":"${type}","event_id":"${eventId}","run_id":"${runId}",`;
    const taken = holders.get(slot(item)) === item ? '' : `,"result":${result(item)}`;
    return `{${named}${internal}"status":"${status}","flagged":${flagged === true}${taken}}`;
  };
  const failed = items.filter(({ status, target }) => status === 'failed' || target?.failed).length;
  const runs = new Set(items.map(({ runId }) => runId));
  const run = runs.size === 1 ? `"run_id":"${[...runs].join()}",` : '';
  const flagged = items.some((item) => item.flagged === true);
  const buckets = EVENT_TYPES.map((type) => `"${type}":{${inBucket(type)}}`).join();
  return `{"flagged":${flagged},"failed":${failed},${run}"results":{${buckets}},"order":[${items.map(place).join()}]}`;
}

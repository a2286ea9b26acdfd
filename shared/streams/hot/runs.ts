/**
 * Runs among hot results: their events, and the events that others name as causes. Records are read without their fragments,
 * and indexes page by page. So the cost depends on what is asked for, not on the size of the run.
 */
import type { RecordItem, StoredItem } from '../../api/results/record.js';
import { storedItem } from '../../api/results/render.js';
import { type FoundCause, type SoughtCause, soughtKey } from '../../causes.js';
import { HistoryUnavailable } from '../../history/read/breaker.js';
import { type IdParts, itemId, partsOf } from '../../ids.js';
import { comparePlaces, isBefore, type ResultPlace } from '../../latest.js';
import type { Redis } from '../client.js';
import { keys } from '../keys.js';
import { eventsIn, foldIds, MOST_INDEX_MEMBERS, mayHoldOf, requestOf } from './indexes.js';
import { wholeFrom } from './losses.js';
import { HEADS, type Head, hotHeads, hotRecord } from './records.js';

/** Members read from an index at a time: few at first, since the newest mostly hold what is wanted. */
const FIRST_PAGE = 64;
const LARGEST_PAGE = 1024;
/** Runs looked into at a time. */
const RUNS = 16;
/** Whole records read at a time: each may be megabytes long. */
const RECORDS = 8;

/** A checked event of a hot result. */
export interface HotEvent {
  id: string;
  head: Head;
  item: RecordItem;
}

const isChecked = (item: RecordItem): boolean => item.status === 'completed' || item.status === 'failed';

/** At least the first `most` events of a run after `after`, in order, or all of them. Requests in flight do not count. */
export async function hotRun(
  redis: Redis,
  run: { team: string; environment: string; run: string },
  after: ResultPlace | undefined,
  most: number,
): Promise<HotEvent[]> {
  const key = keys.run(run.team, run.environment, run.run);
  const events: HotEvent[] = [];
  const seen = new Set<string>();
  let from: string | number = after === undefined ? '-inf' : after.sequence;
  for (let size = FIRST_PAGE; events.length < most; ) {
    // Pages continue by sequence, since positions move when archived members are dropped.
    const page: string[] = await redis.zrangebyscore(key, from, '+inf', 'WITHSCORES', 'LIMIT', 0, size);
    const wanted: IdParts[] = [];
    let expected = events.length;
    let at = 0;
    // A member says how many events its request has, so no more records are read than are wanted.
    for (; at < page.length && expected < most; at += 2) {
      const parts = partsOf(requestOf(page[at]!));
      from = page[at + 1]!;
      if (!parts || seen.has(parts.requestId)) continue;
      seen.add(parts.requestId);
      wanted.push(parts);
      expected += eventsIn(page[at]!);
    }
    const found = await hotHeads(redis, wanted);
    for (const { requestId } of wanted) {
      const head = found.get(requestId);
      if (head) events.push(...eventsOf(head, run, after));
    }
    if (at === page.length && page.length < size * 2) break;
    // All members of the page share one sequence.
    if (wanted.length === 0) size *= 2;
  }
  return events;
}

const isOfEvents = ({ kind }: Head): boolean => kind === 'events' || kind === 'event';

function eventsOf(
  head: Head,
  { team, environment, run }: { team: string; environment: string; run: string },
  after: ResultPlace | undefined,
): HotEvent[] {
  if (head.team !== team || head.scope !== environment || !isOfEvents(head)) return [];
  return head.items
    .filter((item) => item.runId === run && isChecked(item))
    .map((item) => ({ id: itemId(head.id, item.item), head, item }))
    .filter(({ id }) => after === undefined || comparePlaces({ sequence: head.sequence, id }, after) > 0);
}

/** Where to look for causes, and how far. */
export interface CauseScope {
  team: string;
  environment: string;
  /** most members of indexes to read in all, the newest of each run: a thread waits for them */
  most: number;
}

export interface HotCauses {
  /** the events, by `soughtKey`: of a run and event id the latest before the place of the one that names it */
  found: Map<string, FoundCause>;
  /**
   * keys of causes that may be hot without being found: among older members that are not archived yet, or in an index that may lack its
   * newest
   */
  unread: Set<string>;
}

/** The hot events that `causes` name, of this team and environment only. The others may be archived. */
export async function hotCauses(
  redis: Redis,
  { team, environment, most }: CauseScope,
  causes: readonly SoughtCause[],
): Promise<HotCauses> {
  const found = new Map<string, FoundCause>();
  const unread = new Set<string>();
  const isTheirs = (head: Head): boolean => head.team === team && head.scope === environment && isOfEvents(head);
  const { byRun, byId } = groupCauses(causes);
  const known = await hotHeads(
    redis,
    byId.map(({ parts }) => parts),
    { team, scope: environment },
  );
  /** Notes an event of `head` as the cause, if it stands before the place; returns whether it does. */
  const noteCause = (sought: SoughtCause, head: Head, { item }: RecordItem): boolean => {
    const place = { sequence: head.sequence, id: itemId(head.id, item) };
    if (!isBefore(place, sought.before)) return false;
    found.set(soughtKey(sought), { ...place, ...(head.late ? { late: head.late } : {}) });
    return true;
  };
  for (const { parts, sought } of byId) {
    const head = known.get(parts.requestId);
    const item = head && isTheirs(head) && head.items.find((one) => one.item === parts.item && isChecked(one));
    if (item) noteCause(sought, head, item);
  }
  let left = most;
  const walk = async ([run, events]: [string, Map<string, SoughtCause[]>], share: number): Promise<void> => {
    const wanted = [...events.values()].flat().map(soughtKey);
    const names = new Set(events.keys());
    const upTo = highest([...events.values()].flat());
    const key = keys.run(team, environment, run);
    const walked = await walkRun(redis, { key, events: names, upTo, most: share }, (head, event) => {
      if (!isTheirs(head)) return false;
      const items = head.items.filter((one) => one.eventId === event && one.runId === run && isChecked(one));
      const open = events.get(event)!.filter((sought) => !items.findLast((item) => noteCause(sought, head, item)));
      // Heads that follow are older than what was found.
      events.set(event, open);
      return open.length === 0;
    });
    left -= walked.read;
    for (const event of walked.unread) for (const sought of events.get(event)!) unread.add(soughtKey(sought));
    const from = await wholeFrom(redis, key).catch(unlessDoubtful);
    for (const one of wanted) {
      const cause = found.get(one);
      if (from === undefined) unread.add(one);
      else if (cause && cause.sequence < from) found.set(one, { ...cause, late: true });
    }
  };
  const runs = [...byRun];
  for (let i = 0; i < runs.length; i += RUNS) {
    // The next runs get what one run does not need.
    const share = Math.max(1, Math.floor(left / (runs.length - i)));
    await Promise.all(runs.slice(i, i + RUNS).map((run) => walk(run, share)));
  }
  return { found, unread };
}

function unlessDoubtful(error: unknown): undefined {
  if (!(error instanceof HistoryUnavailable)) throw error;
}

/** Causes by the way in which they are named: by run and event id, or by internal id. */
function groupCauses(causes: readonly SoughtCause[]) {
  const byRun = new Map<string, Map<string, SoughtCause[]>>();
  const byId: { parts: IdParts; sought: SoughtCause }[] = [];
  for (const sought of causes) {
    const { run_id: run, event_id: event, internal_event_id: internal } = sought;
    if (internal !== '') {
      const parts = partsOf(internal);
      if (parts && parts.item > 0) byId.push({ parts, sought });
      continue;
    }
    const events = byRun.get(run) ?? new Map<string, SoughtCause[]>();
    byRun.set(run, events.set(event, [...(events.get(event) ?? []), sought]));
  }
  return { byRun, byId };
}

/**
 * The latest checked event of each (run, event id) among hot results, in the order of `references`, with a sequence below
 * `before`. References are not results (2.7). Each index is read once, however many of its events are wanted. Rejects with a
 * {@link HistoryUnavailable} where an index may lack its newest members.
 */
export async function hotEvents(
  redis: Redis,
  { team, environment, before = Number.POSITIVE_INFINITY }: { team: string; environment: string; before?: number },
  references: readonly { run_id: string; event_id: string }[],
): Promise<(StoredItem | undefined)[]> {
  const byRun = new Map<string, Map<string, number[]>>();
  references.forEach(({ run_id: run, event_id: event }, i) => {
    const events = byRun.get(run) ?? new Map<string, number[]>();
    byRun.set(run, events.set(event, [...(events.get(event) ?? []), i]));
  });
  const found: (StoredItem | undefined)[] = references.map(() => undefined);
  /** by request: items, and the positions that name them */
  const wanted = new Map<string, { item: number; at: number[] }[]>();
  /** by run: below which sequence history may have a later event */
  const from = new Map<string, number>();
  const runs = [...byRun];
  for (let i = 0; i < runs.length; i += RUNS) {
    const some = runs.slice(i, i + RUNS).map(async ([run, events]) => {
      const key = keys.run(team, environment, run);
      const walk = { key, events: new Set(events.keys()), upTo: before, most: MOST_INDEX_MEMBERS };
      await walkRun(redis, walk, (head, event) => {
        if (head.team !== team || head.scope !== environment || head.sequence >= before) return false;
        const item = head.items.findLast((one) => one.eventId === event && one.runId === run && isChecked(one));
        if (item === undefined) return false;
        wanted.set(head.id, [...(wanted.get(head.id) ?? []), { item: item.item, at: events.get(event)! }]);
        return true;
      });
      from.set(run, await wholeFrom(redis, key));
    });
    await Promise.all(some);
  }
  const requests = [...wanted];
  for (let i = 0; i < requests.length; i += RECORDS) {
    const some = requests.slice(i, i + RECORDS).map(async ([id, items]) => {
      // A record that has left Redis in the meantime is archived.
      const record = await hotRecord(redis, partsOf(id)!.partition, id);
      if (!record) return;
      for (const { item, at } of items) {
        const one = record.items.find((each) => each.item === item);
        if (!one) continue;
        const stored = storedItem(record, one);
        const late = record.sequence < from.get(one.runId)!;
        for (const position of at) found[position] = late ? { ...stored, late } : stored;
      }
    });
    await Promise.all(some);
  }
  return found;
}

/** The highest sequence that one of the causes may have. */
const highest = (all: readonly SoughtCause[]): number =>
  all.reduce((most, { before }) => Math.max(most, before?.sequence ?? Number.POSITIVE_INFINITY), 0);

interface Walk {
  /** index of a run */
  key: string;
  events: ReadonlySet<string>;
  /** highest sequence to look at */
  upTo: number;
  /** members to read */
  most: number;
}

/**
 * Goes through a run from its newest request to older ones, until `take` has taken all events, no members are left, or `most`
 * were read. Returns how many members it read, and the events that may be in older ones that are not archived.
 */
async function walkRun(
  redis: Redis,
  { key, events, upTo, most }: Walk,
  take: (head: Head, event: string) => boolean,
): Promise<{ read: number; unread: ReadonlySet<string> }> {
  const left = new Set(events);
  const from = Number.isFinite(upTo) ? upTo : '+inf';
  const folded = foldIds(events);
  let read = 0;
  for (let page = FIRST_PAGE; left.size > 0 && read < most; page = LARGEST_PAGE) {
    const size = Math.min(page, most - read);
    const members = await redis.zrevrangebyscore(key, from, '-inf', 'LIMIT', read, size);
    read += members.length;
    const candidates: { parts: IdParts; events: string[] }[] = [];
    for (const member of members) {
      const held = mayHoldOf(member, folded);
      const parts = held.length > 0 ? partsOf(requestOf(member)) : undefined;
      if (parts) candidates.push({ parts, events: held });
    }
    for (let i = 0; i < candidates.length && left.size > 0; i += HEADS) {
      // An event that a newer request had is not looked for in an older one.
      const some = candidates.slice(i, i + HEADS).filter((one) => one.events.some((event) => left.has(event)));
      const found = await hotHeads(
        redis,
        some.map(({ parts }) => parts),
      );
      for (const { parts, events: held } of some) {
        const head = found.get(parts.requestId);
        for (const event of head ? held : []) if (left.has(event) && take(head!, event)) left.delete(event);
      }
    }
    if (members.length < size) return { read, unread: NONE };
  }
  return { read, unread: left.size > 0 && (await unarchivedFrom(redis, key, from, read)) ? left : NONE };
}

const NONE: ReadonlySet<string> = new Set();

/** Whether an index holds a request that is not archived at position `at` or after it, from `from` to older ones. */
async function unarchivedFrom(redis: Redis, key: string, from: number | string, at: number): Promise<boolean> {
  const [, newest] = await redis.zrevrangebyscore(key, from, '-inf', 'WITHSCORES', 'LIMIT', at, 1);
  if (newest === undefined) return false;
  const [, oldest] = await redis.zrange(keys.unarchived(key), '0', '0', 'WITHSCORES');
  return oldest !== undefined && Number(oldest) <= Number(newest);
}

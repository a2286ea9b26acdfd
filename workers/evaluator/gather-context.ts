/**
 * What the headers of entries ask for, in two steps: what is hot, of all entries of a chunk together, and what only
 * history can tell, of each by itself, since that may take as long as a question of ClickHouse.
 */
import { conversationOf } from '../../shared/api/conversation.js';
import type { StoredItem } from '../../shared/api/results/record.js';
import { type Cause, causeKey } from '../../shared/api/validate/issues.js';
import { type Found, type Sought, soughtKey } from '../../shared/causes.js';
import { generatedId, sequenceOf } from '../../shared/ids.js';
import { comparePlaces, later, mayBeArchived, type Place } from '../../shared/latest.js';
import type { Redis } from '../../shared/streams/client.js';
import { keys } from '../../shared/streams/keys.js';
import { hotCauses, hotEvents } from '../../shared/streams/runs.js';
import type { Reference, WorkHeader } from '../../shared/streams/work.js';
import type { RawEntry } from '../consumer/consumer.js';
import type { Gathered } from './draft.js';

export interface Sources {
  redis: Redis;
  /** latest stored events of references, in their order, in one query; rejects when nobody can say */
  history(team: string, environment: string, references: Reference[]): Promise<(StoredItem | undefined)[]>;
  /** which of these causes are stored, by `soughtKey`; rejects when nobody can say */
  storedCauses(team: string, environment: string, causes: Sought[]): Promise<ReadonlyMap<string, Found>>;
}

interface Work {
  raw: RawEntry;
  header: WorkHeader;
}

/** What was gathered of an entry, and what history is to be asked for. */
export interface Looked {
  gathered: Gathered;
  references: Reference[];
  causes: ColdCause[];
}

/** A cause of which history may have a later one than what is hot. */
interface ColdCause {
  sought: Sought;
  hot: Found | undefined;
}

export const NOTHING_GATHERED: Gathered = { references: {}, context: {} };
const NOTHING: Looked = { gathered: NOTHING_GATHERED, references: [], causes: [] };

/** Members of runs' indexes that are read for the declared causes of a request: 1.6 ms of this thread. */
const MOST_MEMBERS = 1024;

export const waitsForHistory = ({ references, causes }: Looked): boolean => references.length > 0 || causes.length > 0;

/** What Redis has: all conversations in one round trip, the rest one by one. Rejects when Redis cannot be asked. */
export async function gatherHot(redis: Redis, works: readonly Work[]): Promise<Looked[]> {
  if (works.every(({ header }) => !header.references && !header.conversations && !header.causes)) {
    return works.map(() => NOTHING);
  }
  const [references, context, causes] = await Promise.all([
    Promise.all(works.map(({ header }) => resolve(redis, header))),
    earlier(redis, works),
    Promise.all(works.map((work) => find(redis, work))),
  ]);
  return works.map((_, i) => ({
    gathered: { references: references[i]!.found, context: context[i]!, causes: causes[i]!.found },
    references: references[i]!.cold,
    causes: causes[i]!.cold,
  }));
}

/** Completes what was gathered of an entry with what history has. Never rejects. */
export async function gatherCold(sources: Sources, { team, scope }: WorkHeader, looked: Looked): Promise<void> {
  await Promise.all([
    (async () => {
      const { references, gathered } = looked;
      if (references.length === 0) return;
      try {
        const stored = await sources.history(team, scope, references);
        references.forEach(({ index }, i) => {
          const hot = gathered.references[index] as StoredItem | undefined;
          gathered.references[index] = later(hot, stored[i]) ?? null;
        });
      } catch {
        // Counted where ClickHouse is asked. An event that nobody could look up is `failed`, never `not_found`.
        for (const reference of references) gathered.references[reference.index] = 'unavailable';
      }
    })(),
    (async () => {
      const { causes, gathered } = looked;
      if (causes.length === 0) return;
      try {
        const sought = causes.map((cause) => cause.sought);
        const stored = await sources.storedCauses(team, scope, sought);
        for (const { sought, hot } of causes)
          note(gathered.causes!, sought, laterPlace(hot, stored.get(soughtKey(sought))));
      } catch {
        // Counted where ClickHouse is asked. The event is checked all the same; its note says that nobody could tell.
        leaveCauses(looked);
      }
    })(),
  ]);
}

/** Leaves the causes that history was to be asked for as nobody knows them. */
export function leaveCauses(looked: Looked): void {
  if (looked.causes.length === 0) return;
  const causes = looked.causes.map(({ sought }) => sought);
  looked.gathered.causes = { ...looked.gathered.causes, ...unavailable(causes) };
  looked.causes = [];
}

export function unavailable(causes: readonly Cause[]): NonNullable<Gathered['causes']> {
  return Object.fromEntries(causes.map((cause) => [keyOf(cause), 'unavailable' as const]));
}

/** A replayed dead letter keeps the place that its submission gave it. */
export function sequenceIn(raw: RawEntry, header: WorkHeader): number {
  return header.sequence ?? sequenceOf(raw.id);
}

/** Which declared causes are hot; only what stands before the entry is one. */
async function find(redis: Redis, { raw, header }: Work): Promise<{ found: Gathered['causes']; cold: ColdCause[] }> {
  if (!header.causes) return { found: undefined, cold: [] };
  const found: NonNullable<Gathered['causes']> = {};
  const scope = { team: header.team, environment: header.scope, most: MOST_MEMBERS };
  const before = { sequence: sequenceIn(raw, header), id: '' };
  const sought = header.causes.map((cause) => ({ ...cause, before }));
  const hot = await hotCauses(redis, scope, sought);
  const cold: ColdCause[] = [];
  for (const one of sought) {
    const key = soughtKey(one);
    const place = hot.found.get(key);
    note(found, one, place);
    // Unless history knows it.
    if (hot.unread.has(key)) found[keyOf(one)] = 'unavailable';
    if (!place || place.late) cold.push({ sought: one, hot: place });
  }
  return { found, cold };
}

const keyOf = ({ run_id, event_id, internal_event_id }: Cause): string => causeKey(run_id, event_id, internal_event_id);

/** Notes where a cause is, if it is anywhere. */
function note(causes: NonNullable<Gathered['causes']>, cause: Cause, place: Place | undefined): void {
  if (place) causes[keyOf(cause)] = { id: place.id };
}

const laterPlace = (one: Place | undefined, other: Place | undefined): Place | undefined =>
  one && other ? (comparePlaces(one, other) > 0 ? one : other) : (one ?? other);

/** Which references are hot; `cold`: those of which history may have a later one. */
async function resolve(
  redis: Redis,
  header: WorkHeader,
): Promise<{ found: Gathered['references']; cold: Reference[] }> {
  const found: Gathered['references'] = {};
  const cold: Reference[] = [];
  const references = header.references ?? [];
  if (references.length === 0) return { found, cold };
  const hot = await hotEvents(redis, { team: header.team, environment: header.scope }, references);
  references.forEach((reference, i) => {
    const item = hot[i];
    if (item) found[reference.index] = item;
    if (mayBeArchived(item)) cold.push(reference);
  });
  return { found, cold };
}

/** Conversations of an entry that may have begun before it: that of the run that was generated for it has not. */
function begun({ id, conversations = [] }: WorkHeader): string[] {
  if (conversations.length === 0) return conversations;
  const own = conversationOf('', generatedId('run', id));
  return conversations.filter((one) => one !== own);
}

async function earlier(redis: Redis, works: readonly Work[]): Promise<Gathered['context'][]> {
  const wanted: Wanted[] = [];
  for (const { raw, header } of works) {
    for (const conversation of begun(header)) {
      const key = keys.context(header.team, header.scope, conversation);
      wanted.push({ key, before: sequenceIn(raw, header), depth: header.contextDepth ?? 0 });
    }
  }
  const texts = wanted.length === 0 ? [] : await readContext(redis, wanted);
  let at = 0;
  return works.map(({ header }) =>
    Object.fromEntries(begun(header).map((conversation) => [conversation, texts[at++]!])),
  );
}

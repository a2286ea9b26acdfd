/**
 * Gathers what the headers of entries ask for, in two steps. What is hot is read from Redis for all entries of a chunk together. What
 * only history has is asked for entry by entry, since a query of ClickHouse may take long.
 */

import { ownConversations } from '../../../shared/api/conversation.js';
import type { StoredItem } from '../../../shared/api/results/record.js';
import { type Cause, causeKey } from '../../../shared/api/validate/issues.js';
import { type FoundCause, type SoughtCause, soughtKey } from '../../../shared/causes.js';
import { HistoryUnavailable } from '../../../shared/history/read/breaker.js';
import { comparePlaces, later, mayBeArchived, type ResultPlace } from '../../../shared/latest.js';
import type { Redis } from '../../../shared/streams/client.js';
import { hotCauses, hotEvents } from '../../../shared/streams/hot/runs.js';
import { keys } from '../../../shared/streams/keys.js';
import type { Reference, WorkHeader } from '../../../shared/streams/work.js';
import { type Check, sequenceIn } from '../check.js';
import type { Gathered } from '../draft.js';
import { readContext, type WantedContext } from './context.js';

export interface GatherSources {
  redis: Redis;
  /** latest stored events of references, in their order, in one query; rejects when history cannot be asked */
  history(team: string, environment: string, references: Reference[]): Promise<(StoredItem | undefined)[]>;
  /** those of the causes that are stored, by `soughtKey`; rejects when history cannot be asked */
  storedCauses(team: string, environment: string, causes: SoughtCause[]): Promise<ReadonlyMap<string, FoundCause>>;
}

type GatheredCheck = Pick<Check, 'raw' | 'header'>;

/** What was gathered for an entry so far, and the references and causes that history is to be asked for. */
export interface Gathering {
  gathered: Gathered;
  references: Reference[];
  causes: ColdCause[];
}

/** A cause that is not hot, or for which history may have a later event than the hot one. */
interface ColdCause {
  sought: SoughtCause;
  hot: FoundCause | undefined;
}

export const NOTHING_GATHERED: Gathered = { references: {}, context: {} };
const NOTHING: Gathering = { gathered: NOTHING_GATHERED, references: [], causes: [] };

/** Index members of runs that are read for the declared causes of a request. So many take 1.6 ms of this thread. */
const MOST_MEMBERS = 1024;

export const waitsForHistory = ({ references, causes }: Gathering): boolean =>
  references.length > 0 || causes.length > 0;

/** What is gathered for entries whose headers ask for nothing; undefined where one asks. */
export function gatherNothing(works: readonly GatheredCheck[]): Gathering[] | undefined {
  const nothing = works.every(({ header }) => !header.references && !header.conversations && !header.causes);
  return nothing ? works.map(() => NOTHING) : undefined;
}

/** Reads what Redis has: all conversations in one round trip, the rest one by one. Rejects when Redis cannot be asked. */
export async function gatherHot(redis: Redis, works: readonly GatheredCheck[]): Promise<Gathering[]> {
  const [references, context, causes] = await Promise.all([
    Promise.all(works.map(({ header }) => hotReferences(redis, header))),
    earlierTexts(redis, works),
    Promise.all(works.map((work) => findHotCauses(redis, work))),
  ]);
  return works.map((_, i) => ({
    gathered: { references: references[i]!.found, context: context[i]!, causes: causes[i]!.found },
    references: references[i]!.cold,
    causes: causes[i]!.cold,
  }));
}

/** Completes the gathering of an entry with what history has. Never rejects: what cannot be looked up is `unavailable`. */
export async function gatherCold(sources: GatherSources, header: WorkHeader, gathering: Gathering): Promise<void> {
  await Promise.all([coldReferences(sources, header, gathering), coldCauses(sources, header, gathering)]);
}

async function coldReferences(
  sources: GatherSources,
  { team, scope }: WorkHeader,
  gathering: Gathering,
): Promise<void> {
  const { references, gathered } = gathering;
  if (references.length === 0) return;
  try {
    const stored = await sources.history(team, scope, references);
    references.forEach(({ index }, i) => {
      const hot = gathered.references[index] as StoredItem | undefined;
      gathered.references[index] = later(hot, stored[i]) ?? null;
    });
  } catch {
    // The query is counted where ClickHouse is asked. The event is `failed`, and never `not_found`: it may well exist.
    for (const reference of references) gathered.references[reference.index] = 'unavailable';
  }
}

async function coldCauses(sources: GatherSources, { team, scope }: WorkHeader, gathering: Gathering): Promise<void> {
  const { causes, gathered } = gathering;
  if (causes.length === 0) return;
  try {
    const sought = causes.map((cause) => cause.sought);
    const stored = await sources.storedCauses(team, scope, sought);
    for (const { sought, hot } of causes)
      note(gathered.causes!, sought, laterPlace(hot, stored.get(soughtKey(sought))));
  } catch {
    // The query is counted where ClickHouse is asked. The event is checked all the same, and its note says so.
    leaveCauses(gathering);
  }
}

/** Marks the causes that history was to be asked for as unavailable, so that it is not asked. */
export function leaveCauses(gathering: Gathering): void {
  if (gathering.causes.length === 0) return;
  const causes = gathering.causes.map(({ sought }) => sought);
  gathering.gathered.causes = { ...gathering.gathered.causes, ...unavailable(causes) };
  gathering.causes = [];
}

export function unavailable(causes: readonly Cause[]): NonNullable<Gathered['causes']> {
  return Object.fromEntries(causes.map((cause) => [keyOf(cause), 'unavailable' as const]));
}

/** Finds the declared causes that are hot. Only an event before the entry can be its cause. */
async function findHotCauses(
  redis: Redis,
  { raw, header }: GatheredCheck,
): Promise<{ found: Gathered['causes']; cold: ColdCause[] }> {
  if (!header.causes) return { found: undefined, cold: [] };
  const found: NonNullable<Gathered['causes']> = {};
  const scope = { team: header.team, environment: header.scope, most: MOST_MEMBERS };
  const before = { sequence: sequenceIn(raw, header), id: '' };
  const sought = header.causes.map((cause) => ({ ...cause, before }));
  const hot = await hotCauses(redis, scope, sought);
  const cold: ColdCause[] = [];
  for (const one of sought) {
    const key = soughtKey(one);
    const known = hot.found.get(key);
    note(found, one, known);
    // It may be among members that were not read, or that are lost. History may still know it.
    if (hot.unread.has(key)) found[keyOf(one)] = 'unavailable';
    if (!known || known.late) cold.push({ sought: one, hot: known });
  }
  return { found, cold };
}

const keyOf = ({ run_id, event_id, internal_event_id }: Cause): string => causeKey(run_id, event_id, internal_event_id);

function note(causes: NonNullable<Gathered['causes']>, cause: Cause, event: ResultPlace | undefined): void {
  if (event) causes[keyOf(cause)] = { id: event.id };
}

const laterPlace = (one: ResultPlace | undefined, other: ResultPlace | undefined): ResultPlace | undefined =>
  one && other ? (comparePlaces(one, other) > 0 ? one : other) : (one ?? other);

/** Finds the referenced events that are hot; `cold`: references for which history may have a later event. */
async function hotReferences(
  redis: Redis,
  header: WorkHeader,
): Promise<{ found: Gathered['references']; cold: Reference[] }> {
  const found: Gathered['references'] = {};
  const cold: Reference[] = [];
  const references = header.references ?? [];
  if (references.length === 0) return { found, cold };
  let hot: (StoredItem | undefined)[];
  try {
    hot = await hotEvents(redis, { team: header.team, environment: header.scope }, references);
  } catch (error) {
    if (!(error instanceof HistoryUnavailable)) throw error;
    for (const { index } of references) found[index] = 'unavailable';
    return { found, cold };
  }
  references.forEach((reference, i) => {
    const item = hot[i];
    if (item) found[reference.index] = item;
    if (mayBeArchived(item)) cold.push(reference);
  });
  return { found, cold };
}

/** Conversations that may have texts from before the entry. Those that begin with it have none. */
function begunBefore({ id, conversations = [] }: WorkHeader): string[] {
  if (conversations.length === 0) return conversations;
  const own = ownConversations(id);
  return conversations.filter((one) => !own.includes(one));
}

async function earlierTexts(redis: Redis, works: readonly GatheredCheck[]): Promise<Gathered['context'][]> {
  const wanted: WantedContext[] = [];
  for (const { raw, header } of works) {
    for (const conversation of begunBefore(header)) {
      const key = keys.context(header.team, header.scope, conversation);
      wanted.push({ key, before: sequenceIn(raw, header), depth: header.contextDepth ?? 0 });
    }
  }
  const texts = wanted.length === 0 ? [] : await readContext(redis, wanted);
  let at = 0;
  return works.map(({ header }) =>
    Object.fromEntries(begunBefore(header).map((conversation) => [conversation, texts[at++]!])),
  );
}

/** Queries of the run graph (4.12) and of declared causes: the events of a run, and the places of causes. */
import type { DeclaredLink } from '../../api/results/record.js';
import type { EventType } from '../../api/types.js';
import { type SoughtCause, soughtKey } from '../../causes.js';
import { partsOf } from '../../ids.js';
import { isBefore, type ResultPlace } from '../../latest.js';
import type { Ask } from './ask.js';
import { AT_PLACES, placeOf, placesOf } from './items.js';
import { createJoined } from './joined.js';
import { inQuestions } from './questions.js';

/** The events that arrays of equal length name in pairs. The first conditions use the index of `run_events`. */
export const NAMED_EVENTS = `team = {team:String} AND scope = {scope:String} AND run_id IN {names:Array(String)}
    AND event_id IN {events:Array(String)}
    AND (run_id, event_id) IN (SELECT arrayJoin(arrayZip({names:Array(String)}, {events:Array(String)})))`;

const NIL = '00000000-0000-0000-0000-000000000000';

/** An archived event as a node of the graph, with the causes it declares. */
export interface ArchivedEvent {
  id: string;
  sequence: number;
  version: number;
  eventId: string;
  type: EventType;
  role: string;
  status: 'completed' | 'failed';
  flagged: boolean | null;
  /** Unix ms */
  created: number;
  links: DeclaredLink[];
}

export interface ArchivedPage {
  /** in order; fewer than `places` when verdicts have expired before names */
  events: ArchivedEvent[];
  /** the first places after the given one */
  places: ResultPlace[];
}

export interface RunKey {
  team: string;
  environment: string;
  run: string;
}

export interface RunPage extends RunKey {
  after: ResultPlace | undefined;
  most: number;
}

export interface GraphQueries {
  /** the first `most` events of a run after a place, by sequence and id */
  runEvents(page: RunPage): Promise<ArchivedPage>;
  /** the same of a run that may not exist: many that do not cost one query together */
  runEventsIfAny(page: RunPage): Promise<ArchivedPage>;
  /** the events that `causes` name, by `soughtKey`: of a run and event id the latest before its place; in several queries if many */
  causes(team: string, environment: string, causes: readonly SoughtCause[]): Promise<Map<string, ResultPlace>>;
}

const SEEN = `SELECT DISTINCT run_id AS run FROM run_events
  WHERE team = {team:String} AND scope = {scope:String} AND run_id IN {runs:Array(String)}`;

// Reads along the sorting key and stops when the page is full, however long the run is. By default the engine reads ahead in each
// part, and 65,000 rows at a time; with several parts that is most of a run. Rows that were inserted twice are there twice until
// they are merged.
const placesQuery = (after: string): string => `SELECT sequence, id
  FROM run_events PREWHERE team = {team:String} AND scope = {scope:String} AND run_id = {run:String} ${after}
  ORDER BY sequence, toUInt128(id) LIMIT 1 BY sequence, id LIMIT {most:UInt32}
  SETTINGS read_in_order_use_buffering = 0, max_block_size = 1024`;
/** The first page, which most ask for, costs a seventh less to plan than one after a place. */
const FIRST_PLACES = placesQuery('');
const PLACES_AFTER = placesQuery(`AND sequence >= {sequence:UInt64}
    AND (sequence > {sequence:UInt64} OR toUInt128(id) > toUInt128({id:UUID}))`);

const EVENTS = `SELECT id, sequence, version, event_id, type, role, status, flagged,
    toUnixTimestamp64Milli(received) AS received_ms, link.kind AS kinds, link.relation AS relations, link.run_id AS runs,
    link.event_id AS events, link.internal_id AS internals
  FROM items ${AT_PLACES}`;

/** `at`: number of the name, from 1; 0 when the cause is named by its internal id. */
const CAUSES = `SELECT at, target.1 AS sequence, target.2 AS id
  FROM (
    SELECT sought.5 AS at, max((sequence, place)) AS target
    FROM (SELECT run_id, event_id, sequence, toString(id) AS place FROM run_events WHERE ${NAMED_EVENTS}) AS named
    INNER JOIN (
      SELECT sought, sought.1 AS run_id, sought.2 AS event_id FROM (
        SELECT arrayJoin(arrayZip({names:Array(String)}, {events:Array(String)}, {sequences:Array(UInt64)}, {befores:Array(String)},
          arrayEnumerate({names:Array(String)}))) AS sought)
    ) AS wanted USING (run_id, event_id)
    WHERE (sequence, place) < (sought.3, sought.4)
    GROUP BY at
  )
  UNION ALL
  SELECT 0, max(sequence), toString(id)
  FROM items ${AT_PLACES} AND kind IN ('events', 'event')
  GROUP BY id`;

/** Every place is before it. */
const END: ResultPlace = { sequence: Number.MAX_SAFE_INTEGER, id: '' };

interface EventRow {
  id: string;
  sequence: string | number;
  version: number;
  event_id: string;
  type: EventType;
  role: string | null;
  status: 'completed' | 'failed';
  flagged: boolean | null;
  received_ms: string | number;
  kinds: ('parent' | 'link')[];
  relations: string[];
  runs: string[];
  events: string[];
  internals: string[];
}

interface CauseRow {
  at: number;
  sequence: string | number;
  id: string;
}

export function graphQueries(ask: Ask): GraphQueries {
  const { select, bounded } = ask;
  const runs = createJoined<RunPage, Sighted>(ask, {
    texts: ({ run }) => [run],
    async ask({ team, kind }, pages, signal) {
      // The places of its page say just as well whether a run exists, and are wanted next.
      if (pages.length === 1) {
        const places = await selectPlaces(ask, pages[0]!, signal);
        return [places.length === 0 ? undefined : { page: pages[0], places }];
      }
      const names = pages.map(({ run }) => run);
      const rows = await select<{ run: string }>(SEEN, { team, scope: kind, runs: names }, signal);
      const seen = new Set(rows.map(({ run }) => run));
      return names.map((run) => (seen.has(run) ? {} : undefined));
    },
  });
  const runEvents: GraphQueries['runEvents'] = (page) =>
    bounded(page.team, async (signal) =>
      selectEvents(ask, page, { places: await selectPlaces(ask, page, signal), signal }),
    );

  async function some(
    team: string,
    environment: string,
    causes: readonly SoughtCause[],
  ): Promise<[string, ResultPlace][]> {
    const named = causes.filter((cause) => cause.internal_event_id === '');
    const ids = causes.flatMap(({ internal_event_id: id }) => (id !== '' && partsOf(id)?.item ? [id] : []));
    if (named.length === 0 && ids.length === 0) return [];
    const parameters = {
      team,
      scope: environment,
      names: named.map((cause) => cause.run_id),
      events: named.map((cause) => cause.event_id),
      sequences: named.map(({ before = END }) => before.sequence),
      befores: named.map(({ before = END }) => before.id),
      places: placesOf(ids.map(placeOf)),
    };
    const rows = await bounded(team, (signal) => select<CauseRow>(CAUSES, parameters, signal));
    return rows.flatMap(({ at, sequence, id }) => {
      const place = { sequence: Number(sequence), id };
      const found =
        at > 0
          ? [named[at - 1]!]
          : causes.filter((cause) => cause.internal_event_id.toLowerCase() === id && isBefore(place, cause.before));
      return found.map((cause): [string, ResultPlace] => [soughtKey(cause), place]);
    });
  }

  return {
    runEvents,
    async runEventsIfAny(page) {
      const found = await runs.find(page.team, page.environment, page);
      if (found === undefined) return { events: [], places: [] };
      // Callers that ask for one run share its name, but not its page.
      const { places } = found;
      if (places === undefined || found.page !== page) return await runEvents(page);
      return await bounded(page.team, (signal) => selectEvents(ask, page, { places, signal }));
    },
    async causes(team, environment, causes) {
      const found = new Map<string, ResultPlace>();
      for (const part of inQuestions(causes, (cause) => [cause.run_id, cause.event_id, cause.internal_event_id])) {
        for (const [key, place] of await some(team, environment, part)) found.set(key, place);
      }
      return found;
    },
  };
}

/** That a run exists. `places` are those of `page`, where it was asked for alone. */
interface Sighted {
  page?: RunPage | undefined;
  places?: ResultPlace[];
}

async function selectPlaces({ select }: Ask, page: RunPage, signal: AbortSignal): Promise<ResultPlace[]> {
  const { team, environment, run, after, most } = page;
  const from = after && { sequence: after.sequence, id: after.id };
  const parameters = { team, scope: environment, run, most, ...from };
  const query = after ? PLACES_AFTER : FIRST_PLACES;
  const rows = await select<{ sequence: string | number; id: string }>(query, parameters, signal);
  return rows.map(({ sequence, id }) => ({ sequence: Number(sequence), id }));
}

async function selectEvents(
  { select }: Ask,
  { team, environment }: RunKey,
  { places, signal }: { places: ResultPlace[]; signal: AbortSignal },
): Promise<ArchivedPage> {
  if (places.length === 0) return { events: [], places };
  const at = { team, scope: environment, places: placesOf(places.map(({ id }) => placeOf(id))) };
  const rows = await select<EventRow>(EVENTS, at, signal);
  // The highest version is the last one that is put in.
  rows.sort((a, b) => a.version - b.version);
  const byId = new Map(rows.map((row) => [row.id, archivedEvent(row)]));
  return { events: places.flatMap(({ id }) => byId.get(id) ?? []), places };
}

function archivedEvent(row: EventRow): ArchivedEvent {
  return {
    id: row.id,
    sequence: Number(row.sequence),
    version: row.version,
    eventId: row.event_id,
    type: row.type,
    role: row.role ?? '',
    status: row.status,
    flagged: row.flagged,
    created: Number(row.received_ms),
    links: row.kinds.map((kind, i) => ({
      kind,
      relation: row.relations[i]!,
      runId: row.runs[i]!,
      eventId: row.events[i]!,
      // When the caller's ids name it, the column has the id of the event it resolved to, or nil.
      internalId: row.events[i] === '' ? row.internals[i]! : '',
      ...(row.events[i] === '' || row.internals[i] === NIL ? {} : { target: row.internals[i]! }),
    })),
  };
}

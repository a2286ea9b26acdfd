/**
 * Reads appeals with their state, which is nowhere stored: the newest label that came after an appeal decides it, and an appeal without one is
 * open. So a label that is replaced or taken back changes the state by itself.
 */
import type { ItemKind, RecordOwner } from '../../api/results/record.js';
import type { AppealState, LabelKind } from '../../api/types.js';
import { partsOf } from '../../ids.js';
import type { Ask, SelectRows } from './ask.js';
import { AT_PLACES, placeOf, placesOf } from './items.js';
import { GIVEN } from './labels.js';

export interface StoredAppeal {
  item: ItemKind;
  id: string;
  team: string;
  scope: string;
  policy_id: string;
  policy_name: string;
  note: string | null;
  reference: string | null;
  /** Unix ms */
  at: number;
  state: AppealState;
  /** null: it is open */
  decided: Decision | null;
}

/** Whose label decided an appeal, and when (Unix ms). */
export interface Decision {
  reviewer: string;
  at: number;
}

/** Where a page of open appeals begins. */
export interface AppealPlace {
  /** Unix ms, of the appeal */
  at: number;
  id: string;
  policy_id: string;
}

export interface OpenAppealsQuestion {
  /** '': all teams */
  team: string;
  /** where events, sessions and images may be seen; undefined: everywhere */
  seen?: SeenScopes | undefined;
  /** id or name; '': all policies */
  policy: string;
  /** only those behind this one */
  after?: AppealPlace | undefined;
  limit: number;
}

export interface SeenScopes {
  environments: readonly string[];
  deployments: readonly string[];
}

export interface AppealQueries {
  /** Of an item, the newest first. */
  appeals(owner: RecordOwner, id: string): Promise<StoredAppeal[]>;
  /** How many a team has made since `since` (Unix ms). */
  appealsSince(team: string, since: number): Promise<number>;
  /** Open ones, the oldest first. */
  openAppeals(question: OpenAppealsQuestion): Promise<StoredAppeal[]>;
}

interface AppealWithLabel extends Omit<StoredAppeal, 'at' | 'state' | 'decided'> {
  ms: string | number;
  said: LabelKind;
  reviewer: string;
  decided_ms: string | number;
}

/** Of an item. */
const MOST_POLICIES = 1000;
const KEY = 'team, scope, ts, id, policy_id';

/**
 * Appeals with the newest label of each: it decides one if it came later (`decided_ms` is at least `ms`). `which`: what follows FROM appeals FINAL.
 */
export const withLabels = (
  which: string,
): string => `SELECT a.item AS item, toString(a.id) AS id, a.team AS team, a.scope AS scope,
    toString(a.policy_id) AS policy_id, a.policy_name AS policy_name, a.note AS note, a.reference AS reference,
    toUnixTimestamp64Milli(a.at) AS ms, toString(l.said) AS said, l.by AS reviewer, toUnixTimestamp64Milli(l.last) AS decided_ms
  FROM (SELECT * FROM appeals FINAL ${which}) AS a
  LEFT JOIN (
    SELECT ${KEY}, argMax(label, at) AS said, argMax(reviewer, at) AS by, max(at) AS last FROM labels FINAL
    WHERE (${KEY}) IN (SELECT ${KEY} FROM appeals ${which}) AND ${GIVEN} GROUP BY ${KEY}
  ) AS l ON ${KEY.split(', ')
    .map((name) => `l.${name} = a.${name}`)
    .join(' AND ')}`;

const OF_ITEM = `${withLabels(AT_PLACES)} ORDER BY ms DESC, policy_id LIMIT ${MOST_POLICIES}`;

const OF_ALL = `WHERE ({team:String} = '' OR team = {team:String})
    AND ({everywhere:Bool} OR if(item = 'event', scope IN {environments:Array(String)}, scope IN {deployments:Array(String)}))
    AND ({policy:String} = '' OR toString(policy_id) = lower({policy:String}) OR policy_name = {policy:String})`;

/** Those that no label decides. */
const OPEN = `SELECT * FROM (${withLabels(OF_ALL)}) WHERE decided_ms < ms`;

const SINCE = `SELECT count() AS n FROM appeals WHERE team = {team:String} AND at >= fromUnixTimestamp64Milli({since:Int64}, 'UTC')`;

export const seenParameters = (seen: SeenScopes | undefined): Record<string, unknown> => ({
  everywhere: seen === undefined,
  environments: seen?.environments ?? [],
  deployments: seen?.deployments ?? [],
});

export async function openAppeals(select: SelectRows, question: OpenAppealsQuestion): Promise<StoredAppeal[]> {
  const { seen, after, ...rest } = question;
  const query = `${OPEN}${after ? ' AND (ms, id, policy_id) > ({after_ms:Int64}, {after_id:String}, {after_policy:String})' : ''}
    ORDER BY ms, id, policy_id LIMIT {limit:UInt32}`;
  const place = after ? { after_ms: after.at, after_id: after.id, after_policy: after.policy_id } : {};
  return (await select<AppealWithLabel>(query, { ...rest, ...seenParameters(seen), ...place })).map(appealOf);
}

function appealOf({ ms, said, reviewer, decided_ms, ...rest }: AppealWithLabel): StoredAppeal {
  const [at, decidedAt] = [Number(ms), Number(decided_ms)];
  const open: StoredAppeal = { ...rest, at, state: 'open', decided: null };
  return decidedAt < at ? open : decidedBy(open, { label: said, reviewer, at: decidedAt });
}

/** An appeal as a label leaves it that came later. */
export const decidedBy = (
  appeal: StoredAppeal,
  { label, reviewer, at }: Decision & { label: LabelKind },
): StoredAppeal => ({
  ...appeal,
  state: label === 'false_alarm' ? 'overturned' : 'stands',
  decided: { reviewer, at },
});

export function appealQueries(ask: Ask, askPast: Ask): AppealQueries {
  return {
    async appeals({ team, scope }, id) {
      if (partsOf(id) === undefined) return [];
      const parameters = { team, scope, places: placesOf([placeOf(id)]) };
      const rows = await ask.bounded(team, (signal) => ask.select<AppealWithLabel>(OF_ITEM, parameters, signal));
      return rows.map(appealOf);
    },
    async appealsSince(team, since) {
      const [row] = await ask.bounded(team, (signal) =>
        ask.select<{ n: string | number }>(SINCE, { team, since }, signal),
      );
      return Number(row?.n ?? 0);
    },
    openAppeals: (question) =>
      askPast.bounded(question.team, (signal) =>
        openAppeals((query, parameters) => askPast.select(query, parameters, signal), question),
      ),
  };
}

/**
 * What people ask of the past: items by what they have in common, users by risk. Each question reads the rows of its time
 * within the scopes that a key may see. Of an item that is stored more than once, the row with the highest version counts.
 */
import { type ItemKind, kindOf } from '../../api/results/record.js';
import type { CheckKind, Severity } from '../../api/types.js';
import { partsOf } from '../../ids.js';
import type { Ask } from './ask.js';
import { placesOf } from './items.js';
import { type PastFilter, type PastVerdict, parametersOf, wanted } from './past-filter.js';

export interface ItemsQuestion extends PastFilter {
  verdict: '' | PastVerdict;
  /** id of an item: only those that came before it; '': from the newest on */
  before: string;
  limit: number;
}

export interface PastItem {
  item: ItemKind;
  id: string;
  scope: string;
  type: string;
  role: string | null;
  name: string | null;
  run_id: string | null;
  event_id: string | null;
  external_session_id: string | null;
  external_artifact_id: string | null;
  user_id: string | null;
  user_email: string | null;
  flagged: boolean | null;
  not_evaluated: number;
  note: string | null;
  violations: { policy_id: string; policy_name: string; severity: Severity; sources: ('text' | 'image')[] }[];
  /** Unix ms */
  created: number;
  duration_ms: number;
}

export interface UsersQuestion {
  team: string;
  /** Unix ms */
  since: number;
  /** weight of each policy that counts */
  weights: ReadonlyMap<string, number>;
  /** lowest score */
  least: number;
  limit: number;
}

export interface PastUser {
  kind: 'id' | 'email';
  user: string;
  score: number;
  checks: number;
  flagged: number;
  /** policies with the checks that they flagged, the most first */
  violations: [policy: string, checks: number][];
  /** Unix ms */
  last: number;
}

/** All throw `HistoryUnavailable`. */
export interface PastQueries {
  /** The newest that the filter takes. `next`: there may be more before this item. */
  pastItems(question: ItemsQuestion): Promise<{ items: PastItem[]; next: string | undefined }>;
  pastUsers(question: UsersQuestion): Promise<PastUser[]>;
}

/** Newest places first: what is read of an item may be long, so it is read of those alone. One that is stored twice is there twice. */
export const newest = (
  conditions: string,
): string => `SELECT toUnixTimestamp64Milli(ts) AS ms, scope, toString(id) AS id FROM items
  WHERE ${conditions} ORDER BY ts DESC, toUInt128(items.id) DESC LIMIT {most:UInt32}`;

/** Of `items`. The time of an item is that of its id. */
export const BEFORE = `(ts, toUInt128(items.id)) < (fromUnixTimestamp64Milli({before_ms:Int64}, 'UTC'), toUInt128({before:UUID}))`;

export const itemsAt = (
  conditions: string,
): string => `SELECT toString(id) AS id, scope, kind, type, role, name, run_id, event_id,
    external_session_id, external_artifact_id, user_id, user_email, flagged, not_evaluated, note,
    toUnixTimestamp64Milli(ts) AS created,
    duration_ms,
    arrayMap(v -> toString(v), violation.id) AS ids, violation.name AS names, violation.severity AS severities,
    violation.sources AS sources
  FROM items FINAL
  WHERE (team, scope, ts, items.id) IN {places:Array(Tuple(String, String, DateTime64(3, 'UTC'), UUID))} AND ${conditions}
  ORDER BY ts DESC, toUInt128(items.id) DESC`;

export interface PastItemRow extends Omit<PastItem, 'item' | 'violations' | 'created' | 'duration_ms'> {
  kind: CheckKind;
  created: string | number;
  duration_ms: string | number;
  ids: string[];
  names: string[];
  severities: Severity[];
  sources: ('text' | 'image')[][];
}

const SEVERITY_ORDER: readonly Severity[] = ['high', 'medium', 'low'];

export function pastItem({
  kind,
  ids,
  names,
  severities,
  sources,
  created,
  duration_ms,
  ...rest
}: PastItemRow): PastItem {
  const violations = ids.map((policy_id, i) => ({
    policy_id,
    policy_name: names[i]!,
    severity: severities[i]!,
    sources: sources[i]!,
  }));
  violations.sort((a, b) => SEVERITY_ORDER.indexOf(a.severity) - SEVERITY_ORDER.indexOf(b.severity));
  return {
    ...rest,
    item: kindOf({ kind, type: rest.type }),
    violations,
    created: Number(created),
    duration_ms: Number(duration_ms),
  };
}

const USERS = `SELECT kind, user, checks, flagged, last, score, arrayMap(v -> toString(v), counted.1) AS policies, counted.2 AS counts
  FROM (
    SELECT kind, user, count() AS checks, countIf(notEmpty(violations)) AS flagged, toUnixTimestamp64Milli(maxIf(ts, notEmpty(violations))) AS last,
      sum(arrayMax(arrayConcat([0.], arrayMap(v -> transform(toString(v), {policies:Array(String)}, {weights:Array(Float64)}, 0.), violations)))) AS score,
      sumMap(violations, arrayMap(v -> 1, violations)) AS counted
    FROM user_checks FINAL WHERE team = {team:String} AND ts >= fromUnixTimestamp64Milli({since:Int64}, 'UTC')
    GROUP BY kind, user
  ) WHERE flagged > 0 AND score >= {least:Float64} ORDER BY score DESC, last DESC, kind, user LIMIT {limit:UInt32}`;

interface UserRow extends Pick<PastUser, 'kind' | 'user' | 'score'> {
  checks: string | number;
  flagged: string | number;
  last: string | number;
  policies: string[];
  counts: (string | number)[];
}

/** Of a time the newest items are looked for in its last part first: to order those of all of it takes long. Each part is so many times the one before. */
const PARTS = 16;
const LONGER = 4;

/** Parts of the time from `from` to `to`, the last one first. */
function partsBefore(from: number, to: number): { from: number; to: number }[] {
  const parts: { from: number; to: number }[] = [];
  for (let [end, width] = [to, Math.ceil((to - from) / PARTS)]; end > from; end -= width, width *= LONGER)
    parts.push({ from: Math.max(from, end - width), to: end });
  return parts;
}

interface NewestRow {
  ms: string | number;
  scope: string;
  id: string;
}

export function pastQueries({ bounded, select }: Ask): PastQueries {
  return {
    pastItems: ({ before, limit, verdict, ...filter }) =>
      bounded(filter.team, async (signal) => {
        const conditions = wanted({ ...filter, verdict });
        const parameters = parametersOf(filter);
        const cursor = before === '' ? undefined : { before, before_ms: partsOf(before)!.time };
        const query = newest(cursor ? `${conditions} AND ${BEFORE}` : conditions);
        const places: NewestRow[] = [];
        const end = cursor ? Math.min(filter.to, cursor.before_ms + 1) : filter.to;
        for (const part of partsBefore(filter.from, end)) {
          const asked = { ...parameters, ...cursor, ...part, most: limit + 1 - places.length };
          places.push(...(await select<NewestRow>(query, asked, signal)));
          if (places.length > limit) break;
        }
        const page = places.slice(0, limit);
        const next = places.length > limit ? page.at(-1)!.id : undefined;
        if (page.length === 0) return { items: [], next };
        const at = page.flatMap(({ ms, scope, id }) => placesOf([{ ms: Number(ms), id }], [filter.team, scope]));
        const time = { from: Number(page.at(-1)!.ms), to: Number(page[0]!.ms) + 1 };
        const rows = await select<PastItemRow>(itemsAt(conditions), { ...parameters, ...time, places: at }, signal);
        return { items: rows.map(pastItem), next };
      }),
    pastUsers: ({ team, since, weights, least, limit }) =>
      bounded(team, async (signal) => {
        const asked = {
          team,
          since: Math.floor(since),
          least,
          limit,
          policies: [...weights.keys()],
          weights: [...weights.values()],
        };
        const rows = await select<UserRow>(USERS, asked, signal);
        return rows.map(({ kind, user, score, checks, flagged, last, policies, counts }) => ({
          kind,
          user,
          score,
          checks: Number(checks),
          flagged: Number(flagged),
          violations: policies
            .map((policy, i): [string, number] => [policy, Number(counts[i])])
            .sort((a, b) => b[1] - a[1]),
          last: Number(last),
        }));
      }),
  };
}

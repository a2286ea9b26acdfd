/**
 * Items in which a policy has found a text. What was found is not stored, but where: so contents are searched for the text, and what has it is held
 * against the places of what was found. The newest flagged items come first, so many at a time as take about a tenth of a second, until there are
 * enough, or no time is left:
 *
 *     the next flagged items ──> those whose content has the text ──> those where it was found, in parts ──> the next flagged items, or an answer
 */
import { partsOf } from '../../ids.js';
import type { Ask, SelectRows } from './ask.js';
import { type ItemPlace, placesOf } from './items.js';
import { BEFORE, type ItemsQuestion, itemsAt, newest, type PastItem, type PastItemRow, pastItem } from './past.js';
import { parametersOf, wanted } from './past-filter.js';

export interface FoundTextQuestion extends ItemsQuestion {
  text: string;
  /** whether it was found, by a policy that counts */
  isFound(candidate: TextCandidate): boolean;
}

/** A flagged item whose content has the text somewhere. */
export interface TextCandidate {
  isChat: boolean;
  /** of policies that flagged it */
  ids: readonly string[];
  names: readonly string[];
  explained: string;
  content: string;
}

export interface FoundItems {
  items: PastItem[];
  /** there may be more before this item */
  next: string | undefined;
  /** not all was looked at: there was no time */
  cut: boolean;
}

/** Throws `HistoryUnavailable`. */
export interface FoundTextQueries {
  foundItems(question: FoundTextQuestion): Promise<FoundItems>;
}

/** How long it looks for more, in ms, and for how long it reads contents at a time. */
const LOOK_MS = 300;
const STEP_MS = 100;
/** Flagged items that are looked at with one question: at first, and at least and at most. */
const ROWS = { first: 1000, least: 250, most: 50_000 } as const;
/** Of this much time at first, and of so many times more where there are fewer flagged items: to order those of a long time takes long. */
const FIRST_MS = 3_600_000;
const WIDER = 4;
/** Items whose content has the text, of one question; and bytes of contents that are held against places at a time. */
const MOST_HITS = 1000;
const PART_BYTES = 1024 * 1024;

/**
 * Contents of the flagged items between two places that have the text, or that may have it in other letters: JSON may have it escaped. A content is
 * not read where its item is none of those.
 */
const hits = (
  conditions: string,
): string => `SELECT toString(contents.id) AS id, scope, toUnixTimestamp64Milli(ts) AS ms, max(length(content)) AS bytes FROM contents
  PREWHERE team = {team:String} AND scope IN {scopes:Array(String)} AND ts >= fromUnixTimestamp64Milli({last_ms:Int64}, 'UTC')
    AND ts <= fromUnixTimestamp64Milli({first_ms:Int64}, 'UTC') AND contents.id IN (SELECT items.id FROM items WHERE ${conditions} AND ${BETWEEN})
  WHERE positionCaseInsensitiveUTF8(content, {text:String}) > 0
    OR ((startsWith(content, '{') OR startsWith(content, '[')) AND position(content, {escape:String}) > 0)
  GROUP BY contents.id, scope, ts ORDER BY ts DESC, toUInt128(contents.id) DESC LIMIT {hits:UInt32}`;
/** Many items may have the same time. */
const BETWEEN = `(ts, toUInt128(items.id)) >= (fromUnixTimestamp64Milli({last_ms:Int64}, 'UTC'), toUInt128({last:UUID}))
    AND (ts, toUInt128(items.id)) <= (fromUnixTimestamp64Milli({first_ms:Int64}, 'UTC'), toUInt128({first:UUID}))`;

/** Of one item that is stored more than once, the highest version counts. */
const candidates = (
  conditions: string,
): string => `SELECT toString(items.id) AS id, kind, arrayMap(v -> toString(v), violation.id) AS ids, violation.name AS names,
    ifNull(explained, '') AS explained, content
  FROM items FINAL INNER JOIN (
    SELECT contents.id AS of_id, argMax(contents.content, contents.version) AS content FROM contents
    PREWHERE (team, scope, ts, contents.id) IN {places:Array(Tuple(String, String, DateTime64(3, 'UTC'), UUID))} GROUP BY of_id
  ) AS stored ON stored.of_id = items.id
  WHERE (team, scope, ts, items.id) IN {places:Array(Tuple(String, String, DateTime64(3, 'UTC'), UUID))} AND ${conditions}`;

interface HitRow {
  id: string;
  scope: string;
  ms: string | number;
  bytes: string | number;
}

type CandidateRow = { id: string; kind: string } & Pick<TextCandidate, 'ids' | 'names' | 'explained' | 'content'>;

export function foundTextQueries({ bounded, select }: Ask): FoundTextQueries {
  return {
    foundItems: (question) =>
      bounded(question.team, (signal) =>
        foundItems((query, parameters) => select(query, parameters, signal), question),
      ),
  };
}

async function foundItems(
  rows: SelectRows,
  { text, isFound, limit, before, ...filter }: FoundTextQuestion,
): Promise<FoundItems> {
  const end = performance.now() + LOOK_MS;
  const conditions = `${wanted(filter)} AND notEmpty(violation.id)`;
  const parameters = { ...parametersOf(filter), text, escape: escapeOf(text) };
  const found: (ItemPlace & { scope: string })[] = [];
  const answer = async (next: string | undefined, cut: boolean): Promise<FoundItems> => {
    if (found.length === 0) return { items: [], next, cut };
    const places = found.flatMap(({ scope, ...place }) => placesOf([place], [filter.team, scope]));
    const items = await rows<PastItemRow>(itemsAt(conditions), { ...parameters, places });
    return { items: items.map(pastItem), next, cut };
  };
  let [cursor, most, width] = [before, ROWS.first as number, FIRST_MS];
  let to = before === '' ? filter.to : Math.min(filter.to, partsOf(before)!.time + 1);
  for (;;) {
    const from = Math.max(filter.from, to - width);
    const within = { conditions, parameters: { ...parameters, from, to } };
    const flagged = await nextFlagged(rows, { ...within, cursor, most });
    const asked = performance.now();
    const some = flagged.length === 0 ? [] : await hitsAmong(rows, { ...within, flagged });
    const took = performance.now() - asked;
    for (let at = 0; at < some.length; ) {
      const part = partAt(some, at);
      const stored = new Map((await readPart(rows, within, part)).map((row) => [row.id, row]));
      for (const { id, scope, ms } of part) {
        const row = stored.get(id);
        if (row && isFound({ ...row, isChat: row.kind === 'session' })) found.push({ id, scope, ms: Number(ms) });
        if (found.length === limit) return await answer(id, false);
      }
      at += part.length;
      if (performance.now() > end && at < some.length) return await answer(part.at(-1)!.id, true);
    }
    if (flagged.length === most || some.length === MOST_HITS) {
      // Those that follow a hit that had no place in the answer were not looked at.
      cursor = some.length === MOST_HITS ? some.at(-1)!.id : flagged.at(-1)!.id;
      to = partsOf(cursor)!.time + 1;
      most = Math.round(Math.min(ROWS.most, Math.max(ROWS.least, (most * STEP_MS) / Math.max(1, took))));
    } else {
      if (from === filter.from) return await answer(undefined, false);
      [cursor, to, width] = [firstIdAt(from), from, width * WIDER];
    }
    // Times without flagged items are few, since each is several times as long as the one before.
    if (flagged.length > 0 && performance.now() > end) return await answer(cursor, true);
  }
}

/** An id before which are all items that came before a time. */
function firstIdAt(ms: number): string {
  const time = ms.toString(16).padStart(12, '0');
  return `${time.slice(0, 8)}-${time.slice(8)}-7000-8000-000000000001`;
}

interface FlaggedQuestion {
  conditions: string;
  parameters: Record<string, unknown>;
}

const cursorOf = (before: string): Record<string, unknown> =>
  before === '' ? {} : { before, before_ms: partsOf(before)!.time };

const behind = (conditions: string, before: string): string =>
  before === '' ? conditions : `${conditions} AND ${BEFORE}`;

function nextFlagged(
  rows: SelectRows,
  { conditions, parameters, cursor, most }: FlaggedQuestion & { cursor: string; most: number },
): Promise<{ ms: string | number; scope: string; id: string }[]> {
  return rows(newest(behind(conditions, cursor)), { ...parameters, ...cursorOf(cursor), most });
}

function hitsAmong(
  rows: SelectRows,
  { conditions, parameters, flagged }: FlaggedQuestion & { flagged: readonly { ms: string | number; id: string }[] },
): Promise<HitRow[]> {
  const [first, last] = [flagged[0]!, flagged.at(-1)!];
  return rows<HitRow>(hits(conditions), {
    ...parameters,
    first_ms: Number(first.ms),
    last_ms: Number(last.ms),
    first: first.id,
    last: last.id,
    hits: MOST_HITS,
  });
}

/** As many from `at` on as have room together, one at least. */
function partAt(all: readonly HitRow[], at: number): readonly HitRow[] {
  let bytes = 0;
  let end = at;
  while (end < all.length && (end === at || bytes + Number(all[end]!.bytes) <= PART_BYTES)) {
    bytes += Number(all[end]!.bytes);
    end++;
  }
  return all.slice(at, Math.min(end, at + 200));
}

function readPart(
  rows: SelectRows,
  { conditions, parameters }: FlaggedQuestion,
  part: readonly HitRow[],
): Promise<CandidateRow[]> {
  const team = String(parameters.team);
  const places = part.flatMap(({ id, scope, ms }) => placesOf([{ id, ms: Number(ms) }], [team, scope]));
  return rows<CandidateRow>(candidates(conditions), { ...parameters, places });
}

/** What JSON has at least where it has one of the letters of a text escaped. */
function escapeOf(text: string): string {
  // These have escapes of their own, such as \n.
  if (/["\\/]/.test(text) || [...text].some((one) => one < ' ')) return '\\';
  return /^[ -~]*$/.test(text) ? '\\u00' : '\\u';
}

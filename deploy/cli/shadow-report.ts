/** Reads from history what policies in the shadow would have flagged, beside what was answered. */
import { ClickHouseError } from '@clickhouse/client';
import type { Severity } from '../../shared/api/types.js';
import { createHistoryClient, type HistoryAddress, type HistoryClient } from '../../shared/history/client.js';

export interface ShadowQuestion {
  /** Unix ms */
  since: number;
  /** absent: all teams */
  team: string | undefined;
  /** id or name; absent: all policies */
  policy: string | undefined;
  /** most examples of a policy */
  examples: number;
}

export interface ShadowReport {
  /** RFC 3339 */
  since: string;
  /** items that some of the policies were for */
  checks: number;
  /** verdicts that are missing, since a policy could not be evaluated */
  not_evaluated: number;
  /** those that would have flagged most come first */
  policies: ShadowPolicy[];
}

export interface ShadowPolicy {
  id: string;
  name: string;
  team: string;
  /** empty: it has flagged nothing */
  severity: Severity | '';
  /** first and last version of the configuration that it was evaluated by */
  config: [first: number, last: number];
  /** items that it was evaluated for */
  checks: number;
  flagged: number;
  /** of these: no live policy flagged the item */
  newly_flagged: number;
  /** live policies that flagged some of the items: how many it would have flagged too, and how many not */
  live: { id: string; name: string; both: number; live_only: number }[];
  examples: ShadowExample[];
}

export interface ShadowExample {
  id: string;
  ts: string;
  scope: string;
  kind: string;
  type: string;
  run_id: string;
  event_id: string;
  external_session_id: string;
  detectors: string[];
  /** ids of the live policies that flagged it */
  live: string[];
  /** its beginning; null: it is not stored (any more) */
  content: string | null;
}

/** Why there is no report, in a sentence. */
export class NoReport extends Error {}

const TIMEOUT_MS = 600_000;
/** Ids in one bound parameter, which may have 128 KiB. */
const IDS = 2500;
/** Characters of a content that are read. */
const MOST_CONTENT = 500;
/** Live policies that are listed beside one in the shadow: those with most items in common. */
const MOST_LIVE = 10;

const WHERE = `ts >= fromUnixTimestamp64Milli({since:Int64}, 'UTC') AND ({team:String} = '' OR team = {team:String})`;

const TOTALS = `SELECT toUInt64(count()) AS checks, sum(not_evaluated) AS not_evaluated FROM shadow_checks FINAL WHERE ${WHERE}`;

const POLICIES = `SELECT toString(policy) AS id, any(team) AS team, min(config) AS first, max(config) AS last,
    count() AS checks, countIf(hit > 0) AS flagged, countIf(hit > 0 AND empty(live)) AS newly_flagged,
    argMaxIf(\`violation.name\`[hit], ts, hit > 0) AS name, argMaxIf(arrayMap(one -> toString(one), \`violation.severity\`)[hit], ts, hit > 0) AS severity
  FROM (
    SELECT *, arrayJoin(evaluated) AS policy, indexOf(\`violation.id\`, policy) AS hit FROM shadow_checks FINAL WHERE ${WHERE}
  ) GROUP BY policy ORDER BY flagged DESC, id`;

const LIVE = `SELECT toString(policy) AS id, toString(other) AS live,
    countIf(has(\`violation.id\`, policy)) AS both, count() - both AS live_only
  FROM (SELECT *, arrayJoin(evaluated) AS policy, arrayJoin(live) AS other FROM shadow_checks FINAL WHERE ${WHERE})
  WHERE empty({policies:Array(UUID)}) OR policy IN {policies:Array(UUID)}
  GROUP BY policy, other ORDER BY policy, both DESC, live_only DESC, live LIMIT ${MOST_LIVE} BY policy`;

const EXAMPLES = `SELECT toString(policy_id) AS policy, toString(id) AS id, ts, scope, kind, type,
    ifNull(run_id, '') AS run_id, ifNull(event_id, '') AS event_id, ifNull(external_session_id, '') AS external_session_id, detectors, arrayMap(one -> toString(one), live_policies) AS live
  FROM shadow_violations WHERE ${WHERE} AND (empty({policies:Array(UUID)}) OR policy_id IN {policies:Array(UUID)})
  ORDER BY policy_id, notEmpty(live_policies), ts DESC, id LIMIT {examples:UInt32} BY policy_id`;

const CONTENTS = `SELECT toString(id) AS item, substringUTF8(content, 1, ${MOST_CONTENT + 1}) AS content
  FROM contents FINAL WHERE ${WHERE} AND id IN {ids:Array(UUID)}`;

const NAMES = `SELECT policy_id AS id, argMax(name, number) AS name FROM configuration_policies
  WHERE policy_id IN {ids:Array(String)} GROUP BY policy_id`;

/** Throws {@link NoReport} where there is nothing to report on, and where ClickHouse does not answer. */
export async function readShadowReport(address: HistoryAddress, question: ShadowQuestion): Promise<ShadowReport> {
  const client = createHistoryClient({ ...address, timeoutMs: TIMEOUT_MS });
  try {
    return await read(client, question);
  } catch (error) {
    if (error instanceof NoReport) throw error;
    throw new NoReport(reasonOf(error));
  } finally {
    await client.close();
  }
}

function reasonOf(error: unknown): string {
  if (error instanceof ClickHouseError && ABSENT.has(error.code))
    return 'ClickHouse has no tables for policies in the shadow: run weir migrate';
  const { message, code } = error as Error & { code?: string };
  const what = error instanceof ClickHouseError ? 'refuses the question' : 'does not answer';
  return `ClickHouse ${what}: ${(message || code || 'no reason given').slice(0, 300)}`;
}

/** Codes of ClickHouse for a table and a database that is not there. */
const ABSENT = new Set(['60', '81']);

type Select = <T>(query: string, parameters?: Record<string, unknown>) => Promise<T[]>;

async function read(client: HistoryClient, question: ShadowQuestion): Promise<ShadowReport> {
  const { since, team = '', examples } = question;
  const select: Select = async (query, more = {}) => {
    const parameters = { since: Math.floor(since), team, ...more };
    const result = await client.query({
      query,
      query_params: parameters,
      format: 'JSONEachRow',
      clickhouse_settings: SETTINGS,
    });
    return await result.json();
  };
  const [totals] = await select<{ checks: number; not_evaluated: number }>(TOTALS);
  const found = await named(select, await select<PolicyRow>(POLICIES), question.policy);
  // A list of all could be longer than a parameter may be.
  const policies = question.policy === undefined ? [] : found.map(({ id }) => id);
  const beside = await select<LiveRow>(LIVE, { policies });
  const names = await namesOf(
    select,
    beside.map(({ live }) => live),
  );
  const shown = examples > 0 ? await examplesOf(select, policies, examples) : [];
  return {
    since: new Date(since).toISOString(),
    ...totals!,
    policies: found.map(({ first, last, ...policy }) => ({
      ...policy,
      config: [first, last],
      live: beside
        .filter(({ id }) => id === policy.id)
        .map(({ live, both, live_only }) => ({ id: live, name: names.get(live) ?? '', both, live_only })),
      examples: shown.filter((example) => example.policy === policy.id).map(({ policy: _, ...example }) => example),
    })),
  };
}

const SETTINGS = { output_format_json_quote_64bit_integers: 0, date_time_output_format: 'iso' } as const;

interface PolicyRow extends Omit<ShadowPolicy, 'config' | 'live' | 'examples'> {
  first: number;
  last: number;
}

interface LiveRow {
  id: string;
  live: string;
  both: number;
  live_only: number;
}

/** Those that are asked for, each with its name. A policy that flagged nothing has its name from the configuration. */
async function named(select: Select, rows: PolicyRow[], policy: string | undefined): Promise<PolicyRow[]> {
  const nameless = rows.filter(({ name }) => name === '').map(({ id }) => id);
  const names = await namesOf(select, nameless);
  const all = rows.map((row) => ({ ...row, name: row.name || (names.get(row.id) ?? '') }));
  const asked = all.filter(({ id, name }) => policy === undefined || id === policy.toLowerCase() || name === policy);
  if (asked.length > 0 || policy === undefined) return asked;
  const there = all.map(({ id, name }) => (name === '' ? id : `"${name}" (${id})`)).join(', ') || 'none';
  throw new NoReport(
    `no policy in the shadow "${policy.slice(0, 100)}" was evaluated in that time; there was ${there}`,
  );
}

/** The rows of a query about `ids`. */
async function selectOf<T>(select: Select, query: string, ids: readonly string[]): Promise<T[]> {
  const rows: T[] = [];
  for (let at = 0; at < ids.length; at += IDS) rows.push(...(await select<T>(query, { ids: ids.slice(at, at + IDS) })));
  return rows;
}

async function namesOf(select: Select, ids: readonly string[]): Promise<ReadonlyMap<string, string>> {
  const rows = await selectOf<{ id: string; name: string }>(select, NAMES, [...new Set(ids)]);
  return new Map(rows.map(({ id, name }) => [id, name]));
}

/** New ones first, and of these the newest. */
async function examplesOf(
  select: Select,
  policies: readonly string[],
  examples: number,
): Promise<(ShadowExample & { policy: string })[]> {
  const found = await select<Omit<ShadowExample, 'content'> & { policy: string }>(EXAMPLES, { policies, examples });
  const ids = [...new Set(found.map(({ id }) => id))];
  const stored = await selectOf<{ item: string; content: string }>(select, CONTENTS, ids);
  const contents = new Map(stored.map(({ item, content }) => [item, content]));
  return found.map((example) => ({ ...example, content: cut(contents.get(example.id)) }));
}

/** With `content_days: 0` rows have an empty content. */
function cut(content: string | undefined): string | null {
  if (content === undefined || content === '') return null;
  const characters = [...content];
  return characters.length > MOST_CONTENT ? `${characters.slice(0, MOST_CONTENT).join('')}…` : content;
}

/**
 * Accounts for a load after it: everything that was answered 200 is stored once, everywhere, with the verdict of the
 * answer; what was refused left nothing; what nobody knows about is there once or not at all.
 *
 * Tables are read with FINAL, as people read them: what a crash has made an archiver repeat replaces itself.
 */
import assert from 'node:assert/strict';
import type { Stack } from '#weir/deploy/local/stack';
import { partsOf } from '#weir/shared/ids';
import type { Redis } from '#weir/shared/streams/client';
import { GROUP, keys, LANES } from '#weir/shared/streams/keys';
import { fetchSql } from '../stores/sql.js';
import { sleep, until } from '../wait.js';
import { type Client, createClient, type Sent } from './load.js';

export interface LedgerOptions {
  stack: Stack;
  redis: Redis;
  key: string;
  partitions: number;
  /** as given to the load */
  name: string;
  sent: readonly Sent[];
  /** an answer that may have been lost with the last seconds of Redis */
  mayBeLost?(sent: Sent): boolean;
  /** Redis lost nothing: what was answered 504 is stored as well. Default true */
  timeoutsAreStored?: boolean;
  /** dead letters there may be by now, default 0 */
  deadLetters?: number;
}

export interface Summary {
  accepted: number;
  refused: number;
  timeouts: number;
  /** requests whose connection broke before their answer: when, and what it said */
  broken: string[];
  /** of broken connections: those whose work is stored */
  storedUnanswered: number;
  lost: number;
  items: number;
}

/** A verdict of one item, as an answer or a table has it. */
interface Verdict {
  id: string;
  /** name of the request and of the item in it */
  item: string;
  flagged: boolean;
  policies: string;
}

/** Look-ups after a load: a sample, since all of them are in the tables already. */
const LOOK_UPS = 12;
const LOOK_UPS_AT_ONCE = 4;
const REFUSALS = new Set(['overloaded', 'unavailable', 'shutting_down']);

/** Waits until every entry is evaluated and every result archived. */
export async function drained(redis: Redis, partitions: number): Promise<void> {
  let left = '';
  const empty = async (): Promise<boolean> => {
    try {
      left = await remaining(redis, partitions);
    } catch (error) {
      left = String(error);
    }
    return left === '';
  };
  try {
    await until('the streams are drained', empty);
  } catch (error) {
    throw new Error(`${(error as Error).message} (${left})`);
  }
}

async function remaining(redis: Redis, partitions: number): Promise<string> {
  for (let p = 0; p < partitions; p++) {
    for (const lane of LANES) {
      const work = await redis.xlen(keys.checks(p, lane));
      const pending = work === 0 ? ((await redis.xpending(keys.checks(p, lane), GROUP)) as [number])[0] : 0;
      if (work + pending > 0) return `partition ${p}, ${lane}: ${work} entries, ${pending} pending`;
    }
    const log = await redis.xlen(keys.results(p));
    if (log > 0) return `partition ${p}: ${log} in the log`;
  }
  return '';
}

/** Rows of a statement on the history. */
export async function select<T>(stack: Stack, statement: string): Promise<T[]> {
  const response = await fetchSql(`${stack.clickhouseUrl}/?database=weir&default_format=JSONEachRow`, {
    method: 'POST',
    body: statement,
    signal: AbortSignal.timeout(120_000),
  });
  const text = await response.text();
  assert.equal(response.status, 200, text);
  return text
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => JSON.parse(line) as T);
}

/** Waits for the drain and checks every request of the load. */
export async function settleAccounts(options: LedgerOptions): Promise<Summary> {
  await drained(options.redis, options.partitions);
  for (let p = 0; p < options.partitions; p++) {
    assert.equal(await options.redis.xlen(keys.refused(p)), 0, 'rows that ClickHouse could not read');
  }
  let letters = 0;
  for (let p = 0; p < options.partitions; p++) letters += await options.redis.xlen(keys.dead(p));
  assert.equal(letters, options.deadLetters ?? 0, 'dead letters');
  const history = await readHistory(options.stack, options.name);
  const known = new Map(options.sent.map((one) => [one.name, one]));
  for (const row of history.rows) assert.ok(known.has(row.request), `a row of a request nobody sent: ${row.request}`);
  const summary: Summary = {
    accepted: 0,
    refused: 0,
    timeouts: 0,
    broken: [],
    storedUnanswered: 0,
    lost: 0,
    items: history.rows.length,
  };
  const found: Verdict[] = [];
  for (const sent of options.sent) count(sent, history.byRequest.get(sent.name) ?? [], { options, summary, found });
  for (const row of history.rows) checkTables(row, history);
  await checkLookUps(options, found);
  return summary;
}

interface Row extends Verdict {
  /** run id or external session id */
  request: string;
  requestId: string;
  kind: 'events' | 'event' | 'session';
  status: string;
}

interface History {
  rows: Row[];
  byRequest: Map<string, Row[]>;
  /** table or view → id → rows there */
  counts: Map<string, Map<string, number>>;
}

/** They read their table with FINAL. */
const VIEWS = new Set(['results', 'violations']);
const EVERYWHERE = ['items', 'contents', 'results'];

async function readHistory(stack: Stack, name: string): Promise<History> {
  const like = `LIKE '${name}-%'`;
  const rows = await select<Omit<Row, 'item' | 'request'> & { run: string; event: string; session: string }>(
    stack,
    `SELECT id, request_id AS requestId, kind, run_id AS run, event_id AS event, external_session_id AS session, status,
       flagged, policies
     FROM items FINAL WHERE run_id ${like} OR external_session_id ${like}`,
  );
  const mapped = rows.map(({ run, event, session, ...row }): Row => {
    const request = row.kind === 'session' ? session : run;
    return { ...row, request, item: row.kind === 'session' ? request : `${request} ${event}` };
  });
  const byRequest = new Map<string, Row[]>();
  for (const row of mapped) {
    const list = byRequest.get(row.request);
    if (list) list.push(row);
    else byRequest.set(row.request, [row]);
  }
  const counts = new Map<string, Map<string, number>>();
  for (const table of [...EVERYWHERE, 'names', 'run_events', 'user_checks', 'violations']) {
    const found = await select<{ id: string; rows: number }>(
      stack,
      `SELECT id, toUInt32(count()) AS rows FROM ${table}${VIEWS.has(table) ? '' : ' FINAL'} GROUP BY id`,
    );
    counts.set(table, new Map(found.map((row) => [row.id, row.rows])));
  }
  return { rows: mapped, byRequest, counts };
}

/** One request: what it was answered against what is stored of it. */
function count(
  sent: Sent,
  rows: readonly Row[],
  { options, summary, found }: { options: LedgerOptions; summary: Summary; found: Verdict[] },
): void {
  const what = `${sent.kind} ${sent.name}, answered ${sent.status} ${codeOf(sent)} ${sent.failure}`;
  const whole = sent.kind === 'session' ? 1 : sent.events.length;
  assert.ok(rows.length === 0 || rows.length === whole, `${what}: ${rows.length} rows instead of ${whole}`);
  assert.equal(new Set(rows.map((row) => row.item)).size, rows.length, `${what}: two rows of one item`);
  assert.ok(new Set(rows.map((row) => row.requestId)).size <= 1, `${what}: two results`);
  if (sent.status === 200) {
    const verdicts = verdictsOf(sent);
    assert.equal(verdicts.length, whole, `${what}: ${verdicts.length} verdicts`);
    if (rows.length === 0 && options.mayBeLost?.(sent)) {
      summary.lost++;
      return;
    }
    const stored = new Map(rows.map((row) => [row.id, row]));
    for (const verdict of verdicts) {
      const row = stored.get(verdict.id);
      assert.ok(row, `${what}: no row of ${verdict.id}`);
      assert.equal(row.item, verdict.item, what);
      assert.equal(row.policies, verdict.policies, `${what}: another verdict is stored`);
      assert.equal(row.flagged, verdict.flagged, what);
      assert.equal(row.status, 'completed', what);
      found.push(verdict);
    }
    summary.accepted++;
  } else if (sent.status === 504) {
    summary.timeouts++;
    const ids = timeoutIds(sent);
    if (rows.length > 0) assert.deepEqual(rows.map((row) => row.id).sort(), ids.sort(), what);
    else assert.ok(options.timeoutsAreStored === false, `${what}: its work did not go on`);
  } else if (sent.status === 0) {
    summary.broken.push(`${sent.name} after ${sent.answeredAt - sent.sentAt} ms: ${sent.failure}`);
    if (rows.length > 0) summary.storedUnanswered++;
    if (sent.failure === 'ECONNREFUSED') assert.equal(rows.length, 0, what);
  } else {
    assert.ok(sent.status === 503 && REFUSALS.has(codeOf(sent)), `${what}: an answer that was not to be expected`);
    assert.ok(Number(sent.headers['retry-after']) > 0, `${what}: no Retry-After`);
    assert.equal(rows.length, 0, `${what}: refused, and yet stored`);
    summary.refused++;
  }
}

function checkTables(row: Row, { counts }: History): void {
  const at = (table: string): number => counts.get(table)!.get(row.id) ?? 0;
  for (const table of EVERYWHERE) assert.equal(at(table), 1, `rows of ${row.item} in ${table}`);
  const named = row.kind === 'session' ? { names: 1, run_events: 0 } : { names: 0, run_events: 1 };
  for (const [table, count] of Object.entries(named)) assert.equal(at(table), count, `rows of ${row.item} in ${table}`);
  // By id and by e-mail.
  assert.equal(at('user_checks'), row.kind === 'session' ? 2 : 0, `rows of ${row.item} in user_checks`);
  const policies = Object.values(JSON.parse(row.policies) as Record<string, { flagged: boolean }>);
  assert.equal(at('violations'), policies.filter((one) => one.flagged).length, `rows of ${row.item} in violations`);
}

/** Ids that were answered are found, with the verdict that was answered; some by their caller's ids as well. */
async function checkLookUps(options: LedgerOptions, verdicts: readonly Verdict[]): Promise<void> {
  const client = createClient(options.stack.url, options.key);
  const step = Math.max(1, verdicts.length / LOOK_UPS);
  const wanted = Array.from({ length: Math.min(LOOK_UPS, verdicts.length) }, (_, i) => verdicts[Math.floor(i * step)]!);
  const look = async (): Promise<void> => {
    for (let verdict = wanted.pop(); verdict; verdict = wanted.pop()) {
      const [run, event] = verdict.item.split(' ');
      const paths = [event ? `/api/event/${verdict.id}?environment_id=prod` : `/api/session/${verdict.id}`];
      if (wanted.length % 5 === 0) {
        paths.push(
          event
            ? `/api/event?environment_id=prod&run_id=${run}&event_id=${event}`
            : `/api/session?external_session_id=${run}`,
        );
      }
      const { id, flagged, policies } = verdict;
      for (const path of paths) assert.deepEqual(await lookUp(client, path), { id, flagged, policies }, path);
    }
  };
  try {
    await Promise.all(Array.from({ length: LOOK_UPS_AT_ONCE }, look));
  } finally {
    client.close();
  }
}

/** ClickHouse may be slow for a moment, and then nobody can say (503); that something is not there may never be said. */
async function lookUp(client: Client, path: string): Promise<Omit<Verdict, 'item'>> {
  let answer = await client.request('GET', path);
  await until(`GET ${path} is answered`, async () => {
    if (answer.status !== 503) return true;
    await sleep(200);
    answer = await client.request('GET', path);
    return false;
  });
  assert.equal(answer.status, 200, `GET ${path}: ${JSON.stringify(answer.body)} ${answer.failure}`);
  return storedVerdict(answer.body);
}

interface EventAnswer {
  flagged: boolean;
  policies: unknown;
  event: { type: string; event_id: string; internal_event_id: string; status: string };
}

function storedVerdict(body: unknown): Omit<Verdict, 'item'> {
  const { session, ...event } = body as EventAnswer & {
    session?: { internal_session_id: string; flagged: boolean; policies: unknown };
  };
  const { flagged, policies } = session ?? event;
  const id = session ? session.internal_session_id : event.event.internal_event_id;
  return { id, flagged, policies: JSON.stringify(policies) };
}

/** What a 200 said of each item. */
export function verdictsOf(sent: Sent): Verdict[] {
  if (sent.kind === 'session') {
    const body = sent.body as { internal_session_id: string; flagged: boolean; policies: unknown };
    const policies = JSON.stringify(body.policies);
    return [{ id: body.internal_session_id, item: sent.name, flagged: body.flagged, policies }];
  }
  const { results } = sent.body as { results: Record<string, Record<string, EventAnswer>> };
  return Object.values(results)
    .flatMap((bucket) => Object.values(bucket))
    .map((one) => ({
      id: one.event.internal_event_id,
      item: `${sent.name} ${one.event.event_id}`,
      flagged: one.flagged,
      policies: JSON.stringify(one.policies),
    }));
}

function timeoutIds({ body }: Sent): string[] {
  const { error } = body as {
    error: { items?: { internal_event_id: string }[]; result?: { internal_session_id: string } };
  };
  const ids = error.items?.map((item) => item.internal_event_id) ?? [error.result?.internal_session_id ?? ''];
  for (const id of ids) assert.ok(partsOf(id), `an id of a 504: ${id}`);
  return ids;
}

export function codeOf({ body }: { body: unknown }): string {
  return (body as { error?: { code?: string } } | undefined)?.error?.code ?? '';
}

/**
 * Accounts for a load after it: everything that was answered 200 is stored once, everywhere, with the verdict of the
 * answer; what was refused left nothing; what nobody knows about is there once or not at all.
 *
 * Tables are read with FINAL, as people read them: what a crash has made an archiver repeat replaces itself.
 */
import type { Stack } from '#weir/deploy/local/stack';
import type { Redis } from '#weir/shared/streams/client';
import { GROUP, keys, LANES } from '#weir/shared/streams/keys';
import { until } from '../wait.js';
import type { Sent } from './load.js';
import { checkLookUps, type Found } from './look-ups.js';
import { type Beside, compareRollUps, compareTables, type Row, readRows } from './tables.js';

export interface LedgerOptions {
  stack: Stack;
  redis: Redis;
  key: string;
  partitions: number;
  /** as given to the load */
  name: string;
  sent: readonly Sent[];
  beside: Beside;
  /** an answer that may have been lost with the last seconds of Redis */
  mayBeLost?(sent: Sent): boolean;
  /** Redis lost nothing: what was answered 504 is stored as well. Default true */
  timeoutsAreStored?: boolean;
  /** dead letters there may be by now, default 0 */
  deadLetters?: number;
  /** answers that are looked up, by each way there is; default 12 */
  lookUps?: number;
}

export interface Summary {
  accepted: number;
  refused: number;
  timeouts: number;
  /** requests whose connection broke before their answer: when, and what it said */
  broken: string[];
  /** of timeouts and broken connections: those whose work is stored */
  storedUnanswered: number;
  lost: number;
  items: number;
  requests: number;
  lookUps: number;
  /** what is lost, doubled or otherwise not as it was answered */
  problems: string[];
}

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

/** Waits for the drain and checks every request of the load. */
export async function settleAccounts(options: LedgerOptions): Promise<Summary> {
  const { redis, partitions, stack, sent } = options;
  await drained(redis, partitions);
  const summary: Summary = {
    accepted: 0,
    refused: 0,
    timeouts: 0,
    broken: [],
    storedUnanswered: 0,
    lost: 0,
    items: 0,
    requests: sent.length,
    lookUps: 0,
    problems: [],
  };
  const { problems } = summary;
  const count = async (key: (p: number) => string): Promise<number> => {
    const lengths = await Promise.all(Array.from({ length: partitions }, (_, p) => redis.xlen(key(p))));
    return lengths.reduce((sum, one) => sum + one, 0);
  };
  const [refused, letters] = [await count(keys.refused), await count(keys.dead)];
  if (refused > 0) problems.push(`${refused} requests have rows that ClickHouse could not read`);
  if (letters !== (options.deadLetters ?? 0)) problems.push(`${letters} dead letters`);
  const all = await readRows(stack);
  const byRequest = new Map<string, Row[]>();
  for (const row of all) {
    if (!row.request.startsWith(`${options.name}-`)) continue;
    const rows = byRequest.get(row.request);
    if (rows) rows.push(row);
    else byRequest.set(row.request, [row]);
    summary.items++;
  }
  const known = new Map(sent.map((one) => [one.name, one]));
  for (const name of byRequest.keys()) if (!known.has(name)) problems.push(`a row of a request nobody sent: ${name}`);
  const found: Found[] = [];
  for (const one of sent) account(one, byRequest.get(one.name) ?? [], { options, summary, found, known });
  problems.push(...(await compareTables(stack, options.beside)));
  problems.push(...(await compareRollUps(stack, all, options.beside)));
  const looked = await checkLookUps({ ...options, url: stack.url, verdicts: found, lookUps: options.lookUps ?? 12 });
  problems.push(...looked.problems);
  summary.lookUps = looked.count;
  return summary;
}

interface Accounts {
  options: LedgerOptions;
  summary: Summary;
  /** verdicts of answers whose rows are there */
  found: Found[];
  /** requests by name */
  known: ReadonlyMap<string, Sent>;
}

/** One request: what it was answered against what is stored of it. */
function account(sent: Sent, rows: readonly Row[], accounts: Accounts): void {
  const { options, summary } = accounts;
  const before = sent.earlier.map(({ status, code }) => `${status} ${code}`.trim());
  const what =
    `${sent.kind} ${sent.name}, answered ${[...before, sent.status].join(', ')} ${sent.code} ${sent.failure}`.trim();
  const problem = (text: string): unknown => summary.problems.push(`${what}: ${text}`);
  const whole = Math.max(1, sent.events.length);
  if (rows.length !== 0 && rows.length !== whole) problem(`${rows.length} rows instead of ${whole}`);
  if (new Set(rows.map((row) => row.item)).size !== rows.length) problem('two rows of one item');
  if (new Set(rows.map((row) => row.requestId)).size > 1) problem('two results');
  const stored = rows.length > 0;
  if (sent.status === 200) {
    if (!stored && options.mayBeLost?.(sent)) summary.lost++;
    else if (!stored) problem('nothing is stored');
    else compareVerdicts(sent, rows, { ...accounts, problem });
    summary.accepted++;
    return;
  }
  if (stored) summary.storedUnanswered++;
  if (sent.status === 504) {
    summary.timeouts++;
    const ids = new Set(sent.ids);
    if (stored && before.length === 0 && rows.some((row) => !ids.has(row.id))) problem('stored under other ids');
    if (!stored && options.timeoutsAreStored !== false) problem('its work did not go on');
  } else if (sent.status === 0) {
    summary.broken.push(`${sent.name} after ${sent.answeredAt - sent.sentAt} ms: ${sent.failure}`);
    if (stored && before.length === 0 && sent.failure === 'ECONNREFUSED')
      problem('nobody took it, and yet it is stored');
  } else {
    summary.refused++;
    const expected = sent.status === 503 && REFUSALS.has(sent.code);
    if (!expected) problem('an answer that was not to be expected');
    if (!(sent.retryAfter > 0)) problem('no Retry-After');
    // An earlier attempt may have been taken.
    const doubtful =
      sent.inDoubt || sent.earlier.some(({ status, inDoubt }) => inDoubt || status === 0 || status === 504);
    if (stored && !doubtful) problem('refused, and yet stored');
  }
}

function compareVerdicts(
  sent: Sent,
  rows: readonly Row[],
  { options, found, known, problem }: Accounts & { problem(text: string): unknown },
): void {
  const stored = new Map(rows.map((row) => [row.id, row]));
  if (sent.verdicts.length !== Math.max(1, sent.events.length)) problem(`${sent.verdicts.length} verdicts`);
  for (const verdict of sent.verdicts) {
    const row = stored.get(verdict.id);
    if (row === undefined) problem(`no row of ${verdict.id}`);
    else if (row.item !== verdict.item) problem(`${verdict.id} is stored as ${row.item}`);
    // An image for which there was no time. Nothing else of a load may fail.
    else if (row.status !== (verdict.flagged === null && row.type === 'artifact' ? row.status : 'completed'))
      problem(`${verdict.item} is stored as ${row.status}`);
    // An image may be answered before it was looked at.
    else if (verdict.flagged === null && sent.kind === 'artifact') found.push(row);
    else if (row.policies !== verdict.policies || row.flagged !== verdict.flagged) {
      problem(`another verdict of ${verdict.item} is stored: ${row.policies} instead of ${verdict.policies}`);
    } else found.push({ ...verdict, kind: sent.kind });
  }
  const { reference, referred } = sent;
  // "failed": neither store could say.
  if (!reference || !referred || referred.status === 'failed') return;
  const of = known.get(reference.run);
  if (referred.status !== 'referenced') {
    if (!(of && options.mayBeLost?.(of))) problem(`${reference.run} ${reference.event} is ${referred.status} there`);
  } else if (referred.flagged !== reference.flagged) problem(`another verdict of ${reference.run} ${reference.event}`);
}

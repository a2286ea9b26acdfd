/**
 * Measures look-ups and the questions of the documents over many rows, in an engine of its own: no ingress, worker or Redis. Look-ups are
 * those of ingress, one after the other. Questions are asked as people do, by the user who reads.
 *
 * filling -> merging (until the engine has no merge under way, or for two minutes) -> looking up -> asking -> removed, also by Ctrl-C
 */
import { mkdtempSync, rmSync, statfsSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { ClickHouseError } from '@clickhouse/client';
import { clickhouseUrlOf, passwordsOf } from '../../deploy/local/credentials.js';
import { startProcess } from '../../deploy/local/processes/part.js';
import { createHistoryClient, type HistoryClient } from '../../shared/history/client.js';
import { migrate } from '../../shared/history/migrate.js';
import { createAsker } from '../../shared/history/read/asker.js';
import { createHistoryQueries, type HistoryQueries } from '../../shared/history/read/queries.js';
import { newRequestId } from '../../shared/ids.js';
import { programPath } from '../../shared/paths.js';
import { type Latency, latencyHistogram } from '../measurement/histogram.js';
import { cpuSeconds } from '../measurement/processes.js';
import type { BenchEnvironment } from '../report/environment.js';
import { table } from '../report/table.js';
import { type Filled, fill, rowOf } from './history/fill.js';
import { questionsOf } from './history/questions.js';
import { askViews, fillViolations, type ViewTime } from './history/views.js';

/** Look-ups of a kind. They are done twice: the first time the engine has not yet read where the rows of a part are, as after a start. */
const LOOK_UPS = 200;
/** Times that a question is asked; the median counts. */
const ASKED = 3;
const DAY_MS = 86_400_000;

const MERGING_MS = 120_000;
/** A filled engine takes some 130 bytes a row. Merges need room for what they write beside what they read. */
const BYTES_A_ROW = 300;
/** Filling is the longest of all statements. */
const STATEMENT_MS = 600_000;

export interface HistoryTimes {
  rows: number;
  /** seconds that filling took */
  filled: number;
  /** bytes on disk of what is stored, by table */
  disk: { table: string; bytes: number }[];
  /** milliseconds of the second time; `first` is the p99 of the first, `cpu` that of the engine for one look-up */
  lookUps: { name: string; p50: number; p99: number; first: number; cpu: number }[];
  questions: QuestionTime[];
  views: ViewTime[];
}

interface QuestionTime {
  question: string;
  /** the median; undefined: ClickHouse gave no answer, for the reason `refused` */
  ms?: number;
  refused?: string;
}

interface BenchEngine {
  pid: number;
  urlOf(user: 'writer' | 'reader'): string;
  close(): Promise<void>;
}

/** An engine in a folder for temporary files, in a process as in an installation. */
async function startEngine(): Promise<BenchEngine> {
  const folder = mkdtempSync(join(tmpdir(), 'weir-bench-history-'));
  const remove = (): void => rmSync(folder, { recursive: true, force: true, maxRetries: 5 });
  const interrupted = (): void => process.exit(130);
  process.once('exit', remove);
  for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, interrupted);
  const passwords = passwordsOf(folder);
  const { pid, ready, close } = await startProcess({
    name: 'The ClickHouse engine',
    program: programPath('clickhouse'),
    env: {
      WEIR_DATA_DIR: folder,
      WEIR_CLICKHOUSE_PORT: '0',
      WEIR_CLICKHOUSE_DATABASE: 'weir',
      UV_THREADPOOL_SIZE: '10',
    },
  });
  return {
    pid,
    urlOf: (user) => clickhouseUrlOf(passwords, `http://127.0.0.1:${ready.port}`, user),
    close: async () => {
      await close();
      for (const signal of ['SIGINT', 'SIGTERM'] as const) process.off(signal, interrupted);
      process.off('exit', remove);
      remove();
    },
  };
}

/** Throws when the disk has no room for so many rows. */
function checkRoom(rows: number): void {
  const { bavail, bsize } = statfsSync(tmpdir());
  const [free, needed] = [bavail * bsize, rows * BYTES_A_ROW];
  if (needed <= free) return;
  const gigabytes = (bytes: number): string => (bytes / 1e9).toFixed(1);
  throw new Error(
    `${rows} rows need up to ${gigabytes(needed)} GB in ${tmpdir()}, which has ${gigabytes(free)} GB free. Ask for fewer rows, or name another folder in TMPDIR.`,
  );
}

/** Rejects when a look-up finds something else than it should. */
export async function measureHistory(rows: number, say: (line: string) => void): Promise<HistoryTimes> {
  checkRoom(rows);
  const engine = await startEngine();
  const clientOf = (user: 'writer' | 'reader') =>
    createHistoryClient({ url: engine.urlOf(user), database: 'weir', timeoutMs: STATEMENT_MS });
  const [writer, reader] = [clientOf('writer'), clientOf('reader')];
  const asker = createAsker({ url: engine.urlOf('writer'), database: 'weir' });
  try {
    await migrate({ url: engine.urlOf('writer'), database: 'weir' });
    const started = performance.now();
    const filled = await fill(writer, rows, say);
    const seconds = (performance.now() - started) / 1000;
    say('Merging …');
    await untilMerged(writer);
    const disk = await select<{ table: string; bytes: string }>(writer, DISK);
    say('Looking up …');
    const cpuMs = (): number => (cpuSeconds(engine.pid) ?? Number.NaN) * 1000;
    const queries = createHistoryQueries(asker, { timeoutMs: 60_000 });
    const lookUps = await lookAround(queries, filled, cpuMs, say);
    say('Asking …');
    const questions = await askAll(reader, say);
    const end = await fillViolations(writer, rows, say);
    await untilMerged(writer);
    const views = await askViews(queries, end, cpuMs, say);
    return {
      rows,
      filled: seconds,
      disk: disk.map(({ table: name, bytes }) => ({ table: name, bytes: Number(bytes) })),
      lookUps,
      questions,
      views,
    };
  } finally {
    await Promise.all([writer.close(), reader.close(), asker.close()]);
    await engine.close();
  }
}

const DISK = `SELECT table, sum(bytes_on_disk) AS bytes FROM system.parts WHERE database = currentDatabase() AND active
  GROUP BY table HAVING sum(rows) > 100 ORDER BY bytes DESC`;

async function select<T>(client: HistoryClient, query: string): Promise<T[]> {
  return await (await client.query({ query, format: 'JSONEachRow' })).json<T>();
}

async function untilMerged(client: HistoryClient): Promise<void> {
  const until = performance.now() + MERGING_MS;
  for (let idle = 0; idle < 3 && performance.now() < until; ) {
    const [merges] = await select<{ n: string | number }>(client, 'SELECT count() AS n FROM system.merges');
    idle = Number(merges?.n) === 0 ? idle + 1 : 0;
    await new Promise((resolve) => setTimeout(resolve, 1000));
  }
}

type HistoryRow = ReturnType<typeof rowOf>;

/** Each looks up what row it is given, and says whether the answer is right. */
const looks = (queries: HistoryQueries): Record<string, (row: HistoryRow, absent: boolean) => Promise<boolean>> => {
  const gone = (absent: boolean, name: string): string => (absent ? `no-${name}` : name);
  return {
    'an item by its id': async ({ team, scope, id, session }, absent) => {
      const kind = session ? 'session' : 'event';
      const found = await queries.itemById({ team, scope, kind, id: absent ? `${newRequestId(0).slice(0, -1)}1` : id });
      return found?.id === (absent ? undefined : id);
    },
    'an event by run and event': async ({ team, scope, run, name, id }, absent) =>
      (await queries.latestEvent(team, scope, run, gone(absent, name)))?.id === (absent ? undefined : id),
    'a session by its external id': async ({ team, scope, name, id }, absent) =>
      (await queries.latestSession(team, scope, gone(absent, name)))?.id === (absent ? undefined : id),
    'the first page of a run': async ({ team, scope, run }, absent) => {
      const page = { team, environment: scope, run: gone(absent, run), after: undefined, most: 100 };
      return (await queries.runEventsIfAny(page)).events.length > 0 === !absent;
    },
    'the risk of a user': async ({ team, user }, absent) => {
      const identity = { team, kind: 'id', user: gone(absent, user) } as const;
      let checks = 0;
      const question = { user: identity, since: Date.now() - 29 * DAY_MS, except: [], known: false };
      const known = await queries.userViolations(question, (set) => {
        checks += set.checks;
        return true;
      });
      return known === !absent && checks > 0 === !absent;
    },
  };
};

/** Of `acme` are rows whose last two digits are below 80. Every tenth is of a session; of 200 the eleventh is of a user who violates. */
async function lookAround(
  queries: HistoryQueries,
  filled: Filled,
  cpuMs: () => number,
  say: (line: string) => void,
): Promise<HistoryTimes['lookUps']> {
  const figures: HistoryTimes['lookUps'] = [];
  for (const [name, look] of Object.entries(looks(queries))) {
    const session = /session|user/.test(name);
    for (const absent of [false, true]) {
      const once = async (): Promise<Latency> => {
        const histogram = latencyHistogram();
        for (let i = 0; i < LOOK_UPS; i++) {
          const n = Math.floor((filled.rows / 200) * ((i * 0.618034) % 1)) * 200 + (session ? 10 : 11);
          const from = performance.now();
          const right = await look(rowOf(filled, n % filled.rows), absent);
          histogram.record(performance.now() - from);
          if (!right) throw new Error(`${name} found something else for row ${n}.`);
        }
        return histogram.summary();
      };
      const { p99: first } = await once();
      const before = cpuMs();
      const { p50, p99 } = await once();
      const measured = { name: absent ? `${name}, absent` : name, p50, p99, first, cpu: (cpuMs() - before) / LOOK_UPS };
      say(`${measured.name}: ${inMs(p50)} ms, p99 ${inMs(p99)} ms`);
      figures.push(measured);
    }
  }
  return figures;
}

/** A question that takes more than a reader may is told, and the next one is asked. */
async function askAll(reader: HistoryClient, say: (line: string) => void): Promise<QuestionTime[]> {
  const figures: QuestionTime[] = [];
  for (const { question, sql } of questionsOf()) {
    const asked = await askOne(reader, question, sql);
    say(`${question} ${asked.refused ?? `${inMs(asked.ms!)} ms`}`);
    figures.push(asked);
  }
  return figures;
}

async function askOne(reader: HistoryClient, question: string, sql: string): Promise<QuestionTime> {
  const times: number[] = [];
  for (let i = 0; i < ASKED; i++) {
    const from = performance.now();
    try {
      await (await reader.query({ query: sql, format: 'JSONEachRow' })).text();
    } catch (error) {
      if (!(error instanceof ClickHouseError)) throw error;
      return { question, refused: `refused: ${error.type ?? error.code}` };
    }
    times.push(performance.now() - from);
  }
  return { question, ms: times.toSorted((a, b) => a - b)[Math.floor(ASKED / 2)]! };
}

const inMs = (value: number): string => value.toFixed(value < 10 ? 1 : 0);

export function renderHistory(figures: HistoryTimes, { commit, dirty, cores, cpu, node }: BenchEnvironment): string {
  const lookUps = figures.lookUps.map(({ name, p50, p99, first, cpu: engine }) => [
    name,
    ...[p50, p99, first, engine].map(inMs),
  ]);
  const bytes = figures.disk.reduce((sum, one) => sum + one.bytes, 0);
  const tables = figures.disk.map((one) => `${one.table} ${(one.bytes / figures.rows).toFixed(1)}`);
  const questions = figures.questions.map(({ question, ms, refused }) => [question, refused ?? inMs(ms!)]);
  const views = figures.views.map(({ view, ms, first, cpu }) => [view, inMs(ms), inMs(first), inMs(cpu)]);
  return `${figures.rows.toLocaleString('en-US')} rows of 30 days, one connection. They were made in ${figures.filled.toFixed(0)} s and take ${(bytes / 1e6).toFixed(0)} MB.
Bytes a row: ${tables.join(', ')}.

${table(['Look-up', 'p50, ms', 'p99, ms', 'p99 the first time, ms', 'engine, CPU ms'], lookUps)}

${table(['Question', 'ms'], questions)}

Of as many violations:

${table(['View', 'ms', 'the first time, ms', 'engine, CPU ms'], views)}

Commit ${commit.slice(0, 12)}${dirty ? ' (with local changes)' : ''}, ${cores} × ${cpu}, Node ${node}.
`;
}

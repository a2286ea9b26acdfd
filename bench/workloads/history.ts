/**
 * Measures look-ups and the questions of the documents over many rows, in an engine of its own: no ingress, worker or Redis. Look-ups are
 * those of ingress, one after the other. Questions are asked as people do, by the user who reads.
 */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { startClickHouse } from '../../deploy/local/clickhouse/server.js';
import { clickhouseUrlOf, passwordsOf } from '../../deploy/local/credentials.js';
import { createHistoryClient, type HistoryClient } from '../../shared/history/client.js';
import { migrate } from '../../shared/history/migrate.js';
import { createHistoryQueries, type HistoryQueries } from '../../shared/history/read/queries.js';
import { newRequestId } from '../../shared/ids.js';
import { latencyHistogram } from '../measurement/histogram.js';
import type { Environment } from '../report/environment.js';
import { table } from '../report/table.js';
import { type Filled, fill, rowOf } from './history/fill.js';
import { questionsOf } from './history/questions.js';

/** Look-ups of a kind. The first ones are not counted. */
const LOOK_UPS = 200;
const UNCOUNTED = 10;
/** Times that a question is asked; the median counts. */
const ASKED = 3;
const DAY_MS = 86_400_000;

export interface HistoryFigures {
  rows: number;
  /** milliseconds */
  lookUps: { name: string; p50: number; p99: number }[];
  /** milliseconds */
  questions: { question: string; ms: number }[];
}

/** Rejects when a look-up finds something else than it should. */
export async function measureHistory(rows: number, say: (line: string) => void): Promise<HistoryFigures> {
  const folder = mkdtempSync(join(tmpdir(), 'weir-bench-history-'));
  const passwords = passwordsOf(folder);
  const engine = await startClickHouse({ dataDir: join(folder, 'clickhouse'), port: 0, passwords });
  const urlOf = (user: 'writer' | 'reader'): string => clickhouseUrlOf(passwords, engine.url, user);
  const clientOf = (user: 'writer' | 'reader') => createHistoryClient({ url: urlOf(user), database: 'weir' });
  const [writer, reader] = [clientOf('writer'), clientOf('reader')];
  try {
    await migrate({ url: urlOf('writer'), database: 'weir' });
    const filled = await fill(writer, rows, say);
    say('Looking up …');
    const lookUps = await lookAround(createHistoryQueries(writer, { timeoutMs: 60_000 }), filled);
    say('Asking …');
    return { rows, lookUps, questions: await askAll(reader) };
  } finally {
    await Promise.all([writer.close(), reader.close()]);
    await engine.close();
    rmSync(folder, { recursive: true });
  }
}

type Row = ReturnType<typeof rowOf>;

/** Each looks up what row it is given, and says whether the answer is right. */
const looks = (queries: HistoryQueries): Record<string, (row: Row, absent: boolean) => Promise<boolean>> => {
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
      const page = await queries.runEvents({ team, environment: scope, run: gone(absent, run) }, undefined, 100);
      return page.places.length > 0 === !absent;
    },
    'the risk of a user': async ({ team, user }, absent) => {
      const identity = { team, kind: 'id', user: gone(absent, user) } as const;
      let checks = 0;
      await queries.userViolations({ user: identity, since: Date.now() - 29 * DAY_MS, except: [] }, (set) => {
        checks += set.checks;
        return true;
      });
      return checks > 0 === !absent;
    },
  };
};

/** Of `acme` are rows whose last two digits are below 80. Every tenth is of a session; of 200 the eleventh is of a user who violates. */
async function lookAround(queries: HistoryQueries, filled: Filled): Promise<HistoryFigures['lookUps']> {
  const figures: HistoryFigures['lookUps'] = [];
  for (const [name, look] of Object.entries(looks(queries))) {
    const session = /session|user/.test(name);
    for (const absent of [false, true]) {
      const histogram = latencyHistogram();
      for (let i = 0; i < LOOK_UPS + UNCOUNTED; i++) {
        const n = Math.floor((filled.rows / 200) * ((i * 0.618034) % 1)) * 200 + (session ? 10 : 11);
        const row = rowOf(filled, n % filled.rows);
        const from = performance.now();
        const right = await look(row, absent);
        if (i >= UNCOUNTED) histogram.record(performance.now() - from);
        if (!right) throw new Error(`${name} found something else for row ${n}.`);
      }
      const { p50, p99 } = histogram.summary();
      figures.push({ name: absent ? `${name}, absent` : name, p50, p99 });
    }
  }
  return figures;
}

async function askAll(reader: HistoryClient): Promise<HistoryFigures['questions']> {
  const figures: HistoryFigures['questions'] = [];
  for (const { question, sql } of questionsOf()) {
    const times: number[] = [];
    for (let i = 0; i < ASKED; i++) {
      const from = performance.now();
      await (await reader.query({ query: sql, format: 'JSONEachRow' })).text();
      times.push(performance.now() - from);
    }
    figures.push({ question, ms: times.toSorted((a, b) => a - b)[Math.floor(ASKED / 2)]! });
  }
  return figures;
}

export function renderHistory(figures: HistoryFigures, { commit, dirty, cores, cpu, node }: Environment): string {
  const ms = (value: number): string => value.toFixed(value < 10 ? 1 : 0);
  const lookUps = figures.lookUps.map(({ name, p50, p99 }) => [name, ms(p50), ms(p99)]);
  const questions = figures.questions.map(({ question, ms: time }) => [question, ms(time)]);
  return `${figures.rows.toLocaleString('en-US')} rows of 30 days, one connection.

${table(['Look-up', 'p50, ms', 'p99, ms'], lookUps)}

${table(['Question', 'ms'], questions)}

Commit ${commit.slice(0, 12)}${dirty ? ' (with local changes)' : ''}, ${cores} × ${cpu}, Node ${node}.
`;
}

/** The embedded ClickHouse engine as a process of a test's own: free port, temporary folder, gone afterwards. */
import { type ChildProcess, spawn } from 'node:child_process';
import { cpSync } from 'node:fs';
import { mkdtemp, rename, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after } from 'node:test';
import { clickhouseUrlOf, passwordsOf } from '#weir/deploy/local/credentials';
import { createHistoryClient, type HistoryClient } from '#weir/shared/history/client';
import { migrate } from '#weir/shared/history/migrate';
import { type ClosableAsker, createAsker } from '#weir/shared/history/read/asker';
import { createHistoryQueries, type HistoryQueries } from '#weir/shared/history/read/queries';
import { programPath } from '#weir/shared/paths';
import { madeOnce } from '../made-once.js';

export interface TestClickHouse {
  /** with the user who writes and his password; for `fetch` see `fetchSql` */
  url: string;
  /** with the user who reads */
  readerUrl: string;
  port: number;
  pid: number;
  dataDir: string;
  /** Exit code of the ended process; null after a signal. */
  exitCode(): number | null;
  /** Sends a signal and waits for the end. */
  kill(signal: NodeJS.Signals): Promise<void>;
  /** Starts it again on the same port and folder, after `kill`. */
  restart(): Promise<TestClickHouse>;
  /** Ends it in order and removes its folder. */
  close(): Promise<void>;
}

const START_MS = 240_000;
const STOP_MS = 60_000;

/** Fills the folder of a new installation with what `weir migrate` makes of it, which costs more than the start of an engine. */
export async function fillHistory(dataDir: string): Promise<void> {
  const migrated = await madeOnce('migrated', async (path) => {
    const engine = await startTestClickHouse();
    await migrate({ url: engine.url, database: 'weir' });
    await engine.kill('SIGTERM');
    await rename(join(engine.dataDir, 'clickhouse'), path);
    await engine.close();
  });
  // Without waiting, which for so many small files takes three times as long.
  cpSync(migrated, join(dataDir, 'clickhouse'), { recursive: true });
}

/** Starts one that has its tables. */
export async function startTestHistory(): Promise<TestClickHouse> {
  const dataDir = await mkdtemp(join(tmpdir(), 'weir-clickhouse-'));
  await fillHistory(dataDir);
  return startTestClickHouse({ dataDir });
}

/** Starts one on `port` (default: any free one) and `dataDir` (default: a temporary one). */
export async function startTestClickHouse(
  options: { port?: number; dataDir?: string; database?: string; onStderr?: (text: string) => void } = {},
): Promise<TestClickHouse> {
  const dataDir = options.dataDir ?? (await mkdtemp(join(tmpdir(), 'weir-clickhouse-')));
  const child = spawn(process.execPath, [programPath('clickhouse')], {
    env: {
      ...process.env,
      WEIR_CLICKHOUSE_PORT: String(options.port ?? 0),
      WEIR_DATA_DIR: dataDir,
      WEIR_CLICKHOUSE_DATABASE: options.database ?? 'weir',
      UV_THREADPOOL_SIZE: '8',
    },
    stdio: ['ignore', 'pipe', options.onStderr ? 'pipe' : 'inherit'],
  });
  child.stderr?.on('data', (chunk) => options.onStderr?.(String(chunk)));
  // A test that dies takes its engine with it.
  const orphaned = (): boolean => child.kill('SIGKILL');
  process.once('exit', orphaned);
  const exited = new Promise<void>((resolve) => child.once('close', () => resolve()));
  const kill = async (signal: NodeJS.Signals): Promise<void> => {
    if (child.exitCode === null && child.signalCode === null) child.kill(signal);
    await exited;
    process.removeListener('exit', orphaned);
  };
  const port = await readyPort(child, exited).catch(async (error) => {
    await kill('SIGKILL');
    if (!options.dataDir) await rm(dataDir, { recursive: true, force: true });
    throw error;
  });
  const urlOf = (user: 'writer' | 'reader'): string =>
    clickhouseUrlOf(passwordsOf(dataDir), `http://127.0.0.1:${port}`, user);
  return {
    url: urlOf('writer'),
    readerUrl: urlOf('reader'),
    port,
    pid: child.pid!,
    dataDir,
    exitCode: () => child.exitCode,
    kill,
    restart: () => startTestClickHouse({ ...options, port, dataDir }),
    close: async () => {
      const force = setTimeout(() => child.kill('SIGKILL'), STOP_MS);
      await kill('SIGTERM');
      clearTimeout(force);
      await rm(dataDir, { recursive: true, force: true });
    },
  };
}

async function readyPort(child: ChildProcess, exited: Promise<void>): Promise<number> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new Error('the ClickHouse engine did not start in time')), START_MS);
  });
  const ended = exited.then(() => Promise.reject(new Error('the ClickHouse engine ended while it started')));
  ended.catch(() => {});
  const said = new Promise<number>((resolve) => {
    let text = '';
    child.stdout?.on('data', (chunk) => {
      text += chunk;
      const line = /^\{"ready":true,"port":(\d+)\}$/m.exec(text);
      if (line) resolve(Number(line[1]));
    });
  });
  try {
    return await Promise.race([said, ended, late]);
  } finally {
    clearTimeout(timer);
  }
}

/** History for all tests of a file: an engine with its tables, a connection, and what look-ups ask. */
export interface SharedHistory {
  engine: TestClickHouse;
  client: HistoryClient;
  queries: HistoryQueries;
  /** Of a ClickHouse that is away. */
  away: HistoryQueries;
}

export async function sharedHistory(): Promise<SharedHistory> {
  const engine = await startTestHistory();
  const client = createHistoryClient({ url: engine.url, database: 'weir' });
  const askerOf = (url: string): ClosableAsker => createAsker({ url, database: 'weir' });
  const [asker, absent] = [askerOf(engine.url), askerOf('http://127.0.0.1:1')];
  after(async () => {
    await Promise.all([client, asker, absent].map((one) => one.close()));
    await engine.close();
  });
  const queries = createHistoryQueries(asker, { timeoutMs: 20_000 });
  return { engine, client, queries, away: createHistoryQueries(absent) };
}

/** A connection that counts the questions asked by it. */
export function countQuestions(client: HistoryClient): { client: HistoryClient; asked(): number } {
  let asked = 0;
  const counting = new Proxy(client, {
    get(target, name) {
      if (name === 'query') asked++;
      const value = Reflect.get(target, name);
      return typeof value === 'function' ? value.bind(target) : value;
    },
  });
  return { client: counting, asked: () => asked };
}

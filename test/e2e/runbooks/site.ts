/** An installation whose processes the commands of pages for operators start and end, with callers behind a load balancer. */
import assert from 'node:assert/strict';
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { freePort } from '#weir/deploy/local/ports';
import { createHistoryClient } from '#weir/shared/history/client';
import { packageRoot } from '#weir/shared/paths';
import { commandsBelow, shell } from '../../support/commands.ts';
import { type Backend, type Balancer, startBalancer } from '../../support/installation/balancer.ts';
import { type Client, createClient } from '../../support/installation/load.ts';
import { PATIENCE } from '../../support/installation/patience.ts';
import { startTestHistory, type TestClickHouse } from '../../support/stores/clickhouse.ts';
import { sleep, until } from '../../support/wait.ts';
import { CARD, configuration, KEY } from '../configuration.ts';

/** Longer than any test: only a second signal ends it. */
const DELAY_MS = 600_000;
/** How long each caller waits after an answer: what is tested is not speed. */
const PAUSE_MS = 25;

/** A process that a page has started. */
export interface Started {
  /** its metrics port */
  port: string;
  pid: number;
  /** of an ingress */
  backend?: Backend;
}

/** What callers were answered. */
export interface Callers {
  /** ids of what was answered 200 */
  accepted: string[];
  /** all other answers */
  others: string[];
  stop(): Promise<void>;
}

/** A look-up, and what it answers. */
export type Kept = [path: string, text: string];

export interface Site {
  /** where commands run */
  folder: string;
  engine: TestClickHouse;
  balancer: Balancer;
  /** settings of processes and commands; a test may change them */
  env: Record<string, string>;
  /** a caller through the load balancer */
  client: Client;
  /** Changes weir.yaml. */
  edit(change: (text: string) => string): void;
  /** Runs a block of a page, or several. */
  run(code: string, env?: Record<string, string>): Promise<string>;
  weir(...args: string[]): Promise<string>;
  /** Runs a block that starts a process, and may end `old`. `backend`: it is an ingress. */
  start(code: string, options?: { ingress?: boolean; old?: Started; env?: Record<string, string> }): Promise<Started>;
  /** Runs a block that ends a process. */
  end(code: string, old: Started): Promise<string>;
  call(callers?: number): Callers;
  /** Checks a batch; returns look-ups of it. */
  check(run: string): Promise<Kept[]>;
  /** Every look-up answers as it did. */
  find(kept: readonly Kept[]): Promise<void>;
  /** Waits until all of these have a row, and asserts that each has one. */
  stored(ids: readonly string[]): Promise<void>;
  sql(query: string): Promise<Record<string, unknown>[]>;
  close(): Promise<void>;
}

export const SCALING = 'docs/operations/scaling.md';
/** Sections of it that `serving.test.ts` runs; `stores.test.ts` runs the others. */
export const OF_SERVING = ['Add a worker', 'Add an ingress', 'Take a process away', 'More partitions'];

/** Blocks that start what a test needs. `weir status` fails while nothing serves. */
export const startWorker = (): string => commandsBelow(SCALING, 'Add a worker')[0]!.replace('npx weir status', '');
export const startIngress = (): string => commandsBelow(SCALING, 'Add an ingress')[0]!;

export interface SiteOptions {
  /** settings beside the usual ones */
  env?: Record<string, string>;
  /** of weir.yaml, beside the configuration of the contract */
  yaml?: string;
}

export async function createSite(redisUrl: string, { env: more = {}, yaml = '' }: SiteOptions = {}): Promise<Site> {
  const folder = mkdtempSync(join(tmpdir(), 'weir-runbooks-'));
  const [bin, run] = [join(folder, 'bin'), join(folder, 'run')];
  for (const path of [bin, run]) mkdirSync(path);
  for (const name of ['package.json', 'node_modules', 'deploy', 'dist', 'shared']) {
    symlinkSync(join(packageRoot, name), join(folder, name));
  }
  // What npx does of itself costs more than the command.
  const npx = `#!/bin/sh\ntest "$1" = weir && shift && exec node deploy/cli/weir.mjs "$@"\n`;
  writeFileSync(join(bin, 'npx'), npx, { mode: 0o755 });
  writeFileSync(join(folder, 'weir.yaml'), `${configuration()}\n${yaml}`);
  const engine = await startTestHistory();
  const balancer = await startBalancer();
  const client = createClient(balancer.url, KEY.acme);
  const history = createHistoryClient({ url: engine.url, database: 'weir' });
  const env: Record<string, string> = {
    ...PATIENCE,
    WEIR_REDIS_URL: redisUrl,
    WEIR_CLICKHOUSE_URL: engine.url,
    WEIR_DATA_DIR: join(folder, 'data'),
    WEIR_LOG: 'json',
    WEIR_THREADS: '1',
    WEIR_CLAIM_IDLE_MS: '1500',
    WEIR_BLOCK_DELAY_MS: '200',
    WEIR_STOP_DELAY_MS: String(DELAY_MS),
    RUN: run,
    ...more,
  };
  const pidOf = (port: string): number => Number(readFileSync(join(run, `${port}.pid`), 'utf8'));
  const pids = new Set<number>();
  const endAll = (): void => {
    // Whoever ends the tests may have removed the folder already.
    const files = existsSync(run) ? readdirSync(run).filter((name) => name.endsWith('.pid')) : [];
    for (const pid of new Set([...pids, ...files.map((file) => pidOf(file.replace('.pid', '')))])) {
      // It may have ended long ago, and another one may have its number.
      const command = `/proc/${pid}/cmdline`;
      if (!existsSync(command) || /programs\/(worker|ingress)\.js/.test(readFileSync(command, 'utf8')))
        kill(pid, 'SIGKILL');
    }
  };
  process.once('exit', endAll);

  const site: Site = {
    folder,
    engine,
    balancer,
    env,
    client,
    run: (code, added) => shell(code, { env: { ...env, ...added }, cwd: folder, path: [bin] }),
    edit(change) {
      const file = join(folder, 'weir.yaml');
      writeFileSync(file, change(readFileSync(file, 'utf8')));
    },
    weir: (...args) => site.run(`npx weir ${args.join(' ')}`),
    async start(code, { ingress = false, old, env: added } = {}) {
      const [port, http] = [String(await freePort()), String(await freePort())];
      const backend = ingress ? balancer.add(() => Number(http)) : undefined;
      const ran = site.run(code, { NEW: port, PORT: http, OLD: old?.port ?? '', ...added });
      await Promise.all([ran, old && leaves(old)]);
      if (old?.backend) balancer.remove(old.backend);
      if (backend) await until('the load balancer has it', () => backend.up);
      const pid = pidOf(port);
      pids.add(pid);
      return { port, pid, ...(backend ? { backend } : {}) };
    },
    async end(code, old) {
      const [out] = await Promise.all([site.run(code, { OLD: old.port }), leaves(old)]);
      if (old.backend) balancer.remove(old.backend);
      return out;
    },
    call: (callers = 2) => startCallers(client, callers),
    async check(run) {
      const body = {
        environment_id: 'prod',
        run_id: run,
        events: [
          { type: 'tool', event_id: 'e', output: `${CARD} hush` },
          { type: 'tool', event_id: 'f', output: 'fine' },
        ],
      };
      const { status, body: answer } = await client.request('POST', '/api/events', JSON.stringify(body));
      assert.equal(status, 200, JSON.stringify(answer));
      const [first] = (answer as { order: { internal_event_id: string }[] }).order;
      const paths = [
        `/api/event/${first!.internal_event_id}?environment_id=prod`,
        `/api/event?environment_id=prod&run_id=${run}&event_id=f`,
      ];
      return Promise.all(paths.map(async (path): Promise<Kept> => [path, await found(client, path)]));
    },
    async find(kept) {
      for (const [path, text] of kept) assert.equal(await found(client, path), text, path);
    },
    async stored(ids) {
      const query = `SELECT toUInt32(count()) AS rows, toUInt32(uniqExact(id)) AS ids FROM results WHERE id IN {ids: Array(String)}`;
      let last: unknown;
      await until('all that was answered is stored', async () => {
        const answer = await history.query({ query, query_params: { ids: [...ids] }, format: 'JSONEachRow' });
        [last] = (await answer.json()) as unknown[];
        return (last as { ids: number }).ids === new Set(ids).size;
      });
      assert.deepEqual(last, { rows: ids.length, ids: ids.length });
    },
    async sql(query) {
      return (await (await history.query({ query, format: 'JSONEachRow' })).json()) as Record<string, unknown>[];
    },
    async close() {
      endAll();
      process.removeListener('exit', endAll);
      client.close();
      balancer.close();
      await history.close();
      await site.engine.close();
      rmSync(folder, { recursive: true, force: true });
    },
  };
  return site;
}

/** Once the load balancer has seen that an ingress is told to stop, what is left of its delay is not waited for. */
async function leaves({ pid, backend }: Started): Promise<void> {
  if (!backend) return;
  await until('the load balancer has seen it', () => !backend.up);
  kill(pid, 'SIGTERM');
}

function kill(pid: number, signal: NodeJS.Signals): void {
  try {
    process.kill(pid, signal);
  } catch {
    // gone already
  }
}

async function found(client: Client, path: string): Promise<string> {
  const { status, body } = await client.request('GET', path);
  assert.equal(status, 200, path);
  return JSON.stringify(body);
}

function startCallers(client: Client, count: number): Callers {
  const accepted: string[] = [];
  const others: string[] = [];
  let going = true;
  let sent = 0;
  const caller = async (): Promise<void> => {
    while (going) {
      const event = { type: 'reasoning', content: 'Good morning.', event_id: `e-${sent}` };
      // Few runs, so that each goes on while the installation changes.
      const request = { environment_id: 'prod', run_id: `run-${sent++ % 16}`, event };
      const { status, body, failure } = await client.request('POST', '/api/event', JSON.stringify(request));
      if (status === 200) accepted.push((body as { event: { internal_event_id: string } }).event.internal_event_id);
      else others.push(failure || `${status} ${JSON.stringify(body)}`);
      await sleep(PAUSE_MS);
    }
  };
  const all = Array.from({ length: count }, caller);
  return {
    accepted,
    others,
    async stop() {
      going = false;
      await Promise.all(all);
    },
  };
}

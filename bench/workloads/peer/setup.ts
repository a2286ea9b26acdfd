/**
 * The peer workload: the same batches go in turn to Weir and to a service as it is often built, of Fastify, ajv and BullMQ. That service runs
 * Weir's engine with the same policies, gives the same answers, and inserts the same rows once a second into tables of its own. It has its own
 * Redis and engine, and none of Weir's promises: no limits, turns, retries, look-ups, or rows that outlive a crash.
 */
import { mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { closeParts, startStores } from '../../../deploy/local/parts.js';
import type { InstallationPart } from '../../../deploy/local/processes/part.js';
import { migrate } from '../../../shared/history/migrate.js';
import { packageRoot } from '../../../shared/paths.js';
import { type BenchChild, startChild } from '../../child.js';
import { type BenchConfigurations, readConfigurations } from '../../installation/configuration.js';
import { figuresOf, measureInTurn } from '../../measurement/in-turn.js';
import { type Bench, checkRows, type Stage } from '../../measurement/stages.js';
import { openStores } from '../../measurement/stores.js';
import type { Options } from '../../options.js';
import type { BuiltIn } from '../built-in.js';
import { HTTP_URL, type HttpStart } from './http.js';
import { installLibraries } from './libraries.js';
import type { PeerReport } from './report.js';
import { WORKER_URL, type WorkerStart } from './worker.js';

const CONNECTIONS = 64;
const START_MS = 30_000;
/** How long rows may take to arrive after the last answer. */
const ROWS_SECONDS = 30;

type Started = { error: string } | { url?: string };

/** The other service as it runs. */
interface Peer {
  url: string;
  key: string;
  redisUrl: string;
  clickhouseUrl: string;
  processes: Bench['processes'];
}

export async function setUpPeer(options: Options, say: (line: string) => void): Promise<BuiltIn> {
  const folder = mkdtempSync(join(tmpdir(), 'weir-bench-peer-'));
  const started: InstallationPart[] = [];
  const children: BenchChild<unknown, Started>[] = [];
  const close = async (): Promise<void> => {
    for (const child of children) child.close();
    await closeParts(started);
    rmSync(folder, { recursive: true, force: true });
  };
  try {
    say('Installing Fastify and BullMQ into a temporary folder …');
    installLibraries(folder);
    const configuration = resolve(options.configuration ?? join(packageRoot, 'bench', 'policies.yaml'));
    const peer = await startPeer(
      { folder, configuration: readConfigurations(configuration), options },
      started,
      children,
    );
    const extra = { env: {}, configure: (text: string) => text };
    return { extra, run: (bench) => runPeer(bench, peer, options, say), close };
  } catch (error) {
    await close();
    throw error;
  }
}

async function startPeer(
  { folder, configuration, options }: { folder: string; configuration: BenchConfigurations; options: Options },
  started: InstallationPart[],
  children: BenchChild<unknown, Started>[],
): Promise<Peer> {
  const database = 'weir';
  const dataDir = join(folder, 'data');
  mkdirSync(dataDir);
  const stores = await startStores({ dataDir, appendfsync: options.fsync, database }, started);
  const { redisUrl, clickhouseUrl } = stores;
  await migrate({ url: clickhouseUrl, database });
  const start = async <Message extends object>(url: string, name: string, message: Message) => {
    const child = startChild<Message, Started>(url, name);
    children.push(child as BenchChild<unknown, Started>);
    const answer = await child.ask(message, START_MS);
    if ('error' in answer) throw new Error(`${name} does not start: ${answer.error}`);
    return { pid: child.pid, url: answer.url ?? '' };
  };
  const { policies, key, scope } = configuration;
  const worker = await start<WorkerStart>(WORKER_URL, 'The worker of the other service', {
    libraries: folder,
    redisUrl,
    clickhouseUrl,
    database,
    configuration: policies,
    team: teamOf(policies),
    environment: scope.environment,
  });
  const http = await start<HttpStart>(HTTP_URL, 'The other service', { libraries: folder, redisUrl, key });
  return {
    url: http.url,
    key,
    redisUrl,
    clickhouseUrl,
    processes: [
      { name: 'redis', pid: stores.redis.pid },
      { name: 'clickhouse', pid: stores.clickhouse.pid },
      { name: 'worker', pid: worker.pid },
      { name: 'http', pid: http.pid },
    ],
  };
}

const teamOf = (configuration: string): string =>
  (JSON.parse(configuration) as { teams: { id: string }[] }).teams[0]!.id;

/** Sends the same load to both in turn, after a warm-up of each. */
async function runPeer(
  bench: Bench,
  peer: Peer,
  { seconds, warmup, rounds }: Options,
  say: (line: string) => void,
): Promise<{ stages: Stage[]; peer: PeerReport }> {
  const generator = { name: 'generator', pid: bench.generator.pid };
  const other: Bench = {
    ...bench,
    base: { ...bench.base, url: peer.url, key: peer.key },
    processes: [...peer.processes, generator],
    stores: undefined,
  };
  const sides = [
    { name: 'Weir', bench },
    { name: 'Fastify, ajv, BullMQ', bench: other },
  ] as const;
  const load = { mode: { kind: 'closed' }, connections: CONNECTIONS } as const;
  const [own, theirs] = await measureInTurn(sides, { load, rounds, seconds, warmup, say });
  const { redisUrl, clickhouseUrl } = peer;
  const stores = await openStores({ redisUrl, clickhouseUrl, database: 'weir' });
  const rows = await checkRows({ ...other, stores }, ROWS_SECONDS).finally(() => stores.close());
  const [weir, another] = [figuresOf(sides[0].name, own), figuresOf(sides[1].name, theirs)];
  const ratio = weir.eventsPerSecond / another.eventsPerSecond;
  return { stages: [...own, ...theirs], peer: { rounds, connections: CONNECTIONS, weir, peer: another, ratio, rows } };
}

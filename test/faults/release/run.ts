/**
 * Two releases beside each other, under a load of requests of all kinds. An installation of the other release is brought to this one as
 * `docs/operations/upgrade.md` says: its tables are migrated, then one process after the other is replaced. Then the same, back again.
 * Every request must be answered 200 at its first attempt, and be there once, in every table, view, roll-up and look-up.
 */
import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { checkOut } from '#weir/bench/against/checkout';
import { seeded, type WorkloadRandom } from '#weir/bench/workloads/random';
import { closeParts, startStores } from '#weir/deploy/local/parts';
import type { InstallationPart } from '#weir/deploy/local/processes/part';
import type { Stack } from '#weir/deploy/local/stack';
import { packageRoot } from '#weir/shared/paths';
import { readPartitions } from '#weir/shared/streams/partitions';
import { startBalancer } from '../../support/installation/balancer.ts';
import type { Summary } from '../../support/installation/ledger.ts';
import type { Load, Sent } from '../../support/installation/load.ts';
import { PATIENCE } from '../../support/installation/patience.ts';
import { configurationWithMore } from '../../support/installation/stack.ts';
import { sleep } from '../../support/wait.ts';
import { accountFor, add } from '../accounts.ts';
import { createPlace, PLACES, type Place, type Release } from './fleet.ts';

export interface ReleaseOptions {
  /** of the other release */
  commit: string;
  partitions: number;
  seed: number;
  /** requests a second, and events of a batch */
  rate: number;
  events: number;
  /** seconds between two replacements */
  every: number;
  say(line: string): void;
}

export interface ReleaseReport {
  summary: Summary;
  /** processes that were replaced */
  replaced: number;
  /** answers by status; 0: the connection broke */
  statuses: Record<string, number>;
  lookUps: Record<string, number>;
  /** ms of answers; the slowest with what they were of, and when */
  latency: { median: number; p99: number; slowest: string[] };
}

const NAME = 'release';
const SLOWEST = 8;

export async function replaceInTurn(options: ReleaseOptions): Promise<ReleaseReport> {
  const { say, partitions } = options;
  const { root, commit } = checkOut(options.commit, say);
  const other: Release = { name: commit.slice(0, 12), root };
  const own: Release = { name: 'this release', root: packageRoot };
  const dataDir = mkdtempSync(join(tmpdir(), 'weir-release-'));
  const started: InstallationPart[] = [];
  const balancer = await startBalancer();
  const places: Place[] = [];
  try {
    const stores = await startStores({ dataDir, maxMemory: '1gb' }, started);
    const env = {
      // A slow machine does not pass for one that refuses. What stalls for longer than the deadline is 504.
      ...PATIENCE,
      WEIR_DEADLINE_MS: '8000',
      WEIR_REDIS_URL: stores.redisUrl,
      WEIR_CLICKHOUSE_URL: stores.clickhouseUrl,
      WEIR_PARTITIONS: String(partitions),
      WEIR_THREADS: '1',
      WEIR_LOG_LEVEL: process.env.WEIR_LOG_LEVEL ?? 'silent',
      WEIR_HOT_SECONDS: '5',
    };
    const file = join(dataDir, 'weir.yaml');
    writeFileSync(file, configurationWithMore());
    weir(other, env, 'migrate');
    weir(other, env, 'apply', file);
    for (const [name, roles] of PLACES) places.push(createPlace(name, roles, { env, balancer }));
    for (const place of places) await place.replace(other, 'start');
    const stack = { url: balancer.url, clickhouseUrl: stores.clickhouseUrl } as Stack;
    return await underLoad(stack, { ...options, stores, places, own, other, env });
  } finally {
    for (const place of places) await place.end().catch((error: unknown) => say(String(error)));
    balancer.close();
    await closeParts(started);
    rmSync(dataDir, { recursive: true, force: true });
  }
}

/** Runs a command of a release. */
function weir({ root }: Release, env: Record<string, string>, ...args: string[]): void {
  const command = [join(root, 'deploy/cli/weir.mjs'), ...args];
  const { status, stderr, stdout } = spawnSync(process.execPath, command, {
    env: { ...process.env, ...env },
    encoding: 'utf8',
  });
  if (status !== 0) throw new Error(`weir ${args[0]} of ${root} failed:\n${stdout}${stderr}`);
}

interface Running extends ReleaseOptions {
  stores: { redisUrl: string };
  places: readonly Place[];
  own: Release;
  other: Release;
  env: Record<string, string>;
}

async function underLoad(stack: Stack, running: Running): Promise<ReleaseReport> {
  const report: Omit<ReleaseReport, 'summary'> = { replaced: 0, statuses: {}, lookUps: {}, latency: latencyOf([]) };
  const { redisUrl } = running.stores;
  const run = { ...running, stack, redisUrl, name: NAME, lookUps: report.lookUps };
  const { summary, load } = await accountFor(run, async (load, redis) => {
    // Its keys have the names that the first release gave them.
    await readPartitions(redis);
    await thereAndBack(running, load, report);
  });
  judge(load, summary, report);
  report.latency = latencyOf(load.sent);
  return { summary, ...report };
}

/** Migrates and replaces every process, then replaces every process by one of the release before. */
async function thereAndBack(running: Running, load: Load, report: Pick<ReleaseReport, 'replaced'>): Promise<void> {
  const { own, other, places, env, every } = running;
  const random = seeded(running.seed + 1);
  const started = performance.now();
  const say = (line: string): void => running.say(`${Math.round((performance.now() - started) / 1000)} s: ${line}`);
  const pause = (): Promise<void> => sleep(every * 1000);
  await pause();
  weir(own, env, 'migrate');
  say('migrated');
  for (const release of [own, other]) {
    for (const place of inSomeOrder(places, random)) {
      await pause();
      const first = random.next() < 0.5 ? 'start' : 'stop';
      await place.replace(release, first);
      report.replaced++;
      const failed = load.sent.filter(({ status }) => status !== 200).length;
      say(
        `${place.name}: ${release.name} (${first === 'start' ? 'started before the other stopped' : 'after the other had stopped'}); ${load.sent.length} requests, ${failed} of them not 200`,
      );
    }
  }
  await pause();
}

const inSomeOrder = (places: readonly Place[], random: WorkloadRandom): Place[] =>
  places
    .map((place) => ({ place, at: random.next() }))
    .toSorted((a, b) => a.at - b.at)
    .map(({ place }) => place);

function latencyOf(sent: readonly Sent[]): ReleaseReport['latency'] {
  const all = sent.map(({ sentAt, answeredAt }) => answeredAt - sentAt).toSorted((a, b) => a - b);
  const at = (share: number): number => all[Math.floor(share * (all.length - 1))] ?? 0;
  const slowest = sent.toSorted((a, b) => b.answeredAt - b.sentAt - (a.answeredAt - a.sentAt)).slice(0, SLOWEST);
  const began = Math.min(...sent.map(({ sentAt }) => sentAt));
  const lines = slowest.map(
    ({ kind, sentAt, answeredAt }) => `${kind} at ${Math.round((sentAt - began) / 1000)} s: ${answeredAt - sentAt} ms`,
  );
  return { median: at(0.5), p99: at(0.99), slowest: lines };
}

/** What no caller may see while processes are replaced. */
function judge(load: Load, summary: Summary, { statuses, lookUps }: Pick<ReleaseReport, 'statuses' | 'lookUps'>): void {
  const [first] = load.sent;
  for (const one of load.sent) {
    const seconds = Math.round((one.sentAt - first!.sentAt) / 1000);
    for (const { status, code, failure } of [...one.earlier, one]) {
      add(statuses, status);
      if (status === 200) continue;
      const answer = `${status} ${code} ${failure}`.trim();
      summary.problems.push(`${one.kind} ${one.name} was answered ${answer} at about ${seconds} s`);
    }
  }
  for (const [status, count] of Object.entries(lookUps))
    if (status !== '200') summary.problems.push(`${count} look-ups were answered ${status}`);
}

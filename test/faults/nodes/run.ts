/**
 * Faults of the nodes of Redis under a load of requests of all kinds: of a primary with replicas and Sentinels, or of a Cluster. After all of
 * them it accounts for every request, as after kills of processes, and says of each event for how long and how often checks were refused.
 */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Stack } from '#weir/deploy/local/stack';
import type { Summary } from '../../support/installation/ledger.ts';
import type { Load, Sent } from '../../support/installation/load.ts';
import { startServices } from '../../support/installation/services.ts';
import { configurationWithMore } from '../../support/installation/stack.ts';
import { sleep, until } from '../../support/wait.ts';
import { accountFor, add } from '../accounts.ts';
import { clusterFaults } from './cluster.ts';
import { type Bars, type FaultSource, PASSWORDS, USER } from './fault.ts';
import { type HookReceiver, startReceiver } from './receiver.ts';
import { sentinelFaults } from './sentinel.ts';

export interface NodesOptions {
  redis: 'sentinel' | 'cluster';
  /** no further event begins after it; each happens once in any case */
  seconds: number;
  partitions: number;
  seed: number;
  /** requests a second, and events of a batch */
  rate: number;
  events: number;
  /** seconds between two events */
  every: number;
  /** names of the events that are wanted; absent: all */
  only?: readonly string[] | undefined;
  say(line: string): void;
}

/** What callers saw of an event. */
export interface Outage {
  name: string;
  /** seconds from the first 503 to the last one */
  seconds: number;
  /** of requests without an Idempotency-Key, and of those with one, that were sent first in that time: how many were refused at first */
  share: number;
  keyedShare: number;
  /** answers that were not 200, by status; 0: the connection broke */
  statuses: Record<string, number>;
}

export interface NodesReport {
  summary: Summary;
  outages: Outage[];
  /** last answers; 0: the connection broke */
  statuses: Record<string, number>;
  lookUps: Record<string, number>;
}

const NAME = 'nodes';
/** An event is over when nothing was refused for so long. */
const QUIET_MS = 3000;
/** Checks wait for their deadline, which is beside the point. */
const DEADLINE_MS = 8000;

export async function failNodes(options: NodesOptions): Promise<NodesReport> {
  const { partitions } = options;
  // Each server of a group has one, so that it ends with this process.
  process.setMaxListeners(64);
  const folder = mkdtempSync(join(tmpdir(), 'weir-nodes-'));
  const passwordFile = join(folder, 'password');
  writeFileSync(passwordFile, `${PASSWORDS[0]}\n`);
  const setPassword = (password: string): void => writeFileSync(passwordFile, `${password}\n`);
  const source = await (options.redis === 'cluster' ? clusterFaults : sentinelFaults)(setPassword);
  const redisUrl = source.url.replace('://', `://${USER}@`);
  const receiver = await startReceiver();
  try {
    const services = await startServices(redisUrl, {
      text: configurationWithMore({ notify: receiver.url }),
      workers: 2,
      endpoint: { redisPasswordFile: passwordFile },
      env: {
        WEIR_REDIS_PASSWORD_FILE: passwordFile,
        WEIR_REDIS_REPLICAS: '1',
        WEIR_PARTITIONS: String(partitions),
        WEIR_ROLES: 'evaluator,archiver,metrics,hooks',
        WEIR_DEADLINE_MS: String(DEADLINE_MS),
        WEIR_HOT_SECONDS: '5',
        // A check that was held at three failures would be given up.
        WEIR_MAX_ATTEMPTS: '100',
        ...receiver.env,
      },
    });
    const stack = { url: services.url, clickhouseUrl: services.clickhouseUrl } as Stack;
    try {
      return await underLoad(stack, source, options, receiver);
    } finally {
      await services.close();
    }
  } finally {
    await receiver.close();
    await source.close();
    rmSync(folder, { recursive: true, force: true });
  }
}

async function underLoad(
  stack: Stack,
  source: FaultSource,
  options: NodesOptions,
  receiver: HookReceiver,
): Promise<NodesReport> {
  const report: Omit<NodesReport, 'summary'> = { outages: [], statuses: {}, lookUps: {} };
  const problems: string[] = [];
  const run = { ...options, stack, redisUrl: source.url, name: NAME, streams: true, lookUps: report.lookUps };
  const { summary, load } = await accountFor(run, (load) => inTurn(source, load, { options, report, problems }));
  for (const { status } of load.sent) add(report.statuses, status);
  const untold = await receiver.untold(load.sent);
  if (untold > 0) problems.push(`the webhook was not told of ${untold} flagged checks`);
  summary.problems.unshift(...problems);
  return { summary, ...report };
}

interface Turns {
  options: NodesOptions;
  report: Pick<NodesReport, 'outages'>;
  problems: string[];
}

async function inTurn({ faults }: FaultSource, load: Load, { options, report, problems }: Turns): Promise<void> {
  const { seconds, every, only, say } = options;
  const end = performance.now() + seconds * 1000;
  const wanted = faults.filter(({ name }) => !only || only.some((one) => name.includes(one)));
  for (let n = 0; n < wanted.length || (wanted.length > 0 && performance.now() < end); n++) {
    const { name, happen, bars } = wanted[n % wanted.length]!;
    await sleep(every * 1000);
    const before = load.accepted();
    await until('checks are answered', () => load.accepted() > before + 20);
    const from = Date.now();
    say(`${name} …`);
    await happen();
    await sleep(QUIET_MS);
    await until('nothing is refused any more', () => {
      const lately = load.sent.filter(({ answeredAt }) => answeredAt > Date.now() - QUIET_MS);
      return lately.length > 0 && lately.every(({ status }) => status === 200);
    });
    const outage = { name, ...outageOf(load.sent, from) };
    report.outages.push(outage);
    say(lineOf(outage));
    problems.push(...breaches(outage, bars));
  }
}

/** What was answered since `from`. */
function outageOf(sent: readonly Sent[], from: number): Omit<Outage, 'name'> {
  const statuses: Record<string, number> = {};
  const refusals: number[] = [];
  const first: { sentAt: number; status: number; keyed: boolean }[] = [];
  for (const one of sent) {
    const attempts = [...one.earlier, one];
    first.push({ ...attempts[0]!, keyed: one.keyed });
    for (const { status, answeredAt } of attempts) {
      if (status === 200 || answeredAt < from) continue;
      add(statuses, status);
      if (status === 503) refusals.push(answeredAt);
    }
  }
  const [begin, end] = [Math.min(...refusals), Math.max(...refusals)];
  const then = first.filter(({ sentAt }) => sentAt >= begin && sentAt <= end);
  const shareOf = (some: typeof then): number =>
    some.filter(({ status }) => status === 503).length / Math.max(1, some.length);
  return {
    seconds: Math.max(0, end - begin) / 1000,
    share: shareOf(then.filter(({ keyed }) => !keyed)),
    keyedShare: shareOf(then.filter(({ keyed }) => keyed)),
    statuses,
  };
}

const percent = (share: number): string => `${Math.round(share * 100)} %`;

export function lineOf({ name, seconds, share, keyedShare, statuses }: Outage): string {
  const said = Object.entries(statuses).map(([status, count]) => `${status}: ${count}`);
  if (said.length === 0) return `${name}: nothing but 200`;
  const shares = `on ${percent(share)} of requests, and ${percent(keyedShare)} of those with an Idempotency-Key`;
  return `${name}: 503 for ${seconds.toFixed(1)} s, ${shares} (${said.join(', ')})`;
}

function breaches({ name, seconds, share, statuses }: Outage, bars: Bars): string[] {
  const problems: string[] = [];
  if (seconds > bars.seconds) problems.push(`${name}: 503 for ${seconds.toFixed(1)} s, at most ${bars.seconds} s`);
  if (share > (bars.share ?? 1))
    problems.push(`${name}: 503 on ${percent(share)} of requests, at most ${percent(bars.share!)}`);
  if (bars.seconds === 0 && Object.keys(statuses).length > 0)
    problems.push(`${name}: ${JSON.stringify(statuses)} where all should be 200`);
  return problems;
}

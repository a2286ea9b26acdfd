/**
 * Kills the parts of a whole installation in turn, under a load of requests of all kinds, and lets each come back. Then it accounts for
 * every request: what was answered 200 is there once, in every table, view and roll-up, and in every look-up.
 */
import { seeded } from '#weir/bench/workloads/random';
import type { Summary } from '../../support/installation/ledger.ts';
import type { Load, Sent } from '../../support/installation/load.ts';
import { startTestStack, type TestStack } from '../../support/installation/stack.ts';
import { sleep } from '../../support/wait.ts';
import { add, LOOK_UPS, lookDuring } from '../accounts.ts';
import { createRedisStrike, kill, killAtPart, type Strike } from './strikes.ts';

export interface KillOptions {
  seconds: number;
  partitions: number;
  seed: number;
  /** requests a second, and events of a batch */
  rate: number;
  events: number;
  /** seconds between a part's return and the next kill, on average */
  every: number;
  fsync: 'always' | 'everysec';
  say?(line: string): void;
}

export interface KillReport {
  summary: Summary;
  /** how often what was killed */
  kills: Record<string, number>;
  /** last answers, and all answers with those that were repeated; 0: the connection broke */
  statuses: Record<string, number>;
  attempts: Record<string, number>;
  /** look-ups while parts were killed, by status */
  lookUps: Record<string, number>;
}

const NAME = 'kill';
const SAY_MS = 5000;
/** Of a kill of Redis that may lose: ms before and after it in which an answer may be lost. */
const LOST_MS = [2500, 1500] as const;
const TABLES = ['items', 'contents', 'run_events', 'names', 'user_checks', 'metrics', 'shadow_checks'];

export async function killInTurn(options: KillOptions): Promise<KillReport> {
  const { fsync, partitions, say = () => undefined } = options;
  const everysec = fsync === 'everysec';
  const stack = await startTestStack({
    partitions,
    ingresses: 2,
    evaluators: 2,
    separateArchiver: false,
    beside: true,
    appendfsync: fsync,
    env: {
      WEIR_DEADLINE_MS: '8000',
      WEIR_HOT_SECONDS: '5',
      // A check that was held at three kills would be given up.
      WEIR_MAX_ATTEMPTS: '100',
      // What Redis may lose must not be archived yet.
      ...(everysec ? { WEIR_BLOCK_DELAY_MS: '2000' } : {}),
    },
  });
  try {
    return await underLoad(stack, options, say);
  } finally {
    await stack.close();
  }
}

async function underLoad(stack: TestStack, options: KillOptions, say: (line: string) => void): Promise<KillReport> {
  const { seed, rate, events, fsync, seconds } = options;
  const everysec = fsync === 'everysec';
  const load = stack.load(NAME, { rate, events, all: true, streams: true, repeat: true, seed });
  const report: Omit<KillReport, 'summary'> = { kills: {}, statuses: {}, attempts: {}, lookUps: {} };
  const started = performance.now();
  const passed = (): number => Math.round((performance.now() - started) / 1000);
  const timer = setInterval(() => say(`${passed()} s: ${lineOf(load, report)}`), SAY_MS);
  const redisKills: [from: number, to: number][] = [];
  const mayBeLost = ({ answeredAt }: Sent): boolean =>
    everysec && redisKills.some(([from, to]) => answeredAt > from - LOST_MS[0] && answeredAt < to + LOST_MS[1]);
  const strikes = await createStrikes(stack, options, redisKills);
  const missed = await lookDuring(stack, load, { lookUps: report.lookUps, seed }, () =>
    strikeInTurn(strikes.all, options, { until: started + seconds * 1000, report, say }),
  ).finally(() => {
    strikes.end();
    clearInterval(timer);
  });
  say(`${passed()} s: everything runs again; accounting …`);
  const summary = await stack.account(NAME, load, { timeoutsAreStored: false, mayBeLost, lookUps: LOOK_UPS });
  for (const { path, of } of missed) if (!mayBeLost(of)) summary.problems.push(`GET ${path} was 404 meanwhile`);
  for (const one of load.sent) {
    add(report.statuses, one.status);
    for (const { status } of [...one.earlier, one]) add(report.attempts, status);
  }
  return { summary, ...report };
}

function lineOf(load: Load, { kills, lookUps }: Pick<KillReport, 'kills' | 'lookUps'>): string {
  const killed = Object.values(kills).reduce((sum, count) => sum + count, 0);
  const found = Object.entries(lookUps).map(([status, count]) => `${status}: ${count}`);
  return `${load.sent.length} requests, ${load.accepted()} of them 200; ${killed} kills; look-ups ${found.join(', ')}`;
}

interface Strikes {
  all: Record<string, () => Strike>;
  end(): void;
}

async function createStrikes(
  stack: TestStack,
  { seed, fsync }: KillOptions,
  redisKills: [number, number][],
): Promise<Strikes> {
  const random = seeded(seed + 1);
  const archiver = await stack.worker('the archiver', 'archiver');
  const metrics = await stack.worker('the metrics role', 'metrics');
  const redis = createRedisStrike(stack, random, fsync === 'everysec');
  return {
    all: {
      worker: () => kill(random.pick(stack.evaluators), random),
      archiver: () => kill(archiver, random),
      metrics: () => kill(metrics, random),
      ingress: () => kill(random.pick(stack.ingresses), random),
      engine: () => kill(stack.clickhouse, random),
      'engine at a part': () => killAtPart(stack, random.pick(TABLES), random),
      redis: () => async () => {
        const from = Date.now();
        const said = await redis.strike();
        redisKills.push([from, Date.now()]);
        return said;
      },
    },
    end: redis.end,
  };
}

/** One after the other in an order that changes with each round; one time in four with the next one right behind it. */
async function strikeInTurn(
  strikes: Strikes['all'],
  { seed, every }: KillOptions,
  { until, report, say }: { until: number; report: Pick<KillReport, 'kills'>; say(line: string): void },
): Promise<void> {
  const random = seeded(seed + 2);
  let waiting: string[] = [];
  const next = async (besides?: string): Promise<string> => {
    if (waiting.length === 0) waiting = Object.keys(strikes).toSorted(() => random.next() - 0.5);
    const name = waiting.findLast((one) => !besides?.startsWith('engine') || !one.startsWith('engine'));
    if (name === undefined) return '';
    waiting.splice(waiting.indexOf(name), 1);
    const said = await strikes[name]!()();
    add(report.kills, said.startsWith('the engine') ? said : name);
    say(`killed ${said}`);
    return name;
  };
  while (performance.now() < until) {
    await sleep(every * 2000 * random.next());
    const [first] = waiting.slice(-1);
    const both = waiting.length > 1 && random.next() < 0.25;
    await Promise.all([next(), ...(both ? [sleep(random.between(0, 500)).then(() => next(first))] : [])]);
  }
}

/**
 * Kills the parts of a whole installation in turn, under a load of requests of all kinds, and lets each come back. Then it accounts for
 * every request: what was answered 200 is there once, in every table, view and roll-up, and in every look-up.
 */
import { seeded } from '#weir/bench/workloads/random';
import type { Summary } from '../../support/installation/ledger.ts';
import { createClient, type Load, type Sent } from '../../support/installation/load.ts';
import { pathsTo } from '../../support/installation/look-ups.ts';
import { startTestStack, type TestStack } from '../../support/installation/stack.ts';
import { sleep } from '../../support/wait.ts';
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
const LOOK_MS = 200;
const LOOK_UPS = 400;
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
  const load = stack.load(NAME, { rate, events, all: true, repeat: true, seed });
  const report: Omit<KillReport, 'summary'> = { kills: {}, statuses: {}, attempts: {}, lookUps: {} };
  const started = performance.now();
  const passed = (): number => Math.round((performance.now() - started) / 1000);
  const timer = setInterval(() => say(`${passed()} s: ${lineOf(load, report)}`), SAY_MS);
  const missed: { path: string; of: Sent }[] = [];
  const redisKills: [from: number, to: number][] = [];
  const mayBeLost = ({ answeredAt }: Sent): boolean =>
    everysec && redisKills.some(([from, to]) => answeredAt > from - LOST_MS[0] && answeredAt < to + LOST_MS[1]);
  let looking = true;
  const looks = lookMeanwhile(stack, load, { report, missed, seed, going: () => looking });
  const strikes = await createStrikes(stack, options, redisKills);
  try {
    await strikeInTurn(strikes.all, options, { until: started + seconds * 1000, report, say });
  } finally {
    looking = false;
    strikes.end();
    clearInterval(timer);
  }
  await looks;
  say(`${passed()} s: everything runs again; accounting …`);
  const summary = await stack.account(NAME, load, { timeoutsAreStored: false, mayBeLost, lookUps: LOOK_UPS });
  for (const { path, of } of missed) if (!mayBeLost(of)) summary.problems.push(`GET ${path} was 404 meanwhile`);
  for (const one of load.sent) {
    add(report.statuses, one.status);
    for (const { status } of [...one.earlier, one]) add(report.attempts, status);
  }
  return { summary, ...report };
}

export const add = (counts: Record<string, number>, name: string | number): void => {
  counts[name] = (counts[name] ?? 0) + 1;
};

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

/** Looks up what was answered, just now or long ago: it may be that nobody can say (503), but never that it is not there. */
export async function lookMeanwhile(
  stack: Pick<TestStack, 'url' | 'key'>,
  load: Load,
  {
    report,
    missed,
    seed,
    going,
  }: { report: Pick<KillReport, 'lookUps'>; missed: { path: string; of: Sent }[]; seed: number; going(): boolean },
): Promise<void> {
  const random = seeded(seed + 3);
  const client = createClient(stack.url, stack.key);
  while (going()) {
    await sleep(LOOK_MS);
    const recent = random.next() < 0.5;
    const of = load.sent[random.between(recent ? Math.max(0, load.sent.length - 50) : 0, load.sent.length - 1)];
    const verdict = of?.status === 200 ? random.pick(of.verdicts) : undefined;
    if (!of || !verdict) continue;
    const path = random.pick(pathsTo({ ...verdict, kind: of.kind }));
    const { status } = await client.request('GET', path);
    add(report.lookUps, status);
    if (![200, 503, 0].includes(status)) missed.push({ path: `${path} (${status})`, of });
  }
  client.close();
}

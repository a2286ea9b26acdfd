/** What runs under a load have in common, whatever happens meanwhile: look-ups during it, and the accounts after it. */
import { seeded } from '#weir/bench/workloads/random';
import type { Stack } from '#weir/deploy/local/stack';
import { DEMO_KEY } from '#weir/shared/configuration/api-keys';
import { connectCommands, type Redis } from '#weir/shared/streams/client';
import { type Summary, settleAccounts } from '../support/installation/ledger.ts';
import { createClient, type Load, type Sent, startLoad } from '../support/installation/load.ts';
import { pathsTo } from '../support/installation/look-ups.ts';
import { sleep } from '../support/wait.ts';

export const LOOK_UPS = 400;
const LOOK_MS = 200;

/** How often something was said, by what it is. */
export type Counts = Record<string, number>;

export const add = (counts: Counts, name: string | number): void => {
  counts[name] = (counts[name] ?? 0) + 1;
};

export interface LoadedRun {
  stack: Pick<Stack, 'url' | 'clickhouseUrl'>;
  redisUrl: string;
  /** what the names of its requests begin with */
  name: string;
  partitions: number;
  seed: number;
  /** requests a second, and events of a batch */
  rate: number;
  events: number;
  /** with streams of text, which an older release does not know */
  streams?: boolean;
  /** look-ups meanwhile are counted here, by status */
  lookUps: Counts;
  say(line: string): void;
}

/** Sends requests of all kinds and looks up what was answered while `happen` goes on. Then it accounts for all. */
export async function accountFor(
  run: LoadedRun,
  happen: (load: Load, redis: Redis) => Promise<void>,
): Promise<{ summary: Summary; load: Load }> {
  const { stack, name, partitions, seed, rate, events, streams = false, lookUps } = run;
  const mix = { rate, events, all: true, streams, repeat: true, seed };
  const load = startLoad({ url: stack.url, key: DEMO_KEY, name, ...mix });
  const redis = connectCommands(run, 'test', 5000);
  redis.on('error', () => undefined);
  try {
    await redis.connect();
    const missed = await lookDuring({ url: stack.url, key: DEMO_KEY }, load, { lookUps, seed }, () =>
      happen(load, redis),
    );
    run.say('Accounting …');
    await load.stop();
    const summary = await settleAccounts({
      stack: stack as Stack,
      redis,
      key: DEMO_KEY,
      partitions,
      name,
      sent: load.sent,
      beside: { shadow: true, metrics: true },
      lookUps: LOOK_UPS,
    });
    for (const { path } of missed) summary.problems.push(`GET ${path} was not there meanwhile`);
    return { summary, load };
  } finally {
    load.end();
    redis.disconnect();
  }
}

interface Missed {
  path: string;
  of: Sent;
}

/**
 * Looks up what was answered, just now or long ago, while `work` goes on: it may be that nobody can say (503), but never that it is not there.
 * Resolves to what was not.
 */
export async function lookDuring(
  stack: { url: string; key: string },
  load: Load,
  { lookUps, seed }: { lookUps: Counts; seed: number },
  work: () => Promise<void>,
): Promise<Missed[]> {
  const random = seeded(seed + 3);
  const client = createClient(stack.url, stack.key);
  const missed: Missed[] = [];
  let going = true;
  const look = async (): Promise<void> => {
    const recent = random.next() < 0.5;
    const of = load.sent[random.between(recent ? Math.max(0, load.sent.length - 50) : 0, load.sent.length - 1)];
    const verdict = of?.status === 200 ? random.pick(of.verdicts) : undefined;
    if (!of || !verdict) return;
    const path = random.pick(pathsTo({ ...verdict, kind: of.kind }));
    const { status } = await client.request('GET', path);
    add(lookUps, status);
    if (![200, 503, 0].includes(status)) missed.push({ path: `${path} (${status})`, of });
  };
  const looks = (async () => {
    for (; going; await sleep(LOOK_MS)) await look();
  })();
  try {
    await work();
  } finally {
    going = false;
  }
  await looks;
  client.close();
  return missed;
}

/** `npm run faults`: kills parts of an installation under load, progress, what is lost or doubled, an exit code. */
import { parseArgs } from 'node:util';
import { failNodes, lineOf, type NodesReport } from '../nodes/run.ts';
import { type ReleaseReport, replaceInTurn } from '../release/run.ts';
import { type KillReport, killInTurn } from './run.ts';

const USAGE = `Usage: npm run faults [-- --minutes N] [--partitions N] [--rate N] [--events N] [--every N] [--fsync MODE] [--seed N]
       npm run faults -- --release COMMIT [--partitions N] [--rate N] [--events N] [--every N] [--seed N]
       npm run faults -- --redis sentinel|cluster [--minutes N] [--only NAME,NAME] [--partitions N] [--rate N] [--events N] [--every N] [--seed N]

Starts a whole installation on free ports and in a temporary folder, and sends it requests of all kinds. Meanwhile it ends workers,
an archiver, the metrics role, an ingress, the ClickHouse engine and Redis in turn with SIGKILL, and starts each again. Then it
compares what was answered with every table, view, roll-up and look-up. It exits with 1 where anything is lost or doubled.

  --minutes     how long (default 5)
  --partitions  of the installation (default 1)
  --rate        requests a second (default 40)
  --events      events of a batch (default 20)
  --every       seconds between two kills, on average (default 3)
  --fsync       always (default): nothing may be lost
                everysec: with Redis goes what it had less than 2 s; an answer of that time may be lost, as a whole
  --seed        which requests and kills (default: random, printed)

With --release it builds that commit in .weir/bench/builds, starts an installation of it, migrates the tables, and replaces one process
after the other by one of this code, and then back again (ingresses behind a load balancer that asks whether they are ready). It exits
with 1 where a request or a look-up is answered with anything but 200, or anything is lost or doubled.

  --every       seconds between two replacements (default 3)

With --redis it starts a primary with two replicas and three Sentinels, or a Cluster of three primaries with two replicas each, and an
installation whose verdicts wait for a replica. Then nodes crash, hang and lag, slots and a node come and go, and the password changes. It
prints for how long and on how many requests checks were 503, and exits with 1 where that is more than it may be, or anything is lost or doubled.

  --minutes     how long; each event happens once in any case (default 5)
  --only        events that have one of these words in their name (default: all)
  --partitions  of the installation (default 16)
  --rate        requests a second (default 20)
  --events      events of a batch (default 10)
`;

function number(text: string | undefined, fallback: number, name: string): number {
  if (text === undefined) return fallback;
  const value = Number(text);
  if (!(value > 0)) throw new Error(`--${name}: expected a number above 0, but it is "${text}".`);
  return value;
}

const listed = (counts: Record<string, number>): string =>
  Object.entries(counts)
    .toSorted(([one], [other]) => (one < other ? -1 : 1))
    .map(([name, count]) => `${name}: ${count}`)
    .join(', ');

function tell({ summary, kills, statuses, attempts, lookUps }: KillReport): void {
  console.log(`Kills: ${listed(kills)}`);
  console.log(`Requests: ${summary.requests}, by their last answer (0: the connection broke): ${listed(statuses)}`);
  console.log(`Answers, with those that were repeated: ${listed(attempts)}`);
  console.log(
    `Items: ${summary.items} stored. Requests without an answer that are stored: ${summary.storedUnanswered}. Lost with Redis, as may be: ${summary.lost}.`,
  );
  console.log(`Look-ups meanwhile: ${listed(lookUps)}; afterwards: ${summary.lookUps}`);
}

function tellOfReleases({ summary, replaced, statuses, lookUps, latency }: ReleaseReport): void {
  console.log(`Processes replaced: ${replaced}`);
  console.log(`Requests: ${summary.requests}, all answers to them (0: the connection broke): ${listed(statuses)}`);
  console.log(
    `Time of an answer: median ${latency.median}, p99 ${latency.p99} ms; slowest: ${latency.slowest.join(', ')}`,
  );
  console.log(`Items: ${summary.items} stored. Look-ups meanwhile: ${listed(lookUps)}; afterwards: ${summary.lookUps}`);
}

function tellOfNodes({ summary, outages, statuses, lookUps }: NodesReport): void {
  for (const outage of outages) console.log(`- ${lineOf(outage)}`);
  console.log(`Requests: ${summary.requests}, by their last answer (0: the connection broke): ${listed(statuses)}`);
  console.log(`Items: ${summary.items} stored. Look-ups meanwhile: ${listed(lookUps)}; afterwards: ${summary.lookUps}`);
}

const MOST_TOLD = 100;

async function main(): Promise<void> {
  const text = { type: 'string' } as const;
  const options = { minutes: text, partitions: text, rate: text, events: text, every: text, fsync: text };
  const { values } = parseArgs({
    options: { ...options, seed: text, release: text, redis: text, only: text, help: { type: 'boolean', short: 'h' } },
  });
  if (values.help) {
    process.stdout.write(USAGE);
    return;
  }
  const { fsync = 'always' } = values;
  if (fsync !== 'always' && fsync !== 'everysec')
    throw new Error(`--fsync: expected always or everysec, but it is "${fsync}".`);
  const seed = number(values.seed, Math.floor(Math.random() * 2 ** 31), 'seed');
  const { redis } = values;
  if (redis !== undefined && redis !== 'sentinel' && redis !== 'cluster')
    throw new Error(`--redis: expected sentinel or cluster, but it is "${redis}".`);
  const [partitionsOf, rateOf, eventsOf] = redis === undefined ? [1, 40, 20] : [16, 20, 10];
  const seconds = number(values.minutes, 5, 'minutes') * 60;
  const partitions = Math.round(number(values.partitions, partitionsOf, 'partitions'));
  const rate = number(values.rate, rateOf, 'rate');
  const common = {
    partitions,
    seed,
    rate,
    events: Math.round(number(values.events, eventsOf, 'events')),
    every: number(values.every, 3, 'every'),
    say: (line: string) => console.error(line),
  };
  if (values.release !== undefined) {
    console.log(`Seed ${seed}: ${partitions} partitions, ${rate} requests a second.`);
    const report = await replaceInTurn({ ...common, commit: values.release });
    tellOfReleases(report);
    return conclude(report, seed);
  }
  if (redis !== undefined) {
    console.log(`Seed ${seed}: ${redis}, ${seconds} s, ${partitions} partitions, ${rate} requests a second.`);
    const report = await failNodes({ ...common, redis, seconds, only: values.only?.split(',') });
    tellOfNodes(report);
    return conclude(report, seed);
  }
  console.log(`Seed ${seed}: ${seconds} s, ${partitions} partitions, ${rate} requests a second, appendfsync ${fsync}.`);
  const report = await killInTurn({ ...common, seconds, fsync });
  tell(report);
  conclude(report, seed);
}

function conclude({ summary: { problems } }: Pick<KillReport, 'summary'>, seed: number): void {
  if (problems.length === 0) {
    console.log('Nothing is lost or doubled.');
    return;
  }
  for (const problem of problems.slice(0, MOST_TOLD)) console.log(`- ${problem}`);
  if (problems.length > MOST_TOLD) console.log(`… and ${problems.length - MOST_TOLD} more`);
  console.log(`${problems.length} problems. Seed ${seed}.`);
  process.exitCode = 1;
}

main().catch((error: unknown) => {
  console.error(error instanceof Error && error.cause === undefined ? error.message : error);
  process.exit(1);
});

/** `npm run faults`: kills parts of an installation under load, progress, what is lost or doubled, an exit code. */
import { parseArgs } from 'node:util';
import { type ReleaseReport, replaceInTurn } from '../release/run.ts';
import { type KillReport, killInTurn } from './run.ts';

const USAGE = `Usage: npm run faults [-- --minutes N] [--partitions N] [--rate N] [--events N] [--every N] [--fsync MODE] [--seed N]
       npm run faults -- --release COMMIT [--partitions N] [--rate N] [--events N] [--every N] [--seed N]

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

const MOST_TOLD = 100;

async function main(): Promise<void> {
  const text = { type: 'string' } as const;
  const options = { minutes: text, partitions: text, rate: text, events: text, every: text, fsync: text };
  const { values } = parseArgs({
    options: { ...options, seed: text, release: text, help: { type: 'boolean', short: 'h' } },
  });
  if (values.help) {
    process.stdout.write(USAGE);
    return;
  }
  const { fsync = 'always' } = values;
  if (fsync !== 'always' && fsync !== 'everysec')
    throw new Error(`--fsync: expected always or everysec, but it is "${fsync}".`);
  const seed = number(values.seed, Math.floor(Math.random() * 2 ** 31), 'seed');
  const seconds = number(values.minutes, 5, 'minutes') * 60;
  const partitions = Math.round(number(values.partitions, 1, 'partitions'));
  const rate = number(values.rate, 40, 'rate');
  const common = {
    partitions,
    seed,
    rate,
    events: Math.round(number(values.events, 20, 'events')),
    every: number(values.every, 3, 'every'),
    say: (line: string) => console.error(line),
  };
  if (values.release !== undefined) {
    console.log(`Seed ${seed}: ${partitions} partitions, ${rate} requests a second.`);
    const report = await replaceInTurn({ ...common, commit: values.release });
    tellOfReleases(report);
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

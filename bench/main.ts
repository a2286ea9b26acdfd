/**
 * `npm run bench`: starts a stack, loads it, reports.
 *
 * States: starting → running → draining → stopped. An error or Ctrl-C leads from each of them to stopped.
 *
 * Exit codes: 0: measured; 1: it could not be measured, answers and rows or verdicts and a backtest do not agree, the objective of
 * neighbours is not met, or a plan by the figures misses a load; 130: interrupted.
 */
import { mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { packageRoot } from '../shared/paths.js';
import { asBlock } from '../shared/printable.js';
import type { Checkout } from './against/checkout.js';
import { type Generator, startGenerator } from './generator/process.js';
import { firstCheck } from './installation/first-check.js';
import type { BenchTarget } from './installation/target.js';
import { type BenchOutcome, runSession } from './measurement/session.js';
import { type Bench, checkRows } from './measurement/stages.js';
import {
  BenchUsageError,
  type BuiltInName,
  FIGURES,
  isBuiltIn,
  isOffline,
  type Options,
  parseOptions,
  USAGE,
} from './options.js';
import { describeEnvironment } from './report/environment.js';
import { type BenchReport, renderReport, saveReport } from './report/report.js';
import type { BuiltIn } from './workloads/built-in.js';
import { readWorkload, type Workload } from './workloads/workload.js';

const TIMEOUT_MS = 15_000;
/** Limit of requests that are under way or wait for a connection; the rest is dropped. */
const MAX_IN_FLIGHT = 4000;
/** How long rows may take to arrive after the last answer. */
const DRAIN_SECONDS = 120;

/** What built-in workloads send where they send text. */
const BATCHES = 'events-50';

type SetUp = (options: Options, say: (line: string) => void) => Promise<BuiltIn>;

/** Each loads much that the others do not need. */
const SET_UP: Record<BuiltInName, () => Promise<SetUp>> = {
  images: async () => (await import('./workloads/images/setup.js')).setUpImages,
  neighbours: async () => (await import('./workloads/neighbours/setup.js')).setUpNeighbours,
  peer: async () => (await import('./workloads/peer/setup.js')).setUpPeer,
};

interface Closing {
  add(close: () => void | Promise<void>): void;
  /** Closes what was opened, the last first. A second call waits for the first. */
  all(): Promise<void>;
}

function closing(): Closing {
  const opened: (() => void | Promise<void>)[] = [];
  let done: Promise<void> | undefined;
  const close = async (): Promise<void> => {
    for (const one of opened.reverse()) await one();
  };
  return {
    add: (one) => {
      opened.push(one);
    },
    all: () => {
      done ??= close();
      return done;
    },
  };
}

// What a server answers and files hold may be in it.
const say = (line: string): void => {
  process.stderr.write(`${asBlock(line)}\n`);
};

const print = (text: string): void => {
  process.stdout.write(asBlock(text));
};

/** What is sent: one workload, or two in turn. */
interface SentWorkloads {
  workload: Workload;
  beside: Workload | undefined;
}

const namesOf = ({ workload, beside }: SentWorkloads): string[] =>
  beside === undefined ? [workload.name] : [workload.name, beside.name];

async function measure(options: Options, { workload, beside }: SentWorkloads, open: Closing): Promise<BenchReport> {
  const folder = resolve(packageRoot, options.report);
  // Built before anything runs that is measured.
  const other =
    options.against === undefined ? undefined : (await import('./against/checkout.js')).checkOut(options.against, say);
  say(options.installation === undefined ? 'Starting a stack …' : `Measuring ${options.installation.url} …`);
  const setUp = isBuiltIn(options.workload) ? await SET_UP[options.workload]() : undefined;
  const settingUp = setUp?.(options, say);
  // Registered before it stands, as the target below.
  if (settingUp !== undefined)
    open.add(() =>
      settingUp.then(
        ({ close }) => close(),
        () => {},
      ),
    );
  const builtIn = await settingUp;
  const { openTarget } = await import('./installation/target.js');
  const collector =
    options.traces === undefined
      ? undefined
      : await (await import('./installation/collector.js')).startCollector(options.traces);
  if (collector) open.add(collector.close);
  const opening = openTarget(options, folder, builtIn?.extra ?? collector?.extra);
  // Registered before it stands: an interruption while it starts must stop what has started by then.
  open.add(() =>
    opening.then(
      (target) => target.stop(),
      () => {},
    ),
  );
  const target = await opening;
  const sent = beside === undefined ? [workload] : [workload, beside];
  if (options.installation !== undefined) for (const each of sent) await firstCheck(target, each);
  const generator = startGenerator();
  open.add(() => generator.close());
  const bench = benchOf(target, workload, generator);
  const run = async (): Promise<BenchOutcome> => {
    if (builtIn !== undefined) return builtIn.run(bench);
    if (other !== undefined) return measureAgainst(other, bench, options, open);
    if (beside === undefined) return runSession({ bench, options, say });
    const { runTwo } = await import('./measurement/two-workloads.js');
    return runTwo({ benches: [bench, benchOf(target, beside, generator, 'b')], options, say });
  };
  const outcome = await run();
  if (target.stores !== undefined) say('Waiting for the last rows …');
  const rows = await checkRows(bench, DRAIN_SECONDS);
  if (options.backtest) say('Evaluating what is stored again …');
  const backtest = options.backtest ? await target.rejudge?.(bench.rows) : undefined;
  return {
    date: new Date().toISOString(),
    workload: builtIn === undefined ? namesOf({ workload, beside }).join('+') : options.workload,
    environment: await environmentOf(options, target),
    options: reported(options),
    ...outcome,
    ...(rows === undefined ? {} : { rows }),
    ...(backtest === undefined ? {} : { backtest }),
  };
}

/** Starts a stack of another commit beside this one, and measures both in turn. */
async function measureAgainst(
  { root, commit }: Checkout,
  bench: Bench,
  options: Options,
  open: Closing,
): Promise<BenchOutcome> {
  const { runAgainst } = await import('./against/session.js');
  const { openTarget } = await import('./installation/target.js');
  const opening = openTarget({ ...options, profile: false }, '', undefined, root);
  open.add(() =>
    opening.then(
      (target) => target.stop(),
      () => {},
    ),
  );
  return runAgainst({ bench, other: await opening, commit, options, say });
}

/** `mark`: what tells its ids from those of another one on the same stack. */
function benchOf(target: BenchTarget, workload: Workload, generator: Generator, mark = ''): Bench {
  return {
    generator,
    base: {
      workload,
      scope: target.scope,
      tag: Date.now().toString(36) + mark,
      url: target.url,
      key: target.key,
      maxInFlight: MAX_IN_FLIGHT,
      timeoutMs: TIMEOUT_MS,
      sampleEvery: 100,
    },
    processes: [...target.processes, { name: 'generator', pid: generator.pid }],
    ...(target.remote ? { remote: target.remote } : {}),
    stores: target.stores,
    stamp: 1,
    rows: 0,
    unknown: 0,
  };
}

async function environmentOf(options: Options, target: BenchTarget): Promise<BenchReport['environment']> {
  return describeEnvironment({
    workload: options.beside === undefined ? options.workload : `${options.workload} and ${options.beside}`,
    configuration: target.configuration,
    policies: target.policies,
    versions: await target.stores?.versions(),
  });
}

/** The options for the report, without the key. */
function reported({ installation, ...options }: Options): Record<string, unknown> {
  return installation === undefined ? { ...options } : { ...options, url: installation.url };
}

/** Measures what needs no stack, and prints the figures. */
async function printOffline({ workload, seconds, rows }: Options): Promise<void> {
  const where = { workload, configuration: 'none', policies: undefined, versions: undefined };
  if (workload === 'history') {
    const { measureHistory, renderHistory } = await import('./workloads/history.js');
    print(`\n${renderHistory(await measureHistory(rows, say), describeEnvironment(where))}`);
    return;
  }
  if (workload === 'paths') {
    const { measurePaths, renderPaths } = await import('./workloads/paths.js');
    print(`\n${renderPaths(await measurePaths(seconds), describeEnvironment(where))}`);
    return;
  }
  const { measureAsked, measureDetect, renderAsked, renderDetect } = await import('./workloads/detect.js');
  const figures = await measureDetect(seconds);
  const asked = await measureAsked(seconds);
  print(`\n${renderAsked(asked)}\n${renderDetect(figures, describeEnvironment(where))}`);
}

/** Measures what `weir plan` is made of, writes it, and prints how far loads are from it that were not part of it. */
async function writeFigures({ seconds, warmup, output, report }: Options, open: Closing): Promise<number> {
  const { measureFigures, missed } = await import('./figures/session.js');
  const { renderChecks } = await import('./figures/report.js');
  const { figures, checks } = await measureFigures({ seconds, warmup, say, opened: open.add });
  const file = resolve(packageRoot, output ?? join(report, 'figures.json'));
  mkdirSync(dirname(file), { recursive: true });
  writeFileSync(file, `${JSON.stringify(figures, null, 2)}\n`);
  print(`\n${renderChecks(checks)}`);
  say(`\nSaved as ${file}. weir plan takes it by --figures FILE.`);
  return checks.some(missed) ? 1 : 0;
}

async function main(): Promise<number> {
  const args = process.argv.slice(2);
  if (args.includes('--help') || args.includes('-h')) {
    print(`${USAGE}\n`);
    return 0;
  }
  const options = parseOptions(args, process.env);
  if (isOffline(options.workload)) {
    await printOffline(options);
    return 0;
  }
  const open = closing();
  for (const signal of ['SIGINT', 'SIGTERM'] as const) {
    process.once(signal, () => {
      say('Interrupted: stopping the stack …');
      void open.all().finally(() => process.exit(130));
    });
  }
  try {
    return options.workload === FIGURES ? await writeFigures(options, open) : await report(options, open);
  } finally {
    await open.all();
  }
}

async function report(options: Options, open: Closing): Promise<number> {
  const workload = readWorkload(isBuiltIn(options.workload) ? BATCHES : options.workload);
  const beside = options.beside === undefined ? undefined : readWorkload(options.beside);
  const done = await measure(options, { workload, beside }, open);
  print(`\n${renderReport(done)}`);
  say(`\nSaved as ${saveReport(done, resolve(packageRoot, options.report))}.json and .md`);
  const missed = done.neighbours?.rows.some((row) => row.missed.length > 0) ?? false;
  const rows = [done.rows, done.against?.rows, done.workloads?.rows];
  return rows.some((checked) => checked?.exact === false) || done.backtest?.same === false || missed ? 1 : 0;
}

try {
  process.exitCode = await main();
} catch (error) {
  const message = error instanceof Error ? error.message : String(error);
  say(error instanceof BenchUsageError ? `${message}\nnpm run bench -- --help lists the options.` : message);
  process.exitCode = 1;
}

/** The command line of `npm run bench`. */
import { parseArgs } from 'node:util';
import { readTextAtMost } from '../shared/files.js';
import { workloadNames } from './workloads/workload.js';

export interface Options {
  workload: string;
  /** another one to measure in turn with it */
  beside: string | undefined;
  /** default: capacity, then open at 70 % of it */
  run:
    | { kind: 'default' }
    | { kind: 'open'; rate: number }
    | { kind: 'closed'; connections: number }
    | { kind: 'saturate' };
  seconds: number;
  warmup: number;
  connections: number;
  threads: number;
  partitions: number;
  fsync: 'everysec' | 'always' | 'off';
  /** evaluate again what was stored */
  backtest: boolean;
  rounds: number;
  /** milliseconds */
  objective: number;
  hold: number;
  /** neighbours: only these attacks; none: all */
  attacks: string[];
  /** history: rows to fill it with */
  rows: number;
  /** a commit to measure in turn with this code */
  against: string | undefined;
  /** share of the requests that are traced, of the stack of this code; undefined: none, and traces are off */
  traces: number | undefined;
  profile: boolean;
  report: string;
  /** figures: file to write them to */
  output: string | undefined;
  configuration: string | undefined;
  /** a running installation to measure instead of a stack of our own */
  installation:
    | {
        url: string;
        key: string;
        environment: string;
        deployment: string;
        redis: string | undefined;
        clickhouse: string | undefined;
        /** addresses of metrics ports */
        metrics: string[];
      }
    | undefined;
}

/** Seconds of a round of --against, and of two workloads. */
const ROUND_SECONDS = 8;

/** What is measured where no workload is named: two shapes of batches. */
const DEFAULTS = ['events-50', 'events-agents'] as const;

/** Workloads that need a stack of their own, and what differs in their defaults. */
export const BUILT_IN = {
  images: { seconds: 8, rounds: 3 },
  neighbours: { seconds: 60, rounds: 5 },
  peer: { seconds: 8, rounds: 5 },
} as const;
export type BuiltInName = keyof typeof BUILT_IN;

/** Workloads without a stack and without requests: what differs in their defaults, and the one option that each takes. */
const OFFLINE = {
  detect: { seconds: 10, takes: 'duration' },
  paths: { seconds: 10, takes: 'duration' },
  history: { seconds: 30, takes: 'rows' },
} as const;
/** What `weir plan` is made of, on installations of its own. */
export const FIGURES = 'figures';
const FIGURES_SECONDS = 12;
const FIGURES_TAKE = ['duration', 'warmup', 'output'];

export const isOffline = (workload: string): workload is keyof typeof OFFLINE => Object.hasOwn(OFFLINE, workload);

export const isBuiltIn = (workload: string): workload is BuiltInName => Object.hasOwn(BUILT_IN, workload);

export class BenchUsageError extends Error {}

export const USAGE = `npm run bench -- [workload [workload]] [options]

Starts a stack of its own on free ports, loads it and reports what it can do. Without --rate, --closed or --saturate it
measures the capacity of the closed model, for one workload for 20 s, then the open model at 70 % of that. Two workloads
are measured in turn, and the report says what an event of each costs and what a byte. The default is events-50 and
events-agents, but events-50 alone with --saturate, --against and --backtest, which take one workload.

Workloads:
  ${workloadNames().join(', ')}
              what callers send; or a file of the same form
  images      JPEGs of 1, 4 and 12 megapixels, with text beside them, compared with plain sharp
  neighbours  batches and look-ups of one team while another team attacks the service; the objective is a p99 of at
              most twice the quiet one plus 100 ms, with nothing refused
  peer        batches, in turn to Weir and to a service of Fastify, ajv and BullMQ with the same engine and rows (npm installs
              these for it, into a temporary folder)
  detect      each detector of texts with all it has, and all together, on one thread, without a stack; and what it
              costs to explain, to redact and to have policies in the shadow
  paths       what reading, answering and storing a batch of each shape costs for a byte, without a stack and without evaluation
  figures     what a request, an event and a byte cost each tier, as weir plan takes it (docs/operations/capacity.md)
  history     look-ups and the questions of the documents over many rows, in an engine of its own, without a stack

  --rate N          open model: N requests a second; images, neighbours: N batches of text a second [40]
  --closed C        closed model: C connections, each sends as soon as it has its answer
  --saturate        search for the highest rate that is sustained
  --duration S      seconds of the measured load [30; two workloads, images, peer, --against: 8,
                    detect, paths: 10, figures: 12, neighbours: 60]
  --warmup S        seconds of load before it [10]
  --connections N   connections of the open model, at most [256]
  --objective MS    p99 that --saturate allows [50]
  --hold S          seconds that --saturate holds the rate it reports [60]
  --rounds N        rounds of two workloads, --against and peer [5] and of images [3]
  --against COMMIT  build another commit, and send the same load to it and to this code in turn (closed, 64 connections,
                    unless --rate or --closed); this is how claims of speed are made
  --traces SHARE    trace this share of the requests, 0 to 1; with --against, the other commit traces none
  --backtest        then evaluate all that was stored again, which must give the same verdicts
  --attack NAMES    neighbours: only these attacks, separated by commas
  --rows N          history: rows to fill it with [1000000]
  --output FILE     figures: where they are written [.weir/bench/figures.json]
  --profile         write CPU profiles of ingress and worker beside the report
  --report DIR      folder of the reports [.weir/bench]
  --config FILE     configuration to measure [bench/policies.yaml]
  --threads N       evaluation threads of the worker (0: the worker decides) [0]
  --partitions N    partitions [1]
  --fsync MODE      everysec, always or off: Redis's append-only file [everysec]

A running installation instead of a stack of its own (plain http):
  --url URL --environment ID --deployment ID   with the key in WEIR_KEY, or in a file:
  --key-file FILE
  --metrics URL,URL              metrics ports of its processes: what each costs
  --redis URL --clickhouse URL   to watch its backlog, count its rows, and see what the stores cost`;

const STRING = { type: 'string' } as const;
const FLAG = { type: 'boolean' } as const;
const FLAGS = {
  rate: STRING,
  closed: STRING,
  saturate: FLAG,
  duration: STRING,
  warmup: STRING,
  connections: STRING,
  objective: STRING,
  hold: STRING,
  against: STRING,
  traces: STRING,
  backtest: FLAG,
  rounds: STRING,
  attack: STRING,
  rows: STRING,
  profile: FLAG,
  report: STRING,
  output: STRING,
  config: STRING,
  threads: STRING,
  partitions: STRING,
  fsync: STRING,
  url: STRING,
  'key-file': STRING,
  metrics: STRING,
  environment: STRING,
  deployment: STRING,
  redis: STRING,
  clickhouse: STRING,
} as const;

/** Reads the arguments. Throws a {@link BenchUsageError} whose message says which option and what was expected. */
export function parseOptions(args: readonly string[], env: Record<string, string | undefined>): Options {
  const { values, positionals } = split(args);
  const number = (name: keyof typeof values, fallback: number, low: number, high: number): number => {
    const raw = values[name];
    if (raw === undefined) return fallback;
    const value = Number(raw);
    if (raw === '' || !(value >= low && value <= high)) {
      throw new BenchUsageError(`--${name} must be a number from ${low} to ${high}, but is "${raw}".`);
    }
    return value;
  };
  const [workload, beside] = workloadsOf(positionals, values);
  const builtIn = isBuiltIn(workload) ? BUILT_IN[workload] : undefined;
  const inTurn = values.against === undefined && beside === undefined ? undefined : ROUND_SECONDS;
  const own = isOffline(workload) ? OFFLINE[workload].seconds : workload === FIGURES ? FIGURES_SECONDS : 30;
  const seconds = builtIn?.seconds ?? inTurn ?? own;
  refuse(workload, values);
  return {
    workload,
    beside,
    run: runOf(values, number),
    seconds: number('duration', seconds, 1, 86_400),
    warmup: number('warmup', 10, 0, 3600),
    connections: Math.round(number('connections', 256, 1, 4096)),
    threads: Math.round(number('threads', 0, 0, 256)),
    partitions: Math.round(number('partitions', 1, 1, 1024)),
    fsync: fsyncOf(values),
    against: values.against,
    traces: values.traces === undefined ? undefined : number('traces', 0, 0, 1),
    backtest: values.backtest ?? false,
    rounds: Math.round(number('rounds', builtIn?.rounds ?? 5, 1, 100)),
    rows: Math.round(number('rows', 1_000_000, 1000, 100_000_000)),
    attacks: values.attack?.split(',').filter((name) => name !== '') ?? [],
    objective: number('objective', 50, 1, 60_000),
    hold: number('hold', 60, 1, 3600),
    profile: values.profile ?? false,
    report: values.report ?? '.weir/bench',
    output: values.output,
    configuration: values.config,
    installation: installationOf(values, env),
  };
}

type Values = ReturnType<typeof split>['values'];

const takesOne = ({ saturate, against, backtest }: Values): boolean =>
  Boolean(saturate || backtest) || against !== undefined;

/** The workload, and the one beside it if there are two. */
function workloadsOf(names: readonly string[], values: Values): [workload: string, beside: string | undefined] {
  const [workload, beside, third] = names;
  if (third !== undefined) throw new BenchUsageError(`Name one workload or two, not ${names.length}.`);
  if (workload === undefined) return takesOne(values) ? [DEFAULTS[0], undefined] : [...DEFAULTS];
  if (beside === undefined) return [workload, undefined];
  const alone = [workload, beside].find((name) => isBuiltIn(name) || isOffline(name) || name === FIGURES);
  if (alone !== undefined) throw new BenchUsageError(`${alone} is measured by itself, not beside another workload.`);
  if (workload === beside) throw new BenchUsageError(`Name two different workloads, not ${workload} twice.`);
  if (takesOne(values)) throw new BenchUsageError('--saturate, --against and --backtest take one workload.');
  return [workload, beside];
}

/** Throws when options do not go together. */
function refuse(workload: string, values: Values): void {
  const alone = isOffline(workload) ? OFFLINE[workload].takes : undefined;
  if (alone !== undefined && Object.keys(values).some((name) => name !== alone)) {
    throw new BenchUsageError(`${workload} has no stack and sends nothing: of the options it takes --${alone} alone.`);
  }
  if (workload === FIGURES && Object.keys(values).some((name) => !FIGURES_TAKE.includes(name))) {
    throw new BenchUsageError(
      'figures has installations and loads of its own: it takes --duration, --warmup and --output alone.',
    );
  }
  if (workload !== FIGURES && values.output !== undefined) throw new BenchUsageError('--output is for figures alone.');
  if (workload !== 'history' && values.rows !== undefined) throw new BenchUsageError('--rows is for history alone.');
  if (values.backtest && values.url !== undefined) {
    throw new BenchUsageError(
      '--backtest needs a stack of its own, whose configuration is known: it does not take --url.',
    );
  }
  if (values.against !== undefined && (values.url !== undefined || values.backtest || values.saturate)) {
    throw new BenchUsageError(
      '--against has two stacks of its own, and takes none of --url, --saturate and --backtest.',
    );
  }
  const unfit =
    values.against !== undefined ||
    values.backtest ||
    values.url !== undefined ||
    values.closed !== undefined ||
    values.saturate;
  if (isBuiltIn(workload) && unfit) {
    throw new BenchUsageError(
      `${workload} needs a stack of its own, and takes none of --closed, --saturate, --against and --backtest.`,
    );
  }
  if (values.traces !== undefined && (isBuiltIn(workload) || values.url !== undefined)) {
    throw new BenchUsageError('--traces is for a stack of texts of the benchmark itself: it takes no --url.');
  }
  if (workload !== 'neighbours' && values.attack !== undefined) {
    throw new BenchUsageError('--attack is for neighbours alone.');
  }
}

function fsyncOf({ fsync = 'everysec' }: Values): Options['fsync'] {
  if (fsync === 'everysec' || fsync === 'always' || fsync === 'off') return fsync;
  throw new BenchUsageError(`--fsync must be everysec, always or off, but is "${fsync}".`);
}

function split(args: readonly string[]) {
  try {
    return parseArgs({ args: [...args], options: FLAGS, allowPositionals: true });
  } catch (error) {
    throw new BenchUsageError(error instanceof Error ? error.message : String(error));
  }
}

function runOf(
  values: Values,
  number: (name: keyof Values, fallback: number, low: number, high: number) => number,
): Options['run'] {
  const chosen = (['rate', 'closed', 'saturate'] as const).filter((name) => values[name] !== undefined);
  if (chosen.length > 1) throw new BenchUsageError(`--${chosen.join(' and --')} exclude each other.`);
  if (values.rate !== undefined) return { kind: 'open', rate: number('rate', 0, 0.1, 1_000_000) };
  if (values.closed !== undefined) return { kind: 'closed', connections: Math.round(number('closed', 0, 1, 4096)) };
  return values.saturate ? { kind: 'saturate' } : { kind: 'default' };
}

function installationOf(values: Values, env: Record<string, string | undefined>): Options['installation'] {
  const { url, environment, deployment, redis, clickhouse } = values;
  if (url === undefined) {
    if (values.metrics !== undefined || values['key-file'] !== undefined) {
      throw new BenchUsageError('--metrics and --key-file are for a running installation: --url.');
    }
    return undefined;
  }
  const key = keyOf(values['key-file'], env);
  const metrics = (values.metrics ?? '').split(',').filter((address) => address !== '');
  const bad = metrics.find((address) => !URL.canParse(address));
  if (bad !== undefined) {
    throw new BenchUsageError(`--metrics takes addresses such as http://127.0.0.1:9464, but "${bad}" is none.`);
  }
  if (environment === undefined || deployment === undefined) {
    throw new BenchUsageError('--url needs --environment ID and --deployment ID, which the key must grant.');
  }
  if ((redis === undefined) !== (clickhouse === undefined)) {
    throw new BenchUsageError(
      '--redis and --clickhouse go together: the backlog is in one, the rows are in the other.',
    );
  }
  return { url, key, environment, deployment, redis, clickhouse, metrics };
}

const MOST_KEY_BYTES = 4096;

/** Never from the command line, which every user of a machine can see. */
function keyOf(file: string | undefined, env: Record<string, string | undefined>): string {
  let key = env.WEIR_KEY ?? '';
  if (file !== undefined) {
    try {
      key = readTextAtMost(file, MOST_KEY_BYTES).trim();
    } catch (error) {
      throw new BenchUsageError(`--key-file ${file} cannot be read: ${(error as Error).message}`);
    }
  }
  if (key === '') throw new BenchUsageError('--url needs a key: in WEIR_KEY, or in a file that --key-file names.');
  return key;
}
